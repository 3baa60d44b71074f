//! What a notification says. Several deliveries within a second are told of at once, and a burst once every few seconds.

use hooktwice_engine::model::{ClaimState, Delivery, NotifySettings, SignatureState};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// How long deliveries are gathered after the first of them.
const GATHER: Duration = Duration::from_secs(1);
/// How far apart two notifications are at least.
const APART: Duration = Duration::from_secs(5);
/// How many deliveries are known to have been counted: one is told of twice, as it comes and as it ends.
const KNOWN: usize = 4096;
/// Characters of an id or a path, at most.
const CUT: usize = 40;

/// What is shown. Nothing of a body but its job's id, and of that what fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) title: String,
    pub(super) text: String,
    /// The delivery that a click shows.
    pub(super) seq: i64,
}

/// What came and was not told of yet.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    duplicates: u64,
    bad_signatures: u64,
    /// The newest of them.
    last: Option<Delivery>,
    /// When the first of them came.
    since: Option<Instant>,
    told: Option<Instant>,
    known: BTreeSet<i64>,
}

impl Gathering {
    /// Counts a delivery if it is to be told of and was not counted before.
    pub(super) fn take(&mut self, delivery: &Delivery, wanted: NotifySettings, now: Instant) {
        let duplicate = wanted.duplicates && delivery.claim == ClaimState::Duplicate;
        let bad = wanted.bad_signatures && is_bad(delivery.signature.state);
        if !(duplicate || bad) || !self.known.insert(delivery.seq) {
            return;
        }
        if self.known.len() > KNOWN {
            self.known.pop_first();
        }
        self.duplicates += u64::from(duplicate);
        self.bad_signatures += u64::from(bad);
        self.since.get_or_insert(now);
        if self.last.as_ref().is_none_or(|last| last.seq < delivery.seq) {
            self.last = Some(delivery.clone());
        }
    }

    /// When it is time to tell.
    pub(super) fn due(&self) -> Option<Instant> {
        let gathered = self.since? + GATHER;
        Some(self.told.map_or(gathered, |told| gathered.max(told + APART)))
    }

    /// What there is to tell, told with this.
    pub(super) fn tell(&mut self, now: Instant) -> Option<Notice> {
        let notice = self.notice();
        self.forget();
        if notice.is_some() {
            self.told = Some(now);
        }
        notice
    }

    /// Somebody looks at the window: there is nothing to tell any more.
    pub(super) fn forget(&mut self) {
        (self.duplicates, self.bad_signatures, self.last, self.since) = (0, 0, None, None);
    }

    fn notice(&self) -> Option<Notice> {
        let last = self.last.as_ref()?;
        let (title, text) = if self.duplicates + self.bad_signatures == 1 {
            alone(last)
        } else {
            (self.counted(), format!("The last one is #{}{}.", last.seq, at(last)))
        };
        Some(Notice { title, text, seq: last.seq })
    }

