//! JUnit XML: what test reports of GitHub, GitLab, Jenkins and others read.

use super::{
    story,
    summary::Summary,
    text::{line, masked, plain},
    words::{answers, effects, seen},
};
use crate::model::{CheckReport, ScenarioReport, Verdict};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

const NAME: &str = "hooktwice check";
const CLASS: &str = "hooktwice.check";

pub(super) fn write(report: &CheckReport) -> String {
    #[expect(
        clippy::expect_used,
        reason = "writing to memory does not fail, and what is written is UTF-8"
    )]
    document(report).to_string().expect("XML is written to memory")
}

fn document(report: &CheckReport) -> Report {
    let mut suite = TestSuite::new(NAME);
    suite.time = report.duration_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if let Ok(at) = report.started_at.parse::<jiff::Timestamp>() {
        // The library's own field wants another crate's type, and comes to the same attribute.
        suite.extra.insert(
            "timestamp".into(),
            at.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string().into(),
        );
    }
    suite.add_properties(properties(report));
    suite.add_test_cases(report.scenarios.iter().map(case));
    if let Some(error) = &report.error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("not carried out").set_message(line(error)).set_description(lines(error));
        let mut whole = TestCase::new("the check itself", status);
        whole.set_classname(CLASS);
        suite.add_test_case(whole);
    }
    if let Some(output) = &report.handler_output {
        suite.set_system_out(lines(output).trim_end());
    }
    let mut document = Report::new(NAME);
    document.time = suite.time;
    if let Ok(id) = report.id.parse() {
        document.set_uuid(id);
    }
    document.add_test_suite(suite);
    document
}

fn properties(report: &CheckReport) -> Vec<Property> {
    let summary = Summary::of(report);
    let mut properties = vec![
        ("version", report.version.clone()),
        ("scheme", report.scheme.clone()),
        ("verdict", summary.word.to_lowercase()),
        ("summary", summary.sentence),
    ];
    properties.extend(report.spec.urls.iter().map(|url| ("url", url.clone())));
    properties.extend(report.spec.seed.map(|seed| ("seed", seed.to_string())));
    properties.push(("command", report.command.clone()));
    properties.into_iter().map(|(name, value)| Property::new(name, line(&value))).collect()
}

fn case(scenario: &ScenarioReport) -> TestCase {
    let reason = line(&scenario.reason);
    let status = match scenario.verdict {
        Some(Verdict::Pass | Verdict::Warn) => TestCaseStatus::success(),
        Some(Verdict::Fail) => not_passed(NonSuccessKind::Failure, "fail", &reason, scenario),
        Some(Verdict::Unknown) => not_passed(NonSuccessKind::Error, "unknown", &reason, scenario),
        Some(Verdict::Skipped) => skipped(&reason),
        None => skipped("it was not reached"),
    };
    let name = format!("{} — {}", scenario.id.as_str(), scenario.id.what());
    let mut case = TestCase::new(name, status);
    case.set_classname(CLASS);
    case.time = scenario.duration_ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
    match scenario.verdict {
        // JUnit knows no warnings; what a case wrote is shown beside it.
        Some(Verdict::Warn) => {
            let text = format!("warning: {reason}\n{}", details(scenario));
            case.set_system_out((text + &times(scenario)).trim_end());
        }
        Some(Verdict::Fail | Verdict::Unknown) => {
            let times = times(scenario);
            if !times.is_empty() {
                case.set_system_out(times.trim_end());
            }
        }
        Some(Verdict::Pass | Verdict::Skipped) | None => {}
    }
    case
}

fn skipped(reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(reason);
    status
}

fn not_passed(
    kind: NonSuccessKind,
    verdict: &str,
    reason: &str,
    scenario: &ScenarioReport,
) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(verdict).set_message(reason);
    status.set_description(format!("{reason}\n{}", details(scenario)).trim_end());
    status
}

/// Everything but the reason, a line each.
fn details(scenario: &ScenarioReport) -> String {
    let mut text = String::new();
    let mut push = |name: &str, value: &str| text += &format!("{name}: {value}\n");
    if let Some(effects) = effects(scenario) {
        push("Effect", &effects);
    }
    if let Some(answers) = answers(&scenario.statuses) {
        push("Answers", &answers);
    }
    for evidence in &scenario.evidence {
        push("Evidence", &format!("{} {}", line(&evidence.probe), seen(evidence)));
    }
    for note in &scenario.notes {
        push("Note", &line(note));
    }
    if let Some(advice) = &scenario.advice {
        push("Advice", &lines(advice));
    }
    if let Some(repro) = &scenario.repro {
        push("Repeat", &lines(repro));
    }
    text
}

