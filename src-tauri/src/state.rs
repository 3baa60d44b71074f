//! What the shell holds: the engine, or why there is none.

use crate::{notify, tunnel_process::ShellSpawner};
use hooktwice_engine::{
    ErrorCode, Result, WireError,
    engine::{Engine, EngineOptions},
    paths,
    tunnel::Spawner,
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tauri::{
    AppHandle,
    async_runtime::{JoinHandle, RwLock, block_on, spawn},
};

/// How long a quit waits for answers in flight. A delivery that is not answered by then is found as `interrupted` at
/// the next start (C86).
const QUIT: Duration = Duration::from_millis(1500);

/// The engine of this window. Where it could not be started the window opens all the same and says why.
pub(crate) struct Shell {
    /// Held for writing while it is being started, so that whoever asks waits.
    engine: Arc<RwLock<Result<Engine, WireError>>>,
    app: AppHandle,
    spawner: Arc<dyn Spawner>,
    /// The task that feeds the page its events; a page that was loaded anew replaces it.
    pub(crate) feed: Mutex<Option<JoinHandle<()>>>,
}

impl Shell {
    /// Starts the engine beside the window, so that neither waits for the other. Once the shell plugin is there.
    pub(crate) fn start(app: &AppHandle) -> Self {
        let spawner: Arc<dyn Spawner> = Arc::new(ShellSpawner::new(app.clone()));
        let engine = Arc::new(RwLock::new(Err(not_started())));
        if let Ok(mut slot) = Arc::clone(&engine).try_write_owned() {
            let (app, spawner) = (app.clone(), Arc::clone(&spawner));
            spawn(async move { *slot = started(&app, spawner).await });
        }
        Self { engine, app: app.clone(), spawner, feed: Mutex::new(None) }
    }

    /// The engine. Where it could not be started, whatever was in the way (another owner of the data folder, a full
    /// disk) may be gone by now, so each question tries again.
    pub(crate) async fn engine(&self) -> Result<Engine, WireError> {
        if let Ok(engine) = &*self.engine.read().await {
            return Ok(engine.clone());
        }
        let mut slot = self.engine.write().await;
        if slot.is_err() {
            *slot = started(&self.app, Arc::clone(&self.spawner)).await;
        }
        slot.clone()
    }

    /// Ends the engine, within a bound.
    pub(crate) fn end(&self) {
        let shutdown = async {
            if let Ok(engine) = &*self.engine.read().await {
                engine.shutdown().await;
            }
        };
        // A timer is made within the runtime.
        let ended = block_on(async { tokio::time::timeout(QUIT, shutdown).await });
        if ended.is_err() {
            tracing::warn!(
                "answers were still in flight; their deliveries are kept as interrupted"
            );
        }
    }
}

/// Stays only where the start broke off; the next question tries again.
fn not_started() -> WireError {
    WireError {
        code: ErrorCode::Internal,
        message: "The engine has not been started.".into(),
        detail: None,
    }
}

async fn started(app: &AppHandle, spawner: Arc<dyn Spawner>) -> Result<Engine, WireError> {
    let folder = data_folder().map_err(|error| error.to_wire())?;
    let options = EngineOptions { spawner, ..EngineOptions::new(folder) };
    let engine = Engine::start(options).await.map_err(|error| error.to_wire())?;
    notify::follow(app.clone(), &engine);
    Ok(engine)
}

fn data_folder() -> Result<PathBuf> {
    match std::env::var_os("HOOKTWICE_DATA_DIR") {
        Some(folder) if !folder.is_empty() => Ok(folder.into()),
        Some(_) | None => paths::data_folder(),
    }
}
