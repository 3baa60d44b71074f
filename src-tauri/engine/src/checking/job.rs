//! One job of a check: a fresh id, its body, its artifact, and everything that happened to it.

use super::canary::{Artifact, DownloadEnd};
use crate::model::{CopyReport, Trace, TraceCopy, TraceMark};
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The letters of our ids: of one case, so that a handler that folds case is found by the ids that are made for it, and
/// by no others.
const LETTERS: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many of them: fifty bits, and so short that a column that cuts ids does not cut these.
const LENGTH: usize = 10;
/// How far back the first signature may lie, so that every later copy has a later second and none is ahead.
const SECONDS_BACK: i64 = 4;

/// A fresh id: `job_` and ten letters.
pub(super) fn fresh_id() -> String {
    let letter = |_| char::from(LETTERS[fastrand::usize(..LETTERS.len())]);
    format!("job_{}", (0..LENGTH).map(letter).collect::<String>())
}

/// A copy that was sent.
#[derive(Debug, Clone)]
struct Sent {
    report: CopyReport,
    /// The moment from which its times are counted.
    origin: Instant,
    instance: u32,
    label: String,
}

/// Something else that happened.
#[derive(Debug, Clone)]
struct Mark {
    at: Instant,
    kind: &'static str,
    text: String,
}

#[derive(Debug)]
struct Inner {
    body: Bytes,
    last_second: Option<i64>,
    sent: Vec<Sent>,
    marks: Vec<Mark>,
    effects: Option<u32>,
}

/// A job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) event_id: String,
    pub(super) artifact: Option<Artifact>,
    /// What it stands for in a report.
    pub(super) label: String,
    made: Instant,
    inner: Mutex<Inner>,
}

