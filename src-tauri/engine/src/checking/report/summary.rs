//! The one verdict on top, in a word, a sentence and counts.

use super::{
    text::line,
    words::{count, plural},
};
use crate::model::{CheckReport, RunState, ScenarioId, Verdict};

/// The order in which a reader wants them counted.
const WORST_FIRST: [Verdict; 5] =
    [Verdict::Fail, Verdict::Unknown, Verdict::Warn, Verdict::Pass, Verdict::Skipped];

/// What a check came to, for the top of a report.
#[derive(Debug)]
pub(super) struct Summary {
    /// `None` while the check has no verdict.
    pub(super) verdict: Option<Verdict>,
    /// The verdict as a word with a capital.
    pub(super) word: &'static str,
    /// What it rests on.
    pub(super) sentence: String,
    /// What else a reader has to know before trusting it.
    pub(super) notices: Vec<String>,
    /// How many scenarios came to what, worst first; none that are zero.
    pub(super) counts: Vec<(Verdict, u32)>,
}

impl Summary {
    pub(super) fn of(report: &CheckReport) -> Self {
        let verdict = report.overall.as_ref().map(|overall| overall.verdict);
        let counts = WORST_FIRST.map(|verdict| (verdict, with(report, verdict).len() as u32));
        Self {
            verdict,
            word: match (verdict, report.state) {
                (Some(verdict), _) => word(verdict),
                (None, RunState::Running) => "Still running",
                (None, RunState::Stopped) => "Stopped",
                (None, RunState::Done | RunState::Failed) => "No verdict",
            },
            sentence: sentence(report, verdict),
            notices: notices(report, verdict),
            counts: counts.into_iter().filter(|(_, n)| *n > 0).collect(),
        }
    }
}

/// A verdict as a word with a capital.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "Pass",
        Verdict::Fail => "Fail",
        Verdict::Warn => "Warn",
        Verdict::Unknown => "Unknown",
        Verdict::Skipped => "Skipped",
    }
}

/// `2 failed`, `1 warning`.
pub(super) fn counted(verdict: Verdict, n: u32) -> String {
    match verdict {
        Verdict::Pass => format!("{} passed", count(n)),
        Verdict::Fail => format!("{} failed", count(n)),
        Verdict::Warn => plural(n, "warning", "warnings"),
        Verdict::Unknown => format!("{} unknown", count(n)),
        Verdict::Skipped => format!("{} skipped", count(n)),
    }
}

fn with(report: &CheckReport, verdict: Verdict) -> Vec<ScenarioId> {
    let found = report.scenarios.iter().filter(|scenario| scenario.verdict == Some(verdict));
    found.map(|scenario| scenario.id).collect()
}

fn names(ids: &[ScenarioId]) -> String {
    ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ")
}

fn sentence(report: &CheckReport, verdict: Option<Verdict>) -> String {
    let [failed, unknown, warned, passed, skipped] =
        WORST_FIRST.map(|verdict| with(report, verdict));
    let tried = failed.len() + unknown.len() + warned.len() + passed.len();
    match verdict {
        Some(_) if tried == 0 => "No scenario was tried.".into(),
        Some(Verdict::Fail) => {
            format!("{} of {tried} scenarios failed: {}.", failed.len(), names(&failed))
        }
        Some(Verdict::Unknown) if unknown.len() == tried => {
            format!("None of {tried} scenarios could be judged.")
        }
        Some(Verdict::Unknown) => format!(
            "None failed, but {} of {tried} scenarios could not be judged: {}.",
            unknown.len(),
            names(&unknown)
        ),
        Some(Verdict::Pass | Verdict::Warn | Verdict::Skipped) => {
            let passed = format!("{} of {tried} scenarios passed and none failed", passed.len());
            match warned.len() {
                0 => format!("{passed}."),
                n => format!("{passed}; {n} ended with a warning: {}.", names(&warned)),
            }
        }
        None => {
            format!("{} of {} scenarios are done.", tried + skipped.len(), report.scenarios.len())
        }
    }
}

fn notices(report: &CheckReport, verdict: Option<Verdict>) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(error) = &report.error {
        notices.push(format!("The check could not be carried out: {}", line(error)));
    }
    if report.state == RunState::Stopped {
        notices.push("The check was stopped: what it did not reach says nothing.".into());
    }
    // A race that was not hit is not a race that cannot be: the figures say how hard it was tried (C26).
    let fired =
        [(report.facts.volleys, "volley", "volleys"), (report.facts.pairs, "pair", "pairs")];
    let fired = fired.into_iter().filter(|(n, ..)| *n > 0);
    let fired: Vec<_> =
        fired.map(|(n, one, many)| format!("0 of {}", plural(n, one, many))).collect();
    if verdict == Some(Verdict::Pass) && !fired.is_empty() {
        notices.push(format!(
            "The effect doubled in {}: that is what was tried, and no proof of more.",
            fired.join(" and ")
        ));
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::{super::fixture, *};

    #[test]
    fn c26_a_pass_says_how_often_it_was_tried_and_never_safe() {
        let summary = Summary::of(&fixture::passed());
        assert_eq!(summary.word, "Pass");
        let said = summary.notices.join(" ");
        assert!(said.contains("0 of 12 volleys and 0 of 840 pairs"), "{said}");
        assert!(!format!("{summary:?}").to_lowercase().contains("safe"));
    }

    #[test]
    fn the_sentence_names_what_failed() {
        let summary = Summary::of(&fixture::failed());
        assert_eq!(summary.word, "Fail");
        assert!(summary.sentence.contains(" scenarios failed: concurrent, race-search, "));
        assert_eq!(summary.counts[0].0, Verdict::Fail);
    }

    #[test]
    fn where_nothing_was_seen_nothing_is_said_to_be_right() {
        let summary = Summary::of(&fixture::unseen());
        assert_eq!(
            (summary.word, &*summary.sentence),
            ("Unknown", "None of 20 scenarios could be judged.")
        );
        assert!(summary.notices.is_empty(), "{summary:?}");
    }

    #[test]
    fn a_check_without_a_verdict_has_none() {
        let mut report = fixture::failed();
        report.overall = None;
        for (state, word) in [
            (RunState::Running, "Still running"),
            (RunState::Stopped, "Stopped"),
            (RunState::Failed, "No verdict"),
        ] {
            report.state = state;
            let summary = Summary::of(&report);
            assert_eq!((summary.verdict, summary.word), (None, word));
            assert!(
                summary.sentence.ends_with("of 21 scenarios are done."),
                "{}",
                summary.sentence
            );
        }
        report.error = Some("The port 3000 is taken.".into());
        assert!(Summary::of(&report).notices[0].ends_with("The port 3000 is taken."));
    }
}
