//! `across-instances`: copies of one job at once, spread over the instances of the handler.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    finding::{Finding, times},
    job::Job,
};

/// How many volleys.
const VOLLEYS: usize = 5;

pub(super) async fn across_instances(bench: &Bench) -> Finding {
    let urls = bench.spec.urls.clone();
    let copies = bench.spec.copies.max(u32::try_from(urls.len()).unwrap_or(2));
    let jobs: Vec<Job> = (1..=VOLLEYS)
        .map(|n| bench.job(format!("volley {n} over {} instances", urls.len())))
        .collect();
    super::concurrent::volleys(bench, &jobs, &urls).await;
    let jobs: Vec<&Job> = jobs.iter().collect();
    let judged = bench.judge(&jobs).await;
    let finding = if let Some(first) = judged.doubled.first() {
        let count = jobs[*first].effects().unwrap_or(0);
        let reason = format!(
            "Copies of one job at once over {} instances ran the effect {}; {} of {VOLLEYS} volleys doubled it.",
            urls.len(),
            times(count),
            judged.doubled.len()
        );
        Finding::fail(reason, Advice::SharedClaim)
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
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if !judged.unacknowledged.is_empty() {
        let never = judged.unacknowledged.len();
        let reason = format!(
            "Effect once each time, but {never} of {VOLLEYS} volleys were never acknowledged."
        );
        Finding::warn(reason, Advice::AcknowledgeDuplicates)
    } else {
        Finding::pass(format!(
            "{VOLLEYS} volleys of {copies} copies over {} instances, effect once each time.",
            urls.len()
        ))
    };
    finding.once(bench, &jobs, &judged).await
}
