//! Examines a handler over HTTP and says, with evidence, whether its effect runs once.
//!
//! [`prepare`] makes a plan of what was asked for and refuses what cannot be; [`run`] carries it out: the scenarios of
//! contract.md, each with fresh jobs, the effect counted by probes. Nothing that was not seen is a pass.

mod advice;
mod bench;
mod canary;
mod command;
mod counting;
mod error;
mod examination;
mod finding;
mod forging;
mod job;
mod lifecycle;
mod probes;
mod race;
pub mod report;
mod scenarios;
mod sending;
mod spelling;
mod template;

pub use command::command;
pub use error::CheckError;

use crate::{
    firing,
    head::RawHeader,
    model::{
        CheckReport, CheckSpec, Evidence, HandlerFacts, Overall, ProbeSpec, Protocol, Release,
        RunState, ScenarioId, ScenarioReport, Signing, Verdict,
    },
    signing::Signer,
};
use bench::Bench;
use canary::Canary;
use examination::Examination;
use probes::Probe;
use std::{collections::BTreeMap, time::Duration};
use template::Template;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The most instances of one handler.
const MOST_URLS: usize = 32;
/// The most copies of a volley.
const MOST_COPIES: u32 = 200;

/// A check that can be carried out.
#[derive(Debug)]
pub struct Plan {
    spec: CheckSpec,
    template: Template,
    signer: Signer,
    probes: Vec<Probe>,
    chosen: Vec<ScenarioId>,
    secret_words: Vec<String>,
}

/// What a check tells while it runs.
#[derive(Debug, Clone)]
pub enum Told {
    /// A scenario began, came further, or is done.
    Scenario(Box<ScenarioReport>),
    /// Something was measured of the handler.
    Facts(HandlerFacts),
}

/// Looks through what was asked for, and makes it ready. Nothing is sent and nothing is started.
///
/// `secret_words` are the words of a command line that name the secret (`--secret-env NAME`): they go into the commands
/// that are shown.
///
/// # Errors
/// When something of it cannot be used.
pub async fn prepare(
    mut spec: CheckSpec,
    signer: Signer,
    secret_words: &[String],
) -> Result<Plan, CheckError> {
    let chosen = chosen(&spec)?;
    numbers(&spec)?;
    if spec.effects.is_empty() {
        return Err(CheckError::Input(
            "Nothing says how the effect is seen, and without evidence nothing can be said. Give one of --effect-sql with \
             --effect-query, --effect-url, --effect-command, --effect-log with --effect-pattern, or --effect-canary."
                .into(),
        ));
    }
    let template = Template::new(&spec)?;
    for url in &spec.urls {
        firing::check(&usual_plan(url, &spec, &template, &signer)?).await?;
    }
    let mut probes = Vec::with_capacity(spec.effects.len());
    for effect in &spec.effects {
        probes.push(Probe::new(effect).await?);
    }
    spec.seed.get_or_insert_with(|| fastrand::u32(..1_000_000));
    Ok(Plan { spec, template, signer, probes, chosen, secret_words: secret_words.to_vec() })
}

/// A delivery as it will be fired, to be looked through before anything is.
fn usual_plan(
    url: &str,
    spec: &CheckSpec,
    template: &Template,
    signer: &Signer,
) -> Result<firing::Plan, CheckError> {
    let body = template.fill("job_0", None, template::Spelling::Escaped);
    signer.sign(0, "evt_0", &body)?;
    Ok(firing::Plan {
        url: url.to_owned(),
        method: "POST".into(),
        headers: vec![RawHeader::new("Content-Type", "application/json")],
        body,
        copies: spec.copies,
        release: Release::Together,
        signing: Signing::Each,
        signer: Some(signer.clone()),
        event_id: "evt_0".into(),
        protocol: Protocol::Auto,
        timeout: Duration::from_millis(spec.timeout_ms),
        allow_hosts: spec.allow_hosts.clone(),
    })
}

fn numbers(spec: &CheckSpec) -> Result<(), CheckError> {
    let wrong = |what: String| Err(CheckError::Input(what));
    if spec.urls.is_empty() {
        return wrong("No target is given. Give the handler's URL.".into());
    }
    if spec.urls.len() > MOST_URLS {
        return wrong(format!(
            "{} targets are too many; give at most {MOST_URLS}.",
            spec.urls.len()
        ));
    }
    if !(2..=MOST_COPIES).contains(&spec.copies) {
        return wrong(format!(
            "{} copies say nothing about duplicates, or are too many: give 2 to {MOST_COPIES}.",
            spec.copies
        ));
    }
    if spec.timeout_ms == 0 {
        return wrong(
            "A timeout of no time lets nothing be answered. Give at least a millisecond.".into(),
        );
    }
    Ok(())
}

