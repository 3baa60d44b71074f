//! Bodies of every kind: without an id, oddly written, not JSON, large.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::{Artifact, Conduct},
    counting::Due,
    error::CheckError,
    finding::{Finding, answer, plural},
    job::{Job, fresh_id, is_2xx},
    probes::Subject,
    spelling,
    template::{self, Spelling},
};
use crate::model::CopyReport;
use bytes::Bytes;
use tokio::time::sleep;

/// What a missing id turns into where nobody looks (C42).
const NO_IDS: [&str; 4] = ["undefined", "null", "None", "nil"];
/// Of `large-body`, in bytes.
const LARGE: usize = 1024 * 1024;

pub(super) async fn no_job_id(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let artifact = bench.artifact(Conduct::Serve);
    let body = template::webhook_test(artifact.as_ref().map(Artifact::url));
    let job = Job::new(fresh_id(), "webhook.test, without a job_id".into(), body, artifact);
    let before = of_no_id(bench).await;
    let copy = bench.deliver_within(&job, bench.timeout, "webhook.test").await;
    if !bench.revive().await? {
        drop(turn);
        let reason = format!(
            "The handler got webhook.test ({}) and does not answer any more.",
            answer(&copy)
        );
        return Ok(Finding::fail(reason, Advice::AcceptWithoutId)
            .answers(&[&job])
            .shown_by(&[&job]));
    }
    drop(turn);
    sleep(bench.settle()).await;
    let after = of_no_id(bench).await;
    let downloads = job.artifact.as_ref().map_or(0, |artifact| artifact.downloads().len());
    let effects = after.iter().zip(&before).find(|(after, before)| after > before);
    let finding = if !copy.status.is_some_and(is_2xx) {
        Finding::fail(
            format!(
                "A signed webhook.test without a job_id was answered {}, and not 2xx.",
                answer(&copy)
            ),
            Advice::AcceptWithoutId,
        )
    } else if downloads > 0 {
        Finding::fail(
            format!(
                "A signed webhook.test without a job_id had an effect: its artifact was downloaded{}.",
                if downloads > 1 { " more than once" } else { "" }
            ),
            Advice::AcceptWithoutId,
        )
    } else if effects.is_some() {
        Finding::fail(
            "A signed webhook.test without a job_id had an effect, under a key like `undefined` or `null`.",
            Advice::AcceptWithoutId,
        )
    } else if bench.sighted() == Some(false) && !bench.fetches_artifact() {
        Finding::unknown(format!(
            "Acknowledged with {}. {}",
            answer(&copy),
            crate::checking::counting::BLIND
        ))
    } else {
        Finding::pass(format!("Acknowledged with {}, no effect.", answer(&copy)))
    };
    Ok(finding.answers(&[&job]).shown_by(&[&job]))
}

/// What the deciding probe counts for ids that are none.
async fn of_no_id(bench: &Bench) -> Vec<u32> {
    let Some(decider) = bench.probes.first() else { return Vec::new() };
    let subjects: Vec<Subject> =
        NO_IDS.iter().map(|id| Subject { job_id: (*id).to_owned(), artifact: None }).collect();
    decider.counts(&subjects).await.into_iter().map(|sight| sight.unwrap_or(0)).collect()
}

pub(super) async fn exact_bytes(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let mut jobs = Vec::new();
    for (what, change) in spelling::WAYS {
        let job = bench.job(*what);
        if *what == spelling::ESCAPED_ID {
            bench.respell(&job, Spelling::AllEscaped);
        }
        job.set_body(change(&job.body()));
        bench.deliver_within(&job, bench.timeout, what).await;
        jobs.push(job);
    }
    drop(turn);
    let refused: Vec<(&Job, CopyReport)> = jobs
        .iter()
        .filter(|job| !job.acknowledged())
        .filter_map(|job| Some((job, job.copies().pop()?)))
        .collect();
    let taken: Vec<&Job> = jobs.iter().filter(|job| job.acknowledged()).collect();
    let unseen = bench.count(&taken, Due::Once).await;
    let all: Vec<&Job> = jobs.iter().collect();
    let lost = taken.iter().find(|job| job.effects() == Some(0));
    let doubled = taken.iter().find(|job| job.effects().is_some_and(|count| count > 1));
    let (finding, shown) = if let Some((job, copy)) = refused.first() {
        let others = match refused.len() {
            1 => String::new(),
            count => format!(" (and {} more of {})", count - 1, jobs.len()),
        };
        let reason =
            format!("A valid signature was answered {}: {}{others}.", answer(copy), job.label);
        (Finding::fail(reason, Advice::VerifyRawBytes), *job)
    } else if let Some(job) = lost {
        let reason = format!("Acknowledged, and the effect never came: {}.", job.label);
        (Finding::fail(reason, Advice::AcknowledgeAfterKeeping), *job)
    } else if let Some(job) = doubled {
        (
            Finding::fail(
                format!("The effect ran more than once: {}.", job.label),
                Advice::RunOnce,
            ),
            *job,
        )
    } else {
        let kinds = plural(jobs.len(), "body", "bodies");
        let finding = match unseen {
            None => Finding::pass(format!("{kinds} of odd spelling, each accepted, effect once.")),
            // What is asked is whether the signature is accepted, and that was seen.
            Some(_) => Finding::pass(format!("{kinds} of odd spelling, each accepted.")),
        };
        (finding, &jobs[0])
    };
    Ok(finding.answers(&all).shown_by(&[shown]).counted(bench, 1, shown).await)
}

