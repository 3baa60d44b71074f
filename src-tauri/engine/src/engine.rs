//! Ties the parts: one data folder, one listener, one secret, the runs. The window and `hooktwice serve` stand on it.

mod checks;
mod delivering;
mod exchanging;
mod judging;
mod listening;
mod reading;
mod running;
mod sample;
mod secret;
mod sume;
mod tunnelling;

pub use crate::checking::try_probe;
pub use exchanging::Exported;
pub use judging::Judging;
pub(crate) use reading::gone;

use crate::{
    clock::{SharedClock, SystemClock},
    error::{Error, Result},
    events::{Event, Events},
    listener::ListenConfig,
    model::{AppState, CustomForm, ListenSettings, ListenerState, Settings, SumeSettings},
    secrets::{NamedSecret, Ring},
    settings::{Problem, Understood},
    signing,
    store::{Role, Store, StoreError},
    sume::check_base_url,
    tunnel::{Spawner, TokioSpawner},
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::MissedTickBehavior};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often the database is asked whether another process (the command line) changed it, and whether it can be
/// written.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// How an engine is started.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Where everything is kept.
    pub data_folder: PathBuf,
    /// In the settings' place, for this run only.
    pub host: Option<String>,
    /// In the settings' place, for this run only.
    pub port: Option<u16>,
    /// What deliveries are verified and signed with in this run, the first of them signs. Without any, the secrets of the
    /// settings are looked for in the keychain, and a scheme that has none there gets a throwaway one.
    pub secrets: Vec<NamedSecret>,
    /// The wall clock.
    pub clock: SharedClock,
    /// Starts the tunnel's program.
    pub spawner: Arc<dyn Spawner>,
}

impl EngineOptions {
    /// The usual ones, over a data folder.
    pub fn new(data_folder: PathBuf) -> Self {
        Self {
            data_folder,
            host: None,
            port: None,
            secrets: Vec::new(),
            clock: Arc::new(SystemClock),
            spawner: Arc::new(TokioSpawner),
        }
    }
}

/// Everything that runs over one data folder. A clone is the same one.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: EngineOptions,
    store: Store,
    events: Events,
    settings: watch::Sender<Settings>,
    /// What of their file was not understood at the start; nothing after the next save.
    doubts: Mutex<Vec<Problem>>,
    ring: Mutex<Ring>,
    /// What the running listener reads for each request.
    config: watch::Sender<Arc<ListenConfig>>,
    /// Held over a start or stop, so that two of them follow each other.
    listening: tokio::sync::Mutex<Option<listening::Running>>,
    listener_state: Mutex<ListenerState>,
    runs: running::ActiveRuns,
    checks: checks::ActiveChecks,
    sume: sume::Keeping,
    tunnelling: tunnelling::Tunnelling,
    scheduled: delivering::ScheduledDeliveries,
    incoming: exchanging::Incoming,
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

