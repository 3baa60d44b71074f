//! The stream directly under hyper, above TLS: where plain HTTP is seen.
//!
//! On HTTP/1 it puts our own head in the place of hyper's, since hyper groups repeated headers and folds their case, and
//! a stored delivery goes out as it came (C64). On both it knows the request's last byte and tells the [`Keeper`].

use super::{frames::Frames, gate::Keeper};
use bytes::{Buf, Bytes};
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A clear or an encrypted stream.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Ends a head.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// What is spoken.
#[derive(Debug)]
enum Speech {
    Http1 {
        /// How much of the end of hyper's own head was seen; nothing of that head is sent.
        seen: usize,
        /// What is left of our head.
        head: Bytes,
        /// Bytes of body still to come.
        body_left: usize,
    },
    Http2(Frames),
}

impl Speech {
    /// Whether the whole request was taken by the stream below.
    fn is_said(&self) -> bool {
        match self {
            Self::Http1 { seen, head, body_left } => {
                *seen == BLANK_LINE.len() && head.is_empty() && *body_left == 0
            }
            Self::Http2(frames) => frames.ended,
        }
    }
}

/// The stream that hyper speaks on.
pub(super) struct Wire {
    io: Box<dyn Io>,
    keeper: Keeper,
    speech: Speech,
    sealed: bool,
}

impl Wire {
    /// For HTTP/1: `head` is sent in the place of hyper's, before a body of so many bytes.
    pub(super) fn http1(io: Box<dyn Io>, keeper: Keeper, head: Bytes, body: usize) -> Self {
        Self { io, keeper, speech: Speech::Http1 { seen: 0, head, body_left: body }, sealed: false }
    }

    /// For HTTP/2.
    pub(super) fn http2(io: Box<dyn Io>, keeper: Keeper) -> Self {
        Self { io, keeper, speech: Speech::Http2(Frames::new()), sealed: false }
    }

    /// Sends what is left of the head, then what is below; tells the keeper when the request is whole.
    fn flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Speech::Http1 { seen, head, .. } = &mut self.speech
            && *seen == BLANK_LINE.len()
        {
            while !head.is_empty() {
                let written = ready!(Pin::new(&mut self.io).poll_write(cx, head))?;
                if written == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                head.advance(written);
            }
        }
        ready!(Pin::new(&mut self.io).poll_flush(cx))?;
        if !self.sealed && self.speech.is_said() {
            self.sealed = true;
            self.keeper.seal();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        let came = &buffer.filled()[before..];
        // On HTTP/2 the first bytes are settings, not an answer; there the response itself is timed.
        if !came.is_empty() && matches!(self.speech, Speech::Http1 { .. }) {
            self.keeper.read(came);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        if !self.sealed && self.speech.is_said() {
            // What follows the request (an acknowledgement, a ping) must not push its last byte out.
            ready!(self.flush(cx))?;
        }
        let Self { io, speech, keeper, .. } = &mut *self;
        match speech {
            Speech::Http1 { seen, .. } if *seen < BLANK_LINE.len() => {
                let mut taken = 0;
                for byte in bytes {
                    taken += 1;
                    *seen = match *seen {
                        at if *byte == BLANK_LINE[at] => at + 1,
                        _ if *byte == b'\r' => 1,
                        _ => 0,
                    };
                    if *seen == BLANK_LINE.len() {
                        break;
                    }
                }
                Poll::Ready(Ok(taken))
            }
            Speech::Http1 { head, body_left, .. } => loop {
                let both = [IoSlice::new(head), IoSlice::new(bytes)];
                let from = usize::from(head.is_empty());
                let written = ready!(Pin::new(&mut *io).poll_write_vectored(cx, &both[from..]))?;
                if written == 0 {
                    return Poll::Ready(Ok(0));
                }
                let of_head = written.min(head.len());
                head.advance(of_head);
                let of_body = written - of_head;
                *body_left = body_left.saturating_sub(of_body);
                if of_body > 0 {
                    return Poll::Ready(Ok(of_body));
                }
            },
            Speech::Http2(frames) if frames.ended => Pin::new(io).poll_write(cx, bytes),
            Speech::Http2(frames) => {
                let until = { *frames }.follow(bytes);
                let written = ready!(Pin::new(io).poll_write(cx, &bytes[..until]))?;
                let was_settled = frames.settled;
                frames.follow(&bytes[..written]);
                if frames.settled && !was_settled {
                    keeper.settle();
                }
                Poll::Ready(Ok(written))
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        // So that hyper hands the body over as it is and copies nothing; its slices come one by one.
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
