//! Reads a body, within limits.

use super::{
    framing::BodyFraming,
    link::{Broken, Link},
    refusal::Refusal,
};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body::{Body as _, Frame};
use std::{future::poll_fn, pin::Pin, task::Poll, time::Duration};
use tokio::time::timeout;

/// The most memory that is set aside for a body because of what its Content-Length says.
const TRUSTED: u64 = 1024 * 1024;

/// What came of a body.
#[derive(Debug)]
pub(super) enum Received {
    /// All of it.
    Whole(Bytes),
    /// It stopped early; what came, and why.
    Incomplete(Bytes, String),
    /// A limit was passed, or its framing is broken; what came is kept, but for a body that is too large.
    Refused(Bytes, Refusal),
}

/// What is taken at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    /// Bytes.
    pub(super) bytes: u64,
    /// How long it may stand still.
    pub(super) idle: Duration,
}

/// Reads it all.
///
/// A body whose Content-Length is over the limit is not touched, so that a sender which asked first (Expect:
/// 100-continue) is not told to go on (C67).
pub(super) async fn receive(
    link: &Link,
    mut body: Body,
    framing: BodyFraming,
    limits: BodyLimits,
) -> Received {
    let expected = match framing {
        BodyFraming::Empty => return Received::Whole(Bytes::new()),
        BodyFraming::Length(length) if length > limits.bytes => {
            return Received::Refused(
                Bytes::new(),
                Refusal::body_too_large(Some(length), limits.bytes),
            );
        }
        BodyFraming::Length(length) => Some(length),
        BodyFraming::Chunked => None,
    };
    let mut came = Came::default();
    loop {
        match timeout(limits.idle, next(link, &mut body)).await {
            Err(_) => {
                let refusal = Refusal::body_stalled(limits.idle.as_secs(), came.len());
                return Received::Refused(came.into_bytes(), refusal);
            }
            Ok(Next::Frame(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                if came.len() as u64 + data.len() as u64 > limits.bytes {
                    return Received::Refused(
                        Bytes::new(),
                        Refusal::body_too_large(None, limits.bytes),
                    );
                }
                came.add(data, expected.unwrap_or(0).min(TRUSTED));
                if Some(came.len() as u64) == expected {
                    return Received::Whole(came.into_bytes());
                }
            }
            Ok(Next::End) => return Received::Whole(came.into_bytes()),
            Ok(Next::Broken(Broken::Refused(refusal))) => {
                return Received::Refused(came.into_bytes(), refusal);
            }
            Ok(Next::Broken(broken)) => {
                return Received::Incomplete(came.into_bytes(), in_words(&broken));
            }
        }
    }
}

fn in_words(broken: &Broken) -> String {
    match broken {
        Broken::SenderStopped => {
            "the sender closed the connection before the body was whole".into()
        }
        Broken::Reset(error) => format!("the connection broke before the body was whole: {error}"),
        Broken::Refused(refusal) => refusal.reason.clone(),
        Broken::ListenerStops => "the listener stopped before the body was whole".into(),
    }
}

enum Next {
    Frame(Frame<Bytes>),
    End,
    Broken(Broken),
}

/// The next piece, or the reason why there is none.
async fn next(link: &Link, body: &mut Body) -> Next {
    poll_fn(|cx| {
        Poll::Ready(match Pin::new(&mut *body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => Next::Frame(frame),
            Poll::Ready(None) => Next::End,
            // What the tap knows is more exact than what hyper says.
            Poll::Ready(Some(Err(error))) => Next::Broken(match link.poll_broken(cx) {
                Poll::Ready(broken) => broken,
                Poll::Pending => Broken::Refused(Refusal::bad_chunk(cause(&error))),
            }),
            Poll::Pending => match link.poll_broken(cx) {
                Poll::Ready(broken) => Next::Broken(broken),
                Poll::Pending => return Poll::Pending,
            },
        })
    })
    .await
}

/// The innermost error, which is the one that says something.
fn cause(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// The pieces so far: one is kept as it is, more are put together.
#[derive(Default)]
enum Came {
    #[default]
    Nothing,
    One(Bytes),
    More(BytesMut),
}

impl Came {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(bytes) => bytes.len(),
            Self::More(bytes) => bytes.len(),
        }
    }

    fn add(&mut self, data: Bytes, expected: u64) {
        *self = match std::mem::take(self) {
            Self::Nothing => Self::One(data),
            Self::One(first) => {
                let room = usize::try_from(expected).unwrap_or(0).max(first.len() + data.len());
                let mut both = BytesMut::with_capacity(room);
                both.extend_from_slice(&first);
                both.extend_from_slice(&data);
                Self::More(both)
            }
            Self::More(mut bytes) => {
                bytes.extend_from_slice(&data);
                Self::More(bytes)
            }
        };
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(bytes) => bytes,
            Self::More(bytes) => bytes.freeze(),
        }
    }
}
