//! Lets held copies go: one byte on each socket, all at once.
//!
//! Everything is prepared before the first byte, the sockets are out of the runtime's hands, and this runs on a thread
//! of its own, so that neither the answers to the first copies nor a busy runtime come between two sends.

use super::{
    kernel,
    stamps::{self, Clocks},
    timing::Origin,
};
use crate::model::ReleaseMethod;
use std::{
    io::{self, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use tokio::sync::oneshot;

/// The right to decide about a held copy, which only one can take: who lets it go, or who stops it.
#[derive(Debug, Clone, Default)]
pub(super) struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Whether the decision is the caller's.
    pub(super) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// A copy that is written but for its last byte.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) n: u32,
    pub(super) socket: TcpStream,
    pub(super) byte: u8,
    pub(super) claim: Claim,
    /// Where its socket goes afterwards.
    pub(super) back: oneshot::Sender<Sent>,
}

/// A copy that was let go, or not.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) socket: TcpStream,
    /// When its last byte left, or why it did not.
    pub(super) result: Result<Instant, String>,
    /// What its reader should know of how it went.
    pub(super) note: Option<&'static str>,
}

/// Lets all of them go at once, in the order of their numbers, and says how. Blocking, though never for long.
///
/// A copy's time is the kernel's stamp of its packet. Without one it is, in a loop, the time after its own send
/// returned; in one submission, the end of the submission (and its beginning for the first), so that the spread is
/// never told smaller than it was.
pub(super) fn release(mut held: Vec<Held>, origin: &Origin, note: Option<&'static str>) -> ReleaseMethod {
    held.sort_by_key(|copy| copy.n);
    let mut going = Vec::with_capacity(held.len());
    for copy in held {
        if !copy.claim.take() {
            continue;
        }
        match hang_up(&copy.socket) {
            Some(why) => give_back(copy, Err(why), None),
            None => going.push(copy),
        }
    }
    let clocks = Clocks::read();
    let stamped: Vec<bool> = going.iter().map(|copy| stamps::ask(&copy.socket)).collect();
    let bytes: Vec<(&TcpStream, u8)> = going.iter().map(|copy| (&copy.socket, copy.byte)).collect();
    let batch = if bytes.len() > 1 { kernel::send_at_once(&bytes) } else { None };
    let (method, mut times) = match batch {
        Some((results, before, after)) => {
            let bound = |(index, result): (usize, io::Result<()>)| result.map(|()| if index == 0 { before } else { after });
            (ReleaseMethod::IoUring, results.into_iter().enumerate().map(bound).collect::<Vec<_>>())
        }
        None => (ReleaseMethod::SendLoop, bytes.iter().map(|(socket, byte)| send(socket, *byte)).collect()),
    };
    let end = Instant::now();
    for ((copy, stamped), time) in going.iter().zip(stamped).zip(&mut times) {
        if stamped
            && let Some(stamp) = stamps::take(&copy.socket, &clocks)
            && let Ok(time) = time
            // The wall clock may have been set in between.
            && stamp >= clocks.read_at()
            && stamp <= end
        {
            *time = stamp;
        }
    }
    if let Some(first) = times.iter().flatten().min() {
        origin.set(*first);
    }
    for (copy, time) in going.into_iter().zip(times) {
        give_back(copy, time.map_err(|error| format!("Its last byte could not be sent: {error}.")), note);
    }
    method
}

fn give_back(copy: Held, result: Result<Instant, String>, note: Option<&'static str>) {
    // Whoever waited for it may have been dropped; the socket is closed then.
    let _ = copy.back.send(Sent { socket: copy.socket, result, note });
}

fn send(mut socket: &TcpStream, byte: u8) -> io::Result<Instant> {
    // The socket does not block, and its buffer is drained: there is room for a byte.
    socket.write_all(&[byte])?;
    Ok(Instant::now())
}

/// Why a copy need not be let go any more: the other side has closed the connection or broken it.
#[cfg(unix)]
fn hang_up(socket: &TcpStream) -> Option<String> {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::os::fd::AsFd;
    #[cfg(target_os = "linux")]
    let closed = PollFlags::from_bits_retain(libc::POLLRDHUP);
    #[cfg(not(target_os = "linux"))]
    let closed = PollFlags::empty();
    let mut looked = [PollFd::new(socket.as_fd(), closed)];
    poll(&mut looked, PollTimeout::ZERO).ok()?;
    let found = looked[0].revents()?;
    if found.is_empty() {
        return None;
    }
    Some(match socket.take_error() {
        Ok(Some(error)) => format!("The connection broke while the copy was held: {error}."),
        Ok(None) | Err(_) => "The other side closed the connection while the copy was held.".to_owned(),
    })
}

#[cfg(not(unix))]
fn hang_up(socket: &TcpStream) -> Option<String> {
    match socket.peek(&mut [0]) {
        Ok(0) => Some("The other side closed the connection while the copy was held.".to_owned()),
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
            Some(format!("The connection broke while the copy was held: {error}."))
        }
        Ok(_) | Err(_) => None,
    }
}
