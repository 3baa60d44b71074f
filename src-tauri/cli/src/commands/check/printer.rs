//! Stdout while a check runs: each scenario as soon as it and all before it are done, then the verdict.

use super::{ending::Ended, exit, files::Written, progress::Progress, style::Style, words};
use crate::{
    exit::{Failure, Result},
    output::Output,
    terminal,
};
use hooktwice_engine::{
    checking::Told,
    model::{
        CheckReport, Evidence, HandlerFacts, Overall, RunState, ScenarioId, ScenarioReport, Verdict,
    },
};
use serde::Serialize;
use std::collections::BTreeMap;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A scenario's line; time lines are in the reports.
#[derive(Serialize)]
#[serde(tag = "type", rename = "scenario")]
struct ScenarioLine<'a> {
    id: ScenarioId,
    verdict: Verdict,
    reason: &'a str,
    expected_effects: Option<u32>,
    observed_effects: Option<u32>,
    statuses: &'a BTreeMap<u16, u32>,
    evidence: &'a [Evidence],
    advice: Option<&'a str>,
    repro: Option<&'a str>,
    notes: &'a [String],
    duration_ms: Option<f64>,
}

/// The last line.
#[derive(Serialize)]
#[serde(tag = "type", rename = "verdict")]
struct VerdictLine<'a> {
    #[serde(flatten)]
    overall: &'a Overall,
    state: RunState,
    error: Option<&'a str>,
    duration_s: Option<f64>,
    seed: Option<u32>,
    facts: &'a HandlerFacts,
    command: &'a str,
}

/// Follows a check and prints it.
#[derive(Debug)]
pub(super) struct Printer {
    out: Output,
    style: Style,
    progress: Progress,
    /// As far as it was told.
    report: CheckReport,
    printed: Vec<ScenarioId>,
    /// Why nothing more can be printed.
    failure: Option<Failure>,
}

impl Printer {
    pub(super) fn new(out: Output, report: CheckReport) -> Self {
        Self {
            out,
            style: Style::of_stdout(),
            progress: Progress::new(),
            report,
            printed: Vec::new(),
            failure: None,
        }
    }

    /// Prints until nothing more is told. Where nothing can be printed any more, the check is stopped.
    pub(super) fn follow(
        mut self,
        mut told: mpsc::UnboundedReceiver<Told>,
        stop: &CancellationToken,
    ) -> Self {
        while let Some(told) = told.blocking_recv() {
            self.take(told);
            self.print_done();
            if self.failure.is_some() {
                stop.cancel();
            }
        }
        self.progress.end();
        self
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Facts(facts) => self.report.facts = facts,
            Told::Scenario(scenario) => {
                let scenarios = &mut self.report.scenarios;
                match scenario.verdict {
                    Some(_) => self.progress.done(scenario.id),
                    None => {
                        let done = scenarios.iter().filter(|one| one.verdict.is_some()).count();
                        self.progress.at(&scenario, done, scenarios.len());
                    }
                }
                if let Some(slot) = scenarios.iter_mut().find(|slot| slot.id == scenario.id) {
                    *slot = *scenario;
                }
            }
        }
    }

    /// Prints what is done and has nothing unfinished before it.
    fn print_done(&mut self) {
        let next = self.printed.len();
        let scenarios = &self.report.scenarios[next..];
        let done = scenarios.iter().take_while(|scenario| scenario.verdict.is_some());
        let done: Vec<ScenarioReport> = done.cloned().collect();
        if !done.is_empty() {
            self.print(&done);
        }
    }

    fn print(&mut self, scenarios: &[ScenarioReport]) {
        self.progress.clear();
        for scenario in scenarios {
            self.printed.push(scenario.id);
            // A scenario without one has been given one before this, or is not done.
            let Some(verdict) = scenario.verdict else { continue };
            let style = self.style;
            self.write(|out| {
                if out.is_json() {
                    out.object(&line(scenario, verdict))
                } else {
                    out.text(words::scenario(scenario, verdict, style))
                }
            });
        }
        self.write(Output::flush);
        self.progress.show();
    }

    fn write(&mut self, write: impl FnOnce(&mut Output) -> Result<()>) {
        if self.failure.is_none() {
            self.failure = write(&mut self.out).err();
        }
    }

    /// Whether a scenario has said something.
    pub(super) fn has_found_anything(&self) -> bool {
        self.report.scenarios.iter().any(|scenario| scenario.verdict.is_some())
    }

    /// The report of a check that broke: what was found out until then stays found out.
    pub(super) fn broken_off(&self, error: String) -> CheckReport {
        CheckReport { state: RunState::Failed, error: Some(error), ..self.report.clone() }
    }

    /// Prints what was not printed yet and the verdict, and says how the program ends.
    pub(super) fn finish(mut self, ended: &Ended, written: &Written) -> Result {
        let report = &ended.report;
        let rest: Vec<ScenarioReport> = report
            .scenarios
            .iter()
            .filter(|scenario| !self.printed.contains(&scenario.id))
            .cloned()
            .collect();
        self.print(&rest);
        if let Some(error) = &report.error {
            terminal::say(&format!("hooktwice: {error}"));
        }
        for failure in &written.failures {
            terminal::say(&format!("hooktwice: {failure}"));
        }
        let style = self.style;
        self.write(|out| {
            if out.is_json() {
                out.object(&verdict_line(ended))?;
            } else {
                out.text(words::ending(ended, written, style))?;
            }
            out.flush()
        });
        match self.failure {
            // Whoever read it went away. The verdict is the exit code's too, and a stopped check is no pass.
            Some(failure) if !failure.is_closed_pipe() => Err(failure),
            Some(_) | None => Ok(exit(ended.exit(), written.failures.is_empty())),
        }
    }
}

