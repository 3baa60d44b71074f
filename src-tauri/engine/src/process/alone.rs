//! A shell without a process group, on Windows: the command alone is watched and ended.

use super::{Ending, output::Stream};
use std::{fmt, io, process::Stdio};
use tokio::process::{Child, Command};

/// Starts the shell.
pub(super) fn spawn(command: &str) -> io::Result<(Child, Vec<Stream>)> {
    let mut shell = Command::new("cmd");
    // As it stands: cmd has rules of its own for what is quoted.
    shell.raw_arg("/D /S /C").raw_arg(format!("\"{command}\""));
    let mut child =
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut streams: Vec<Stream> = Vec::with_capacity(2);
    if let Some(stdout) = child.stdout.take() {
        streams.push(Box::new(stdout));
    }
    if let Some(stderr) = child.stderr.take() {
        streams.push(Box::new(stderr));
    }
    Ok((child, streams))
}

/// The one process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group(u32);

impl Group {
    pub(super) fn of(leader: &Child) -> io::Result<Self> {
        let id = leader.id();
        id.map(Self).ok_or_else(|| io::Error::other("the shell that was started has no id"))
    }

    /// There is no gentle way that every program would know.
    pub(super) fn terminate(self, leader: &mut Child) -> io::Result<()> {
        self.kill(leader)
    }

    pub(super) fn kill(self, leader: &mut Child) -> io::Result<()> {
        leader.start_kill()
    }

    /// How it ended.
    pub(super) fn leader_end(self, leader: &mut Child) -> Option<Ending> {
        match leader.try_wait() {
            Ok(status) => status.map(Ending::from),
            Err(_) => Some(Ending::Unknown),
        }
    }

    /// Asked once it has ended.
    pub(super) fn is_empty(self) -> bool {
        true
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
