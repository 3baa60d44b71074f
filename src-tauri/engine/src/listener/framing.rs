//! Where one HTTP/1 request ends and the next begins, told from the bytes as they come.
//!
//! hyper reads the same bytes and serves the request; this reads them for the record: the exact head, the exact
//! trailers, and the place where the next request starts, so that hyper is never handed bytes of two requests at once.
//! The rules are RFC 9112's, as strict as hyper's where both have to agree.

use super::{chunks::Chunks, refusal::Refusal};
use crate::head::{Head, HeadError};
use bytes::{Bytes, BytesMut};
use memchr::{memchr, memchr_iter};

/// What is taken of a head at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadLimits {
    /// Bytes of request line and headers.
    pub(super) bytes: usize,
    /// How many headers.
    pub(super) headers: usize,
}

/// How the body is marked off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyFraming {
    /// There is none.
    Empty,
    /// Content-Length, over zero.
    Length(u64),
    /// Transfer-Encoding: chunked.
    Chunked,
}

/// A whole head.
#[derive(Debug)]
pub(super) struct WholeHead {
    /// Exactly as sent, with the blank line.
    pub(super) bytes: Bytes,
    /// Read.
    pub(super) head: Head,
    /// What follows it.
    pub(super) body: BodyFraming,
}

/// Something that the bytes completed.
#[derive(Debug)]
pub(super) enum Progress {
    /// The head is whole.
    Head(WholeHead),
    /// The body is whole; the trailer lines exactly as sent, without the last blank line.
    End(Bytes),
    /// This is not, or no longer, a request that can be served.
    Refused(Refusal),
}

/// What became of some bytes.
#[derive(Debug)]
pub(super) struct Fed {
    /// So many of them belong to this request and were read.
    pub(super) used: usize,
    /// What they completed.
    pub(super) progress: Option<Progress>,
}

#[derive(Debug)]
enum State {
    /// Between requests.
    Idle,
    /// Some of a head came; so much of it is known to hold no end.
    Head { scanned: usize },
    /// So many bytes of body are to come.
    Length(u64),
    /// Inside a chunked body.
    Chunked(Chunks),
    /// Nothing more is read.
    Refused,
}

/// Follows one connection.
#[derive(Debug)]
pub(super) struct Framer {
    limits: HeadLimits,
    state: State,
    head: BytesMut,
}

impl Framer {
    /// At the start of a connection.
    pub(super) fn new(limits: HeadLimits) -> Self {
        Self { limits, state: State::Idle, head: BytesMut::new() }
    }

    /// Nothing of a next request came yet.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// A head has begun and is not whole.
    pub(super) fn is_in_head(&self) -> bool {
        matches!(self.state, State::Head { .. })
    }

    /// A request line has not come, or not to its end.
    pub(super) fn is_before_headers(&self) -> bool {
        match self.state {
            State::Idle => true,
            State::Head { .. } => memchr(b'\n', &self.head).is_none(),
            State::Length(_) | State::Chunked(_) | State::Refused => false,
        }
    }

    /// A body has begun and is not whole.
    pub(super) fn is_in_body(&self) -> bool {
        matches!(self.state, State::Length(_) | State::Chunked(_))
    }

