//! `concurrent`: many copies of one job at the same instant, several times; and whether the handler takes them at once.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::{Conduct, LetGo},
    finding::{Finding, plural, span, times},
    job::{Job, is_2xx, is_busy, ms},
};
use crate::model::CopyReport;
use futures_util::future::join_all;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// How many volleys.
const VOLLEYS: usize = 5;
/// From which duration on volleys go on beside each other, and how far apart they begin.
const LONG: Duration = Duration::from_millis(300);
const APART: Duration = Duration::from_millis(60);
/// How long another delivery is given to be answered while one is held.
const LOOK: Duration = Duration::from_millis(1500);
/// How long the first download is awaited.
const FETCH: Duration = Duration::from_secs(5);

pub(super) async fn concurrent(bench: &Bench) -> Finding {
    let copies = bench.spec.copies;
    let urls = [bench.url().to_owned()];
    let jobs: Vec<Job> =
        (1..=VOLLEYS).map(|n| bench.job(format!("volley {n}: {copies} copies at once"))).collect();
    let volleys = volleys(bench, &jobs, &urls).await;
    let jobs: Vec<&Job> = jobs.iter().collect();
    let refused = refusals(&volleys);
    let judged = bench.judge(&jobs).await;
    // A copy that was refused comes again: it must be acknowledged then.
    let mut still_refused = None;
    for (job, _) in jobs.iter().zip(&volleys).filter(|(_, volley)| !refusals_of(volley).is_empty())
    {
        let (copy, _) = bench.come_again(job, "a later retry", bench.timeout, || false).await;
        if !copy.status.is_some_and(is_2xx) {
            // One says it; the others would be waited for as long.
            still_refused = Some(copy);
            break;
        }
    }
    let (judged, finding) = if refused.is_empty() {
        (judged, None)
    } else {
        // The retries themselves must not have run it again.
        let judged = bench.judge(&jobs).await;
        let finding = refused_in_words(&refused, still_refused.as_ref());
        (judged, Some(finding))
    };
    Box::pin(one_at_a_time(bench)).await;
    let finding = if let Some(first) = judged.doubled.first() {
        let count = jobs[*first].effects().unwrap_or(0);
        let reason = format!(
            "{copies} copies at the same instant ran the effect {}; {} of {VOLLEYS} volleys doubled it.",
            times(count),
            judged.doubled.len()
        );
        Finding::fail(reason, Advice::ClaimByInsert)
    } else if !judged.lost.is_empty() {
        let reason = format!(
            "{} of {VOLLEYS} volleys were acknowledged, and the effect never came.",
            judged.lost.len()
        );
        Finding::fail(reason, Advice::AcknowledgeAfterKeeping)
    } else if !judged.refused.is_empty() {
        let reason =
            format!("{} of {VOLLEYS} volleys were never acknowledged.", judged.refused.len());
        Finding::fail(reason, Advice::AcknowledgeDuplicates)
    } else if let Some(refused) = finding {
        match &judged.unseen {
            Some(why) if refused.verdict == crate::model::Verdict::Warn => {
                Finding::unknown(format!("{} {why}", refused.reason))
            }
            _ => refused,
        }
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if bench.one_at_a_time() {
        Finding::warn(
            "Effect once each time, but not exercised: while one delivery was held no other was answered or came to \
             its work.",
            Advice::OneAtATime,
        )
    } else {
        let spread = spread_us(&volleys);
        Finding::pass(format!(
            "{} of {copies} copies at once (released within {}), effect once each time.",
            plural(VOLLEYS, "volley", "volleys"),
            span(spread / 1e3)
        ))
    };
    finding.once(bench, &jobs, &judged).await.fired(copies, None)
}

/// A volley of each job: one after another, or, where each keeps the handler busy for long, beside each other, a little
/// apart so that none disturbs another's release.
pub(super) async fn volleys(bench: &Bench, jobs: &[Job], urls: &[String]) -> Vec<Vec<CopyReport>> {
    // Each instance gets as many as the others.
    let copies = bench.spec.copies.max(u32::try_from(urls.len()).unwrap_or(2));
    let mut fired = Vec::with_capacity(jobs.len());
    if bench.duration() < LONG || bench.one_at_a_time() {
        for job in jobs {
            fired.push(bench.volley(job, copies, urls).await);
        }
        return fired;
    }
    let mut flying = Vec::with_capacity(jobs.len());
    for (job, begins) in jobs.iter().zip(0..) {
        flying.push(async move {
            sleep(APART * begins).await;
            bench.volley(job, copies, urls).await
        });
    }
    join_all(flying).await
}

/// The widest release of the volleys, in microseconds.
fn spread_us(volleys: &[Vec<CopyReport>]) -> f64 {
    let of = |volley: &Vec<CopyReport>| {
        volley.iter().filter_map(|copy| copy.released_us).fold(0.0, f64::max)
    };
    volleys.iter().map(of).fold(0.0, f64::max)
}

fn refusals_of(volley: &[CopyReport]) -> Vec<&CopyReport> {
    volley.iter().filter(|copy| !copy.status.is_some_and(is_2xx)).collect()
}

fn refusals(volleys: &[Vec<CopyReport>]) -> Vec<&CopyReport> {
    volleys.iter().flat_map(|volley| refusals_of(volley)).collect()
}

fn refused_in_words(refused: &[&CopyReport], still: Option<&CopyReport>) -> Finding {
    let mut statuses: Vec<String> = refused
        .iter()
        .map(|copy| copy.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string()))
        .collect();
    statuses.sort();
    statuses.dedup();
    let copies = plural(refused.len(), "copy was", "copies were");
    let statuses = statuses.join(", ");
    match still {
        Some(copy) => {
            let answer = crate::checking::finding::answer(copy);
            Finding::fail(
                format!(
                    "Effect once, but {copies} answered {statuses}, and a later retry {answer}."
                ),
                Advice::AcknowledgeDuplicates,
            )
        }
        None => {
            let busy = refused.iter().all(|copy| copy.status.is_some_and(is_busy));
            let advice = if busy { Advice::BusyIsFine } else { Advice::AcknowledgeDuplicates };
            Finding::warn(
                format!(
                    "Effect once, but {copies} answered {statuses}; a later retry was acknowledged, so the provider \
                     ends up content."
                ),
                advice,
            )
        }
    }
}

