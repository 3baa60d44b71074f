//! The desktop shell: one window over the engine, one bridge between the two. What the product does is in
//! `hooktwice-engine`; nothing here decides anything about deliveries.

mod native;
mod rpc;
mod state;
mod subscribe;
mod tunnel_process;

use hooktwice_engine::{process, tunnel::LEASH};
use state::Shell;
use std::{ffi::OsString, process::ExitCode};
use tauri::{Manager as _, RunEvent};

/// Runs a tunnel's program where this was started to be its leash (`leash -- PROGRAM ARGS…`), without a window; `None`
/// where it was not.
pub fn leash(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let is_leash = arguments.next()? == LEASH && arguments.next()? == "--";
    let program = arguments.next().filter(|_| is_leash)?;
    let arguments: Vec<OsString> = arguments.collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => Some(runtime.block_on(process::leash::run(&program, &arguments)).into()),
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// Opens the window and runs until it is closed.
pub fn run() -> ExitCode {
    native::log_to_stderr();
    let built = tauri::Builder::default()
        // A second start brings the first window to the front instead of sharing its data (C84).
        .plugin(tauri_plugin_single_instance::init(|app, _, _| native::bring_to_front(app)))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .plugin(tauri_plugin_shell::init())
        .setup(|app| {
            app.manage(Shell::start(app.handle()));
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
