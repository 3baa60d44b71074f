//! What must be refused: forged, missing and borrowed signatures, and old ones.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    counting::Due,
    error::CheckError,
    finding::{Finding, answer, plural},
    forging,
    job::{Job, is_2xx},
    template::Spelling,
};
use crate::model::CopyReport;
use bytes::Bytes;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A job with what was wrong with its delivery and what was answered.
struct Tried {
    job: Job,
    what: String,
    copy: CopyReport,
}

pub(super) async fn forged_signature(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let mut tried = Vec::with_capacity(forging::KINDS);
    for kind in 0..forging::KINDS {
        let job = bench.job("");
        let forgery = forging::forge(bench, &job, kind)?;
        let label = format!("a signature: {}", forgery.what);
        let copy = bench.send(&job, job.body(), forgery.headers, bench.timeout, &label).await;
        let silent = copy.status.is_none();
        tried.push(Tried { job, what: label, copy });
        // One that gets no answer says enough; the others would be waited for as long.
        if silent {
            break;
        }
    }
    let good = bench.good_delivery().await;
    drop(turn);
    Ok(Box::pin(refused(bench, tried, good, Advice::VerifyWhole)).await)
}

pub(super) async fn missing_signature(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let mut tried = Vec::new();
    for (what, bare) in [("no signature header", false), ("no header of the scheme at all", true)] {
        let job = bench.job("");
        let body = job.body();
        let signed = bench.sign(&job, job.next_second(), &body);
        let headers = if bare { Vec::new() } else { forging::without_signature(bench, signed) };
        let copy = bench.send(&job, body, headers, bench.timeout, what).await;
        tried.push(Tried { job, what: what.into(), copy });
    }
    let good = bench.good_delivery().await;
    drop(turn);
    Ok(Box::pin(refused(bench, tried, good, Advice::RequireSignature)).await)
}

