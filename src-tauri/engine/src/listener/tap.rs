//! The socket as hyper sees it: every byte passes through here, is read for the record, and is handed on.
//!
//! Three things are hidden from hyper, so that a handler is never dropped in the middle of its work:
//! - bytes of a next request, until hyper asks for them;
//! - a body that breaks off: the handler is told through the link instead, and hyper waits;
//! - hyper's own refusals: the listener answers them itself, with the reason.

use super::{
    framing::{Fed, Framer, HeadLimits, Progress},
    link::{Broken, Captured, Link, Stage},
    refusal::Refusal,
};
use crate::clock::SharedClock;
use bytes::{Buf, BytesMut};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

/// How long a connection may stay open between two requests.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(75);

/// How a head broke off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HeadEnd {
    /// It cannot be served.
    Refused(Refusal),
    /// The sender closed or broke the connection, or the listener stops.
    Left(String),
}

/// A recording socket.
#[derive(Debug)]
pub(super) struct Tap {
    socket: TcpStream,
    link: Arc<Link>,
    clock: SharedClock,
    framer: Framer,
    /// Bytes of the next request, read along with this one's.
    held: BytesMut,
    /// Told to the handler at hyper's next read, when everything before it has been handed on.
    breaking: Option<Broken>,
    head_end: Option<HeadEnd>,
    idle: Duration,
    waiting: Option<Instant>,
    patience: Pin<Box<Sleep>>,
    blocked: Option<Pin<Box<Sleep>>>,
    /// The sender closed its writing half, or more.
    pub(super) saw_eof: bool,
    /// The connection is broken.
    pub(super) gone: bool,
}

impl Tap {
    /// Around a fresh connection; `idle` is how long a request that has begun may stand still.
    pub(super) fn new(
        socket: TcpStream,
        link: Arc<Link>,
        clock: SharedClock,
        limits: HeadLimits,
        idle: Duration,
    ) -> Self {
        Self {
            socket,
            link,
            clock,
            framer: Framer::new(limits),
            held: BytesMut::new(),
            breaking: None,
            head_end: None,
            idle,
            waiting: None,
            patience: Box::pin(sleep(idle)),
            blocked: None,
            saw_eof: false,
            gone: false,
        }
    }

    /// Taken apart when hyper is done: the socket, the framer, and how a head broke off.
    pub(super) fn into_rest(self) -> Rest {
        let unread = !self.held.is_empty() || self.framer.is_in_body() || self.framer.is_refused();
        Rest {
            socket: self.socket,
            framer: self.framer,
            head_end: self.head_end,
            unread,
            saw_eof: self.saw_eof,
            gone: self.gone,
        }
    }

    /// Reads `fresh` for the record. Says how many of its bytes hyper may see.
    fn take_in(&mut self, fresh: &[u8]) -> usize {
        self.waiting = None;
        let mut used = 0;
        while used < fresh.len() {
            let in_body = self.framer.is_in_body();
            let Fed { used: step, progress } = self.framer.feed(&fresh[used..]);
            used += step;
            match progress {
                Some(Progress::Head(head)) => {
                    let empty = self.framer.is_idle();
                    let (began, received_at) = (Instant::now(), self.clock.now());
                    self.link.put_request(Captured { head, began, received_at });
                    if empty {
                        break;
                    }
                }
                Some(Progress::End(trailers)) => {
                    self.link.put_trailers(trailers);
                    break;
                }
                Some(Progress::Refused(refusal)) if in_body => {
                    self.breaking = Some(Broken::Refused(refusal));
                    break;
                }
                Some(Progress::Refused(refusal)) => {
                    self.head_end = Some(HeadEnd::Refused(refusal));
                    break;
                }
                None => {}
            }
        }
        used
    }