    /// It was refused: nothing more is read.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.state, State::Refused)
    }

    /// What came of a head that did not become whole or was refused.
    pub(super) fn take_partial_head(&mut self) -> Bytes {
        self.head.split().freeze()
    }

    /// Reads on, up to the next thing that is completed. Call it again with what it did not use.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Fed {
        match &mut self.state {
            State::Idle => {
                // RFC 9112, 2.2: empty lines before a request line are passed over.
                let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                if blank == bytes.len() {
                    return Fed { used: blank, progress: None };
                }
                self.state = State::Head { scanned: 0 };
                let fed = self.feed_head(&bytes[blank..], 0);
                Fed { used: blank + fed.used, ..fed }
            }
            State::Head { scanned } => {
                let scanned = *scanned;
                self.feed_head(bytes, scanned)
            }
            State::Length(left) => {
                let used = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= used as u64;
                if *left > 0 {
                    return Fed { used, progress: None };
                }
                self.state = State::Idle;
                Fed { used, progress: Some(Progress::End(Bytes::new())) }
            }
            State::Chunked(chunks) => match chunks.feed(bytes) {
                Ok((used, None)) => Fed { used, progress: None },
                Ok((used, Some(trailers))) => {
                    self.state = State::Idle;
                    Fed { used, progress: Some(Progress::End(trailers)) }
                }
                Err((used, refusal)) => self.refuse(used, refusal),
            },
            State::Refused => Fed { used: 0, progress: None },
        }
    }

    fn refuse(&mut self, used: usize, refusal: Refusal) -> Fed {
        self.state = State::Refused;
        Fed { used, progress: Some(Progress::Refused(refusal)) }
    }

    fn feed_head(&mut self, bytes: &[u8], scanned: usize) -> Fed {
        let before = self.head.len();
        let (used, end) = if before == 0 {
            // The usual case: the whole head in one read, copied once.
            match end_of_head(bytes, 0) {
                Some(end) => (end, Some(Bytes::copy_from_slice(&bytes[..end]))),
                None => (bytes.len(), None),
            }
        } else {
            self.head.extend_from_slice(bytes);
            match end_of_head(&self.head, scanned) {
                Some(end) => {
                    let whole = self.head.split_to(end).freeze();
                    self.head.clear();
                    (end - before, Some(whole))
                }
                None => (bytes.len(), None),
            }
        };
        let Some(whole) = end else {
            if before == 0 {
                self.head.extend_from_slice(bytes);
            }
            if self.head.len() > self.limits.bytes {
                self.head.truncate(self.limits.bytes);
                return self.refuse(used, Refusal::head_too_large(self.limits.bytes));
            }
            // The end may be split over two reads: its last three bytes are looked at again.
            self.state = State::Head { scanned: self.head.len().saturating_sub(3) };
            return Fed { used, progress: None };
        };
        match self.read_head(&whole) {
            Ok((head, body)) => {
                self.state = match body {
                    BodyFraming::Empty => State::Idle,
                    BodyFraming::Length(length) => State::Length(length),
                    BodyFraming::Chunked => State::Chunked(Chunks::new(self.limits.bytes)),
                };
                Fed { used, progress: Some(Progress::Head(WholeHead { bytes: whole, head, body })) }
            }
            Err(refusal) => {
                self.head = BytesMut::from(&whole[..whole.len().min(self.limits.bytes)]);
                self.refuse(used, refusal)
            }
        }
    }

    fn read_head(&self, bytes: &Bytes) -> Result<(Head, BodyFraming), Refusal> {
        if bytes.len() > self.limits.bytes {
            return Err(Refusal::head_too_large(self.limits.bytes));
        }
        let head = match Head::parse_shared(bytes) {
            Ok((head, _)) => head,
            Err(HeadError::TooManyHeaders) => {
                return Err(Refusal::too_many_headers(self.limits.headers));
            }
            Err(_) => return Err(Refusal::not_http(bytes)),
        };
        if head.headers.len() > self.limits.headers {
            return Err(Refusal::too_many_headers(self.limits.headers));
        }
        let body = body_framing(&head)?;
        Ok((head, body))
    }
}

/// The place after the blank line that ends a head.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'\n', &bytes[from..]).find_map(|at| {
        let after = from + at + 1;
        match &bytes[after..] {
            [b'\n', ..] => Some(after + 1),
            [b'\r', b'\n', ..] => Some(after + 2),
            _ => None,
        }
    })
}

/// RFC 9112, 6: how the body is marked off; what is ambiguous is refused, since two readers could see two requests.
fn body_framing(head: &Head) -> Result<BodyFraming, Refusal> {
    let mut length = None;
    let mut coding = None;
    for header in &head.headers {
        if header.is("content-length") {
            let value = digits(&header.value).ok_or_else(|| {
                Refusal::bad_framing("the Content-Length is not a number of bytes")
            })?;
            if length.is_some_and(|length| length != value) {
                return Err(Refusal::bad_framing("two Content-Length headers differ"));
            }
            length = Some(value);
        } else if header.is("transfer-encoding") {
            coding = Some(&header.value);
        }
    }
    match (coding, length) {
        (Some(_), Some(_)) => {
            Err(Refusal::bad_framing("both Content-Length and Transfer-Encoding were sent"))
        }
        (Some(_), None) if head.minor_version == 0 => {
            Err(Refusal::bad_framing("HTTP/1.0 knows no Transfer-Encoding"))
        }
        (Some(value), None) if ends_in_chunked(value) => Ok(BodyFraming::Chunked),
        (Some(_), None) => Err(Refusal::bad_framing("the last Transfer-Encoding is not chunked")),
        (None, None | Some(0)) => Ok(BodyFraming::Empty),
        (None, Some(length)) => Ok(BodyFraming::Length(length)),
    }
}

fn digits(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn ends_in_chunked(value: &[u8]) -> bool {
    value
        .rsplit(|byte| *byte == b',')
        .next()
        .is_some_and(|last| last.trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

#[cfg(test)]
#[path = "framing/tests.rs"]
mod tests;
