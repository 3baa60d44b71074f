//! `distinct-jobs`: many jobs at once whose ids nearly are the same.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::Conduct,
    finding::{Finding, plural},
    job::{Job, fresh_id},
    template::Spelling,
};
use futures_util::future::join_all;

/// The length at whose end some ids differ.
const LONG: usize = 70;

pub(super) async fn distinct_jobs(bench: &Bench) -> Finding {
    let jobs: Vec<Job> =
        ids().into_iter().map(|(id, label)| bench.job_named(id, label, Conduct::Serve)).collect();
    bench.all_at_once(&jobs).await;
    // A handler that writes the body again before it verifies spells letters outside of ASCII its own way; that is looked
    // for elsewhere, and here it gets the other spelling.
    let mut again = Vec::new();
    for job in jobs.iter().filter(|job| !job.id.is_ascii() && !job.acknowledged()) {
        bench.respell(job, Spelling::Raw);
        again.push(bench.deliver_within(job, bench.timeout, "the id in UTF-8"));
    }
    join_all(again).await;
    let jobs: Vec<&Job> = jobs.iter().collect();
    let judged = bench.judge(&jobs).await;
    let labels = |indices: &[usize]| {
        let mut labels: Vec<&str> =
            indices.iter().map(|index| jobs[*index].label.as_str()).collect();
        labels.dedup();
        labels.join(", ")
    };
    let finding = if !judged.lost.is_empty() {
        let reason = format!(
            "{} of {} at once had no effect under their own id, though acknowledged: {}.",
            judged.lost.len(),
            plural(jobs.len(), "job", "jobs"),
            labels(&judged.lost)
        );
        Finding::fail(reason, Advice::KeepIdsWhole)
    } else if !judged.doubled.is_empty() {
        let reason = format!("More than one effect under one id: {}.", labels(&judged.doubled));
        Finding::fail(reason, Advice::KeepIdsWhole)
    } else if !judged.refused.is_empty() {
        let reason = format!("Never acknowledged: {}.", labels(&judged.refused));
        Finding::fail(reason, Advice::KeepIdsWhole)
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if !judged.unacknowledged.is_empty() {
        Finding::warn(
            format!(
                "Each its effect once, but never acknowledged: {}.",
                labels(&judged.unacknowledged)
            ),
            Advice::AcknowledgeDuplicates,
        )
    } else {
        Finding::pass(format!(
            "{} at once, each its effect once.",
            plural(jobs.len(), "job", "jobs")
        ))
    };
    finding.once(bench, &jobs, &judged).await
}

/// Ids in groups that nearly are the same, with what tells them apart.
fn ids() -> Vec<(String, &'static str)> {
    let mut ids = Vec::new();
    let stem = fresh_id();
    for last in ["a", "b", "c", "d", "0", "1", "-", "_"] {
        ids.push((format!("{stem}{last}"), "ids that differ in the last character"));
    }
    let stem = fresh_id();
    for name in ["case", "Case", "CASE", "cAsE"] {
        ids.push((format!("{stem}{name}"), "ids that differ in case"));
    }
    let stem = fresh_id();
    for last in ["a", "b", "c"] {
        let filler = "x".repeat(LONG - 1 - stem.len());
        ids.push((format!("{stem}{filler}{last}"), "ids that differ at the end of 70 characters"));
    }
    let stem = fresh_id();
    // Composed, decomposed; a ligature and its letters.
    for form in ["caf\u{e9}", "cafe\u{301}", "\u{fb01}x", "fix"] {
        ids.push((format!("{stem}{form}"), "ids that differ in Unicode form"));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_ids_differ_and_no_one_begins_another() {
        let ids: Vec<String> = ids().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        let folded: HashSet<String> = ids.iter().map(|id| id.to_lowercase()).collect();
        assert!(folded.len() < ids.len());
        assert!(ids.iter().filter(|id| id.chars().count() == LONG).count() == 3);
        for id in &ids {
            assert!(ids.iter().all(|other| other == id || !other.starts_with(id.as_str())), "{id}");
        }
    }
}
