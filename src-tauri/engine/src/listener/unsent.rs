//! How much of what was written the other system has not taken yet.

use tokio::net::TcpStream;

/// Bytes that were handed to the socket and are not acknowledged by the peer's system; `None` where ours does not say.
#[cfg(target_os = "linux")]
pub(super) fn unsent(socket: &TcpStream) -> Option<u64> {
    use std::os::fd::AsRawFd as _;
    let mut bytes: libc::c_int = 0;
    #[expect(unsafe_code, reason = "no safe wrapper of this ioctl is among the dependencies")]
    // SAFETY: the descriptor is open for as long as `socket` is borrowed, and TIOCOUTQ (SIOCOUTQ on a socket, tcp(7))
    // writes one int to the pointer, which points to one.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if result == 0 { u64::try_from(bytes).ok() } else { None }
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
pub(super) fn unsent(_: &TcpStream) -> Option<u64> {
    None
}
