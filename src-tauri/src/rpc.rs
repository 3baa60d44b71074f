//! The one command that carries every other.

use crate::state::Shell;
use hooktwice_engine::{WireError, api};
use serde_json::Value;
use tauri::State;

/// Carries out a command of the engine's api.
#[tauri::command]
pub(crate) async fn rpc(
    shell: State<'_, Shell>,
    command: String,
    params: Value,
) -> Result<Value, WireError> {
    let engine = shell.engine().await?;
    api::dispatch(&engine, &command, params).await.map_err(|error| error.to_wire())
}
