//! A shell that leads a process group, on Unix.

use super::{Ending, output::Stream};
use rustix::{
    io::Errno,
    process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
    },
};
use std::{fmt, io, os::fd::OwnedFd, process::Stdio};
use tokio::{
    net::unix::pipe,
    process::{Child, Command},
};

/// Starts the shell. Both of its streams go into one pipe, so that they are read in the order in which they were written.
pub(super) fn spawn(command: &str) -> io::Result<(Child, Vec<Stream>)> {
    let (reader, writer) = io::pipe()?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?;
    let child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, vec![Box::new(reader)]))
}

/// A process group, named by the process that leads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group(Pid);

impl Group {
    /// The one that a process was started to lead.
    pub(super) fn of(leader: &Child) -> io::Result<Self> {
        leader
            .id()
            .and_then(|id| Pid::from_raw(id.try_into().ok()?))
            .map(Self)
            .ok_or_else(|| io::Error::other("the shell that was started has no process id"))
    }

    pub(super) fn terminate(self, _: &mut Child) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    pub(super) fn kill(self, _: &mut Child) -> io::Result<()> {
        self.signal(Signal::KILL)
    }

    fn signal(self, signal: Signal) -> io::Result<()> {
        match kill_process_group(self.0, signal) {
            // Nobody is left to get it.
            Err(Errno::SRCH) => Ok(()),
            result => Ok(result?),
        }
    }

    /// How the leader ended, without reaping it.
    pub(super) fn leader_end(self, _: &mut Child) -> Option<Ending> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.0), look) {
            Ok(None) => None,
            Ok(Some(status)) => Some(
                status
                    .exit_status()
                    .map(Ending::Code)
                    .or_else(|| status.terminating_signal().map(Ending::Signal))
                    .unwrap_or(Ending::Unknown),
            ),
            Err(Errno::INTR) => None,
            Err(_) => Some(Ending::Unknown),
        }
    }

    /// Whether no process is left in it. The leader counts until it is reaped.
    pub(super) fn is_empty(self) -> bool {
        match test_kill_process_group(self.0) {
            Err(Errno::SRCH) => true,
            // Not permitted: it is there.
            Ok(()) | Err(_) => only_zombies(self.0),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_raw_pid())
    }
}

/// Whether all that is left of a group is dead. In a container whose first process reaps nobody, orphans stay as zombies
/// for good, and signals still find them.
#[cfg(target_os = "linux")]
fn only_zombies(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let mut seen = false;
    for process in processes.flatten() {
        if !process.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        let Ok(stat) = std::fs::read(process.path().join("stat")) else { continue };
        match is_dead(&stat, group.as_raw_pid()) {
            Some(true) => seen = true,
            Some(false) => return false,
            None => {}
        }
    }
    seen
}

#[cfg(not(target_os = "linux"))]
fn only_zombies(_: Pid) -> bool {
    false
}

/// Of a line of `/proc/PID/stat`, which is `PID (NAME) STATE PARENT GROUP …`: `None` where it is of another group.
#[cfg(target_os = "linux")]
fn is_dead(stat: &[u8], group: i32) -> Option<bool> {
    // A name may hold anything, even `) Z 1 2`.
    let end = memchr::memrchr(b')', stat)?;
    let mut fields = std::str::from_utf8(&stat[end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let of_group = fields.nth(1)?.parse::<i32>().ok()?;
    (of_group == group).then_some(matches!(state, "Z" | "X" | "x"))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_dead_of_a_group_are_told_from_the_living() {
        assert_eq!(is_dead(b"12 (node) S 1 77 77 0 -1", 77), Some(false));
        assert_eq!(is_dead(b"12 (node) Z 1 77 77 0 -1", 77), Some(true));
        assert_eq!(is_dead(b"12 (node) Z 77 78 77 0 -1", 77), None);
        assert_eq!(is_dead(b"12 (a) Z 1 77 (\xff) R 1 77 77", 77), Some(false), "a name to trap");
        for broken in [&b""[..], b"12 (node", b"12 (node)", b"12 (node) Z", b"12 (node) Z 1 x"] {
            assert_eq!(is_dead(broken, 77), None);
        }
    }
}
