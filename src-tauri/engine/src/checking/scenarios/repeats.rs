//! `retry` and `late-retry`: the same job again, one copy after another, each signed with a later second.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::Conduct,
    finding::{Finding, answer, plural, span, times},
    job::{Job, is_2xx},
    sending::Seconds,
};
use crate::model::CopyReport;
use futures_util::future::join_all;
use std::time::Duration;
use tokio::time::sleep;

/// How often the body is sent again.
const RETRIES: u32 = 3;
/// How long after the first a retry comes, in milliseconds.
const OFFSETS: [u64; 12] = [50, 110, 190, 300, 420, 600, 850, 1100, 1400, 1750, 2100, 2500];
/// No retry comes sooner.
const SOONEST: Duration = Duration::from_millis(50);
/// How slow the canary is the second time.
const SLOW: Duration = Duration::from_secs(1);
/// The jobs of `late-retry` do not all begin at the same instant: what is looked for is the offset, not a volley.
const STAGGER: Duration = Duration::from_millis(15);

pub(super) async fn retry(bench: &Bench) -> Finding {
    let job = bench.job("the same body four times");
    bench.deliver(&job).await;
    // What is refused comes again before its repeats mean anything.
    bench.acknowledge(&job).await;
    let mut refused: Option<CopyReport> = None;
    let mut busy = 0;
    for _ in 0..RETRIES {
        let (copy, told) = bench.come_again(&job, "retry", bench.timeout, || false).await;
        busy += told;
        if copy.status.is_some_and(is_2xx) {
            continue;
        }
        let silent = copy.status.is_none();
        refused.get_or_insert(copy);
        // The others would be waited for as long.
        if silent {
            break;
        }
    }
    let judged = bench.judge(&[&job]).await;
    let count = job.effects().unwrap_or(0);
    let finding = if !judged.doubled.is_empty() {
        let reason = format!(
            "Four deliveries of one job, one after another: its effect ran {}.",
            times(count)
        );
        Finding::fail(reason, Advice::ClaimAcrossTime)
    } else if !job.acknowledged() {
        let reason = "No copy of the job was acknowledged, though the first delivery was.";
        Finding::fail(reason, Advice::AcknowledgeDuplicates)
    } else if let Some(copy) = refused {
        let reason = format!("A duplicate was answered {}, and not 2xx.", answer(&copy));
        Finding::fail(reason, Advice::AcknowledgeDuplicates)
    } else if !judged.lost.is_empty() {
        let reason = "The job was acknowledged, and its effect never came.";
        Finding::fail(reason, Advice::AcknowledgeAfterKeeping)
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(format!("Every duplicate was acknowledged. {why}"))
    } else {
        Finding::pass("Three retries were acknowledged, effect once.")
    };
    let finding = if busy > 0 {
        let times = times(busy);
        finding.note(format!(
            "\"Come again\" was answered {times} before a duplicate was acknowledged."
        ))
    } else {
        finding
    };
    finding.once(bench, &[&job], &judged).await
}

pub(super) async fn late_retry(bench: &Bench) -> Finding {
    let mut rounds = vec![round(bench, Conduct::Serve, bench.duration(), "")];
    if bench.fetches_artifact() {
        let slow = bench.duration() + SLOW;
        rounds.push(round(bench, Conduct::After(SLOW), slow, ", its artifact taking 1 s"));
    }
    let jobs: Vec<Job> = if bench.one_at_a_time() {
        let mut jobs = Vec::new();
        for pair in rounds.into_iter().flatten() {
            jobs.push(pair.send(bench, Duration::ZERO).await);
        }
        jobs
    } else {
        let mut pairs = Vec::new();
        for (at, pair) in rounds.into_iter().flatten().enumerate() {
            pairs.push(pair.send(bench, STAGGER * u32::try_from(at).unwrap_or(0)));
        }
        join_all(pairs).await
    };
    let jobs: Vec<&Job> = jobs.iter().collect();
    let judged = bench.judge(&jobs).await;
    let finding = if let Some(first) = judged.doubled.first() {
        let job = jobs[*first];
        let reason = format!(
            "Of {}, {} ran the effect more than once; the first was {}.",
            plural(jobs.len(), "late retry", "late retries"),
            judged.doubled.len(),
            job.label
        );
        Finding::fail(reason, Advice::ClaimAcrossTime)
    } else if let Some(first) = judged.lost.first() {
        let reason = format!(
            "{} acknowledged, and the effect never came; the first was {}.",
            plural(judged.lost.len(), "job was", "jobs were"),
            jobs[*first].label
        );
        Finding::fail(reason, Advice::AcknowledgeAfterKeeping)
    } else if let Some(first) = judged.refused.first() {
        let reason = format!(
            "{} never acknowledged; the first was {}.",
            plural(judged.refused.len(), "job was", "jobs were"),
            jobs[*first].label
        );
        Finding::fail(reason, Advice::AcknowledgeDuplicates)
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if let Some(first) = judged.unacknowledged.first() {
        let reason = format!(
            "Effect once each time, but {} never acknowledged; the first was {}.",
            plural(judged.unacknowledged.len(), "job was", "jobs were"),
            jobs[*first].label
        );
        Finding::warn(reason, Advice::AcknowledgeDuplicates)
    } else {
        Finding::pass(format!(
            "{} 50 ms to 2.5 s after the first, effect once each time.",
            plural(jobs.len(), "retry", "retries")
        ))
    };
    finding.once(bench, &jobs, &judged).await
}

/// A job whose retry is to come so long after its first delivery.
struct Pair {
    job: Job,
    gap: Duration,
}

impl Pair {
    async fn send(self, bench: &Bench, begins: Duration) -> Job {
        sleep(begins).await;
        bench.pair(&self.job, self.gap, Seconds::Later).await;
        self.job
    }
}

/// A fresh job for each offset, some of them at half and three quarters of the time that the handler takes.
fn round(bench: &Bench, conduct: Conduct, takes: Duration, suffix: &str) -> Vec<Pair> {
    let mut gaps: Vec<Duration> = OFFSETS.iter().map(|ms| Duration::from_millis(*ms)).collect();
    // What is nearer than a retry can be is the race search's to find.
    gaps.extend([takes / 2, takes * 3 / 4].into_iter().filter(|gap| *gap >= SOONEST));
    gaps.sort_unstable();
    gaps.into_iter()
        .map(|gap| {
            let label =
                format!("a retry {} after the first{suffix}", span(gap.as_secs_f64() * 1e3));
            Pair { job: bench.job_with(label, conduct), gap }
        })
        .collect()
}
