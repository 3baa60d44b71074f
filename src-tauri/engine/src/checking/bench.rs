//! What every scenario works on: it makes jobs, sends them, and knows the handler's measures.

use super::{
    Told,
    canary::{Artifact, Canary, Conduct},
    error::CheckError,
    job::{Job, fresh_id, is_2xx, is_busy},
    lifecycle::{self, Handler},
    probes::{Probe, Subject},
    template::{Spelling, Template},
};
use crate::{
    firing::{self, FiredEach, Plan},
    head::RawHeader,
    model::{CheckSpec, CopyOutcome, CopyReport, HandlerFacts, Protocol, Release, Signing},
    signing::{SignedRequest, Signer},
};
use bytes::Bytes;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// The most copies on their way at one moment, over everything that goes on side by side (C57).
const MOST_IN_FLIGHT: u32 = 200;
/// How long a handler that answers "come again" is given, where its answers do not end before.
const BUSY_PATIENCE: Duration = Duration::from_secs(30);
/// How many deliveries are measured beside the first.
const MEASURED: usize = 5;
/// The first pause before a refused delivery is sent again, and the longest.
const AGAIN: (Duration, Duration) = (Duration::from_millis(150), Duration::from_secs(1));

/// Which Unix second the copies of one job are signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seconds {
    /// All with one: they differ in nothing.
    Same,
    /// Each with a later one than the copy before it.
    Later,
}

