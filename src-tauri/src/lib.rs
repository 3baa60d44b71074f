//! The desktop shell: one window over the engine, one bridge between the two. What the product does is in
//! `hooktwice-engine`; nothing here decides anything about deliveries.

mod background;
mod first;
mod native;
mod notify;
mod painting;
mod place;
mod rpc;
mod state;
mod subscribe;
mod tunnel_process;

use hooktwice_engine::{process, tunnel::LEASH};
use state::Shell;
use std::{ffi::OsString, process::ExitCode};
use tauri::{
    AppHandle, Manager as _, RunEvent, Wry,
    async_runtime::spawn,
    plugin::{self, TauriPlugin},
    webview::{PageLoadEvent, WebviewWindowBuilder},
};

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

/// Starts the engine; needs the shell plugin.
fn engine() -> TauriPlugin<Wry> {
    plugin::Builder::new("engine")
        .setup(|app, _| {
            // Before anything can answer, so that whoever has seen an answer can end it.
            native::quit_on_signals(app);
            app.manage(Shell::new(app));
            let app = app.clone();
            // Beside the window, so that neither waits for the other. A question tries again what fails, and tells why.
            spawn(async move { drop(app.state::<Shell>().engine().await) });
            Ok(())
        })
        .build()
}

/// The window that the settings describe, on the ground that its page had last.
fn open_window(app: &AppHandle) -> tauri::Result<()> {
    for window in &app.config().app.windows {
        let mut builder = WebviewWindowBuilder::from_config(app, window)?;
        if let Some(color) = background::last(app) {
            builder = builder.background_color(color);
        }
        builder.build()?;
    }
    Ok(())
}

/// Opens the window and runs until it is closed.
pub fn run() -> ExitCode {
    native::log_to_stderr();
    painting::start_anew_where_nothing_is_painted();
    let built = tauri::Builder::default()
        // A second start brings the first window to the front instead of sharing its data (C84).
        .plugin(tauri_plugin_single_instance::init(|app, _, _| native::bring_to_front(app)))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .plugin(notify::plugin())
        .plugin(tauri_plugin_shell::init())
        // A plugin is set up before the window is made, and the engine needs no window.
        .plugin(engine())
        // Once it is shown: before that it does not know its place.
        .on_page_load(|webview, page| {
            if page.event() == PageLoadEvent::Finished
                && let Some(window) = webview.get_webview_window("main")
            {
                place::bring_onto_a_screen(&window);
            }
        })
        .setup(|app| {
            open_window(app.handle())?;
            notify::start(app.handle())?;
            spawn(first::give(app.handle().clone()));
            Ok(())
        })
        .invoke_handler(tauri::generate_handler![
            rpc::rpc,
            subscribe::subscribe,
            native::save_file,
            notify::notifications,
            background::background
        ])
        .build(tauri::generate_context!());
    let app = match built {
        Ok(app) => app,
        Err(error) => {
            tracing::error!(%error, "the window cannot be opened; `hooktwice serve` shows the same pages in a browser");
            return ExitCode::FAILURE;
        }
    };
    app.run(|app, event| match event {
        RunEvent::Ready => native::RUNS.notify_one(),
        // There is none where it ends while it starts.
        RunEvent::Exit => {
            if let Some(shell) = app.try_state::<Shell>() {
                shell.end();
            }
        }
        _ => {}
    });
    ExitCode::SUCCESS
}
