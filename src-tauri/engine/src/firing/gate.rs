//! The gate: a stream over a socket that can owe its last byte until it is let go.
//!
//! It stands under hyper and under rustls, so that one gate serves clear and encrypted HTTP/1.1 and HTTP/2 alike, and
//! letting a copy go is one send of one byte. While the byte is owed, the socket can be taken out: whoever lets the
//! copies go owns their sockets in that moment, and nothing wakes the runtime.

use super::{kernel::is_drained, release::is_hung_up};
use std::{
    io::{self, IoSlice},
    net,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Instant,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::Notify,
};

/// How many bytes of an answer are kept as they came, for an answer that hyper cannot read.
const KEPT_START: usize = 256;

/// What the gate does with what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// It passes.
    Open,
    /// It passes but for the last byte.
    Holding,
    /// The request is written but for the byte that is owed; nothing more passes.
    Sealed,
}

#[derive(Debug)]
struct State {
    /// Away while the byte is being let go.
    socket: Option<TcpStream>,
    hold: Hold,
    owed: Option<u8>,
    last_write: Option<Instant>,
    written: Option<Instant>,
    released: Option<Instant>,
    first_byte: Option<Instant>,
    start: Vec<u8>,
    settled: bool,
    local_port: Option<u16>,
    waiting: Vec<Waker>,
}

impl State {
    fn wait(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push(cx.waker().clone());
        }
    }

    /// Writes what passes. While holding, the byte that was owed goes first and the new last byte is kept.
    fn write(&mut self, cx: &mut Context<'_>, buffers: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if self.hold == Hold::Sealed || self.socket.is_none() {
            self.wait(cx);
            return Poll::Pending;
        }
        let Some(socket) = self.socket.as_mut() else { return Poll::Pending };
        let Some(last) = buffers.iter().rev().find_map(|buffer| buffer.last().copied()) else {
            return Poll::Ready(Ok(0));
        };
        if self.hold == Hold::Open {
            let written = std::task::ready!(Pin::new(socket).poll_write_vectored(cx, buffers))?;
            self.last_write = Some(Instant::now());
            return Poll::Ready(Ok(written));
        }
        loop {
            let total: usize = buffers.iter().map(|buffer| buffer.len()).sum();
            let owed = self.owed.map(|byte| [byte]);
            let mut passing: Vec<IoSlice<'_>> = Vec::with_capacity(buffers.len() + 1);
            passing.extend(owed.as_ref().map(|byte| IoSlice::new(byte)));
            let mut left = total - 1;
            for buffer in buffers {
                let part = &buffer[..buffer.len().min(left)];
                left -= part.len();
                if !part.is_empty() {
                    passing.push(IoSlice::new(part));
                }
            }
            let mut written = 0;
            if !passing.is_empty() {
                written =
                    std::task::ready!(Pin::new(&mut *socket).poll_write_vectored(cx, &passing))?;
                self.last_write = Some(Instant::now());
                if written > 0 && self.owed.take().is_some() {
                    written -= 1;
                }
            }
            if written == total - 1 {
                self.owed = Some(last);
                return Poll::Ready(Ok(total));
            }
            if written > 0 {
                return Poll::Ready(Ok(written));
            }
            // Only the byte that was owed went out: none of these bytes was taken yet.
        }
    }
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Fields change in single steps: a panic leaves them usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream.
#[derive(Debug)]
pub(super) struct Gate(Arc<Shared>);

/// Who opens and closes the gate, and reads its clock.
#[derive(Debug, Clone)]
pub(super) struct Keeper(Arc<Shared>);

/// A gate over a socket, open.
pub(super) fn gate(socket: TcpStream) -> (Gate, Keeper) {
    let local_port = socket.local_addr().ok().map(|address| address.port());
    let state = State {
        local_port,
        socket: Some(socket),
        hold: Hold::Open,
        owed: None,
        last_write: None,
        written: None,
        released: None,
        first_byte: None,
        start: Vec::new(),
        settled: false,
        waiting: Vec::new(),
    };
    let shared = Arc::new(Shared { state: Mutex::new(state), changed: Notify::new() });
    (Gate(shared.clone()), Keeper(shared))
}

/// When what happened; `None` where it did not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GateTimes {
    /// All but the last byte was written.
    pub(super) written: Option<Instant>,
    /// The last byte was handed to the kernel, or left it where the kernel says so.
    pub(super) released: Option<Instant>,
    /// The first byte of the answer was read.
    pub(super) first_byte: Option<Instant>,
}

impl Keeper {
    /// From now on the last byte is owed.
    pub(super) fn hold(&self) {
        self.0.state().hold = Hold::Holding;
    }

    /// The request is written whole: nothing more passes while its last byte is owed.
    pub(super) fn seal(&self) {
        let mut state = self.0.state();
        if state.written.is_some() {
            return;
        }
        let at = state.last_write.unwrap_or_else(Instant::now);
        state.written = Some(at);
        match state.hold {
            Hold::Holding => state.hold = Hold::Sealed,
            Hold::Open | Hold::Sealed => state.released = Some(at),
        }
        drop(state);
        self.0.changed.notify_one();
    }

