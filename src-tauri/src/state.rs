//! What the shell holds: the engine, or why there is none.

use crate::{notify, tunnel_process::ShellSpawner};
use hooktwice_engine::{
    Result, WireError,
    engine::{Engine, EngineOptions},
    paths,
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tauri::{
    AppHandle,
    async_runtime::{JoinHandle, block_on},
};
use tokio::sync::OnceCell;

/// How long a quit waits for answers in flight. A delivery that is not answered by then is found as `interrupted` at
/// the next start (C86).
const QUIT: Duration = Duration::from_millis(1500);

/// The engine of this window. Where it could not be started the window opens all the same and says why.
pub(crate) struct Shell {
    engine: OnceCell<Engine>,
    app: AppHandle,
    /// The task that feeds the page its events; a page that was loaded anew replaces it.
    pub(crate) feed: Mutex<Option<JoinHandle<()>>>,
}

impl Shell {
    /// Without an engine yet: the first to ask starts it, which needs the shell plugin.
    pub(crate) fn new(app: &AppHandle) -> Self {
        Self { engine: OnceCell::new(), app: app.clone(), feed: Mutex::new(None) }
    }

    /// The engine; whoever asks while it is being started waits. Where it could not be started, whatever was in the way
    /// (another owner of the data folder, a full disk) may be gone by now, so each question tries again.
    pub(crate) async fn engine(&self) -> Result<Engine, WireError> {
        self.engine.get_or_try_init(|| started(&self.app)).await.cloned()
    }

    /// Ends the engine, within a bound.
    pub(crate) fn end(&self) {
        let shutdown = async {
            // Waits for a start that goes on, and begins none.
            if let Ok(engine) = self.engine.get_or_try_init(|| async { Err(()) }).await {
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

async fn started(app: &AppHandle) -> Result<Engine, WireError> {
    let folder = data_folder().map_err(|error| error.to_wire())?;
    let spawner = Arc::new(ShellSpawner::new(app.clone()));
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