    /// Fails when a head, or the time between two requests, takes too long.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let since = *self.waiting.get_or_insert_with(Instant::now);
        let in_head = self.framer.is_in_head();
        let due = since + if in_head { self.idle } else { BETWEEN_REQUESTS };
        loop {
            if self.patience.deadline().into_std() > due {
                self.patience.as_mut().reset(due.into());
            }
            // It may have been set for an earlier wait: then it is set anew, which is rarer than resetting it each time.
            ready!(self.patience.as_mut().poll(cx));
            if Instant::now() >= due {
                break;
            }
            self.patience.as_mut().reset(due.into());
        }
        if in_head {
            self.head_end = Some(HeadEnd::Refused(Refusal::head_stalled(self.idle.as_secs())));
        }
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }

    /// Nothing more comes from the sender. What hyper is told.
    fn stopped(&mut self, why: Broken) -> Poll<io::Result<()>> {
        if self.framer.is_in_body() {
            self.link.break_body(why);
            // The handler is woken, ends, and hyper closes; until then there is nothing to read.
            return Poll::Pending;
        }
        if self.framer.is_in_head() && self.head_end.is_none() {
            self.head_end = Some(HeadEnd::Left(match why {
                Broken::ListenerStops => "the listener stopped before the head was whole".into(),
                Broken::Reset(error) => {
                    format!("the connection broke before the head was whole: {error}")
                }
                Broken::SenderStopped | Broken::Refused(_) => {
                    "the sender left before the head was whole".into()
                }
            }));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Tap {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(broken) = this.breaking.take() {
            this.link.break_body(broken);
        }
        if this.framer.is_refused() {
            // The handler answers, or hyper has been told already: nothing more is read.
            return Poll::Pending;
        }
        let start = buf.filled().len();
        if this.held.is_empty() {
            if this.saw_eof || this.gone {
                return this.stopped(Broken::SenderStopped);
            }
            match Pin::new(&mut this.socket).poll_read(cx, buf) {
                Poll::Ready(Ok(())) if buf.filled().len() == start => {
                    this.saw_eof = true;
                    return this.stopped(Broken::SenderStopped);
                }
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => {
                    this.gone = true;
                    return this.stopped(Broken::Reset(error.to_string()));
                }
                Poll::Pending if this.framer.is_in_body() => return Poll::Pending,
                Poll::Pending => {
                    let stage = this.link.stage_for(cx);
                    if stage == Stage::Stopping
                        || (stage == Stage::Closing && this.framer.is_idle())
                    {
                        return this.stopped(Broken::ListenerStops);
                    }
                    let error = ready!(this.poll_patience(cx));
                    return Poll::Ready(Err(error));
                }
            }
        } else {
            let step = this.held.len().min(buf.remaining());
            buf.put_slice(&this.held[..step]);
            this.held.advance(step);
        }
        let request_line = this.framer.is_before_headers();
        let used = start + this.take_in(&buf.filled()[start..]);
        if request_line {
            mask_target(&mut buf.filled_mut()[start..used]);
        }
        if this.head_end.is_some() {
            buf.set_filled(start);
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        if used < buf.filled().len() {
            let mut held = BytesMut::from(&buf.filled()[used..]);
            held.extend_from_slice(&this.held);
            this.held = held;
            buf.set_filled(used);
        }
        if used == start
            && let Some(broken) = this.breaking.take()
        {
            // No good byte came before the broken one.
            this.link.break_body(broken);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tap {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if !this.link.lets_write(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let wrote = match Pin::new(&mut this.socket).poll_write(cx, bytes) {
            Poll::Ready(Ok(wrote)) => wrote,
            Poll::Ready(Err(error)) => {
                this.gone = true;
                return Poll::Ready(Err(error));
            }
            Poll::Pending => {
                // A sender that does not read its answer is not waited for longer than one that does not send.
                let idle = this.idle;
                let blocked = this.blocked.get_or_insert_with(|| Box::pin(sleep(idle)));
                ready!(blocked.as_mut().poll(cx));
                this.gone = true;
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        };
        this.blocked = None;
        if let Some(written) = this.link.wrote(&bytes[..wrote]) {
            let mut byte = [0];
            match Pin::new(&mut this.socket).poll_peek(cx, &mut ReadBuf::new(&mut byte)) {
                Poll::Ready(Ok(0)) => this.link.put_unconfirmed(written),
                Poll::Ready(Err(_)) => {
                    this.gone = true;
                    written.lost();
                }
                Poll::Ready(Ok(_)) | Poll::Pending => written.taken(),
            }
        }
        Poll::Ready(Ok(wrote))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A socket has nothing to flush.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

/// Bytes that hyper refuses in a target, and that senders put there all the same.
const NOT_IN_A_URI: &[u8] = b"<>`\"";

/// Every target is accepted and kept as sent; hyper, which serves all of them alike, sees another letter in the place of
/// what it would refuse.
fn mask_target(bytes: &mut [u8]) {
    let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let line = bytes[blank..].iter_mut().take_while(|byte| **byte != b'\n');
    line.filter(|byte| NOT_IN_A_URI.contains(byte)).for_each(|byte| *byte = b'_');
}

/// A connection that hyper is done with.
#[derive(Debug)]
pub(super) struct Rest {
    /// The socket.
    pub(super) socket: TcpStream,
    /// What came of a head.
    pub(super) framer: Framer,
    /// How it broke off.
    pub(super) head_end: Option<HeadEnd>,
    /// The sender may have more on its way than was read.
    pub(super) unread: bool,
    /// The sender closed its writing half, or more.
    pub(super) saw_eof: bool,
    /// The connection is broken.
    pub(super) gone: bool,
}
