//! The desktop shell: one window over the engine, one bridge between the two. What the product does is in
//! `hooktwice-engine`; nothing here decides anything about deliveries.

mod native;
mod rpc;
mod state;
mod subscribe;

use state::Shell;
use std::process::ExitCode;
use tauri::{Manager as _, RunEvent};

/// Opens the window and runs until it is closed.
pub fn run() -> ExitCode {
    native::log_to_stderr();
    let built = tauri::Builder::default()
        // A second start brings the first window to the front instead of sharing its data (C84).
        .plugin(tauri_plugin_single_instance::init(|app, _, _| native::bring_to_front(app)))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .setup(|app| {
            app.manage(Shell::start());
            native::quit_on_signals(app.handle());
            Ok(())
        })
        .invoke_handler(tauri::generate_handler![rpc::rpc, subscribe::subscribe, native::save_file])
        .build(tauri::generate_context!());
    let app = match built {
        Ok(app) => app,
        Err(error) => {
            tracing::error!(%error, "the window cannot be opened; `hooktwice serve` shows the same pages in a browser");
            return ExitCode::FAILURE;
        }
    };
    app.run(|app, event| {
        if matches!(event, RunEvent::Exit) {
            app.state::<Shell>().end();
        }
    });
    ExitCode::SUCCESS
}