fn line(scenario: &ScenarioReport, verdict: Verdict) -> ScenarioLine<'_> {
    ScenarioLine {
        id: scenario.id,
        verdict,
        reason: &scenario.reason,
        expected_effects: scenario.expected_effects,
        observed_effects: scenario.observed_effects,
        statuses: &scenario.statuses,
        evidence: &scenario.evidence,
        advice: scenario.advice.as_deref(),
        repro: scenario.repro.as_deref(),
        notes: &scenario.notes,
        duration_ms: scenario.duration_ms,
    }
}

fn verdict_line(ended: &Ended) -> VerdictLine<'_> {
    let report = &ended.report;
    VerdictLine {
        overall: &ended.overall,
        state: report.state,
        error: report.error.as_deref(),
        duration_s: report.duration_s,
        seed: report.spec.seed,
        facts: &report.facts,
        command: &report.command,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::ending::tests::report, *};

    #[test]
    fn a_scenario_waits_for_those_before_it() {
        let report = report(RunState::Running, &[None, None, None]);
        let scenarios = report.scenarios.clone();
        let mut printer = Printer::new(Output::new(true), report);
        // Nothing reaches stdout: what is looked at is the order.
        printer.failure = Some(Failure::CannotTell("no output".into()));
        let mut done = |index: usize| {
            let scenario =
                ScenarioReport { verdict: Some(Verdict::Pass), ..scenarios[index].clone() };
            printer.take(Told::Scenario(Box::new(scenario)));
            printer.print_done();
            printer.printed.len()
        };
        assert_eq!([done(2), done(0), done(1)], [0, 1, 3]);
        let ids: Vec<_> = scenarios.iter().map(|scenario| scenario.id).collect();
        assert_eq!(printer.printed, ids);
    }

    #[test]
    fn the_type_stands_first() {
        let report = report(RunState::Done, &[Some(Verdict::Pass)]);
        let text = serde_json::to_string(&line(&report.scenarios[0], Verdict::Pass)).unwrap();
        let start = r#"{"type":"scenario","id":"first-delivery","verdict":"pass","reason":"#;
        assert!(text.starts_with(start), "{text}");
        let ended = super::super::ending::settle(report);
        let text = serde_json::to_string(&verdict_line(&ended)).unwrap();
        let start = r#"{"type":"verdict","verdict":"pass","passed":["first-delivery"],"failed":[]"#;
        assert!(text.starts_with(start), "{text}");
    }
}
