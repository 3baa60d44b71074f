//! What a check came to, also where it was stopped or broke off.

use crate::exit::Exit;
use hooktwice_engine::model::{CheckReport, Overall, RunState, ScenarioReport, Verdict};

/// A report in which every scenario has a verdict, with what it came to.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) report: CheckReport,
    pub(super) overall: Overall,
}

impl Ended {
    /// The contract's code for it.
    pub(super) fn exit(&self) -> Exit {
        match self.overall.verdict {
            Verdict::Pass => Exit::Done,
            Verdict::Fail => Exit::No,
            Verdict::Warn | Verdict::Unknown | Verdict::Skipped => Exit::Unknown,
        }
    }
}

/// Gives what was not reached its verdict. A check that did not come to its end is never a pass.
pub(super) fn settle(mut report: CheckReport) -> Ended {
    let mut unreached = false;
    for scenario in report.scenarios.iter_mut().filter(|scenario| scenario.verdict.is_none()) {
        unreached = true;
        scenario.verdict = Some(Verdict::Skipped);
        scenario.reason = "It was not reached.".into();
    }
    let told = report.overall.take().filter(|_| !unreached);
    let mut overall = told.unwrap_or_else(|| sum_up(&report.scenarios));
    if overall.verdict == Verdict::Pass && report.state != RunState::Done {
        overall.verdict = Verdict::Unknown;
    }
    report.overall = Some(overall.clone());
    Ended { report, overall }
}

fn sum_up(scenarios: &[ScenarioReport]) -> Overall {
    let of = |verdict: Verdict| -> Vec<_> {
        let those = scenarios.iter().filter(|scenario| scenario.verdict == Some(verdict));
        those.map(|scenario| scenario.id).collect()
    };
    let (failed, unknown) = (of(Verdict::Fail), of(Verdict::Unknown));
    Overall {
        verdict: match (failed.is_empty(), unknown.is_empty()) {
            (false, _) => Verdict::Fail,
            (true, false) => Verdict::Unknown,
            (true, true) => Verdict::Pass,
        },
        passed: of(Verdict::Pass),
        failed,
        warned: of(Verdict::Warn),
        unknown,
        skipped: of(Verdict::Skipped),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use hooktwice_engine::model::{CheckSpec, HandlerFacts, ScenarioId};

    pub(crate) fn scenario(id: ScenarioId, verdict: Option<Verdict>) -> ScenarioReport {
        ScenarioReport {
            id,
            verdict,
            reason: "for a reason".into(),
            expected_effects: None,
            observed_effects: None,
            statuses: [].into(),
            evidence: Vec::new(),
            advice: None,
            repro: None,
            notes: Vec::new(),
            duration_ms: None,
            traces: Vec::new(),
        }
    }

    pub(crate) fn report(state: RunState, verdicts: &[Option<Verdict>]) -> CheckReport {
        let ids = ScenarioId::ALL.iter().copied();
        CheckReport {
            id: "id".into(),
            version: "0".into(),
            started_at: "2026-11-29T12:00:00.000000Z".into(),
            duration_s: None,
            state,
            spec: CheckSpec::default(),
            scheme: "sume".into(),
            command: String::new(),
            facts: HandlerFacts::default(),
            scenarios: ids.zip(verdicts).map(|(id, &verdict)| scenario(id, verdict)).collect(),
            overall: None,
            handler_output: None,
            error: None,
        }
    }

    #[test]
    fn what_was_not_reached_is_skipped_and_no_pass() {
        let stopped = settle(report(RunState::Stopped, &[Some(Verdict::Pass), None]));
        assert_eq!(stopped.overall.verdict, Verdict::Unknown);
        assert_eq!(stopped.overall.skipped, [ScenarioId::Retry]);
        assert_eq!(stopped.exit(), Exit::Unknown);
        assert_eq!(stopped.report.overall.as_ref(), Some(&stopped.overall));

        let failed = settle(report(RunState::Stopped, &[Some(Verdict::Fail), None]));
        assert_eq!(failed.exit(), Exit::No);
        let done = settle(report(RunState::Done, &[Some(Verdict::Pass), Some(Verdict::Warn)]));
        assert_eq!(done.exit(), Exit::Done);
        let unseen = settle(report(RunState::Done, &[Some(Verdict::Unknown)]));
        assert_eq!(unseen.exit(), Exit::Unknown);
    }

    #[test]
    fn the_engines_word_stands_where_it_has_one() {
        let mut report = report(RunState::Done, &[Some(Verdict::Pass), Some(Verdict::Unknown)]);
        report.overall = Some(Overall { verdict: Verdict::Pass, ..sum_up(&report.scenarios) });
        assert_eq!(settle(report).exit(), Exit::Done);
    }
}
