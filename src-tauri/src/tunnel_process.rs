//! Starts a tunnel's program through Tauri's shell plugin. The pages have no permission of it: only the engine starts
//! anything, and only what the person set.

use hooktwice_engine::tunnel::{Invocation, Output, Spawner, Started};
use std::{fmt, io};
use tauri::{AppHandle, async_runtime};
use tauri_plugin_shell::{
    ShellExt as _,
    process::{CommandEvent, TerminatedPayload},
};
use tokio::sync::mpsc;

/// Lines that wait to be read.
const WAITING: usize = 256;

/// Starts programs with the plugin, under this program's own leash.
pub(crate) struct ShellSpawner(AppHandle);

impl ShellSpawner {
    /// The plugin has to be there already.
    pub(crate) fn new(app: AppHandle) -> Self {
        Self(app)
    }
}

impl fmt::Debug for ShellSpawner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShellSpawner")
    }
}

impl Spawner for ShellSpawner {
    fn spawn(&self, invocation: &Invocation) -> io::Result<Started> {
        let leash = self
            .0
            .shell()
            .command(std::env::current_exe()?)
            .args(invocation.leashed())
            .envs(invocation.environment().iter().copied());
        let (mut events, child) = leash.spawn().map_err(io::Error::other)?;
        let (tell, output) = mpsc::channel(WAITING);
        let group = child.pid();
        async_runtime::spawn(async move {
            while let Some(event) = events.recv().await {
                // Whoever listened may be gone; the plugin must not have to wait for us all the same.
                let _ = match event {
                    CommandEvent::Stdout(line) | CommandEvent::Stderr(line) => {
                        tell.send(Output::line(&line)).await
                    }
                    CommandEvent::Terminated(TerminatedPayload { code, signal }) => {
                        tell.send(Output::ended(code, signal)).await
                    }
                    // A line that could not be read; the end is told in any case.
                    _ => Ok(()),
                };
            }
        });
        // The child holds the other end of the leash's standard input.
        Ok(Started { group, output, hold: Box::new(child) })
    }
}
