//! The calls that no safe library wraps: a batch of sends through io_uring, and what a socket still has to send.
//!
//! Linux only; elsewhere [`send_at_once`] says that it cannot, and every socket counts as drained.

#![cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "io_uring and SIOCOUTQ have no safe wrapper; each block says why it is sound"
    )
)]

#[cfg(target_os = "linux")]
pub(super) use linux::{is_drained, send_at_once};

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{is_drained, send_at_once};

#[cfg(target_os = "linux")]
mod linux {
    use io_uring::{IoUring, opcode, types};
    use std::{
        io,
        net::TcpStream,
        os::fd::{AsRawFd, BorrowedFd},
        time::Instant,
    };

    /// Whether the other side has acknowledged every byte that was written.
    pub(in super::super) fn is_drained(socket: &tokio::net::TcpStream) -> bool {
        let mut left: libc::c_int = 0;
        // SAFETY: the descriptor is open while `socket` is borrowed, and SIOCOUTQ (which is TIOCOUTQ) writes one int to
        // where the pointer says, which is `left`.
        let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut left) };
        done != 0 || left == 0
    }

    /// Sends one byte on each socket in one submission. When the ring cannot be made or used (an old kernel, seccomp,
    /// `io_uring_disabled`), nothing was sent and the answer is `None`.
    ///
    /// The two times are those just before and just after the submission.
    pub(in super::super) fn send_at_once(
        copies: &[(&TcpStream, u8)],
    ) -> Option<(Vec<io::Result<()>>, Instant, Instant)> {
        let bytes: Vec<u8> = copies.iter().map(|(_, byte)| *byte).collect();
        let sockets: Vec<BorrowedFd<'_>> =
            copies.iter().map(|(socket, _)| std::os::fd::AsFd::as_fd(socket)).collect();
        let mut ring = ring(u32::try_from(copies.len()).ok()?).ok()?;
        for (index, (socket, byte)) in sockets.iter().zip(&bytes).enumerate() {
            let send = opcode::Send::new(types::Fd(socket.as_raw_fd()), byte, 1)
                .flags(libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
                .build()
                .user_data(index as u64);
            // SAFETY: `bytes` and `sockets` live to the end of this function, and it does not return before every entry
            // that the kernel took has completed, or `bytes` is leaked; the kernel holds the sockets that it took.
            if unsafe { ring.submission().push(&send) }.is_err() {
                // The ring has room for all of them; were it not so, nothing was submitted yet.
                return None;
            }
        }
        let before = Instant::now();
        let first = ring.submit_and_wait(copies.len());
        let after = Instant::now();
        let mut results: Vec<Option<io::Result<()>>> = copies.iter().map(|_| None).collect();
        if first.is_err() && ring.submission().len() == copies.len() {
            return None;
        }
        loop {
            for entry in ring.completion() {
                let result = match entry.result() {
                    sent if sent > 0 => Ok(()),
                    0 => Err(io::ErrorKind::WriteZero.into()),
                    error => Err(io::Error::from_raw_os_error(-error)),
                };
                if let Some(slot) =
                    usize::try_from(entry.user_data()).ok().and_then(|at| results.get_mut(at))
                {
                    *slot = Some(result);
                }
            }
            let missing = results.iter().filter(|result| result.is_none()).count();
            if missing == 0 {
                break;
            }
            // Interrupted by a signal, or the kernel was out of memory for a moment: what it has taken must complete
            // before the bytes may go, and what it has not taken is still in the ring.
            if let Err(error) = ring.submit_and_wait(1)
                && !matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY))
            {
                let broken = || io::Error::from(error.kind());
                let results =
                    results.into_iter().map(|result| result.unwrap_or_else(|| Err(broken())));
                let results = results.collect();
                // The kernel may still read them, and will not say when it has.
                bytes.leak();
                return Some((results, before, after));
            }
        }
        Some((results.into_iter().flatten().collect(), before, after))
    }

    /// A ring that was used once, so that whatever forbids it is known before anything depends on it.
    fn ring(entries: u32) -> io::Result<IoUring> {
        let mut ring = IoUring::new(entries.next_power_of_two())?;
        // SAFETY: a no-op borrows nothing.
        unsafe { ring.submission().push(&opcode::Nop::new().build()) }
            .map_err(|_| io::Error::from(io::ErrorKind::QuotaExceeded))?;
        ring.submit_and_wait(1)?;
        ring.completion().for_each(drop);
        Ok(ring)
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::{io, net::TcpStream, time::Instant};

    pub(in super::super) fn is_drained(_: &tokio::net::TcpStream) -> bool {
        true
    }

    pub(in super::super) fn send_at_once(
        _: &[(&TcpStream, u8)],
    ) -> Option<(Vec<io::Result<()>>, Instant, Instant)> {
        None
    }
}
