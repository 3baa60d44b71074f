//! When a packet left: the kernel's own time stamps (`SO_TIMESTAMPING`), where it gives them.
//!
//! One io_uring submission sends every copy, so this program's clock only knows when it began and ended; the kernel
//! stamps each packet as it hands it to the network device.

use std::{
    net::TcpStream,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Two clocks read together, so that a stamp of the wall clock can be placed on the monotonic one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    monotonic: Instant,
    wall: Duration,
}

impl Clocks {
    pub(super) fn read() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { monotonic: Instant::now(), wall }
    }

    /// When they were read.
    pub(super) fn read_at(&self) -> Instant {
        self.monotonic
    }

    fn place(&self, stamp: Duration) -> Option<Instant> {
        match stamp.checked_sub(self.wall) {
            Some(later) => self.monotonic.checked_add(later),
            None => self.monotonic.checked_sub(self.wall - stamp),
        }
    }
}

/// Asks the kernel to stamp what is sent on this socket from now on; whether it will.
#[cfg(target_os = "linux")]
pub(super) fn ask(socket: &TcpStream) -> bool {
    use nix::sys::socket::{TimestampingFlag, setsockopt, sockopt::Timestamping};
    let flags = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    setsockopt(socket, Timestamping, &flags).is_ok()
}

/// The stamp of what was sent since [`ask`], when there is one; asks for no more.
#[cfg(target_os = "linux")]
pub(super) fn take(socket: &TcpStream, clocks: &Clocks) -> Option<Instant> {
    use nix::sys::{
        socket::{
            ControlMessageOwned, MsgFlags, SockaddrStorage, TimestampingFlag, recvmsg, setsockopt,
            sockopt::Timestamping,
        },
        time::TimeValLike,
    };
    use std::os::fd::AsRawFd;
    let mut control =
        nix::cmsg_space!([libc::timespec; 3], libc::sock_extended_err, libc::sockaddr_storage);
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let stamp = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut [], Some(&mut control), flags)
        .ok()
        .and_then(|message| {
            message.cmsgs().ok()?.find_map(|control| match control {
                ControlMessageOwned::ScmTimestampsns(stamps) => {
                    u64::try_from(stamps.system.num_nanoseconds()).ok().map(Duration::from_nanos)
                }
                _ => None,
            })
        });
    // The option cannot fail to be cleared where it could be set; a stamp too many would only wake a reader once.
    let _ = setsockopt(socket, Timestamping, &TimestampingFlag::empty());
    stamp.and_then(|stamp| clocks.place(stamp))
}

/// Only Linux stamps.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask(_: &TcpStream) -> bool {
    false
}

/// Only Linux stamps.
#[cfg(not(target_os = "linux"))]
pub(super) fn take(_: &TcpStream, _: &Clocks) -> Option<Instant> {
    None
}
