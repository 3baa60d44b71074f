//! A request whose head is whole, as far as it is known before its body is judged.

use super::{
    framing::BodyFraming,
    link::{Captured, Link},
};
use crate::{
    head::Head,
    ids,
    model::{JobIdType, Notes, SignatureReport, SignatureState},
    store::{ClaimRequest, NewDelivery},
};
use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::{net::SocketAddr, sync::LazyLock, time::Instant};

/// The arbitrary start of the monotonic times.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A moment as the store keeps it: microseconds from an arbitrary start.
pub(super) fn mono_us(moment: Instant) -> i64 {
    match moment.checked_duration_since(*START) {
        Some(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
        None => -i64::try_from(START.duration_since(moment).as_micros()).unwrap_or(i64::MAX),
    }
}

/// The head and where it came from.
#[derive(Debug)]
pub(super) struct Arrival {
    /// Read.
    pub(super) head: Head,
    /// Exactly as sent; where it is no HTTP, whatever was sent.
    pub(super) bytes: Bytes,
    /// How the body is marked off.
    pub(super) framing: BodyFraming,
    /// The target up to the first `?`.
    pub(super) path: String,
    /// The target after it.
    pub(super) query: String,
    /// When the head was whole.
    pub(super) began: Instant,
    /// The same on the wall clock.
    pub(super) received_at: Timestamp,
    /// Who sends.
    pub(super) peer: SocketAddr,
}

impl Arrival {
    /// A whole head.
    pub(super) fn new(captured: Captured, link: &Link) -> Self {
        let Captured { head: whole, began, received_at } = captured;
        let (path, query) = whole.head.path_and_query();
        Self {
            head: whole.head,
            bytes: whole.bytes,
            framing: whole.body,
            path,
            query,
            began,
            received_at,
            peer: link.peer,
        }
    }

    /// Some bytes that are no whole head, or no head at all: read as far as they can be.
    pub(super) fn broken(bytes: Bytes, received_at: Timestamp, link: &Link) -> Self {
        let head = Head::parse(&bytes).map_or_else(|_| request_line(&bytes), |(head, _)| head);
        let (path, query) = head.path_and_query();
        Self {
            head,
            bytes,
            framing: BodyFraming::Empty,
            path,
            query,
            began: Instant::now(),
            received_at,
            peer: link.peer,
        }
    }

    /// The record of a delivery that was not judged: it is incomplete or refused.
    pub(super) fn unjudged(self, body: Bytes, scheme: &str, why: String) -> NewDelivery {
        let signature = SignatureReport {
            state: SignatureState::Unchecked,
            scheme: scheme.to_owned(),
            reason: Some("the delivery is not whole, so there is nothing to check".into()),
            hints: Vec::new(),
            secret: None,
            age_s: None,
        };
        let expected_size = match self.framing {
            BodyFraming::Length(length) => Some(length),
            BodyFraming::Empty | BodyFraming::Chunked => None,
        };
        NewDelivery {
            id: ids::new_id(),
            received_at: self.received_at,
            received_mono_us: mono_us(self.began),
            head: self.bytes,
            method: self.head.method,
            path: self.path,
            query: self.query,
            body_sha256: Sha256::digest(&body).into(),
            body,
            trailers: Bytes::new(),
            peer: self.peer,
            signature,
            event: None,
            job_id: None,
            job_id_type: JobIdType::Missing,
            claim: ClaimRequest::None(None),
            notes: Notes::from([why]),
            expected_size,
            ended: None,
        }
    }
}

/// Method and target of a request line that may be cut off; empty where the bytes are not one.
fn request_line(bytes: &[u8]) -> Head {
    let line = bytes.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let method =
        words.next().filter(|word| !word.is_empty() && word.iter().all(u8::is_ascii_uppercase));
    let target = method.and_then(|_| words.next()).unwrap_or_default();
    Head {
        method: method.map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default(),
        target: Bytes::copy_from_slice(target),
        minor_version: 1,
        headers: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_request_line_is_read_as_far_as_it_goes() {
        let read = |bytes: &[u8]| {
            let head = request_line(bytes);
            (head.method, String::from_utf8_lossy(&head.target).into_owned())
        };
        assert_eq!(read(b"POST /a?b HTTP/1.1\r\nX: 1"), ("POST".into(), "/a?b".into()));
        assert_eq!(read(b"POS"), ("POS".into(), String::new()));
        assert_eq!(read(b"\x16\x03\x01\x02\x00 /x"), (String::new(), String::new()));
    }
}