    fn counted(&self) -> String {
        let several = |count: u64, what: &str| {
            let end = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{count} {what}{end}"))
        };
        let parts =
            [several(self.duplicates, "duplicate"), several(self.bad_signatures, "bad signature")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The same as the chip of the list counts.
fn is_bad(state: SignatureState) -> bool {
    matches!(state, SignatureState::Invalid | SignatureState::Stale | SignatureState::Unsigned)
}

fn alone(delivery: &Delivery) -> (String, String) {
    let seq = delivery.seq;
    let title = match delivery.signature.state {
        SignatureState::Invalid => format!("Signature invalid: #{seq}"),
        SignatureState::Stale => format!("Signature stale: #{seq}"),
        SignatureState::Unsigned => format!("No signature: #{seq}"),
        SignatureState::Valid | SignatureState::Unchecked => {
            let won = delivery.duplicate_of.map(|won| format!(" of #{won}")).unwrap_or_default();
            let job = delivery.job_id.as_deref().map_or("The job".to_owned(), plain);
            let body = if delivery.body_differs { ", with another body" } else { "" };
            return (
                format!("Duplicate{won}"),
                format!("{job} came again as #{seq}{}{body}.", at(delivery)),
            );
        }
    };
    // Whose job it is was not proven.
    (title, format!("It came{}.", at(delivery)))
}

fn at(delivery: &Delivery) -> String {
    format!(" at {}", plain(&delivery.path))
}

/// Text that came from outside: cut, and with nothing that a desktop could take for markup, a link or a line of its own.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:/#@+=~%".contains(c);
    let mut kept: String =
        text.chars().take(CUT).map(|c| if is_plain(c) { c } else { '·' }).collect();
    if text.chars().nth(CUT).is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALL: NotifySettings =
        NotifySettings { duplicates: true, bad_signatures: true, in_front: false };

    fn delivery(seq: i64, claim: &str, signature: &str) -> Delivery {
        serde_json::from_value(json!({
            "seq": seq, "id": "", "received_at": "", "method": "POST", "path": "/hook", "query": "", "size": 2,
            "signature": { "state": signature, "scheme": "sume", "reason": null, "hints": [], "age_s": null, "secret": null },
            "event": null, "job_id": "job_1", "job_id_type": "string", "claim": claim, "claim_reason": null,
            "duplicate_of": (claim == "duplicate").then_some(1), "body_differs": false, "ended": null,
            "expected_size": null, "status": null, "duration_ms": null, "notes": [],
        }))
        .unwrap()
    }

    fn told(deliveries: &[Delivery]) -> Option<Notice> {
        let (mut gathering, now) = (Gathering::default(), Instant::now());
        for delivery in deliveries {
            gathering.take(delivery, ALL, now);
        }
        gathering.tell(now)
    }

    #[test]
    fn one_is_told_in_full() {
        let notice = told(&[delivery(1, "won", "valid"), delivery(7, "duplicate", "valid")]);
        let notice = notice.unwrap();
        assert_eq!((notice.title.as_str(), notice.seq), ("Duplicate of #1", 7));
        assert_eq!(notice.text, "job_1 came again as #7 at /hook.");
        let notice = told(&[delivery(8, "none", "invalid")]).unwrap();
        assert_eq!((notice.title.as_str(), notice.seq), ("Signature invalid: #8", 8));
        // A forged body says what it likes of its job.
        assert_eq!(notice.text, "It came at /hook.");
    }

    #[test]
    fn several_are_counted_and_each_of_them_once() {
        let notice = told(&[
            delivery(2, "duplicate", "valid"),
            delivery(4, "none", "unsigned"),
            delivery(3, "duplicate", "valid"),
            delivery(2, "duplicate", "valid"),
        ]);
        let notice = notice.unwrap();
        assert_eq!(notice.title, "2 duplicates, 1 bad signature");
        assert_eq!((notice.text.as_str(), notice.seq), ("The last one is #4 at /hook.", 4));
    }

    #[test]
    fn nothing_is_told_that_nobody_asked_for() {
        let (mut gathering, now) = (Gathering::default(), Instant::now());
        let wanted = NotifySettings { bad_signatures: true, ..NotifySettings::default() };
        gathering.take(&delivery(2, "duplicate", "valid"), wanted, now);
        gathering.take(&delivery(3, "none", "unchecked"), wanted, now);
        assert_eq!((gathering.due(), gathering.tell(now)), (None, None));
    }

    #[test]
    fn a_burst_is_told_every_few_seconds() {
        let (mut gathering, start) = (Gathering::default(), Instant::now());
        let mut notices = Vec::new();
        for tenth in 0..100 {
            let now = start + Duration::from_millis(tenth * 100);
            if gathering.due().is_some_and(|due| due <= now) {
                notices.extend(gathering.tell(now));
            }
            gathering.take(&delivery(tenth.cast_signed() + 2, "duplicate", "valid"), ALL, now);
        }
        let titles: Vec<&str> = notices.iter().map(|notice| notice.title.as_str()).collect();
        assert_eq!(titles, ["10 duplicates", "50 duplicates"]);
    }

    #[test]
    fn what_came_from_outside_is_cut_and_harmless() {
        let mut hostile = delivery(2, "duplicate", "valid");
        hostile.job_id = Some(format!("<a href=\"x\">\u{202e}\n{}", "j".repeat(5000)));
        hostile.path = "/Zoë".into();
        let text = told(&[hostile]).unwrap().text;
        assert!(text.starts_with("·a·href=·x····jjj"), "{text}");
        assert!(text.ends_with("j… came again as #2 at /Zoë."), "{text}");
        assert!(text.chars().count() < 120, "{text}");
    }
}
