//! The stand-in as a handle: started, told what to do, waited for, ended.

use crate::{
    config::{Config, NewJob, Refusal},
    job::{Attempt, Job, Stage},
    routes,
};
use hooktwice_engine::{
    Error, ids, listener,
    signing::{self, Scheme},
};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::watch, time::sleep};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

/// A request that the API got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// As sent.
    pub method: String,
    /// As sent, still encoded.
    pub path: String,
    /// Whether the right key came with it.
    pub with_key: bool,
    /// What it was answered.
    pub status: u16,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) jobs: HashMap<String, Job>,
    pub(crate) tests: Vec<Attempt>,
    pub(crate) refusals: VecDeque<Refusal>,
    pub(crate) seen: Vec<Seen>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) scheme: Arc<dyn Scheme>,
    pub(crate) base_url: String,
    pub(crate) stop: CancellationToken,
    tasks: TaskTracker,
    /// Of its start, so that whoever has the handle needs none.
    runtime: Handle,
    state: Mutex<State>,
    changes: watch::Sender<()>,
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single step, so a panic elsewhere left it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and wakes whoever waits for it.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.changes.send_replace(());
        changed
    }

    pub(crate) fn note(&self, attempt: Attempt) {
        if let Some(told) = &self.config.told {
            let _ = told.send(attempt.clone());
        }
        self.change(|state| match state.jobs.get_mut(&attempt.job_id) {
            Some(job) => job.attempts.push(attempt),
            None => state.tests.push(attempt),
        });
    }

    pub(crate) fn create(self: &Arc<Self>, new: NewJob) -> Result<Job, String> {
        let id = new.job_id.unwrap_or_else(|| format!("job_{}", ids::new_id().simple()));
        let job = Job {
            event_id: format!("evt_{}", ids::new_id().simple()),
            webhook_url: new.webhook_url.or_else(|| self.config.webhook_url.clone()),
            outcome: new.outcome,
            faults: new.faults,
            stage: Stage::Processing,
            attempts: Vec::new(),
            finished: None,
            id: id.clone(),
        };
        let taken = self.change(|state| {
            if state.jobs.contains_key(&id) {
                return true;
            }
            state.jobs.insert(id.clone(), job.clone());
            false
        });
        if taken {
            return Err(format!("There is a job {id} already."));
        }
        if let Some(ms) = new.finish_after_ms {
            let inner = self.clone();
            self.spawn(async move {
                tokio::select! {
                    () = inner.stop.cancelled() => {}
                    () = sleep(Duration::from_millis(ms)) => inner.finish(&id),
                }
            });
        }
        Ok(job)
    }

    /// Finishes a job that is on its way.
    pub(crate) fn finish(self: &Arc<Self>, id: &str) {
        let finished = self.change(|state| {
            let job = state.jobs.get_mut(id).filter(|job| job.stage == Stage::Processing)?;
            job.stage = Stage::Delivering;
            job.finished = Some(Instant::now());
            Some(job.clone())
        });
        if let Some(job) = finished {
            self.spawn(self.clone().deliver(job));
        }
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(work, &self.runtime);
    }
}

/// A stand-in that runs. A clone is the same one; it ends with the last.
#[derive(Debug, Clone)]
pub struct Provider {
    inner: Arc<Inner>,
    _ends: Arc<DropGuard>,
}

impl Provider {
    /// Listens on loopback.
    ///
    /// # Errors
    /// When the port is taken, or deliveries cannot be signed with what is set.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let scheme = signing::scheme("sume", &config.schemes)?;
        scheme.key(&config.secret)?;
        let socket = listener::bind("127.0.0.1", config.port).await?;
        let address = socket.local_addr().map_err(|error| {
            Error::Input(format!("The stand-in's socket has no address: {error}."))
        })?;
        let stop = CancellationToken::new();
        let inner = Arc::new(Inner {
            config,
            scheme,
            base_url: format!("http://{address}/v1"),
            stop: stop.clone(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
            state: Mutex::default(),
            changes: watch::Sender::new(()),
        });
        let router = routes::router(inner.clone());
        let ended = stop.clone().cancelled_owned();
        inner.spawn(async move {
            // Accepting goes on after an error of its own; there is nothing else that could end it.
            let _ = axum::serve(socket, router).with_graceful_shutdown(ended).await;
        });
        Ok(Self { inner, _ends: Arc::new(stop.drop_guard()) })
    }

    /// As `SUME_API_BASE_URL` takes it.
    pub fn base_url(&self) -> &str {
        &self.inner.base_url
    }

    /// Makes a job; its id.
    ///
    /// # Errors
    /// When there is one of that id.
    pub fn create(&self, new: NewJob) -> Result<String, String> {
        Ok(self.inner.create(new)?.id)
    }

    /// Finishes a job that is on its way.
    pub fn finish(&self, id: &str) {
        self.inner.finish(id);
    }

    /// A job as it is now.
    pub fn job(&self, id: &str) -> Option<Job> {
        self.inner.state().jobs.get(id).cloned()
    }

    /// The test deliveries that have an outcome.
    pub fn tests(&self) -> Vec<Attempt> {
        self.inner.state().tests.clone()
    }

    /// Refuses the next requests; several refusals follow each other.
    pub fn refuse(&self, refusal: Refusal) {
        self.inner.change(|state| state.refusals.push_back(refusal));
    }

    /// Every request that the API got, in order.
    pub fn seen(&self) -> Vec<Seen> {
        self.inner.state().seen.clone()
    }

    /// Waits until a job is as it should be.
    pub async fn until(&self, id: &str, is_so: impl Fn(&Job) -> bool) -> Job {
        let mut changes = self.inner.changes.subscribe();
        loop {
            if let Some(job) = self.job(id).filter(&is_so) {
                return job;
            }
            // The sender lives as long as this handle.
            let _ = changes.changed().await;
        }
    }

    /// Waits until no automatic attempt of a job comes any more.
    pub async fn ended(&self, id: &str) -> Job {
        self.until(id, |job| job.stage == Stage::Ended).await
    }

    /// Ends it: no more requests are taken, deliveries on their way are given up.
    pub async fn stop(self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}