/// The scenarios that were asked for, in the contract's order. Nothing means anything without the first delivery.
fn chosen(spec: &CheckSpec) -> Result<Vec<ScenarioId>, CheckError> {
    let read = |names: &[String]| {
        names
            .iter()
            .map(|name| {
                ScenarioId::from_name(name.trim()).ok_or_else(|| {
                    let known: Vec<&str> = ScenarioId::ALL.iter().map(|id| id.as_str()).collect();
                    CheckError::Input(format!(
                        "There is no scenario `{name}`; there are {}.",
                        known.join(", ")
                    ))
                })
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let (only, skip) = (read(&spec.only)?, read(&spec.skip)?);
    Ok(ScenarioId::ALL
        .iter()
        .copied()
        .filter(|id| {
            *id == ScenarioId::FirstDelivery
                || (only.is_empty() || only.contains(id)) && !skip.contains(id)
        })
        .collect())
}

/// A scenario of which nothing is known yet.
fn waiting(id: ScenarioId) -> ScenarioReport {
    ScenarioReport {
        id,
        verdict: None,
        reason: String::new(),
        expected_effects: None,
        observed_effects: None,
        statuses: BTreeMap::new(),
        evidence: Vec::new(),
        advice: None,
        repro: None,
        notes: Vec::new(),
        duration_ms: None,
        traces: Vec::new(),
    }
}

impl Plan {
    /// The report of a check that has not begun: every scenario waits.
    pub fn report(&self, id: String, started_at: String) -> CheckReport {
        let scheme = self.signer.scheme.name();
        CheckReport {
            id,
            version: env!("CARGO_PKG_VERSION").into(),
            started_at,
            duration_s: None,
            state: RunState::Running,
            spec: self.spec.clone(),
            scheme: scheme.into(),
            command: command(&self.spec, scheme, &self.secret_words),
            facts: HandlerFacts::default(),
            scenarios: self.chosen.iter().copied().map(waiting).collect(),
            overall: None,
            handler_output: None,
            error: None,
        }
    }
}

/// Carries a plan out and returns the finished report. Cancelling `stop` ends it soon: what was not reached is `skipped`,
/// and the state says so. Whatever was started is ended.
///
/// # Errors
/// When the handler cannot be started or this machine lacks something; scenarios that were not reached say nothing.
pub async fn run(
    plan: Plan,
    mut report: CheckReport,
    tell: mpsc::UnboundedSender<Told>,
    stop: CancellationToken,
) -> Result<CheckReport, CheckError> {
    let begun = std::time::Instant::now();
    let canary = match plan.template.has_artifact() {
        true => Some(Canary::start().await.map_err(|error| {
            CheckError::Machine(format!(
                "The canary's server cannot be started on loopback: {error}."
            ))
        })?),
        false => None,
    };
    let Plan { spec, template, signer, probes, chosen, secret_words } = plan;
    let bench =
        Bench::new(spec, template, signer, canary, probes, secret_words, tell, stop.clone());
    let scenarios = Examination::new(&bench, chosen).run().await;
    let handler = bench.handler.lock().await.take();
    if let Some(mut handler) = handler {
        report.handler_output = Some(handler.output());
        if let Err(error) = handler.stop(lifecycle::Stop::Term).await {
            tracing::warn!(%error, "the handler could not be ended well");
        }
    }
    report.scenarios = scenarios?;
    report.facts = bench.facts();
    report.overall = Some(overall(&report.scenarios));
    report.state = if stop.is_cancelled() { RunState::Stopped } else { RunState::Done };
    report.duration_s = Some(begun.elapsed().as_secs_f64());
    Ok(report)
}

/// `fail` where a scenario failed, else `unknown` where one is, else `pass`.
fn overall(scenarios: &[ScenarioReport]) -> Overall {
    let of = |verdict| {
        scenarios.iter().filter(|one| one.verdict == Some(verdict)).map(|one| one.id).collect()
    };
    let (failed, unknown): (Vec<_>, Vec<_>) = (of(Verdict::Fail), of(Verdict::Unknown));
    let verdict = if !failed.is_empty() {
        Verdict::Fail
    } else if !unknown.is_empty() || of(Verdict::Pass).is_empty() {
        Verdict::Unknown
    } else {
        Verdict::Pass
    };
    Overall {
        verdict,
        passed: of(Verdict::Pass),
        failed,
        warned: of(Verdict::Warn),
        unknown,
        skipped: of(Verdict::Skipped),
    }
}

/// Tries one probe alone: what it sees of a job at this moment. The canary has nothing to see outside of a check.
///
/// # Errors
/// When the probe cannot be used as it was given.
pub async fn try_probe(spec: &ProbeSpec, job_id: &str) -> Result<Evidence, CheckError> {
    let probe = Probe::new(spec).await?;
    let subject = probes::Subject { job_id: job_id.to_owned(), artifact: None };
    let sight = probe.counts(&[subject]).await.pop();
    let (count, error) = match sight {
        Some(Ok(count)) => (Some(count), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    Ok(Evidence { probe: probe.name().to_owned(), count, error })
}
