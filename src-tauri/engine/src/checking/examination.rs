//! The order of the scenarios: what must come first, what may go on side by side, and what ends the rest.
//!
//! The first delivery, the retries and the volleys have the handler for themselves: what they measure decides how the rest
//! goes. Then everything that is about one job's effect goes on beside the search for the race; what a handler may break on
//! comes after it, one after another; restarts and crashes come last.

use super::{
    Told, bench::Bench, command, error::CheckError, finding::Finding, lifecycle::Handler, scenarios,
};
use crate::{
    clock::milliseconds,
    model::{ScenarioId, ScenarioReport, Verdict},
};
use futures_util::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use std::{collections::BTreeMap, time::Instant};

/// Side by side, where the handler takes more than one delivery at a time.
const EFFECTS: &[ScenarioId] = &[
    ScenarioId::LateRetry,
    ScenarioId::WorkFails,
    ScenarioId::SlowWork,
    ScenarioId::OverlapThenFail,
    ScenarioId::AcrossInstances,
    ScenarioId::RaceSearch,
];
/// Side by side too; each sends in its turn, and sees that the handler still lives.
const REFUSALS: &[ScenarioId] = &[
    ScenarioId::ForgedSignature,
    ScenarioId::MissingSignature,
    ScenarioId::TamperedBody,
    ScenarioId::ForgedThenReal,
    ScenarioId::StaleTimestamp,
    ScenarioId::ExactBytes,
    ScenarioId::LargeBody,
];
/// One after another: a handler may end on them, and takes along what is on its way.
const BREAKING: &[ScenarioId] = &[
    ScenarioId::NoJobId,
    ScenarioId::MalformedJson,
    ScenarioId::AfterRestart,
    ScenarioId::CrashMidWork,
];
/// Nothing can be held, slowed or made to fail without it.
const NEED_ARTIFACT: [ScenarioId; 4] = [
    ScenarioId::WorkFails,
    ScenarioId::SlowWork,
    ScenarioId::OverlapThenFail,
    ScenarioId::CrashMidWork,
];

/// A check on its way.
pub(super) struct Examination<'a> {
    bench: &'a Bench,
    chosen: Vec<ScenarioId>,
    done: BTreeMap<ScenarioId, ScenarioReport>,
    /// Why nothing more is tried.
    ended: Option<String>,
}

impl<'a> Examination<'a> {
    pub(super) fn new(bench: &'a Bench, chosen: Vec<ScenarioId>) -> Self {
        Self { bench, chosen, done: BTreeMap::new(), ended: None }
    }

    /// Carries out what was chosen; a report for each, in the contract's order.
    pub(super) async fn run(mut self) -> Result<Vec<ScenarioReport>, CheckError> {
        if let Some(command) = self.bench.spec.start_command.clone() {
            let start = Handler::start(&command, &self.bench.spec.urls);
            let handler = tokio::select! {
                handler = start => handler?,
                () = self.bench.stop.cancelled() => return Ok(self.finish()),
            };
            *self.bench.handler.lock().await = Some(handler);
        }
        self.alone(&[ScenarioId::FirstDelivery]).await;
        self.look_at_first();
        if self.ended.is_none() {
            tokio::select! {
                () = self.bench.measure().boxed() => {}
                () = self.bench.stop.cancelled() => {}
            }
        }
        self.alone(&[ScenarioId::Retry, ScenarioId::Concurrent, ScenarioId::DistinctJobs]).await;
        if self.bench.one_at_a_time() {
            // A slow artifact would keep the others from being answered.
            self.alone(EFFECTS).await;
        } else {
            self.side_by_side(EFFECTS).await;
        }
        self.side_by_side(REFUSALS).await;
        self.alone(BREAKING).await;
        Ok(self.finish())
    }

    /// What the first delivery says about the rest.
    fn look_at_first(&mut self) {
        let Some(first) = self.done.get(&ScenarioId::FirstDelivery) else { return };
        match first.verdict {
            Some(Verdict::Fail) => {
                self.ended =
                    Some("The first delivery failed, so that the rest means nothing.".into());
            }
            // Its own reason says what cannot be reached.
            Some(Verdict::Unknown) if first.statuses.is_empty() => {
                self.ended = Some("The target cannot be reached.".into());
            }
            _ => {}
        }
    }

    async fn alone(&mut self, ids: &[ScenarioId]) {
        for id in ids {
            self.side_by_side(&[*id]).await;
        }
    }