pub(super) async fn tampered_body(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let mut tried = Vec::new();
    let other = bench.job("");
    let artifact = other.artifact.as_ref().map(|artifact| artifact.url().to_owned());
    let job = bench.job("");
    let headers = forging::for_another_body(bench, &job, &other.body());
    let what = "a body with another job_id than the signed one";
    let copy = bench.send(&job, job.body(), headers, bench.timeout, what).await;
    tried.push(Tried { job, what: what.into(), copy });
    // The same job with one word of it changed.
    let job = bench.job("");
    let signed = bench.template.fill(&job.id, artifact.as_deref(), Spelling::Escaped);
    let mut changed = signed.to_vec();
    changed.truncate(signed.trim_ascii_end().len().saturating_sub(1));
    changed.extend_from_slice(br#","tampered":true}"#);
    if changed.first() == Some(&b'{') {
        let what = "a member more than was signed";
        let headers = forging::for_another_body(bench, &job, &signed);
        let copy = bench.send(&job, Bytes::from(changed), headers, bench.timeout, what).await;
        tried.push(Tried { job, what: what.into(), copy });
    }
    let good = bench.good_delivery().await;
    drop(turn);
    Ok(Box::pin(refused(bench, tried, good, Advice::VerifyBody)).await)
}

/// Every one of them must be refused and without effect, and the good delivery after them must work.
async fn refused(
    bench: &Bench,
    tried: Vec<Tried>,
    (good, good_answered): (Job, bool),
    advice: Advice,
) -> Finding {
    let jobs: Vec<&Job> = tried.iter().map(|tried| &tried.job).collect();
    let (unseen, lost) = tokio::join!(bench.count(&jobs, Due::Never), async {
        if good_answered { bench.judge(&[&good]).await.lost.len() } else { 0 }
    });
    let silent = tried.iter().find(|tried| tried.copy.status.is_none());
    let taken = tried.iter().find(|tried| tried.copy.status.is_some_and(is_2xx));
    let effect = tried.iter().find(|tried| tried.job.effects().unwrap_or(0) > 0);
    let broke = tried.iter().find(|tried| tried.copy.status.is_some_and(|status| status >= 500));
    let finding = if let Some(tried) = taken {
        let many = others_accepted(&jobs);
        Finding::fail(
            format!("Accepted with {}: {}{many}.", answer(&tried.copy), tried.what),
            advice,
        )
    } else if let Some(tried) = effect {
        Finding::fail(
            format!("Refused with {}, but its effect ran: {}.", answer(&tried.copy), tried.what),
            Advice::VerifyThenClaim,
        )
    } else if let Some(tried) = silent {
        Finding::fail(format!("{}: {}.", answer(&tried.copy), tried.what), Advice::AnswerForged)
    } else if !good_answered {
        let last = good.copies().pop();
        let said = last.map_or_else(|| "not sent".into(), |copy| answer(&copy));
        Finding::fail(
            format!("The next good delivery was not acknowledged: {said}."),
            Advice::AnswerForged,
        )
    } else if lost > 0 {
        Finding::fail(
            "The next good delivery was acknowledged, and its effect never came.",
            Advice::AcknowledgeAfterKeeping,
        )
    } else if let Some(why) = unseen {
        Finding::unknown(format!("Refused each time. {why}"))
    } else if let Some(tried) = broke {
        Finding::warn(
            format!(
                "Refused, but with {}, which asks the sender to come again: {}.",
                answer(&tried.copy),
                tried.what
            ),
            Advice::AnswerForged,
        )
    } else {
        Finding::pass(format!(
            "{} refused, none had an effect, and the next good delivery worked.",
            plural(tried.len(), "delivery was", "deliveries were")
        ))
    };
    let shown = taken.or(effect).or(silent).or(broke).or(tried.first());
    match shown {
        Some(tried) => {
            finding.answers(&jobs).shown_by(&[&tried.job]).counted(bench, 0, &tried.job).await
        }
        None => finding,
    }
}

/// How many beside the first were accepted.
fn others_accepted(jobs: &[&Job]) -> String {
    let accepted = jobs.iter().filter(|job| job.acknowledged()).count();
    if accepted > 1 {
        format!(" (and {} more of {})", accepted - 1, jobs.len())
    } else {
        String::new()
    }
}

pub(super) async fn forged_then_real(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let job = bench.job("forged first, then real");
    let forgery = forging::forge(bench, &job, forging::KINDS - 1)?;
    let forged = bench.send(&job, job.body(), forgery.headers, bench.timeout, "forged").await;
    drop(turn);
    let jobs = [&job];
    let unseen = bench.count(&jobs, Due::Never).await;
    let before = job.effects().unwrap_or(0);
    let real = bench.deliver_within(&job, bench.timeout, "real").await;
    // A forged delivery that was taken for an acknowledged one does not acknowledge the real one.
    let acknowledged = match real.status {
        Some(status) if is_2xx(status) => true,
        Some(_) | None => !forged.status.is_some_and(is_2xx) && bench.acknowledge(&job).await,
    };
    let unseen = unseen.or(bench
        .count(&jobs, if before == 0 && acknowledged { Due::Once } else { Due::Never })
        .await);
    let after = job.effects().unwrap_or(0);
    let finding = if let Some(why) = unseen {
        Finding::unknown(why)
    } else if after > before {
        Finding::pass(format!(
            "The forged one was answered {}, and the real one had its effect.",
            answer(&forged)
        ))
    } else if before > 0 {
        Finding::fail(
            format!(
                "The forged delivery ({}) had the effect, and the real one had none.",
                answer(&forged)
            ),
            Advice::VerifyThenClaim,
        )
    } else {
        Finding::fail(
            format!(
                "After a forged delivery the real one was answered {} and had no effect.",
                answer(&real)
            ),
            Advice::VerifyThenClaim,
        )
    };
    Ok(finding.answers(&jobs).shown_by(&jobs).counted(bench, 1, &job).await)
}

pub(super) async fn stale_timestamp(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let job = bench.job("signed a day ago");
    let body = job.body();
    let headers = bench.sign(&job, job.next_second() - DAY, &body);
    let copy = bench.send(&job, body, headers, bench.timeout, "signed a day ago").await;
    drop(turn);
    let finding = match copy.status {
        Some(status) if is_2xx(status) => Finding::warn(
            format!("A delivery that was signed a day ago was accepted with {status}."),
            Advice::CheckAge,
        ),
        Some(status) if status >= 500 => Finding::warn(
            format!(
                "A delivery that was signed a day ago was answered {status}; a 4xx says no for good."
            ),
            Advice::AnswerForged,
        ),
        Some(status) => Finding::pass(format!(
            "A delivery that was signed a day ago was refused with {status}."
        )),
        None => Finding::warn(
            format!("A delivery that was signed a day ago got {}.", answer(&copy)),
            Advice::AnswerForged,
        ),
    };
    if copy.status.is_some_and(is_2xx) {
        // It counts as sent; what it did is told, and judged by nobody.
        bench.count(&[&job], Due::Never).await;
    }
    Ok(finding.answers(&[&job]).shown_by(&[&job]))
}
