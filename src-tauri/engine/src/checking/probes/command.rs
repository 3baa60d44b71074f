//! The effect seen as a number that a command of the person's own prints.

use super::{Sight, number};
use futures_util::{StreamExt as _, stream};
use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::Semaphore,
    time::timeout,
};

/// Where the id goes.
const PLACE: &str = "{job_id}";

/// The id, for a command that does not want it in its text.
const VARIABLE: &str = "HOOKTWICE_JOB_ID";

/// For one run.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many run at once.
const AT_ONCE: usize = 4;

/// How much of the end of what it writes is kept, in bytes.
const KEPT: usize = 4096;

/// A command line.
#[derive(Debug)]
pub(super) struct Command {
    template: String,
    running: Semaphore,
    patience: Duration,
}

/// What a command did.
struct Ran {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Command {
    pub(super) fn new(template: &str) -> Result<Self, String> {
        if !template.contains(PLACE) && !template.contains(VARIABLE) {
            return Err(format!(
                "the command has neither `{PLACE}` nor {VARIABLE}, so it would count other jobs' effects too; put \
                 one of them where the id goes"
            ));
        }
        if template.contains('\0') {
            return Err("the command holds a zero byte; leave it out".to_owned());
        }
        let running = Semaphore::new(AT_ONCE);
        Ok(Self { template: template.to_owned(), running, patience: PATIENCE })
    }

    /// For tests that do not want to wait.
    #[cfg(test)]
    pub(super) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) async fn counts(&self, ids: &[String]) -> Vec<Sight> {
        // Not by a closure: its future could not be shown to be sendable for every lifetime.
        let mut counts = Vec::with_capacity(ids.len());
        for id in ids {
            counts.push(self.count(id));
        }
        stream::iter(counts).buffered(AT_ONCE).collect().await
    }

    async fn count(&self, id: &str) -> Sight {
        if self.template.contains(PLACE)
            && let Some(unsafe_one) = id.chars().find(|c| !is_plain(*c))
        {
            return Err(format!(
                "The job id holds {unsafe_one:?}, which a shell could take for something else; use {VARIABLE} instead \
                 of {PLACE}."
            ));
        }
        if id.contains('\0') {
            return Err(
                "The job id holds a zero byte, which no command can be given; use another id."
                    .to_owned(),
            );
        }
        // It is never closed, so this cannot fail; were it to, nothing would be limited.
        let _running = self.running.acquire().await;
        match timeout(self.patience, self.run(id)).await {
            Ok(Ok(ran)) => ran.count(),
            Ok(Err(error)) => Err(format!(
                "The command could not be run: {error}; is there a shell on this machine?"
            )),
            Err(_) => Err(format!(
                "The command did not end within {:?} and was ended; give one that is quicker.",
                self.patience
            )),
        }
    }

    /// Whatever it left running is ended with it, also where this is dropped.
    async fn run(&self, id: &str) -> io::Result<Ran> {
        let mut command = shell(&self.template.replace(PLACE, id));
        command
            .env(VARIABLE, id)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let group = Group(child.id());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let waiting = async {
            let status = child.wait().await;
            // A child of its own that it left behind would keep the pipes open.
            drop(group);
            status
        };
        let (status, stdout, stderr) = tokio::join!(waiting, end_of(stdout), end_of(stderr));
        Ok(Ran { status: status?, stdout, stderr })
    }
}

impl Ran {
    fn count(&self) -> Sight {
        if !self.status.success() {
            return Err(format!(
                "The command ended with {}{}; run it by hand and correct it.",
                self.status,
                self.complaint()
            ));
        }
        number::text(&self.stdout).map_err(|what| {
            format!(
                "The command printed {what} and no number{}; let it print how many effects there were, 0 or more.",
                self.complaint()
            )
        })
    }

    /// The end of what it said on stderr.
    fn complaint(&self) -> String {
        let said = self.stderr.trim();
        let start = said.char_indices().rev().nth(299).map_or(0, |(at, _)| at);
        if said.is_empty() { String::new() } else { format!(", and said {:?}", &said[start..]) }
    }
}

/// What means nothing to a shell, wherever in a word it stands.
fn is_plain(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@' | '+' | ',' | '/')
    } else {
        !c.is_control() && !c.is_whitespace()
    }
}

#[cfg(unix)]
fn shell(line: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new("sh");
    command.arg("-c").arg(line);
    command
}

#[cfg(windows)]
fn shell(line: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new("cmd");
    // As it was typed: cmd does not read quotes as other programs do.
    command.arg("/C").raw_arg(line);
    command
}

/// A process group, killed when this is dropped.
struct Group(
    #[cfg_attr(not(unix), expect(dead_code, reason = "the child alone is ended"))] Option<u32>,
);

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.0.and_then(|id| i32::try_from(id).ok()) {
            use nix::{sys::signal, unistd::Pid};
            // Mostly none is left, which is what is wanted.
            let _ = signal::killpg(Pid::from_raw(group), signal::Signal::SIGKILL);
        }
    }
}

/// Reads all of it and keeps the end. What cannot be read is as if it had ended.
async fn end_of(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let mut kept = Vec::new();
    let mut chunk = vec![0; KEPT];
    if let Some(mut pipe) = pipe {
        while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
            kept.extend_from_slice(&chunk[..read]);
            kept.drain(..kept.len().saturating_sub(KEPT));
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}