pub(super) async fn malformed_json(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let whole = bench.job("").body();
    let half = whole.slice(..whole.len() / 2);
    let bodies: [(&str, Bytes); 4] = [
        ("an event that ends in its middle", half),
        ("a brace alone", Bytes::from_static(b"{")),
        ("words", Bytes::from_static(b"not json")),
        ("a comma too many", Bytes::from_static(br#"{"event":"job.completed",}"#)),
    ];
    let mut jobs = Vec::new();
    let mut went = None;
    for (what, body) in bodies {
        let job = Job::new(fresh_id(), what.into(), body, None);
        let copy = bench.deliver_within(&job, bench.timeout, what).await;
        let silent = copy.status.is_none();
        jobs.push(job);
        // One that gets no answer says enough; the others would be waited for as long.
        if silent {
            went = (!bench.revive().await?).then_some(what);
            break;
        }
    }
    let (good, answered) = match went {
        None => bench.good_delivery().await,
        Some(_) => (bench.job(""), false),
    };
    drop(turn);
    let of = |job: &Job| job.copies().pop();
    let silent = jobs.iter().find(|job| of(job).is_none_or(|copy| copy.status.is_none()));
    let broke = jobs
        .iter()
        .find(|job| of(job).and_then(|copy| copy.status).is_some_and(|status| status >= 500));
    let lost = answered && !bench.judge(&[&good]).await.lost.is_empty();
    let said = |job: &Job| of(job).map_or_else(|| "no answer".into(), |copy| answer(&copy));
    let finding = if let Some(what) = went {
        Finding::fail(
            format!("The handler got {what} and does not answer any more."),
            Advice::AnswerMalformed,
        )
    } else if let Some(job) = silent {
        Finding::fail(format!("{}: {}.", said(job), job.label), Advice::AnswerMalformed)
    } else if let Some(job) = broke {
        Finding::fail(
            format!("A signed body that is not JSON was answered {}: {}.", said(job), job.label),
            Advice::AnswerMalformed,
        )
    } else if !answered || lost {
        Finding::fail(
            format!(
                "After bodies that are not JSON the next good delivery failed: {}.",
                said(&good)
            ),
            Advice::AnswerMalformed,
        )
    } else {
        Finding::pass(format!(
            "{} answered, and the next good delivery worked.",
            plural(jobs.len(), "body that is not JSON was", "bodies that are not JSON were")
        ))
    };
    let all: Vec<&Job> = jobs.iter().collect();
    let shown = silent.or(broke).unwrap_or(&jobs[0]);
    Ok(finding.answers(&all).shown_by(&[shown]))
}

pub(super) async fn large_body(bench: &Bench) -> Result<Finding, CheckError> {
    let turn = bench.turn.lock().await;
    let job = bench.job("a body of 1 MiB");
    job.set_body(spelling::padded(&job.body(), LARGE));
    let copy = bench.deliver_within(&job, bench.timeout, "1 MiB").await;
    let lives = bench.revive().await?;
    drop(turn);
    let accepted = copy.status.is_some_and(is_2xx);
    let unseen = if accepted { bench.count(&[&job], Due::Once).await } else { Some(String::new()) };
    let finding = match (accepted, job.effects()) {
        (true, Some(0)) if unseen.is_none() => Finding::fail(
            "A signed body of 1 MiB was acknowledged, and its effect never came.",
            Advice::AcknowledgeAfterKeeping,
        ),
        (true, Some(count)) if count > 1 => {
            Finding::fail("A signed body of 1 MiB ran its effect more than once.", Advice::RunOnce)
        }
        (true, _) => Finding::pass(format!(
            "A signed body of 1 MiB was acknowledged with {}.",
            answer(&copy)
        )),
        (false, _) => {
            let gone = if lives { "" } else { "; the handler does not answer any more" };
            Finding::warn(
                format!("A signed body of 1 MiB was not taken: {}{gone}.", answer(&copy)),
                Advice::TakeLargeBodies,
            )
        }
    };
    let finding = finding.answers(&[&job]).shown_by(&[&job]);
    Ok(if accepted { finding.counted(bench, 1, &job).await } else { finding })
}
