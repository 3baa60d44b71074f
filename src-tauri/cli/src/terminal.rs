//! Stderr, and the ways in which a person or a script ends a command.

use std::io::{self, Write as _};
use tokio_util::sync::CancellationToken;

/// Says something on stderr. Where nobody listens there, it is lost, and that is all.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// What a shell makes of a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// A token that is cancelled by SIGINT, by SIGTERM, or when whoever reads stdout goes away. A second signal ends the
/// process at once, for a person who does not want to wait for the answers in flight.
pub(crate) fn ended_by_person() -> io::Result<CancellationToken> {
    let Ending { soon, now } = ending()?;
    tokio::spawn(async move {
        now.cancelled().await;
        exit_now();
    });
    Ok(soon)
}

/// Ends the process without another word.
pub(crate) fn exit_now() -> ! {
    std::process::exit(INTERRUPTED)
}

/// As [`ended_by_person`], for a command that has started programs and has to end them first, also when it ends at once.
#[derive(Debug)]
pub(crate) struct Ending {
    /// A signal, or nobody reads stdout any more: come to an end.
    pub(crate) soon: CancellationToken,
    /// A second signal: leave everything, and call [`exit_now`]. A third one does not wait for that.
    pub(crate) now: CancellationToken,
}

/// Watches for signals and for the end of stdout.
pub(crate) fn ending() -> io::Result<Ending> {
    let ending = Ending { soon: CancellationToken::new(), now: CancellationToken::new() };
    let mut signals = Signals::new()?;
    let (soon, now) = (ending.soon.clone(), ending.now.clone());
    let stdout_closed = stdout_closed();
    tokio::spawn(async move {
        tokio::select! {
            () = signals.next() => {}
            () = stdout_closed.cancelled() => {}
        }
        soon.cancel();
        signals.next().await;
        now.cancel();
        signals.next().await;
        exit_now();
    });
    Ok(ending)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Is cancelled when the other end of a pipe on stdout is closed. A quiet listener writes nothing for hours and would not
/// notice: `hooktwice listen | head -1` must end.
fn stdout_closed() -> CancellationToken {
    let closed = CancellationToken::new();
    #[cfg(unix)]
    {
        let closed = closed.clone();
        // The thread waits in the kernel, and ends with the process. Without it, the end is noticed at the next line.
        let _ = std::thread::Builder::new().name("stdout".into()).spawn(move || {
            if wait_until_closed().is_ok() {
                closed.cancel();
            }
        });
    }
    closed
}

#[cfg(unix)]
fn wait_until_closed() -> rustix::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = io::stdout();
    // No event is asked for: what is left is that the other end is gone. A file never says so.
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    rustix::io::retry_on_intr(|| poll(&mut watched, None)).map(|_| ())
}
