//! What was found, for people.

use super::{
    ending::Ended,
    files::Written,
    style::{Style, Tone, wrap},
};
use crate::people::{clean, clean_lines};
use hooktwice_engine::model::{Evidence, RunState, ScenarioId, ScenarioReport, Verdict};

/// Beneath a scenario's line.
const INDENT: &str = "         ";

/// One line: the verdict's word, the scenario, why. Beneath it, where it did not pass, what shows it and what to do.
pub(super) fn scenario(scenario: &ScenarioReport, verdict: Verdict, style: Style) -> String {
    let word = style.paint(tone(verdict), &format!("{:<8}", verdict.as_str()));
    let line = format!("{word} {:<18} {}", scenario.id.as_str(), clean(&scenario.reason));
    let mut lines = vec![line.trim_end().to_owned()];
    if matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Unknown) {
        let mut say = |text: String| {
            if !text.is_empty() {
                lines.push(wrap(&text, INDENT, style.width));
            }
        };
        say(seen(scenario));
        say(answers(scenario));
        scenario.notes.iter().for_each(|note| say(clean(note)));
        if let Some(advice) = &scenario.advice {
            say(clean_lines(advice));
        }
        if let Some(repro) = &scenario.repro {
            // Never broken: it is there to be copied.
            lines.extend(clean_lines(repro).lines().map(|line| format!("{INDENT}$ {line}")));
        }
    }
    lines.join("\n")
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Pass => Tone::Good,
        Verdict::Fail => Tone::Bad,
        Verdict::Warn | Verdict::Unknown => Tone::Doubt,
        Verdict::Skipped => Tone::Faint,
    }
}

/// `Effects: expected 1; sql saw 2, canary saw 2.`
fn seen(scenario: &ScenarioReport) -> String {
    let mut parts = Vec::new();
    if let Some(expected) = scenario.expected_effects {
        parts.push(format!("expected {expected}"));
    }
    if !scenario.evidence.is_empty() {
        let each: Vec<String> = scenario.evidence.iter().map(sight).collect();
        parts.push(each.join(", "));
    }
    if parts.is_empty() { String::new() } else { format!("Effects: {}.", parts.join("; ")) }
}

fn sight(evidence: &Evidence) -> String {
    let probe = clean(&evidence.probe);
    match (evidence.count, &evidence.error) {
        (Some(count), _) => format!("{probe} saw {count}"),
        (None, Some(error)) => {
            format!("{probe} could not tell ({})", clean(error).trim_end_matches('.'))
        }
        (None, None) => format!("{probe} could not tell"),
    }
}

/// `Answers: 19 × 200, 1 × 500.`
fn answers(scenario: &ScenarioReport) -> String {
    let each: Vec<String> =
        scenario.statuses.iter().map(|(status, count)| format!("{count} × {status}")).collect();
    if each.is_empty() { String::new() } else { format!("Answers: {}.", each.join(", ")) }
}

/// The end: the verdict in a sentence with its counts, the reports, and how to do it again.
pub(super) fn ending(ended: &Ended, written: &Written, style: Style) -> String {
    let (word, rest) = sentence(ended);
    let painted = style.paint(tone(ended.overall.verdict), word);
    // Wrapped with the plain word, which is as wide as it looks.
    let text = wrap(&format!("{word}: {rest}"), "", style.width);
    let mut text = format!("\n{painted}{}", text.strip_prefix(word).unwrap_or(&text));
    if !written.paths.is_empty() {
        let paths: Vec<String> =
            written.paths.iter().map(|path| clean(&path.display().to_string())).collect();
        text.push_str(&format!("\nWritten: {}", paths.join(", ")));
    }
    if !ended.report.command.is_empty() {
        text.push_str(&format!("\nThe same again: {}", clean(&ended.report.command)));
    }
    text
}