impl Job {
    pub(super) fn new(id: String, label: String, body: Bytes, artifact: Option<Artifact>) -> Self {
        Self {
            id,
            event_id: format!("evt_{}", crate::ids::new_id().simple()),
            artifact,
            label,
            made: Instant::now(),
            inner: Mutex::new(Inner {
                body,
                last_second: None,
                sent: Vec::new(),
                marks: Vec::new(),
                effects: None,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Fields change in single steps: a panic leaves them usable.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn body(&self) -> Bytes {
        self.lock().body.clone()
    }

    /// The same job, its body written another way.
    pub(super) fn set_body(&self, body: Bytes) {
        self.lock().body = body;
    }

    /// The Unix second for the next copy: later than that of every one before it, as a provider's retry has it, and some
    /// seconds back for the first.
    pub(super) fn next_second(&self) -> i64 {
        let now = jiff::Timestamp::now().as_second();
        let mut inner = self.lock();
        let second =
            inner.last_second.map_or(now - SECONDS_BACK, |last| (last + 1).max(now - SECONDS_BACK));
        inner.last_second = Some(second);
        second
    }

    /// Remembers a copy that has an outcome.
    pub(super) fn sent(&self, report: CopyReport, origin: Instant, instance: usize, label: &str) {
        let instance = u32::try_from(instance + 1).unwrap_or(u32::MAX);
        self.lock().sent.push(Sent { report, origin, instance, label: label.to_owned() });
    }

    /// Remembers that something happened now: an effect was seen, the handler was killed.
    pub(super) fn mark(&self, kind: &'static str, text: impl Into<String>) {
        self.lock().marks.push(Mark { at: Instant::now(), kind, text: text.into() });
    }

    pub(super) fn set_effects(&self, effects: Option<u32>) {
        self.lock().effects = effects;
    }

    pub(super) fn effects(&self) -> Option<u32> {
        self.lock().effects
    }

    /// Whether a copy was answered 2xx.
    pub(super) fn acknowledged(&self) -> bool {
        self.lock().sent.iter().any(|sent| sent.report.status.is_some_and(is_2xx))
    }

    /// The copies that have an outcome, in the order in which they got it.
    pub(super) fn copies(&self) -> Vec<CopyReport> {
        self.lock().sent.iter().map(|sent| sent.report.clone()).collect()
    }

    /// Answers by status.
    pub(super) fn statuses(&self) -> BTreeMap<u16, u32> {
        let mut statuses = BTreeMap::new();
        for status in self.lock().sent.iter().filter_map(|sent| sent.report.status) {
            *statuses.entry(status).or_insert(0) += 1;
        }
        statuses
    }

    /// When the first copy left.
    pub(super) fn first_sent(&self) -> Option<Instant> {
        self.lock().sent.iter().filter_map(Sent::released).min()
    }

    /// Everything on one clock, which begins with the first copy.
    pub(super) fn trace(&self) -> Trace {
        let begin = self.first_sent().unwrap_or(self.made);
        let inner = self.lock();
        let mut copies: Vec<TraceCopy> = inner.sent.iter().map(|sent| sent.trace(begin)).collect();
        copies.sort_by(|a, b| {
            let at = |copy: &TraceCopy| copy.sent_ms.unwrap_or(copy.done_ms);
            at(a).total_cmp(&at(b))
        });
        let downloads = self.artifact.iter().flat_map(Artifact::downloads);
        let mut marks: Vec<TraceMark> = downloads
            .enumerate()
            .map(|(index, download)| TraceMark {
                at_ms: ms(begin, download.asked),
                lasted_ms: download.ended.map(|ended| ms(download.asked, ended)),
                kind: "download".into(),
                text: format!("download {}: {}", index + 1, in_words(download.end)),
            })
            .collect();
        marks.extend(inner.marks.iter().map(|mark| TraceMark {
            at_ms: ms(begin, mark.at),
            lasted_ms: None,
            kind: mark.kind.into(),
            text: mark.text.clone(),
        }));
        marks.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
        Trace {
            job_id: self.id.clone(),
            label: self.label.clone(),
            copies,
            marks,
            effects: inner.effects,
        }
    }
}

impl Sent {
    fn released(&self) -> Option<Instant> {
        self.report.released_us.and_then(|us| {
            Duration::try_from_secs_f64(us.max(0.0) / 1e6).ok().map(|after| self.origin + after)
        })
    }

    fn trace(&self, begin: Instant) -> TraceCopy {
        let released = self.released();
        let sent_ms = released.map(|at| ms(begin, at));
        let from = sent_ms.unwrap_or_else(|| ms(begin, self.origin));
        TraceCopy {
            instance: self.instance,
            label: self.label.clone(),
            sent_ms,
            first_byte_ms: self.report.first_byte_ms.map(|after| from + after),
            done_ms: from + self.report.total_ms.unwrap_or(0.0),
            status: self.report.status,
            outcome: self.report.outcome,
            error: self.report.error.clone(),
        }
    }
}

fn in_words(end: DownloadEnd) -> &'static str {
    match end {
        DownloadEnd::Open => "still going",
        DownloadEnd::Served => "served",
        DownloadEnd::Failed => "failed on purpose",
        DownloadEnd::Left => "given up by the handler",
    }
}

/// Milliseconds between two moments, below zero when the second came first.
pub(super) fn ms(from: Instant, to: Instant) -> f64 {
    match to.checked_duration_since(from) {
        Some(later) => crate::clock::milliseconds(later),
        None => -crate::clock::milliseconds(from.duration_since(to)),
    }
}

/// What a provider takes for an acknowledgement (C52, C53).
pub(super) fn is_2xx(status: u16) -> bool {
    (200..300).contains(&status)
}

/// "Come again": an answer that promises that a later retry is taken.
pub(super) fn is_busy(status: u16) -> bool {
    matches!(status, 409 | 425 | 429 | 503)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_of_one_case_and_differ() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| fresh_id()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            assert_eq!(id.len(), 14);
            assert_eq!(id, id.to_ascii_lowercase());
        }
    }

    #[test]
    fn every_copy_has_a_later_second_and_the_first_is_not_ahead() {
        let job = Job::new(fresh_id(), String::new(), Bytes::new(), None);
        let seconds: Vec<i64> = (0..4).map(|_| job.next_second()).collect();
        assert!(seconds.windows(2).all(|pair| pair[0] < pair[1]), "{seconds:?}");
        assert!(seconds[3] <= jiff::Timestamp::now().as_second());
    }
}