/// The time lines in words.
fn times(scenario: &ScenarioReport) -> String {
    let mut text = String::new();
    for trace in &scenario.traces {
        text += &format!("Job {}, {}\n", line(&trace.job_id), story::title(trace));
        for line in story::lines(trace) {
            text += &format!("  {line}\n");
        }
    }
    text
}

/// Several lines. The library takes tabs for a terminal's codes and leaves them out.
fn lines(text: &str) -> String {
    plain(&masked(text)).replace('\t', "    ")
}

#[cfg(test)]
mod tests {
    use super::{
        super::fixture::{self, HOSTILE},
        *,
    };

    fn parsed(report: &CheckReport) -> (String, Report) {
        let xml = write(report);
        let parsed = Report::deserialize_from_str(&xml).unwrap();
        (xml, parsed)
    }

    #[test]
    fn every_scenario_is_a_case_in_order() {
        let report = fixture::failed();
        let (_, document) = parsed(&report);
        assert_eq!((document.tests, document.failures), (21, 4));
        assert_eq!((document.errors, document.skipped), (1, 1));
        let suite = &document.test_suites[0];
        assert_eq!(&*suite.name, NAME);
        assert_eq!(suite.timestamp.unwrap().timestamp_millis(), 1_795_953_601_123);
        for (case, scenario) in suite.test_cases.iter().zip(&report.scenarios) {
            let name = format!("{} — {}", scenario.id.as_str(), scenario.id.what());
            assert_eq!(&*case.name, name);
            assert_eq!(case.classname.as_deref(), Some(CLASS));
            let expected = match scenario.verdict.unwrap() {
                Verdict::Pass | Verdict::Warn => "Success",
                Verdict::Fail => "Failure",
                Verdict::Unknown => "Error",
                Verdict::Skipped => "Skipped",
            };
            assert!(format!("{:?}", case.status).contains(expected), "{:?}", case.status);
        }
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let report = fixture::failed();
        let (_, read) = parsed(&report);
        let mut written = document(&report);
        // It comes back in the library's own field.
        assert!(written.test_suites[0].extra.shift_remove("timestamp").is_some());
        written.test_suites[0].timestamp = read.test_suites[0].timestamp;
        assert_eq!(read, written);
    }

    #[test]
    fn a_failure_holds_reason_evidence_advice_and_command() {
        let (_, document) = parsed(&fixture::failed());
        let case = &document.test_suites[0].test_cases[3];
        let TestCaseStatus::NonSuccess { message, ty, description, .. } = &case.status else {
            panic!("{case:?}");
        };
        let reason = "20 at once: the effect ran 3 times for one job, in 4 of 4 volleys";
        assert_eq!((message.as_deref(), ty.as_deref()), (Some(reason), Some("fail")));
        let text = description.as_deref().unwrap();
        for part in [
            "Effect: ran 3 times, expected once",
            "Answers: 80 × 200",
            "Evidence: sql saw it 3 times",
            "Advice: The handler looks for the job first",
            "Repeat: hooktwice check --url",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(case.system_out.as_deref().unwrap().contains("copy 20 sent at"));
    }

    #[test]
    fn a_warning_is_a_pass_that_says_so() {
        let (_, document) = parsed(&fixture::failed());
        let case = &document.test_suites[0].test_cases[5];
        assert!(matches!(case.status, TestCaseStatus::Success { .. }));
        let said = case.system_out.as_deref().unwrap();
        assert!(said.starts_with("warning: an over-long signature"), "{said}");
        assert!(said.contains("Advice: Compare digests"), "{said}");
    }

    #[test]
    fn text_from_outside_stays_text() {
        let (xml, document) = parsed(&fixture::failed());
        let forbidden =
            |c: char| matches!(c, '\0'..='\x08' | '\x0b'..='\x1f' | '\u{fffe}' | '\u{ffff}');
        assert!(!xml.contains(forbidden) && !xml.contains("<script"));
        assert!(!xml.contains(fixture::PASSWORD));
        let case =
            document.test_suites[0].test_cases.iter().find(|case| case.name.contains("malformed"));
        let TestCaseStatus::NonSuccess { message, .. } = &case.unwrap().status else { panic!() };
        assert_eq!(message.as_deref().unwrap(), line(HOSTILE));
        let output = document.test_suites[0].system_out.as_deref().unwrap();
        assert!(output.contains("<script src=\"http://evil.example/x.js\">"), "{output}");
    }

    #[test]
    fn a_check_that_broke_is_an_error() {
        let mut report = fixture::failed();
        report.error = Some("The port 3000 is taken by another program.".into());
        report.scenarios.iter_mut().for_each(|scenario| scenario.verdict = None);
        let (_, document) = parsed(&report);
        assert_eq!((document.tests, document.skipped, document.errors), (22, 21, 1));
    }
}
