//! What a scenario found: verdict, reason, and what shows it.

use super::{advice::Advice, bench::Bench, counting::Judged, job::Job};
use crate::model::{CopyReport, Evidence, Trace, Verdict};
use std::collections::BTreeMap;

/// The most time lines of one scenario.
const MOST_TRACES: usize = 6;
/// The most copies in one time line.
const MOST_COPIES: usize = 100;

/// What a scenario found.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) expected: Option<u32>,
    pub(super) observed: Option<u32>,
    pub(super) statuses: BTreeMap<u16, u32>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) advice: Option<Advice>,
    pub(super) notes: Vec<String>,
    pub(super) traces: Vec<Trace>,
    /// `hooktwice fire` shows it, with so many copies and such a release.
    pub(super) fire: Option<(u32, Option<f64>)>,
}

impl Finding {
    pub(super) fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: reason.into(),
            expected: None,
            observed: None,
            statuses: BTreeMap::new(),
            evidence: Vec::new(),
            advice: None,
            notes: Vec::new(),
            traces: Vec::new(),
            fire: None,
        }
    }

    pub(super) fn pass(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Pass, reason)
    }

    pub(super) fn fail(reason: impl Into<String>, advice: Advice) -> Self {
        Self::new(Verdict::Fail, reason).advise(advice)
    }

    pub(super) fn warn(reason: impl Into<String>, advice: Advice) -> Self {
        Self::new(Verdict::Warn, reason).advise(advice)
    }

    pub(super) fn unknown(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Unknown, reason)
    }

    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Skipped, reason)
    }

    pub(super) fn advise(mut self, advice: Advice) -> Self {
        self.advice = Some(advice);
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With what was odd about an answer.
    pub(super) fn note_warnings(mut self, copy: &CopyReport) -> Self {
        self.notes.extend(copy.warnings.iter().cloned());
        self
    }

    /// With the answers to all of these jobs.
    pub(super) fn answers(mut self, jobs: &[&Job]) -> Self {
        for (status, count) in jobs.iter().flat_map(|job| job.statuses()) {
            *self.statuses.entry(status).or_insert(0) += count;
        }
        self
    }

    /// With these jobs' time lines.
    pub(super) fn shown_by(mut self, jobs: &[&Job]) -> Self {
        for job in jobs {
            if self.traces.len() < MOST_TRACES {
                let mut trace = job.trace();
                trace.copies.truncate(MOST_COPIES);
                self.traces.push(trace);
            }
        }
        self
    }

    /// With what the probes say of one job, of which so many effects were expected.
    pub(super) async fn counted(mut self, bench: &Bench, expected: u32, job: &Job) -> Self {
        self.expected = Some(expected);
        self.observed = job.effects();
        self.evidence = bench.evidence(job).await;
        self
    }

    /// With everything that belongs to jobs of which each must have its effect once; the worst one comes first.
    pub(super) async fn once(self, bench: &Bench, jobs: &[&Job], judged: &Judged) -> Self {
        let worst = judged.worst();
        let Some(shown) = jobs.get(worst) else { return self };
        let others = judged.doubled.iter().chain(&judged.lost).chain(&judged.refused);
        let others = others.chain(&judged.unacknowledged);
        let mut order = vec![worst];
        for index in others.copied().chain(0..jobs.len()) {
            if !order.contains(&index) && order.len() < MOST_TRACES {
                order.push(index);
            }
        }
        // Where all is well one time line tells it.
        if judged.is_once() {
            order.truncate(1);
        }
        let traces: Vec<&Job> = order.iter().map(|index| jobs[*index]).collect();
        self.answers(jobs).shown_by(&traces).counted(bench, 1, shown).await
    }

    /// `hooktwice fire` shows it again: copies together, or a pair so many milliseconds apart.
    pub(super) fn fired(mut self, copies: u32, gap_ms: Option<f64>) -> Self {
        self.fire = Some((copies, gap_ms));
        self
    }
}

/// `1 job`, `3 jobs`.
pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// `once`, `3 times`.
pub(super) fn times(count: u32) -> String {
    match count {
        0 => "never".into(),
        1 => "once".into(),
        2 => "twice".into(),
        _ => format!("{count} times"),
    }
}

/// `204`, or why there is no answer.
pub(super) fn answer(copy: &CopyReport) -> String {
    match (copy.status, &copy.error) {
        (Some(status), _) => match &copy.location {
            Some(location) => format!("{status} (Location: {location})"),
            None => status.to_string(),
        },
        (None, Some(error)) => format!("no answer ({})", error.trim_end_matches('.')),
        (None, None) => "no answer".into(),
    }
}

/// `41 µs`, `1.20 ms`, `2.5 s`.
pub(super) fn span(ms: f64) -> String {
    if ms < 0.1 && ms > 0.0 {
        format!("{:.0} µs", ms * 1e3)
    } else if ms < 10.0 {
        format!("{ms:.2} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1e3)
    }
}
