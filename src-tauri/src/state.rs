//! What the shell holds: the engine, or why there is none.

use hooktwice_engine::{
    Result, WireError,
    engine::{Engine, EngineOptions},
    paths,
};
use std::{path::PathBuf, sync::Mutex, time::Duration};
use tauri::async_runtime::{JoinHandle, block_on};

/// How long a quit waits for answers in flight. A delivery that is not answered by then is found as `interrupted` at
/// the next start (C86).
const QUIT: Duration = Duration::from_millis(1500);

/// The engine of this window. Where it could not be started the window opens all the same and says why.
pub(crate) struct Shell {
    engine: Result<Engine, WireError>,
    /// The task that feeds the page its events; a page that was loaded anew replaces it.
    pub(crate) feed: Mutex<Option<JoinHandle<()>>>,
}

impl Shell {
    pub(crate) fn start() -> Self {
        let engine =
            data_folder().and_then(|folder| block_on(Engine::start(EngineOptions::new(folder))));
        Self { engine: engine.map_err(|error| error.to_wire()), feed: Mutex::new(None) }
    }

    pub(crate) fn engine(&self) -> Result<&Engine, WireError> {
        self.engine.as_ref().map_err(Clone::clone)
    }

    /// Ends the engine, within a bound.
    pub(crate) fn end(&self) {
        let Ok(engine) = &self.engine else { return };
        let ended = block_on(async { tokio::time::timeout(QUIT, engine.shutdown()).await });
        if ended.is_err() {
            tracing::warn!(
                "answers were still in flight; their deliveries are kept as interrupted"
            );
        }
    }
}

fn data_folder() -> Result<PathBuf> {
    match std::env::var_os("HOOKTWICE_DATA_DIR") {
        Some(folder) if !folder.is_empty() => Ok(folder.into()),
        Some(_) | None => paths::data_folder(),
    }
}