/// Everything that a check works with.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) spec: CheckSpec,
    pub(super) template: Template,
    pub(super) signer: Signer,
    pub(super) timeout: Duration,
    pub(super) stop: CancellationToken,
    /// Counts downloads; `None` where the body has no place for it.
    pub(super) canary: Option<Canary>,
    /// The first decides.
    pub(super) probes: Vec<Probe>,
    /// Where we started it.
    pub(super) handler: tokio::sync::Mutex<Option<Handler>>,
    /// Words of a command line that name the secret.
    pub(super) secret_words: Vec<String>,
    facts: Mutex<HandlerFacts>,
    /// The deciding probe has seen an effect; `None` before the first delivery.
    sighted: Mutex<Option<bool>>,
    /// How long effects that were seen lately took to come, over everything that goes on side by side.
    lag: Mutex<VecDeque<(Instant, Duration)>>,
    tell: mpsc::UnboundedSender<Told>,
    in_flight: Semaphore,
    /// Held by a scenario that sends what may break a handler, until it has seen that the handler lives.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Bench {
    #[expect(clippy::too_many_arguments, reason = "one place puts it together")]
    pub(super) fn new(
        spec: CheckSpec,
        template: Template,
        signer: Signer,
        canary: Option<Canary>,
        probes: Vec<Probe>,
        secret_words: Vec<String>,
        tell: mpsc::UnboundedSender<Told>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            timeout: Duration::from_millis(spec.timeout_ms),
            spec,
            template,
            signer,
            stop,
            canary,
            probes,
            handler: tokio::sync::Mutex::default(),
            secret_words,
            facts: Mutex::default(),
            sighted: Mutex::default(),
            lag: Mutex::default(),
            tell,
            in_flight: Semaphore::new(MOST_IN_FLIGHT as usize),
            turn: tokio::sync::Mutex::default(),
        }
    }

    // What was measured.

    pub(super) fn facts(&self) -> HandlerFacts {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn learn(&self, change: impl FnOnce(&mut HandlerFacts)) {
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut facts);
        // Whoever started the check may have gone away; the check is stopped then.
        let _ = self.tell.send(Told::Facts(facts.clone()));
    }

    pub(super) fn tell(&self, told: Told) {
        let _ = self.tell.send(told);
    }

    /// Whether the deciding probe has shown that it sees effects.
    pub(super) fn sighted(&self) -> Option<bool> {
        *self.sighted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_sighted(&self, sighted: bool) {
        *self.sighted.lock().unwrap_or_else(PoisonError::into_inner) = Some(sighted);
    }

    /// An effect of a job was seen for the first time.
    pub(super) fn came(&self, job: &Job) {
        let (now, Some(sent)) = (Instant::now(), job.first_sent()) else { return };
        let mut lag = self.lag.lock().unwrap_or_else(PoisonError::into_inner);
        lag.push_back((now, now.duration_since(sent)));
        while lag.front().is_some_and(|(at, _)| now.duration_since(*at) > self.timeout * 2) {
            lag.pop_front();
        }
    }

    /// How long an effect that is due is awaited: the timeout, and longer where those that come have waited long in the
    /// handler's own queue.
    pub(super) fn patience(&self) -> Duration {
        let lag = self.lag.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = lag.iter().map(|(_, took)| *took).max().unwrap_or_default();
        self.timeout.max(longest * 2)
    }

    /// How long a count has to be still: at least twice as long as the first effect took to appear.
    pub(super) fn settle(&self) -> Duration {
        let asked = Duration::from_millis(self.spec.settle_ms);
        let first = self.facts().effect_ms.unwrap_or(0.0).max(0.0);
        asked.max(Duration::from_secs_f64(first * 2.0 / 1e3))
    }

    /// How long the handler takes from a delivery to its answer and its effect, whichever is later.
    pub(super) fn duration(&self) -> Duration {
        let facts = self.facts();
        let answer = facts.answer_ms.unwrap_or(0.0);
        Duration::from_secs_f64(answer.max(facts.work_ms.unwrap_or(0.0)).max(0.0) / 1e3)
    }

    /// Measures how long the handler takes once it is warm: the middle of a few deliveries of fresh jobs.
    pub(super) async fn measure(&self) {
        let facts = self.facts();
        let (Some(cold), true) = (facts.answer_ms, self.sighted() == Some(true)) else { return };
        // One that takes seconds was measured well enough by its first delivery.
        if cold > 1000.0 {
            return;
        }
        let mut answers = Vec::with_capacity(MEASURED);
        for _ in 0..MEASURED {
            let job = self.job("measured");
            let copy = self.deliver(&job).await;
            if copy.status.is_some_and(is_2xx) {
                answers.extend(copy.total_ms);
            }
        }
        answers.sort_by(f64::total_cmp);
        if let Some(middle) = answers.get(answers.len() / 2) {
            self.learn(|facts| facts.answer_ms = Some(*middle));
        }
    }

    pub(super) fn fetches_artifact(&self) -> bool {
        self.facts().fetches_artifact == Some(true)
    }

    /// It was seen to take one delivery at a time.
    pub(super) fn one_at_a_time(&self) -> bool {
        self.facts().one_at_a_time == Some(true)
    }

    // Jobs.

    /// A fresh job whose artifact is served at once.
    pub(super) fn job(&self, label: impl Into<String>) -> Job {
        self.job_with(label, Conduct::Serve)
    }

    pub(super) fn job_with(&self, label: impl Into<String>, conduct: Conduct) -> Job {
        self.job_named(fresh_id(), label, conduct)
    }

    pub(super) fn job_named(&self, id: String, label: impl Into<String>, conduct: Conduct) -> Job {
        let artifact = self.artifact(conduct);
        let url = artifact.as_ref().map(Artifact::url);
        let body = self.template.fill(&id, url, Spelling::Escaped);
        Job::new(id, label.into(), body, artifact)
    }

    pub(super) fn artifact(&self, conduct: Conduct) -> Option<Artifact> {
        self.canary.as_ref().map(|canary| canary.artifact(conduct))
    }

    /// A job's body written another way.
    pub(super) fn respell(&self, job: &Job, spelling: Spelling) {
        job.set_body(self.template.fill(
            &job.id,
            job.artifact.as_ref().map(Artifact::url),
            spelling,
        ));
    }

    pub(super) fn subject(job: &Job) -> Subject {
        Subject { job_id: job.id.clone(), artifact: job.artifact.clone() }
    }

    // Sending.

    /// The headers that sign a body for a job at a second.
    pub(super) fn sign(&self, job: &Job, second: i64, body: &[u8]) -> Vec<RawHeader> {
        // It was signed with once before anything was sent: what can be wrong with a secret was found then.
        let target = target(self.url());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let request = SignedRequest { method: "POST", path, query, headers: &[], body };
        self.signer.sign_request(second, &job.event_id, &request).unwrap_or_default()
    }

    fn plan(&self, url: &str, body: Bytes, signed: Vec<RawHeader>, timeout: Duration) -> Plan {
        let mut headers = vec![
            RawHeader::new("Content-Type", "application/json"),
            RawHeader::new("User-Agent", concat!("hooktwice/", env!("CARGO_PKG_VERSION"))),
        ];
        headers.extend(signed);
        Plan {
            url: url.to_owned(),
            method: "POST".into(),
            headers,
            body,
            copies: 1,
            release: Release::Together,
            signing: Signing::Verbatim,
            signer: None,
            event_id: String::new(),
            protocol: Protocol::Auto,
            timeout,
            allow_hosts: self.spec.allow_hosts.clone(),
        }
    }

    async fn fire(&self, plans: &[Plan], release: Release) -> (Vec<CopyReport>, Instant) {
        let count = u32::try_from(plans.len()).unwrap_or(u32::MAX);
        let begun = Instant::now();
        let permit = self.in_flight.acquire_many(count.min(MOST_IN_FLIGHT)).await;
        self.learn_quietly(|facts| facts.deliveries += count);
        let fired = firing::fire_each(plans, release, self.stop.clone()).await;
        drop(permit);
        match fired {
            Ok(FiredEach { copies, origin, .. }) => (copies, origin.unwrap_or(begun)),
            Err(error) => {
                let why = error.to_string();
                ((1..=count).map(|n| not_sent(n, why.clone())).collect(), begun)
            }
        }
    }

    /// Counts without telling: what is told next tells it too.
    fn learn_quietly(&self, change: impl FnOnce(&mut HandlerFacts)) {
        change(&mut self.facts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Sends one copy of a job, signed with a later second than those before it.
    pub(super) async fn deliver(&self, job: &Job) -> CopyReport {
        self.deliver_within(job, self.timeout, "").await
    }

    /// As [`Bench::deliver`], given up after a time.
    pub(super) async fn deliver_within(
        &self,
        job: &Job,
        timeout: Duration,
        label: &str,
    ) -> CopyReport {
        let body = job.body();
        let signed = self.sign(job, job.next_second(), &body);
        self.send(job, body, signed, timeout, label).await
    }

    /// Sends one copy with headers and a body as they are given.
    pub(super) async fn send(
        &self,
        job: &Job,
        body: Bytes,
        signed: Vec<RawHeader>,
        timeout: Duration,
        label: &str,
    ) -> CopyReport {
        let plan = self.plan(self.url(), body, signed, timeout);
        let (mut copies, origin) = self.fire(&[plan], Release::Together).await;
        let report = copies.pop().unwrap_or_else(|| not_sent(1, "It was not sent.".into()));
        job.sent(report.clone(), origin, 0, label);
        report
    }

    /// Sends copies of one job at the same instant, spread over instances; they differ in nothing.
    pub(super) async fn volley(&self, job: &Job, copies: u32, urls: &[String]) -> Vec<CopyReport> {
        self.learn_quietly(|facts| facts.volleys += 1);
        let body = job.body();
        let signed = self.sign(job, job.next_second(), &body);
        let plans: Vec<Plan> = (0..copies as usize)
            .map(|n| self.plan(&urls[n % urls.len()], body.clone(), signed.clone(), self.timeout))
            .collect();
        let (reports, origin) = self.fire(&plans, Release::Together).await;
        for (n, report) in reports.iter().enumerate() {
            job.sent(report.clone(), origin, n % urls.len(), "");
        }
        reports
    }

    /// Sends two copies of one job, the second so long after the first was let go.
    pub(super) async fn pair(&self, job: &Job, gap: Duration, seconds: Seconds) -> Vec<CopyReport> {
        self.learn_quietly(|facts| facts.pairs += 1);
        let body = job.body();
        let first = job.next_second();
        let second = if seconds == Seconds::Later { job.next_second() } else { first };
        let plans = [first, second].map(|second| {
            self.plan(self.url(), body.clone(), self.sign(job, second, &body), self.timeout)
        });
        let release = Release::Gap { ms: gap.as_secs_f64() * 1e3 };
        let (reports, origin) = self.fire(&plans, release).await;
        for report in &reports {
            job.sent(report.clone(), origin, 0, "");
        }
        reports
    }

    /// Sends one copy of each job at the same instant.
    pub(super) async fn all_at_once(&self, jobs: &[Job]) {
        self.learn_quietly(|facts| facts.volleys += 1);
        let plans: Vec<Plan> = jobs
            .iter()
            .map(|job| {
                let body = job.body();
                let signed = self.sign(job, job.next_second(), &body);
                self.plan(self.url(), body, signed, self.timeout)
            })
            .collect();
        let (reports, origin) = self.fire(&plans, Release::Together).await;
        for (job, report) in jobs.iter().zip(reports) {
            job.sent(report, origin, 0, "");
        }
    }

    pub(super) fn url(&self) -> &str {
        self.spec.urls.first().map_or("", String::as_str)
    }

    /// Sends a job again, as a provider does, until a copy of it is acknowledged; whether one was. One that answers
    /// "come again" is given longer than one that refuses.
    pub(super) async fn acknowledge(&self, job: &Job) -> bool {
        let begun = Instant::now();
        let mut pause = AGAIN.0;
        let mut busy = job.copies().last().and_then(|copy| copy.status).is_some_and(is_busy);
        while !job.acknowledged() {
            let patience = if busy { self.timeout.max(BUSY_PATIENCE) } else { self.timeout };
            if begun.elapsed() > patience || self.stop.is_cancelled() {
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(AGAIN.1);
            let copy = self.deliver_within(job, self.timeout, "sent again").await;
            busy = copy.status.is_some_and(is_busy);
        }
        true
    }

    /// One good delivery of a fresh job, to see whether the handler still works.
    pub(super) async fn good_delivery(&self) -> (Job, bool) {
        let job = self.job("the good delivery after it");
        let copy = self.deliver(&job).await;
        let good = match copy.status {
            Some(status) if is_2xx(status) => true,
            Some(status) if is_busy(status) => self.acknowledge(&job).await,
            Some(_) | None => false,
        };
        (job, good)
    }

    /// Whether the target's port answers at all; starts a handler of ours again where it has gone, and gives one that
    /// somebody else watches over a moment to come back.
    pub(super) async fn revive(&self) -> Result<bool, CheckError> {
        if lifecycle::answers(self.url()).await {
            return Ok(true);
        }
        let mut handler = self.handler.lock().await;
        if let Some(handler) = handler.as_mut() {
            handler.stop(lifecycle::Stop::Kill).await?;
            handler.start_again().await?;
            return Ok(true);
        }
        drop(handler);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(3) {
            sleep(Duration::from_millis(50)).await;
            if lifecycle::answers(self.url()).await {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A copy that could not even be tried.
fn not_sent(n: u32, why: String) -> CopyReport {
    CopyReport {
        n,
        local_port: None,
        connected_ms: None,
        written_ms: None,
        released_us: None,
        first_byte_ms: None,
        total_ms: None,
        status: None,
        outcome: CopyOutcome::NotSent,
        error: Some(why),
        warnings: Vec::new(),
        location: None,
        response_body: String::new(),
    }
}

/// A URL's path and query as they are sent.
fn target(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |slash| &rest[slash..])
}
