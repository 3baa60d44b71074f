//! What the shell holds: the engine, or why there is none.

use crate::tunnel_process::ShellSpawner;
use hooktwice_engine::{
    Result, WireError,
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
    async_runtime::{JoinHandle, RwLock, block_on},
};

/// How long a quit waits for answers in flight. A delivery that is not answered by then is found as `interrupted` at
/// the next start (C86).
const QUIT: Duration = Duration::from_millis(1500);

/// The engine of this window. Where it could not be started the window opens all the same and says why.
pub(crate) struct Shell {
    engine: RwLock<Result<Engine, WireError>>,
    spawner: Arc<dyn Spawner>,
    /// The task that feeds the page its events; a page that was loaded anew replaces it.
    pub(crate) feed: Mutex<Option<JoinHandle<()>>>,
}

impl Shell {
    /// Once the shell plugin is there.
    pub(crate) fn start(app: &AppHandle) -> Self {
        let spawner: Arc<dyn Spawner> = Arc::new(ShellSpawner::new(app.clone()));
        let engine = RwLock::new(block_on(started(Arc::clone(&spawner))));
        Self { engine, spawner, feed: Mutex::new(None) }
    }

    /// The engine. Where it could not be started, whatever was in the way (another owner of the data folder, a full
    /// disk) may be gone by now, so each question tries again.
    pub(crate) async fn engine(&self) -> Result<Engine, WireError> {
        if let Ok(engine) = &*self.engine.read().await {
            return Ok(engine.clone());
        }
        let mut slot = self.engine.write().await;
        if slot.is_err() {
            *slot = started(Arc::clone(&self.spawner)).await;
        }
        slot.clone()
    }

    /// Ends the engine, within a bound.
    pub(crate) fn end(&self) {
        let ended = block_on(async {
            let Ok(engine) = &*self.engine.read().await else { return Ok(()) };
            tokio::time::timeout(QUIT, engine.shutdown()).await
        });
        if ended.is_err() {
            tracing::warn!(
                "answers were still in flight; their deliveries are kept as interrupted"
            );
        }
    }
}

async fn started(spawner: Arc<dyn Spawner>) -> Result<Engine, WireError> {
    let folder = data_folder().map_err(|error| error.to_wire())?;
    let options = EngineOptions { spawner, ..EngineOptions::new(folder) };
    Engine::start(options).await.map_err(|error| error.to_wire())
}

fn data_folder() -> Result<PathBuf> {
    match std::env::var_os("HOOKTWICE_DATA_DIR") {
        Some(folder) if !folder.is_empty() => Ok(folder.into()),
        Some(_) | None => paths::data_folder(),
    }
}
