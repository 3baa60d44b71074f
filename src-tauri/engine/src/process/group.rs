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

    /// The one with this number.
    pub(super) fn numbered(number: u32) -> Option<Self> {
        Pid::from_raw(number.try_into().ok()?).map(Self)
    }

    pub(super) fn signal(self, signal: Signal) -> io::Result<()> {
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
    let Some(members) = members(group) else { return false };
    !members.is_empty() && members.iter().all(|(_, dead)| *dead)
}

/// Who lives in a group beside one; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn living(group: Pid, beside: Pid) -> Option<Vec<Pid>> {
    let members = members(group)?.into_iter();
    Some(members.filter(|(pid, dead)| !dead && *pid != beside).map(|(pid, _)| pid).collect())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn living(_: Pid, _: Pid) -> Option<Vec<Pid>> {
    None
}

/// Everybody in a group, and whether they are dead.
#[cfg(target_os = "linux")]
fn members(group: Pid) -> Option<Vec<(Pid, bool)>> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let member = |process: std::fs::DirEntry| {
        let pid = process.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let stat = std::fs::read(process.path().join("stat")).ok()?;
        is_dead(&stat, group.as_raw_pid()).map(|dead| (pid, dead))
    };
    Some(processes.filter_map(member).collect())
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
