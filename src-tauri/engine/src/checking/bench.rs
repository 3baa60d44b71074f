//! What every scenario works on: it makes jobs, sends them, and knows the handler's measures.

use super::{
    Told,
    canary::{Artifact, Canary, Conduct},
    error::CheckError,
    job::{Job, fresh_id, is_2xx},
    lifecycle::{self, Handler},
    probes::{Probe, Subject},
    sending::MOST_IN_FLIGHT,
    template::{Spelling, Template},
};
use crate::{
    model::{CheckSpec, HandlerFacts},
    signing::Signer,
};
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

/// How many deliveries are measured beside the first.
const MEASURED: usize = 5;

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
    pub(super) in_flight: Semaphore,
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

    /// Counts without telling: what is told next tells it too.
    pub(super) fn learn_quietly(&self, change: impl FnOnce(&mut HandlerFacts)) {
        change(&mut self.facts.lock().unwrap_or_else(PoisonError::into_inner));
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

    pub(super) fn url(&self) -> &str {
        self.spec.urls.first().map_or("", String::as_str)
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