/// A panic under one of these locks leaves a whole value: each is replaced, never half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Opens the data folder as its owner and starts the listener. A port that is taken does not fail this: the state
    /// says so, and the rest works (C77).
    ///
    /// # Errors
    /// When the data folder or its settings cannot be used.
    pub async fn start(options: EngineOptions) -> Result<Self> {
        let Understood { mut settings, problems: mut doubts } =
            Settings::understand(&options.data_folder)?;
        if let Err(error) = signing::scheme(&settings.listen.scheme, &settings.schemes) {
            doubts.push(Problem::new("listen.scheme", &error));
            settings.listen.scheme = ListenSettings::default().scheme;
        }
        // Neither may be in use; each save would be refused for it.
        if let Err(error) = signing::check_custom(&settings.schemes.custom) {
            doubts.push(Problem::new("schemes.custom", &error));
            settings.schemes.custom = CustomForm::default();
        }
        if let Err(error) = check_base_url(&settings.sume.base_url) {
            doubts.push(Problem::new("sume.base_url", &error));
            settings.sume.base_url = SumeSettings::default().base_url;
        }
        let folder = options.data_folder.clone();
        let retention = settings.retention;
        let store = run_blocking(move || Store::open(&folder, Role::Owner, retention)).await??;
        let (ring, loading) = if options.secrets.is_empty() {
            secret::at_start(settings.secrets.clone()).await?
        } else {
            (secret::given(options.secrets.clone(), &settings), None)
        };
        let config = listen_config(&settings, &ring)?;
        let inner = Inner {
            options,
            store,
            events: Events::default(),
            settings: watch::Sender::new(settings),
            doubts: Mutex::new(doubts),
            ring: Mutex::new(ring),
            config: watch::Sender::new(Arc::new(config)),
            listening: tokio::sync::Mutex::new(None),
            listener_state: Mutex::new(ListenerState::Stopped),
            runs: running::ActiveRuns::default(),
            checks: checks::ActiveChecks::default(),
            sume: sume::Keeping::default(),
            tunnelling: tunnelling::Tunnelling::default(),
            scheduled: delivering::ScheduledDeliveries::default(),
            incoming: exchanging::Incoming::default(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let engine = Self { inner: Arc::new(inner) };
        if let Some(loading) = loading {
            engine.when_loaded(loading);
        }
        engine.follow_tunnel();
        engine.start_listener().await;
        engine.look_around();
        engine.start_watching();
        Ok(engine)
    }

    /// What happens.
    pub fn events(&self) -> &Events {
        &self.inner.events
    }

    /// What is kept.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// What the frame shows.
    ///
    /// # Errors
    /// When the claims cannot be counted.
    pub async fn state(&self) -> Result<AppState> {
        // Read before the rest: an event between the two is told twice, never lost.
        let next_event = self.inner.events.next_number();
        let claims = self.read(Store::claims_count).await?;
        let settings = self.settings();
        let scheme = settings.listen.scheme.clone();
        let secrets = lock(&self.inner.ring).infos();
        Ok(AppState {
            version: env!("CARGO_PKG_VERSION").into(),
            listener: lock(&self.inner.listener_state).clone(),
            secret: self.signing_secret(&scheme).map(|secret| secret.info(Some(scheme))),
            settings,
            secrets,
            tunnel: self.tunnel_state(),
            sume_key: self.sume_key(),
            data_folder: self.inner.options.data_folder.display().to_string(),
            next_event,
            claims,
            storage_problem: self.inner.store.problem(),
            settings_problems: lock(&self.inner.doubts).iter().map(ToString::to_string).collect(),
        })
    }

    /// What is set.
    pub fn settings(&self) -> Settings {
        self.inner.settings.borrow().clone()
    }

    /// What is set, and what is set from now on.
    pub fn follow_settings(&self) -> watch::Receiver<Settings> {
        self.inner.settings.subscribe()
    }

    /// Checks, writes and applies settings. The listener is started anew where its address changed. The names of the
    /// secrets and of the API key are kept as they are: those have commands of their own.
    ///
    /// # Errors
    /// When a value is out of its range or the file cannot be written; nothing has changed then.
    pub async fn set_settings(&self, settings: Settings) -> Result<()> {
        let Settings { secrets, sume, .. } = self.settings();
        let sume = SumeSettings { key_name: sume.key_name, ..settings.sume };
        self.keep_settings(Settings { secrets, sume, ..settings }).await
    }

    async fn keep_settings(&self, settings: Settings) -> Result<()> {
        signing::scheme(&settings.listen.scheme, &settings.schemes)?;
        // One that is not in use must not be a surprise when it is.
        signing::check_custom(&settings.schemes.custom)?;
        check_base_url(&settings.sume.base_url)?;
        self.check_forward(&settings).await?;
        let folder = self.inner.options.data_folder.clone();
        let saved = settings.clone();
        let doubts = !lock(&self.inner.doubts).is_empty();
        run_blocking(move || saved.save(&folder, doubts)).await??;
        lock(&self.inner.doubts).clear();
        let before = self.inner.settings.send_replace(settings.clone());
        self.inner.store.set_retention(settings.retention);
        self.apply_config()?;
        let address = |settings: &Settings| (settings.listen.host.clone(), settings.listen.port);
        if address(&before) != address(&settings) {
            self.restart_listener_at_settings().await;
        } else if before.tunnel != settings.tunnel {
            self.tunnel_settings_changed(&before.tunnel).await;
        }
        self.inner.events.publish(Event::StateChanged);
        Ok(())
    }

    /// Hands the running listener what the settings and the secret say now.
    fn apply_config(&self) -> Result<()> {
        let config = listen_config(&self.settings(), &lock(&self.inner.ring))?;
        self.inner.config.send_replace(Arc::new(config));
        Ok(())
    }

    /// Reads from the database without holding up what is async.
    ///
    /// # Errors
    /// As the read's own.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T> {
        let store = self.inner.store.clone();
        Ok(run_blocking(move || read(&store)).await??)
    }

    /// Watches for what other processes do to the database, and for writes that fail.
    fn look_around(&self) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            let mut tick = tokio::time::interval(LOOK_AROUND);
            // After a sleep of the machine one look is enough (C85).
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut problem = None;
            loop {
                tokio::select! {
                    () = engine.inner.shutdown.cancelled() => return,
                    _ = tick.tick() => {}
                }
                let now = engine.inner.store.problem();
                if now != problem {
                    problem = now;
                    engine.inner.events.publish(Event::StateChanged);
                }
                if matches!(engine.read(Store::foreign_changes).await, Ok(true)) {
                    engine.inner.events.publish(Event::DeliveriesChanged);
                    engine.inner.events.publish(Event::ClaimsChanged);
                }
            }
        });
    }

    /// Ends everything: no more deliveries, runs stopped, answers in flight written, records whole. The data folder is
    /// free for another process when the last clone is dropped.
    pub async fn shutdown(&self) {
        self.stop_listener().await;
        self.inner.runs.stop_all();
        self.inner.checks.stop_all();
        self.inner.scheduled.stop_all();
        self.inner.shutdown.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        if let Err(error) = self.inner.store.flush().await {
            tracing::error!(%error, "the last records could not be written");
        }
    }
}

fn listen_config(settings: &Settings, ring: &Ring) -> Result<ListenConfig> {
    Ok(ListenConfig {
        settings: settings.listen.clone(),
        limits: settings.limits,
        scheme: signing::scheme(&settings.listen.scheme, &settings.schemes)?,
        secrets: ring.of_scheme(&settings.listen.scheme).to_vec(),
        known: ring.others(&settings.listen.scheme),
        schemes: settings.schemes.clone(),
    })
}

/// Runs something that blocks on a thread for it.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        Error::Input(format!("A part of the program broke: {error}. Please report it."))
    })
}
