//! What the socket's side and the handler's side of one connection share.
//!
//! hyper stands between them. The socket's side (`tap`) knows the exact bytes and when the answer was written; the
//! handler's side knows the delivery. Both run in the connection's task, so the lock is never waited for.

use super::{
    answer::{Answer, Written},
    framing::WholeHead,
    refusal::Refusal,
};
use bytes::Bytes;
use jiff::Timestamp;
use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Instant,
};

/// A request whose head is whole.
#[derive(Debug)]
pub(super) struct Captured {
    /// The head.
    pub(super) head: WholeHead,
    /// When it was whole.
    pub(super) began: Instant,
    /// The same on the wall clock.
    pub(super) received_at: Timestamp,
}

/// Why a body does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// The sender closed, at least its writing half, before the body was whole.
    SenderStopped,
    /// The connection broke.
    Reset(String),
    /// The framing is broken.
    Refused(Refusal),
    /// The listener stops and waits no longer.
    ListenerStops,
}

/// How far the listener's stop has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It listens.
    Open,
    /// Requests that have begun are still taken.
    Closing,
    /// Only answers are still written.
    Stopping,
}

#[derive(Debug)]
struct State {
    request: Option<Captured>,
    trailers: Bytes,
    broken: Option<Broken>,
    body_reader: Option<Waker>,
    head_reader: Option<Waker>,
    stage: Stage,
    answer: Option<Answer>,
    /// What was written since the last whole answer.
    written: Vec<u8>,
    /// A status of hyper's own; its bytes were kept back.
    refused_by_hyper: Option<u16>,
    /// Answers that went to a sender that had closed at least its writing half.
    unconfirmed: Vec<Written>,
    /// The last request was answered.
    answered: bool,
    closed: bool,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Link {
    /// Who sends.
    pub(super) peer: SocketAddr,
    /// There are too many connections, so many at most; this one is only told so.
    pub(super) over_limit: Option<u32>,
    state: Mutex<State>,
}

impl Link {
    /// A new connection.
    pub(super) fn new(peer: SocketAddr, over_limit: Option<u32>) -> Self {
        let state = State {
            request: None,
            trailers: Bytes::new(),
            broken: None,
            body_reader: None,
            head_reader: None,
            stage: Stage::Open,
            answer: None,
            written: Vec::new(),
            refused_by_hyper: None,
            unconfirmed: Vec::new(),
            answered: false,
            closed: false,
        };
        Self { peer, over_limit, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a single step, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The socket's side.

    /// A head is whole.
    pub(super) fn put_request(&self, request: Captured) {
        let mut state = self.state();
        state.trailers = Bytes::new();
        state.answered = false;
        state.broken = (state.stage == Stage::Stopping).then_some(Broken::ListenerStops);
        state.request = Some(request);
    }

    /// A body is whole.
    pub(super) fn put_trailers(&self, trailers: Bytes) {
        if !trailers.is_empty() {
            self.state().trailers = trailers;
        }
    }

    /// The body will not go on.
    pub(super) fn break_body(&self, broken: Broken) {
        let reader = {
            let mut state = self.state();
            state.broken.get_or_insert(broken);
            state.body_reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// How far the stop has gone; the task that waits for a head is woken when that changes.
    pub(super) fn stage_for(&self, cx: &Context<'_>) -> Stage {
        let mut state = self.state();
        if !state.head_reader.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.head_reader = Some(cx.waker().clone());
        }
        state.stage
    }

    /// Whether some bytes may be written: hyper's own refusals are kept back, since the reason is answered instead.
    pub(super) fn lets_write(&self, bytes: &[u8]) -> bool {
        let mut state = self.state();
        if state.answer.is_some() || !state.written.is_empty() || bytes.starts_with(INTERIM) {
            return true;
        }
        state.refused_by_hyper = status_of(bytes);
        false
    }

    /// Some bytes were handed to the system. Returns the answer when they complete it.
    pub(super) fn wrote(&self, bytes: &[u8]) -> Option<Written> {
        let mut state = self.state();
        state.written.extend_from_slice(bytes);
        while state.written.starts_with(INTERIM) {
            let end = memchr::memmem::find(&state.written, b"\r\n\r\n")? + 4;
            state.written.drain(..end);
        }
        let head = memchr::memmem::find(&state.written, b"\r\n\r\n")? + 4;
        let whole = head + state.answer.as_ref()?.body_len;
        if state.written.len() < whole {
            return None;
        }
        let answer = state.answer.take()?;
        state.answered = true;
        let body = Bytes::copy_from_slice(&state.written[head..whole]);
        let head = Bytes::copy_from_slice(&state.written[..head]);
        state.written.drain(..whole);
        Some(Written { answer, head, body, at: Instant::now() })
    }

    /// An answer went to a sender that has closed; whether it was taken is told later.
    pub(super) fn put_unconfirmed(&self, written: Written) {
        self.state().unconfirmed.push(written);
    }

    // The handler's side.

    /// The request that hyper has just handed over.
    pub(super) fn take_request(&self) -> Option<Captured> {
        self.state().request.take()
    }

    /// The trailers of the body that was just read.
    pub(super) fn take_trailers(&self) -> Bytes {
        std::mem::take(&mut self.state().trailers)
    }

    /// Ready when the body will not go on.
    pub(super) fn poll_broken(&self, cx: &Context<'_>) -> Poll<Broken> {
        let mut state = self.state();
        if let Some(broken) = &state.broken {
            return Poll::Ready(broken.clone());
        }
        if !state.body_reader.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.body_reader = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Hands over the answer that hyper is about to write; gives it back where the connection is gone.
    pub(super) fn put_answer(&self, answer: Answer) -> Option<Answer> {
        let mut state = self.state();
        if state.closed {
            return Some(answer);
        }
        state.answer = Some(answer);
        None
    }

    /// Whether the listener takes no more.
    pub(super) fn is_closing(&self) -> bool {
        self.state().stage > Stage::Open
    }

    // The server's side.

    /// Moves the stop on.
    pub(super) fn enter(&self, stage: Stage) {
        let (head_reader, body_reader) = {
            let mut state = self.state();
            state.stage = stage;
            if stage == Stage::Stopping {
                state.broken.get_or_insert(Broken::ListenerStops);
            }
            (state.head_reader.take(), state.body_reader.take())
        };
        for waker in [head_reader, body_reader].into_iter().flatten() {
            waker.wake();
        }
    }

    /// hyper is done with the connection. What it left behind.
    pub(super) fn close(&self) -> Leftovers {
        let mut state = self.state();
        state.closed = true;
        state.broken.get_or_insert(Broken::Reset("the connection broke".into()));
        if let Some(reader) = state.body_reader.take() {
            reader.wake();
        }
        Leftovers {
            request: state.request.take(),
            refused_by_hyper: state.refused_by_hyper,
            unwritten: state.answer.take(),
            unconfirmed: std::mem::take(&mut state.unconfirmed),
            answered: state.answered,
        }
    }
}

/// What a closed connection leaves to be told.
#[derive(Debug)]
pub(super) struct Leftovers {
    /// A head that no handler took.
    pub(super) request: Option<Captured>,
    /// The status with which hyper refused a head.
    pub(super) refused_by_hyper: Option<u16>,
    /// An answer that was not written whole.
    pub(super) unwritten: Option<Answer>,
    /// Answers that were written to a sender that had closed at least its writing half.
    pub(super) unconfirmed: Vec<Written>,
    /// The last request was answered.
    pub(super) answered: bool,
}

const INTERIM: &[u8] = b"HTTP/1.1 100";

fn status_of(bytes: &[u8]) -> Option<u16> {
    std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().ok()
}
