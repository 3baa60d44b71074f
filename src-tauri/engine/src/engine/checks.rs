//! The checks of an engine: started from the pages, kept in the database, stopped at any time.

use super::{Engine, lock};
use crate::{
    checking::{self, Told},
    clock::rfc3339,
    error::{Error, Result},
    events::Event,
    ids,
    model::{CheckReport, CheckSpec, ReportFormat, RunState, ScenarioReport},
};
use futures_util::FutureExt as _;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many of the last checks a page is shown.
const SHOWN: u32 = 50;

/// The checks that are on their way.
#[derive(Debug, Default, Clone)]
pub(super) struct ActiveChecks(Arc<Mutex<HashMap<String, ActiveCheck>>>);

#[derive(Debug)]
struct ActiveCheck {
    stop: CancellationToken,
    report: CheckReport,
}

impl ActiveChecks {
    pub(super) fn stop_all(&self) {
        for check in lock(&self.0).values() {
            check.stop.cancel();
        }
    }
}

/// As it goes with an event or in a list: time lines are asked for with one check.
fn light(report: &CheckReport) -> CheckReport {
    let scenarios = report.scenarios.iter();
    let scenarios = scenarios
        .map(|scenario| ScenarioReport { traces: Vec::new(), ..scenario.clone() })
        .collect();
    CheckReport { scenarios, handler_output: None, ..report.clone() }
}

impl Engine {
    /// Starts a check with the secret and the scheme that are set; what it finds comes as events.
    ///
    /// # Errors
    /// When it cannot be carried out; nothing was sent and nothing was started.
    pub async fn check(&self, spec: CheckSpec) -> Result<CheckReport> {
        let signer = self.current_signer()?.ok_or_else(|| {
            Error::Input("No secret is set to sign with. Set one in Settings.".into())
        })?;
        let plan = checking::prepare(spec, signer, &self.secret_words()).await?;
        let now = rfc3339(self.inner.options.clock.now());
        let report = plan.report(ids::new_id().to_string(), now);
        let stop = CancellationToken::new();
        let active = ActiveCheck { stop: stop.clone(), report: report.clone() };
        lock(&self.inner.checks.0).insert(report.id.clone(), active);
        self.inner.events.publish(Event::Check { check: Box::new(light(&report)) });
        self.inner.tasks.spawn(self.clone().examine(plan, report.clone(), stop));
        Ok(report)
    }

    async fn examine(self, plan: checking::Plan, report: CheckReport, stop: CancellationToken) {
        let id = report.id.clone();
        let (tell, mut told) = mpsc::unbounded_channel();
        let begun = report.clone();
        let listen = async {
            while let Some(told) = told.recv().await {
                self.take(&id, told);
            }
        };
        let (ended, ()) = tokio::join!(checking::run(plan, report, tell, stop).boxed(), listen);
        let report = ended.unwrap_or_else(|error| {
            let so_far = lock(&self.inner.checks.0).get(&id).map(|check| check.report.clone());
            CheckReport {
                state: RunState::Failed,
                error: Some(error.to_string()),
                ..so_far.unwrap_or(begun)
            }
        });
        if let Err(error) = self.inner.store.save_check(report.clone()).await {
            // It is shown all the same; only its keeping failed, and the frame says so.
            tracing::error!(%error, "a check could not be kept");
        }
        lock(&self.inner.checks.0).remove(&id);
        self.inner.events.publish(Event::Check { check: Box::new(light(&report)) });
    }

    fn take(&self, id: &str, told: Told) {
        let event = match told {
            Told::Scenario(scenario) => {
                if let Some(check) = lock(&self.inner.checks.0).get_mut(id)
                    && let Some(slot) =
                        check.report.scenarios.iter_mut().find(|slot| slot.id == scenario.id)
                {
                    *slot = (*scenario).clone();
                }
                Event::Scenario { check: id.to_owned(), scenario }
            }
            Told::Facts(facts) => {
                if let Some(check) = lock(&self.inner.checks.0).get_mut(id) {
                    check.report.facts = facts.clone();
                }
                Event::HandlerFacts { check: id.to_owned(), facts }
            }
        };
        self.inner.events.publish(event);
    }

    /// Stops a check; what was not reached is skipped.
    ///
    /// # Errors
    /// When no such check is on its way.
    pub fn stop_check(&self, id: &str) -> Result<()> {
        match lock(&self.inner.checks.0).get(id) {
            Some(check) => {
                check.stop.cancel();
                Ok(())
            }
            None => Err(Error::NotFound(format!(
                "The check {id} is not on its way: it has ended, or never was."
            ))),
        }
    }

    /// The last checks, newest first, without time lines; those on their way first of all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn checks(&self) -> Result<Vec<CheckReport>> {
        let mut checks: Vec<CheckReport> =
            lock(&self.inner.checks.0).values().map(|check| light(&check.report)).collect();
        checks.sort_by(|a, b| b.id.cmp(&a.id));
        let kept = self.read(|store| store.checks(SHOWN)).await?;
        // One that ends at this moment is in both.
        checks.retain(|check| kept.iter().all(|other| other.id != check.id));
        checks.extend(kept);
        Ok(checks)
    }

    /// One check whole, on its way or ended.
    ///
    /// # Errors
    /// When there is none, or the database cannot be read.
    pub async fn kept_check(&self, id: String) -> Result<CheckReport> {
        if let Some(check) = lock(&self.inner.checks.0).get(&id) {
            return Ok(check.report.clone());
        }
        let wanted = id.clone();
        self.read(move |store| store.check(&wanted)).await?.ok_or_else(|| {
            Error::NotFound(format!("There is no check {id}; only the last ones are kept."))
        })
    }

    /// A check's report, written.
    ///
    /// # Errors
    /// When there is none, or the database cannot be read.
    pub async fn check_report(&self, id: String, format: ReportFormat) -> Result<String> {
        Ok(checking::report::write(&self.kept_check(id).await?, format))
    }

    /// The `hooktwice check` command that does the same.
    pub fn check_command(&self, spec: &CheckSpec) -> String {
        checking::command(spec, &self.settings().listen.scheme, &self.secret_words())
    }

    /// How a command line would name the secret in use. A throwaway one has no name outside of this run.
    fn secret_words(&self) -> [String; 2] {
        match self.signing_secret(&self.settings().listen.scheme) {
            Some(secret) if secret.kept_in == "keychain" => {
                ["--secret-name".into(), secret.name.clone()]
            }
            Some(secret) if secret.kept_in == "environment" => {
                ["--secret-env".into(), secret.name.clone()]
            }
            Some(_) | None => ["--secret-env".into(), "SUME_WEBHOOK_SECRET".into()],
        }
    }
}
