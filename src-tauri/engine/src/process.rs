//! A command of the person's own, run by a shell in a process group of its own, its output kept, ended with all of its
//! children.
//!
//! What is started is shown before it runs and is never built from a delivery.

#[cfg(not(unix))]
#[path = "process/alone.rs"]
mod group;
#[cfg(unix)]
mod group;
pub mod leash;
mod output;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use group::Group;
use output::Output;
use std::{
    fmt, io,
    process::ExitStatus,
    time::{Duration, Instant},
};
use tokio::{process::Child, time::sleep};

/// How much of the end of a command's output is kept, in bytes.
pub const KEPT_OUTPUT: usize = 64 * 1024;

/// How long a killed group may take to be gone: the kernel needs a moment, more where a process is inside a slow read.
const KILLED: Duration = Duration::from_secs(10);
/// The longest pause between two looks at whether a group is gone.
const PAUSE: Duration = Duration::from_millis(20);

/// A running command with its children. Dropped, the whole group is killed.
///
/// A process that left the group (a daemon, a container) is out of reach. On Windows the command
/// is alone.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    group: Group,
    output: Output,
    /// How the command itself ended, once that was seen.
    ended: Option<Ending>,
    /// Nothing of it is left: its number may be another group's by now, and nothing is sent to it any more.
    gone: bool,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Code(i32),
    Signal(i32),
    /// The system did not say.
    Unknown,
}

impl ProcessGroup {
    /// Starts a command line in a shell, with our environment and nothing on its standard input. It is called inside of
    /// a tokio runtime, which reads the output.
    ///
    /// # Errors
    /// When the shell cannot be started.
    pub fn start(command: &str) -> io::Result<Self> {
        let (child, streams) = group::spawn(command)?;
        let group = Group::of(&child)?;
        let output = Output::read(streams);
        Ok(Self { child, group, output, ended: None, gone: false })
    }

    /// The end of what it wrote, both streams as they came, at most [`KEPT_OUTPUT`] bytes. All of it is here once
    /// [`Self::end`] or [`Self::kill`] returned.
    pub fn output(&self) -> String {
        self.output.text()
    }

    /// How the command itself ended (`exit code 1`, `signal 9`), where it has. Its children may run on.
    pub fn ended(&mut self) -> Option<String> {
        if self.ended.is_none() {
            self.ended = self.group.leader_end(&mut self.child);
        }
        self.ended.map(|ending| ending.to_string())
    }

    /// Asks the group to end (SIGTERM), kills what is left after `grace`, and waits until no process of it is left. Where
    /// that is so already, nothing happens.
    ///
    /// # Errors
    /// When something of it cannot be ended.
    pub async fn end(&mut self, grace: Duration) -> io::Result<()> {
        if !self.gone {
            if let Err(error) = self.group.terminate(&mut self.child) {
                tracing::debug!(%error, "a process group could not be asked to end");
            }
            if !self.gone_within(grace).await {
                return self.kill().await;
            }
        }
        self.output.settle().await;
        Ok(())
    }

    /// Kills the group (SIGKILL) and waits until no process of it is left. Where that is so already, nothing happens.
    ///
    /// # Errors
    /// When something of it cannot be ended.
    pub async fn kill(&mut self) -> io::Result<()> {
        if !self.gone {
            let killed = self.group.kill(&mut self.child);
            if !self.gone_within(KILLED).await {
                let why = killed.err().map(|error| format!(": {error}")).unwrap_or_default();
                return Err(io::Error::other(format!(
                    "processes of the group {} could not be ended{why}",
                    self.group
                )));
            }
        }
        self.output.settle().await;
        Ok(())
    }

    /// Waits until nothing of the group is left. There is no event for that, so it looks again and again.
    async fn gone_within(&mut self, limit: Duration) -> bool {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if self.is_gone() {
                return true;
            }
            let Some(left) = limit.checked_sub(begun.elapsed()) else { return false };
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(PAUSE);
        }
    }

    /// The command itself is reaped here, and only here: until then it keeps the group's number from being given to
    /// another, however long ago it ended, so that no signal of ours goes astray.
    fn is_gone(&mut self) -> bool {
        let reaped = match self.child.try_wait() {
            Ok(None) => return false,
            Ok(Some(status)) => status.into(),
            // Somebody else has reaped it: an inherited setting that ignores SIGCHLD does so.
            Err(_) => Ending::Unknown,
        };
        self.ended.get_or_insert(reaped);
        self.gone = self.group.is_empty();
        self.gone
    }
}

/// Kills whatever is left of the group with this number, and waits until it is gone. Called right after its leader has
/// ended, before the number can be another's.
///
/// # Errors
/// When something of it cannot be ended.
pub async fn clear_group(number: u32) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = Group::numbered(number) {
        let begun = Instant::now();
        while !group.is_empty() {
            group.signal(rustix::process::Signal::KILL)?;
            if begun.elapsed() > KILLED {
                return Err(io::Error::other(format!(
                    "processes of the group {number} could not be ended"
                )));
            }
            sleep(PAUSE).await;
        }
    }
    #[cfg(not(unix))]
    let _ = number;
    Ok(())
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.gone
            && let Err(error) = self.group.kill(&mut self.child)
        {
            tracing::warn!(group = %self.group, %error, "a process group could not be killed");
        }
        // tokio reaps the command once it is dead.
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        status.code().map_or(Self::Unknown, Self::Code)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => write!(f, "a status that the system did not tell"),
        }
    }
}