    /// Waits until the request is written whole, its last byte aside where that is owed.
    pub(super) async fn sealed(&self) {
        while self.0.state().written.is_none() {
            self.0.changed.notified().await;
        }
    }

    /// The HTTP/2 settings of both sides are known to both.
    pub(super) fn settle(&self) {
        self.0.state().settled = true;
        self.0.changed.notify_one();
    }

    /// Waits for [`Keeper::settle`].
    pub(super) async fn settled(&self) {
        while !self.0.state().settled {
            self.0.changed.notified().await;
        }
    }

    /// Notes bytes of the answer, as they are read above TLS.
    pub(super) fn read(&self, bytes: &[u8]) {
        let mut state = self.0.state();
        state.first_byte.get_or_insert_with(Instant::now);
        let room = KEPT_START - state.start.len();
        state.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// The first bytes of the answer as they came.
    pub(super) fn start(&self) -> Vec<u8> {
        self.0.state().start.clone()
    }

    /// When what happened.
    pub(super) fn times(&self) -> GateTimes {
        let state = self.0.state();
        GateTimes { written: state.written, released: state.released, first_byte: state.first_byte }
    }

    /// The port of this end.
    pub(super) fn local_port(&self) -> Option<u16> {
        self.0.state().local_port
    }

    /// Whether everything that was written is at the other machine, as far as this one can tell, or never will be.
    pub(super) fn is_there(&self) -> bool {
        let state = self.0.state();
        let is_there = |socket: &TcpStream| is_drained(socket) || is_hung_up(socket);
        state.socket.as_ref().is_none_or(is_there)
    }

    /// Takes the socket out together with the byte that is owed; `None` when none is, or the socket is away.
    pub(super) fn take(&self) -> io::Result<Option<(net::TcpStream, u8)>> {
        let mut state = self.0.state();
        match (state.hold, state.owed) {
            (Hold::Sealed, Some(byte)) => match state.socket.take() {
                Some(socket) => Ok(Some((socket.into_std()?, byte))),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Puts the socket back. With a time, the owed byte was sent then, and the gate is open.
    pub(super) fn put_back(
        &self,
        socket: net::TcpStream,
        released: Option<Instant>,
    ) -> io::Result<()> {
        let socket = TcpStream::from_std(socket)?;
        let mut state = self.0.state();
        state.socket = Some(socket);
        if released.is_some() {
            state.released = released;
            state.owed = None;
            state.hold = Hold::Open;
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Ok(())
    }
}

impl AsyncRead for Gate {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.state();
        let read = match state.socket.as_mut() {
            Some(socket) => Pin::new(socket).poll_read(cx, buffer),
            None => Poll::Pending,
        };
        // A socket that is taken out forgets who waits for it.
        if read.is_pending() && state.released.is_none() {
            state.wait(cx);
        }
        read
    }
}

impl AsyncWrite for Gate {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.state().write(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.state().write(cx, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A TCP socket keeps nothing back; the byte that is owed is no business of a flush.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.0.state().socket.as_mut() {
            Some(socket) => Pin::new(socket).poll_shutdown(cx),
            None => Poll::Ready(Ok(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    #[tokio::test]
    async fn the_last_byte_is_owed_over_any_writes_until_it_is_put_back() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut peer, _) = listener.accept().await.unwrap();
        let (mut gate, keeper) = gate(socket);
        gate.write_all(b"open ").await.unwrap();
        keeper.hold();
        gate.write_all(b"a").await.unwrap();
        gate.write_all(b"bc").await.unwrap();
        let parts = [IoSlice::new(b""), IoSlice::new(b"d"), IoSlice::new(b"ef"), IoSlice::new(b"")];
        assert_eq!(gate.write_vectored(&parts).await.unwrap(), 3);
        keeper.seal();
        keeper.sealed().await;
        let mut came = [0; 10];
        peer.read_exact(&mut came).await.unwrap();
        assert_eq!(&came, b"open abcde");

        let (socket, byte) = keeper.take().unwrap().unwrap();
        assert_eq!(byte, b'f');
        assert!(keeper.times().released.is_none());
        let waiting = tokio::spawn(async move {
            gate.write_all(b"after").await.unwrap();
            gate
        });
        io::Write::write_all(&mut &socket, &[byte]).unwrap();
        keeper.put_back(socket, Some(Instant::now())).unwrap();
        waiting.await.unwrap();
        let mut rest = [0; 6];
        peer.read_exact(&mut rest).await.unwrap();
        assert_eq!(&rest, b"fafter");
    }

    #[tokio::test]
    async fn a_large_body_passes_but_for_its_last_byte() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut peer, _) = listener.accept().await.unwrap();
        let (mut gate, keeper) = gate(socket);
        keeper.hold();
        let body: Vec<u8> = (0..8_000_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let sent = body.clone();
        let writing = tokio::spawn(async move {
            gate.write_all(&sent).await.unwrap();
            gate
        });
        let mut came = vec![0; body.len() - 1];
        peer.read_exact(&mut came).await.unwrap();
        assert!(came == body[..body.len() - 1], "the bytes differ");
        let gate = writing.await.unwrap();
        keeper.seal();
        assert_eq!(keeper.take().unwrap().unwrap().1, body[body.len() - 1]);
        drop(gate);
    }
}