    async fn side_by_side(&mut self, ids: &[ScenarioId]) {
        let mut ready = Vec::new();
        for id in ids.iter().copied() {
            if !self.chosen.contains(&id) {
                continue;
            }
            match self.obstacle(id) {
                Some(why) => self.put(id, Finding::skipped(why), None),
                None => ready.push(id),
            }
        }
        if ready.is_empty() {
            return;
        }
        let bench = self.bench;
        let mut running = FuturesUnordered::new();
        for id in ready {
            running.push(one(bench, id).boxed());
        }
        while let Some((id, finding, took)) = running.next().await {
            // What was found before stands, whatever becomes of the handler.
            let finding = finding.unwrap_or_else(|error| {
                self.ended = Some(error.to_string());
                Finding::unknown(error.to_string())
            });
            self.put(id, finding, took);
        }
        drop(running);
        if self.ended.is_some() || self.bench.stop.is_cancelled() {
            return;
        }
        match self.bench.revive().await {
            Ok(true) => {}
            Ok(false) => {
                let last = ids.last().map_or("", |id| id.as_str());
                self.ended = Some(format!(
                    "The handler does not answer any more since `{last}`; start it again, or give --start-command."
                ));
            }
            Err(error) => self.ended = Some(error.to_string()),
        }
    }

    /// Why a scenario cannot be tried.
    fn obstacle(&self, id: ScenarioId) -> Option<String> {
        let spec = &self.bench.spec;
        if self.bench.stop.is_cancelled() {
            return Some(STOPPED.into());
        }
        if let Some(ended) = &self.ended {
            return Some(ended.clone());
        }
        if id == ScenarioId::AcrossInstances && spec.urls.len() < 2 {
            return Some("It needs two instances: give a second --url.".into());
        }
        if matches!(id, ScenarioId::AfterRestart | ScenarioId::CrashMidWork)
            && spec.start_command.is_none()
        {
            return Some("It needs --start-command, to end the handler and start it again.".into());
        }
        if id == ScenarioId::StaleTimestamp && !self.bench.signs_time() {
            return Some(format!(
                "A delivery of the scheme {} does not say when it was signed, so none can be too old.",
                self.bench.signer.scheme.name()
            ));
        }
        if NEED_ARTIFACT.contains(&id) && !self.bench.fetches_artifact() {
            return Some(match (spec.canary, self.bench.template.has_artifact()) {
                (false, _) => "It needs the canary, which is switched off.".into(),
                (true, false) => "It needs the canary, and the body has no /artifacts/0/url.".into(),
                (true, true) => {
                    "It needs the canary, and the handler did not fetch the artifact of the first delivery.".into()
                }
            });
        }
        None
    }

    fn put(&mut self, id: ScenarioId, finding: Finding, took: Option<f64>) {
        let repro = match finding.verdict {
            Verdict::Fail | Verdict::Warn | Verdict::Unknown => {
                Some(command::again(self.bench, id, finding.fire))
            }
            Verdict::Pass | Verdict::Skipped => None,
        };
        let report = ScenarioReport {
            id,
            verdict: Some(finding.verdict),
            reason: finding.reason,
            expected_effects: finding.expected,
            observed_effects: finding.observed,
            statuses: finding.statuses,
            evidence: finding.evidence,
            advice: finding.advice.map(|advice| advice.text().to_owned()),
            repro,
            notes: finding.notes,
            duration_ms: took,
            traces: finding.traces,
        };
        self.bench.tell(Told::Scenario(Box::new(report.clone())));
        self.done.insert(id, report);
    }

    fn finish(mut self) -> Vec<ScenarioReport> {
        for id in self.chosen.clone() {
            if !self.done.contains_key(&id) {
                let why = self.ended.clone().unwrap_or_else(|| STOPPED.into());
                self.put(id, Finding::skipped(why), None);
            }
        }
        self.done.into_values().collect()
    }
}

/// Why what was not reached was not.
const STOPPED: &str = "The check was stopped before it.";

/// One scenario, timed; a stop ends it.
async fn one(
    bench: &Bench,
    id: ScenarioId,
) -> (ScenarioId, Result<Finding, CheckError>, Option<f64>) {
    bench.tell(Told::Scenario(Box::new(ScenarioReport {
        reason: format!("Trying {} …", id.what()),
        ..super::waiting(id)
    })));
    let begun = Instant::now();
    let finding = tokio::select! {
        finding = Box::pin(scenarios::carry_out(bench, id)) => finding,
        () = bench.stop.cancelled() => Ok(Finding::skipped("The check was stopped in its middle.")),
    };
    (id, finding, Some(milliseconds(begun.elapsed())))
}
