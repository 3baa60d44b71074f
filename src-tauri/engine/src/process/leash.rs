//! Runs a program so that it ends with whoever asked for it.
//!
//! The one who asked holds the other end of our standard input. When that closes, in whatever way, SIGKILL included, the
//! program and its children are ended. We lead a session and a group of our own with the program in it, so that a
//! terminal's signals go past us, nothing can ask that terminal for a password, and the whole group has one number.

use std::{
    ffi::{OsStr, OsString},
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    sync::oneshot,
    time::timeout,
};

/// How long the group may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(3);

/// What a shell says of a program that cannot be started.
const CANNOT_START: u8 = 127;

/// Runs a program until it ends or our standard input closes, and gives the exit code to end with: the program's own, or
/// 128 and the signal. Its output is ours. Called once, at the start of a process that does nothing else.
pub async fn run(program: &OsStr, arguments: &[OsString]) -> u8 {
    match lead(program, arguments).await {
        Ok(code) => code,
        Err(error) => {
            use std::io::Write as _;
            let program = program.display();
            let _ = writeln!(io::stderr().lock(), "{program} cannot be started: {error}");
            CANNOT_START
        }
    }
}

async fn lead(program: &OsStr, arguments: &[OsString]) -> io::Result<u8> {
    let group = group::OwnGroup::make()?;
    // Heard from here on, so that the signal which asks the group to end does not end us.
    let mut asked = group::Asked::new()?;
    // A standard input that stays open and says nothing: some programs end with theirs.
    let (silent, _open) = io::pipe()?;
    let mut child = Command::new(program).args(arguments).stdin(Stdio::from(silent)).spawn()?;
    let ended = tokio::select! {
        status = child.wait() => Some(status?),
        () = let_go() => None,
        () = asked.next() => None,
    };
    let status = match ended {
        Some(status) => Some(status),
        None => {
            group.ask(&mut child);
            timeout(GRACE, child.wait()).await.ok().transpose()?
        }
    };
    group.clear(&mut child, ended.is_none()).await;
    let status = match status {
        Some(status) => status,
        None => child.wait().await?,
    };
    Ok(code(status))
}

/// Waits until the other end of our standard input is closed. The thread waits in the kernel, and ends with the process.
async fn let_go() {
    let (tell, closed) = oneshot::channel();
    std::thread::spawn(move || {
        // What is written there is of no interest.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = tell.send(());
    });
    let _ = closed.await;
}

fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(unix)]
mod group {
    use super::{Child, GRACE, io};
    use crate::process::group::living;
    use rustix::process::{Pid, Signal, getpgrp, getpid, kill_process, kill_process_group, setsid};
    use std::time::{Duration, Instant};
    use tokio::{
        signal::unix::{Signal as Stream, SignalKind, signal},
        time::sleep,
    };

    /// Between two looks at who is left.
    const PAUSE: Duration = Duration::from_millis(10);

    /// The group that this process leads.
    pub(super) struct OwnGroup(Pid);

    impl OwnGroup {
        pub(super) fn make() -> io::Result<Self> {
            match setsid() {
                Ok(session) => Ok(Self(session)),
                // We lead one already.
                Err(_) if getpgrp() == getpid() => Ok(Self(getpid())),
                Err(error) => Err(error.into()),
            }
        }

        /// Asks everybody in it to end; we hear that too, and go on.
        pub(super) fn ask(&self, _: &mut Child) {
            let _ = kill_process_group(self.0, Signal::TERM);
        }

        /// Ends what the program left behind, itself too where it does not end.
        pub(super) async fn clear(&self, _: &mut Child, asked: bool) {
            let Some(mut others) = living(self.0, getpid()) else {
                // Here nobody tells who is left. Where somebody waits for our exit code, they clear the group as well.
                if asked {
                    let _ = kill_process_group(self.0, Signal::KILL);
                }
                return;
            };
            let began = Instant::now();
            let signal_all = |others: &[Pid], signal| {
                for &other in others {
                    let _ = kill_process(other, signal);
                }
            };
            if !asked {
                signal_all(&others, Signal::TERM);
            }
            while !others.is_empty() {
                if asked || began.elapsed() > GRACE {
                    signal_all(&others, Signal::KILL);
                }
                sleep(PAUSE).await;
                others = living(self.0, getpid()).unwrap_or_default();
            }
        }
    }

    /// The signals that ask us to end.
    pub(super) struct Asked([Stream; 3]);

    impl Asked {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self([
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::hangup())?,
            ]))
        }

        pub(super) async fn next(&mut self) {
            let [terminate, interrupt, hangup] = &mut self.0;
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
        }
    }
}

#[cfg(not(unix))]
mod group {
    use super::{Child, io};

    /// The program alone: there are no groups here.
    pub(super) struct OwnGroup;

    impl OwnGroup {
        pub(super) fn make() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn ask(&self, child: &mut Child) {
            let _ = child.start_kill();
        }

        pub(super) async fn clear(&self, child: &mut Child, _: bool) {
            let _ = child.start_kill();
        }
    }

    /// The interrupt that asks us to end.
    pub(super) struct Asked;

    impl Asked {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) async fn next(&mut self) {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
