//! What only a desktop has: the window's place in front, signals, files.

use hooktwice_engine::{ErrorCode, WireError};
use std::path::PathBuf;
use tauri::{
    AppHandle, Manager as _,
    ipc::{InvokeBody, Request},
};
use tokio::sync::Notify;
use tracing_subscriber::EnvFilter;

/// Log lines go to stderr; `HOOKTWICE_LOG` says which.
pub(crate) fn log_to_stderr() {
    let filter =
        EnvFilter::try_from_env("HOOKTWICE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// Shows the window that is there.
pub(crate) fn bring_to_front(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        let shown =
            window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
        if let Err(error) = shown {
            tracing::warn!(%error, "the window cannot be brought to the front");
        }
    }
}

/// Told once the program runs.
pub(crate) static RUNS: Notify = Notify::const_new();

/// From here on SIGTERM and SIGINT do not kill the program, but end it as closing the window does. Only a program that
/// runs can be ended that way, so one that is asked before ends when it does.
pub(crate) fn quit_on_signals(app: &AppHandle) {
    let asked = match tauri::async_runtime::block_on(async { asked_to_quit() }) {
        Ok(asked) => asked,
        Err(error) => {
            tracing::warn!(%error, "signals cannot be heard");
            return;
        }
    };
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        asked.await;
        RUNS.notified().await;
        app.exit(0);
    });
}

/// They are heard once this has returned, and told of by what it returned.
#[cfg(unix)]
fn asked_to_quit() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(windows)]
fn asked_to_quit() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut asked = tokio::signal::windows::ctrl_c()?;
    Ok(async move { drop(asked.recv().await) })
}

/// Writes a file that the person asked to save into their downloads folder, under a name that is free there, and says
/// where it is. A webview cannot save by itself. The bytes are the request's own, its name is a header of it,
/// percent-encoded.
#[tauri::command]
pub(crate) async fn save_file(app: AppHandle, request: Request<'_>) -> Result<String, WireError> {
    let InvokeBody::Raw(bytes) = request.body() else {
        return Err(cannot_save("no bytes came", &"not a raw body"));
    };
    let bytes = bytes.clone();
    let name =
        request.headers().get("name").and_then(|name| name.to_str().ok()).unwrap_or("delivery");
    let folder = app.path().download_dir().or_else(|_| app.path().home_dir());
    let folder =
        folder.map_err(|error| cannot_save("the downloads folder is not known", &error))?;
    let wanted: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let write = move || {
        std::fs::create_dir_all(&folder)?;
        let path = free_name(&folder, &wanted);
        std::fs::write(&path, bytes).map(|()| path)
    };
    let written = tauri::async_runtime::spawn_blocking(write)
        .await
        .map_err(|error| cannot_save("the program broke", &error))?;
    written
        .map(|path| path.display().to_string())
        .map_err(|error| cannot_save("the file cannot be written", &error))
}

/// What may stand in a file's name everywhere.
fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

fn free_name(folder: &std::path::Path, wanted: &str) -> PathBuf {
    let (stem, end) = wanted
        .rsplit_once('.')
        .map_or((wanted, String::new()), |(stem, end)| (stem, format!(".{end}")));
    let names = std::iter::once(wanted.to_owned()).chain((2..).map(|n| format!("{stem}-{n}{end}")));
    names
        .map(|name| folder.join(name))
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(wanted))
}

fn cannot_save(what: &str, error: &dyn std::fmt::Display) -> WireError {
    WireError {
        code: ErrorCode::CannotWrite,
        message: format!("Nothing was saved: {what} ({error})."),
        detail: None,
    }
}