fn sentence(ended: &Ended) -> (&'static str, String) {
    let (overall, state) = (&ended.overall, ended.report.state);
    let total = ended.report.scenarios.len();
    let tried = total - overall.skipped.len();
    let stopped = match state {
        RunState::Stopped => format!("Stopped after {tried} of {}. ", scenarios(total)),
        RunState::Failed => format!("Broken off after {tried} of {}. ", scenarios(total)),
        RunState::Running | RunState::Done => String::new(),
    };
    let (word, found) = match overall.verdict {
        Verdict::Fail => {
            let failed = overall.failed.len();
            (
                "FAIL",
                format!("{failed} of {} failed: {}.", scenarios(tried), names(&overall.failed)),
            )
        }
        Verdict::Pass => {
            let passed = overall.passed.len();
            ("PASS", format!("{passed} of {} passed and none failed.", scenarios(tried)))
        }
        Verdict::Warn | Verdict::Unknown | Verdict::Skipped if overall.unknown.is_empty() => {
            ("UNKNOWN", "No scenario failed so far, and the rest was not tried.".to_owned())
        }
        Verdict::Warn | Verdict::Unknown | Verdict::Skipped => {
            let unknown = overall.unknown.len();
            let found = format!(
                "{unknown} of {} could not be told: {}.",
                scenarios(tried),
                names(&overall.unknown)
            );
            ("UNKNOWN", found)
        }
    };
    let mut text = stopped + &found;
    if !overall.warned.is_empty() {
        text.push_str(&format!(" {} warned: {}.", overall.warned.len(), names(&overall.warned)));
    }
    if overall.verdict == Verdict::Fail && !overall.unknown.is_empty() {
        let unknown = overall.unknown.len();
        text.push_str(&format!(" {unknown} unknown: {}.", names(&overall.unknown)));
    }
    if !overall.skipped.is_empty() {
        text.push_str(&format!(" {} skipped.", overall.skipped.len()));
    }
    (word, text)
}

fn scenarios(count: usize) -> String {
    if count == 1 { "1 scenario".to_owned() } else { format!("{count} scenarios") }
}

fn names(ids: &[ScenarioId]) -> String {
    ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{
        super::ending::{settle, tests},
        *,
    };

    fn said(state: RunState, verdicts: &[Option<Verdict>]) -> String {
        let ended = settle(tests::report(state, verdicts));
        ending(&ended, &Written::default(), Style::plain(400)).trim().to_owned()
    }

    #[test]
    fn the_last_sentence_has_the_counts() {
        use Verdict::{Fail, Pass, Skipped, Unknown, Warn};
        for (state, verdicts, sentence) in [
            (
                RunState::Done,
                &[Some(Pass), Some(Fail), Some(Warn), Some(Skipped)][..],
                "FAIL: 1 of 3 scenarios failed: retry. 1 warned: late-retry. 1 skipped.",
            ),
            (RunState::Done, &[Some(Pass)], "PASS: 1 of 1 scenario passed and none failed."),
            (
                RunState::Done,
                &[Some(Pass), Some(Unknown)],
                "UNKNOWN: 1 of 2 scenarios could not be told: retry.",
            ),
            (
                RunState::Stopped,
                &[Some(Pass), None, None],
                "UNKNOWN: Stopped after 1 of 3 scenarios. No scenario failed so far, and the rest was not tried. \
                 2 skipped.",
            ),
            (
                RunState::Failed,
                &[Some(Fail), None],
                "FAIL: Broken off after 1 of 2 scenarios. 1 of 1 scenario failed: first-delivery. 1 skipped.",
            ),
        ] {
            assert_eq!(said(state, verdicts), sentence);
        }
    }

    #[test]
    fn what_failed_is_explained_beneath_and_what_passed_is_one_line() {
        let mut found = tests::scenario(ScenarioId::Concurrent, Some(Verdict::Fail));
        found.reason = "the effect ran 2 times \u{1b}[2J".into();
        found.expected_effects = Some(1);
        found.statuses = [(200, 19), (500, 1)].into();
        found.evidence = vec![
            Evidence { probe: "sql".into(), count: Some(2), error: None },
            Evidence { probe: "log".into(), count: None, error: Some("No such file.".into()) },
        ];
        found.advice = Some("Claim by insert and look at the changed rows.".into());
        found.repro = Some("hooktwice fire --url http://127.0.0.1:3000/hook --copies 20".into());
        assert_eq!(
            scenario(&found, Verdict::Fail, Style::plain(40)),
            "fail     concurrent         the effect ran 2 times \\u{1b}[2J
         Effects: expected 1; sql saw 2,
         log could not tell (No such
         file).
         Answers: 19 × 200, 1 × 500.
         Claim by insert and look at the
         changed rows.
         $ hooktwice fire --url http://127.0.0.1:3000/hook --copies 20"
        );
        let passed = scenario(&found, Verdict::Pass, Style::plain(40));
        assert_eq!(passed.lines().count(), 1, "{passed}");
    }

    #[test]
    fn colour_is_beside_the_word_and_never_instead() {
        let found = tests::scenario(ScenarioId::Retry, Some(Verdict::Fail));
        let coloured = scenario(&found, Verdict::Fail, Style::coloured(80));
        assert_eq!(coloured, "\u{1b}[1;31mfail    \u{1b}[0m retry              for a reason");
        let ended = settle(tests::report(RunState::Done, &[Some(Verdict::Fail)]));
        let coloured = ending(&ended, &Written::default(), Style::coloured(80));
        assert!(coloured.starts_with("\n\u{1b}[1;31mFAIL\u{1b}[0m: 1 of"), "{coloured:?}");
    }
}
