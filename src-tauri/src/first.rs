//! What the pages show first is handed to them with their document: they are there with it in their first picture, where a
//! question would be answered after a dozen turns between two processes that are both just starting.

use crate::state::Shell;
use hooktwice_engine::api;
use tauri::{AppHandle, Manager as _};

/// Gives the window's page its first answer. A script that comes before the page runs before all of the page's own; one
/// that comes too late, or never, does no harm: the page asks then.
pub(crate) async fn give(app: AppHandle) {
    let Ok(engine) = app.state::<Shell>().engine().await else { return };
    let Ok(first) = api::first(&engine).await else { return };
    // JSON within a string: text that came from anywhere is data, and never code.
    let script = serde_json::to_string(&first).and_then(|json| serde_json::to_string(&json));
    let (Ok(json), Some(window)) = (script, app.get_webview_window("main")) else { return };
    if let Err(error) = window.eval(format!("window.hooktwiceFirst = {json}")) {
        tracing::debug!(%error, "the page asks for what it shows first");
    }
}
