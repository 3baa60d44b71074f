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
    thread,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// How long the receiver is left alone before the release: it still works through the bytes before the last ones, and
/// what it does with them would run between two sends. Measured at a handler whose window is one event-loop turn, 400
/// volleys each way: doubled 371 times with this, 343 times without; five times as long added nothing.
const SETTLE: Duration = Duration::from_millis(1);

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
pub(super) fn release(
    mut held: Vec<Held>,
    origin: &Origin,
    note: Option<&'static str>,
) -> ReleaseMethod {
    held.sort_by_key(|copy| copy.n);
    if held.len() > 1 {
        thread::sleep(SETTLE);
    }
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
    let (method, mut times) = match at_once(&bytes) {
        Some(times) => (ReleaseMethod::IoUring, times),
        None => (ReleaseMethod::SendLoop, one_by_one(&bytes)),
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
        give_back(
            copy,
            time.map_err(|error| format!("Its last byte could not be sent: {error}.")),
            note,
        );
    }
    method
}

fn give_back(copy: Held, result: Result<Instant, String>, note: Option<&'static str>) {
    // Whoever waited for it may have been dropped; the socket is closed then.
    let _ = copy.back.send(Sent { socket: copy.socket, result, note });
}

/// One submission for all, where there are several and the kernel can. Only its beginning and its end are known.
fn at_once(copies: &[(&TcpStream, u8)]) -> Option<Vec<io::Result<Instant>>> {
    if copies.len() < 2 {
        return None;
    }
    let (results, before, after) = kernel::send_at_once(copies)?;
    let time = |index| if index == 0 { before } else { after };
    Some(results.into_iter().enumerate().map(|(index, sent)| sent.map(|()| time(index))).collect())
}

/// A send for each. The sockets do not block, and their buffers are drained: there is room for a byte.
fn one_by_one(copies: &[(&TcpStream, u8)]) -> Vec<io::Result<Instant>> {
    copies
        .iter()
        .map(|(socket, byte)| {
            let mut socket = *socket;
            socket.write_all(&[*byte]).map(|()| Instant::now())
        })
        .collect()
}

/// Why a copy need not be let go any more.
fn hang_up(socket: &TcpStream) -> Option<String> {
    if !is_hung_up(socket) {
        return None;
    }
    Some(match socket.take_error() {
        Ok(Some(error)) => format!("The connection broke while the copy was held: {error}."),
        Ok(None) | Err(_) => {
            "The other side closed the connection while the copy was held.".to_owned()
        }
    })
}

/// Whether the other side has closed the connection or broken it, whatever there is still to read.
#[cfg(unix)]
pub(super) fn is_hung_up(socket: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    // A broken connection is always told; a closed one where the system can tell it apart from bytes to read.
    #[cfg(target_os = "linux")]
    let closed = PollFlags::from_bits_retain(libc::POLLRDHUP);
    #[cfg(not(target_os = "linux"))]
    let closed = PollFlags::empty();
    poll(&mut [PollFd::new(socket.as_fd(), closed)], PollTimeout::ZERO).is_ok_and(|found| found > 0)
}

/// Whether the other side has broken the connection.
#[cfg(not(unix))]
pub(super) fn is_hung_up(socket: &impl std::os::windows::io::AsSocket) -> bool {
    matches!(socket2::SockRef::from(socket).take_error(), Ok(Some(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, net::TcpListener};

    type Sends = fn(&[(&TcpStream, u8)]) -> Option<Vec<io::Result<Instant>>>;

    #[test]
    fn both_ways_send_each_socket_its_byte_and_tell_one_that_is_broken() {
        let ways: [Sends; 2] = [at_once, |copies| Some(one_by_one(copies))];
        for way in ways {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let pairs: Vec<_> = (0..5).map(|_| (connect(), listener.accept().unwrap().0)).collect();
            pairs[2].0.shutdown(std::net::Shutdown::Write).unwrap();
            let copies: Vec<_> =
                pairs.iter().zip(b'a'..).map(|((socket, _), byte)| (socket, byte)).collect();
            let before = Instant::now();
            // `None` is a kernel without io_uring; the loop is what goes then.
            let Some(times) = way(&copies) else { continue };
            let sent: Vec<_> = times.iter().map(Result::is_ok).collect();
            assert_eq!(sent, [true, true, false, true, true]);
            assert!(times.iter().flatten().all(|time| *time >= before));
            assert!(times.iter().flatten().is_sorted());
            drop(copies);
            for (index, (socket, mut peer)) in pairs.into_iter().enumerate() {
                drop(socket);
                let mut came = Vec::new();
                peer.read_to_end(&mut came).unwrap();
                let byte = b'a' + u8::try_from(index).unwrap();
                assert_eq!(came, if index == 2 { vec![] } else { vec![byte] });
            }
        }
    }

    #[test]
    fn only_one_side_decides_about_a_copy() {
        let claim = Claim::default();
        assert!(claim.clone().take());
        assert!(!claim.take());
    }
}