/// Holds one delivery by its download and looks whether another is answered or comes to its work meanwhile: a copy of
/// the same job, or another job. Without a download nothing can be held, and nothing is learned.
async fn one_at_a_time(bench: &Bench) {
    if !bench.fetches_artifact() {
        return;
    }
    let held = bench.job_with("held by its download", Conduct::HoldFirst);
    let other = bench.job("another job meanwhile");
    let (Some(artifact), Some(others)) = (held.artifact.clone(), other.artifact.clone()) else {
        return;
    };
    let first = bench.deliver(&held);
    let look = async {
        if timeout(FETCH, artifact.asked(1)).await.is_err() {
            return None;
        }
        let begun = Instant::now();
        let came = async {
            tokio::select! {
                copy = bench.deliver(&held) => copy.status.is_some(),
                copy = bench.deliver(&other) => copy.status.is_some(),
                () = artifact.asked(2) => true,
                () = others.asked(1) => true,
            }
        };
        let came = timeout(LOOK, came).await.unwrap_or(false);
        tracing::debug!(came, ms = ms(begun, Instant::now()), "a delivery was held");
        Some(!came)
    };
    let ((), one_at_a_time) = tokio::join!(
        async {
            first.await;
        },
        async {
            let one_at_a_time = look.await;
            artifact.let_go(LetGo::Serve);
            one_at_a_time
        }
    );
    bench.learn(|facts| facts.one_at_a_time = one_at_a_time);
    // What was begun is brought to its end, so that it is in nobody's way.
    bench.acknowledge(&held).await;
    bench.acknowledge(&other).await;
}
