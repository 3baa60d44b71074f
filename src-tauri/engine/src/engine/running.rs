//! The runs of an engine: fired from the pages, kept in the database, stopped at any time.

use super::{Engine, lock};
use crate::{
    clock::rfc3339,
    error::{Error, Result},
    events::Event,
    export,
    firing::{self, Plan},
    head::RawHeader,
    ids,
    model::{CopyReport, PlanSpec, RunReport, RunState, RunSummary, Signing},
    signing::{self, Signer},
};
use base64::{DecodeError, Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many of the last runs a page is shown.
const SHOWN: u32 = 50;

/// The runs that are on their way.
#[derive(Debug, Default, Clone)]
pub(super) struct ActiveRuns(Arc<Mutex<HashMap<String, ActiveRun>>>);

#[derive(Debug)]
struct ActiveRun {
    stop: CancellationToken,
    report: RunReport,
}

impl ActiveRuns {
    fn begin(&self, report: RunReport) -> CancellationToken {
        let stop = CancellationToken::new();
        lock(&self.0).insert(report.id.clone(), ActiveRun { stop: stop.clone(), report });
        stop
    }

    fn add_copy(&self, id: &str, copy: CopyReport) {
        if let Some(run) = lock(&self.0).get_mut(id) {
            run.report.copies.push(copy);
        }
    }

    fn end(&self, id: &str) {
        lock(&self.0).remove(id);
    }

    fn report(&self, id: &str) -> Option<RunReport> {
        lock(&self.0).get(id).map(|run| run.report.clone())
    }

    pub(super) fn stop_all(&self) {
        for run in lock(&self.0).values() {
            run.stop.cancel();
        }
    }
}

impl Engine {
    /// Starts a firing; its copies come as events.
    ///
    /// # Errors
    /// When the plan cannot be carried out; nothing was sent.
    pub async fn fire(&self, spec: PlanSpec) -> Result<RunReport> {
        let (report, _) = self.begin_run(spec).await?;
        Ok(report)
    }

    /// Starts a firing and waits for its end.
    ///
    /// # Errors
    /// When the plan cannot be carried out; nothing was sent.
    pub async fn fire_to_the_end(&self, spec: PlanSpec) -> Result<RunReport> {
        let (report, run) = self.begin_run(spec).await?;
        Ok(run.await.unwrap_or(report))
    }

    async fn begin_run(
        &self,
        spec: PlanSpec,
    ) -> Result<(RunReport, tokio::task::JoinHandle<RunReport>)> {
        let plan = self.plan(&spec).await?;
        firing::check(&plan).await?;
        let report = RunReport {
            id: ids::new_id().to_string(),
            started_at: rfc3339(self.inner.options.clock.now()),
            url: plan.url.clone(),
            release: plan.release,
            copies_planned: plan.copies,
            state: RunState::Running,
            copies: Vec::new(),
            summary: None,
            error: None,
        };
        let stop = self.inner.runs.begin(report.clone());
        self.inner.events.publish(Event::Run { run: report.clone() });
        let run = self.inner.tasks.spawn(self.clone().carry_out(plan, report.clone(), stop));
        Ok((report, run))
    }

    async fn carry_out(
        self,
        plan: Plan,
        mut report: RunReport,
        stop: CancellationToken,
    ) -> RunReport {
        let (tell, mut told) = mpsc::unbounded_channel();
        let listen = async {
            while let Some(copy) = told.recv().await {
                self.inner.runs.add_copy(&report.id, CopyReport::clone(&copy));
                self.inner.events.publish(Event::Copy { run: report.id.clone(), copy });
            }
        };
        let (result, ()) = tokio::join!(firing::fire(plan, tell, stop), listen);
        finish(&mut report, result);
        if let Err(error) = self.inner.store.save_run(report.clone()).await {
            // The run is shown all the same; only its keeping failed, and the frame says so.
            tracing::error!(%error, "a run could not be kept");
        }
        self.inner.runs.end(&report.id);
        self.inner.events.publish(Event::Run { run: report.clone() });
        report
    }

    /// Stops a run; what was not answered by then is `unknown` or `not-sent`.
    ///
    /// # Errors
    /// When no such run is on its way.
    pub fn stop_run(&self, id: &str) -> Result<()> {
        match lock(&self.inner.runs.0).get(id) {
            Some(run) => {
                run.stop.cancel();
                Ok(())
            }
            None => Err(Error::NotFound(format!(
                "The run {id} is not on its way: it has ended, or never was."
            ))),
        }
    }

    /// The last runs, newest first, without their copies; those on their way first of all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn runs(&self) -> Result<Vec<RunReport>> {
        let mut runs: Vec<RunReport> = lock(&self.inner.runs.0)
            .values()
            .map(|run| RunReport { copies: Vec::new(), ..run.report.clone() })
            .collect();
        runs.sort_by(|a, b| b.id.cmp(&a.id));
        let kept = self.read(|store| store.runs(SHOWN)).await?;
        // One that ends at this moment is in both.
        runs.retain(|run| kept.iter().all(|other| other.id != run.id));
        runs.extend(kept);
        Ok(runs)
    }

    /// One run with its copies, on its way or ended.
    ///
    /// # Errors
    /// When there is none, or the database cannot be read.
    pub async fn run(&self, id: String) -> Result<RunReport> {
        if let Some(report) = self.inner.runs.report(&id) {
            return Ok(report);
        }
        let wanted = id.clone();
        self.read(move |store| store.run(&wanted)).await?.ok_or_else(|| {
            Error::NotFound(format!("There is no run {id}; only the last ones are kept."))
        })
    }

    /// The `hooktwice fire` command that does the same.
    ///
    /// # Errors
    /// When the plan names a delivery that is gone, or its body is not base64.
    pub async fn fire_command(&self, spec: &PlanSpec) -> Result<String> {
        let plan = self.plan(spec).await?;
        let delivery = spec.delivery.filter(|_| !spec.edited);
        Ok(export::fire_command(&plan, delivery, &self.inner.options.data_folder))
    }

    /// What a page asked for, with the stored delivery's bytes and the secret filled in.
    pub(super) async fn plan(&self, spec: &PlanSpec) -> Result<Plan> {
        let stored = match spec.delivery {
            Some(seq) => Some(self.stored_request(seq).await?),
            None => None,
        };
        let body = match &stored {
            Some((_, body)) if !spec.edited => body.clone(),
            Some(_) | None => Bytes::from(decode(&spec.body_base64, "The body")?),
        };
        let mut headers = stored.map(|(head, _)| head.headers).unwrap_or_default();
        if spec.edited {
            // The stored coding is of the bytes that were stored (C03).
            headers.retain(|header| !header.is("content-encoding"));
        }
        for header in &spec.headers {
            let header = RawHeader::from_named(header);
            headers.push(header.map_err(|error| not_base64("A header's value", &error))?);
        }
        if !headers.iter().any(|header| header.is("content-type")) {
            headers.push(RawHeader::new("Content-Type", "application/json"));
        }
        Ok(Plan {
            url: spec.url.trim().to_owned(),
            method: spec.method.clone(),
            headers,
            body,
            copies: spec.copies,
            release: spec.release,
            signing: spec.signing,
            signer: self.signer(spec.signing)?,
            event_id: format!("evt_{}", ids::new_id().simple()),
            protocol: spec.protocol,
            timeout: Duration::from_millis(spec.timeout_ms),
            allow_hosts: spec.allow_host.iter().cloned().collect(),
        })
    }

    /// What deliveries are signed with now; `None` without a secret.
    pub(super) fn current_signer(&self) -> Result<Option<Signer>> {
        let settings = self.settings();
        let scheme = signing::scheme(&settings.listen.scheme, &settings.schemes)?;
        let secret = self.signing_secret(scheme.name()).map(|named| named.secret);
        Ok(secret.map(|secret| Signer { scheme, secret }))
    }

    fn signer(&self, signing: Signing) -> Result<Option<Signer>> {
        if signing == Signing::Verbatim {
            return Ok(None);
        }
        match self.current_signer()? {
            Some(signer) => Ok(Some(signer)),
            None => Err(Error::Input(
                "No secret is set to sign with. Set one in Settings, or send the headers as they are.".into(),
            )),
        }
    }
}

fn decode(base64: &str, what: &str) -> Result<Vec<u8>> {
    STANDARD.decode(base64).map_err(|error| not_base64(what, &error))
}

fn not_base64(what: &str, error: &DecodeError) -> Error {
    Error::Input(format!("{what} is not base64: {error}."))
}

fn finish(
    report: &mut RunReport,
    result: Result<(Vec<CopyReport>, RunSummary), firing::FireError>,
) {
    match result {
        Ok((copies, summary)) => {
            report.state = if summary.stopped { RunState::Stopped } else { RunState::Done };
            report.copies = copies;
            report.summary = Some(summary);
        }
        Err(error) => {
            report.state = RunState::Failed;
            report.error = Some(error.to_string());
        }
    }
}
