//! What is handed over to be stored.

use crate::model::{ClaimReason, Delivery, Ended, JobIdType, Notes, SignatureReport};
use bytes::Bytes;
use jiff::Timestamp;
use std::net::SocketAddr;
use uuid::Uuid;

/// Answers up to this size are not counted, in bytes.
const SMALL: usize = 256;

/// What a new delivery asks of the claim table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimRequest {
    /// Insert the key; the insert is the lock.
    Insert,
    /// The demonstration of the fault: the look found this winner, or nothing, in which case the effect is run
    /// (`won`) without any guard.
    Naive {
        /// What the look found.
        found: Option<i64>,
    },
    /// Claim nothing, and why.
    None(Option<ClaimReason>),
}

/// A delivery to be stored, all of it known but its answer.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// UUID version 7.
    pub id: Uuid,
    /// Wall clock, when the head had been read.
    pub received_at: Timestamp,
    /// The same moment on a monotonic clock, in microseconds from an arbitrary start.
    pub received_mono_us: i64,
    /// Request line and headers, exactly as sent, with the blank line.
    pub head: Bytes,
    /// As sent.
    pub method: String,
    /// As sent, up to the first `?`.
    pub path: String,
    /// As sent, after it.
    pub query: String,
    /// What came of the body, framing removed.
    pub body: Bytes,
    /// SHA-256 of `body`.
    pub body_sha256: [u8; 32],
    /// Trailer lines, exactly as sent; empty where there were none.
    pub trailers: Bytes,
    /// Who sent it.
    pub peer: SocketAddr,
    /// As judged.
    pub signature: SignatureReport,
    /// From the body, or the scheme's header.
    pub event: Option<String>,
    /// The id's text.
    pub job_id: Option<String>,
    /// Its type.
    pub job_id_type: JobIdType,
    /// What is asked of the claim table.
    pub claim: ClaimRequest,
    /// What is odd.
    pub notes: Notes,
    /// What Content-Length promised, where it matters.
    pub expected_size: Option<u64>,
    /// Set where it is known already (incomplete, refused); else [`super::Store::finish`] follows.
    pub ended: Option<Finish>,
}

impl NewDelivery {
    /// What retention counts, in bytes.
    pub(super) fn stored_bytes(&self) -> usize {
        self.head.len() + self.body.len() + self.trailers.len()
    }
}

/// How a delivery ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// How.
    pub ended: Ended,
    /// What was answered.
    pub status: Option<u16>,
    /// Milliseconds from the head read to the answer written.
    pub duration_ms: Option<f64>,
    /// The answer's head, exactly as written (status line and headers); empty where none was.
    pub response_head: Bytes,
    /// The answer's body.
    pub response_body: Bytes,
    /// More notes, added to the first ones.
    pub notes: Notes,
}

impl Finish {
    /// Brings a row up to date.
    pub fn apply(&self, delivery: &mut Delivery) {
        delivery.ended = Some(self.ended);
        delivery.status = self.status;
        delivery.duration_ms = self.duration_ms;
        delivery.notes.extend(self.notes.iter().cloned());
    }
}

/// What is known of a delivery after it was stored.
#[derive(Debug)]
pub(super) enum Late {
    /// How it ended.
    Ended(Finish),
    /// What became of it at the handler that it went on to, as JSON.
    Forwarded(String),
}

impl Late {
    /// What retention counts of it, in bytes: the short answers that are our own are not worth an update.
    pub(super) fn stored_bytes(&self) -> usize {
        let bytes = match self {
            Self::Ended(finish) => finish.response_body.len(),
            Self::Forwarded(report) => report.len(),
        };
        if bytes > SMALL { bytes } else { 0 }
    }
}
