//! What both of our own formats say of a delivery.

use super::{
    Entry,
    request::{Request, bytes, from_named},
};
use crate::{
    export::joined,
    model::{Ended, NamedHeader},
};
use jiff::Timestamp;
use serde::Deserialize;

/// The fields of a line, and of `_hooktwice` in a HAR.
#[derive(Deserialize)]
pub(super) struct Ours {
    seq: i64,
    received_at: Timestamp,
    method: String,
    path: String,
    query: String,
    signature: Judged,
    claim: String,
    duplicate_of: Option<i64>,
    ended: Option<String>,
    expected_size: Option<u64>,
    status: Option<u16>,
    duration_ms: Option<f64>,
    peer: Option<String>,
    #[serde(default)]
    trailers: Vec<NamedHeader>,
    target_base64: Option<String>,
    #[serde(default)]
    not_http: bool,
}

#[derive(Deserialize)]
struct Judged {
    state: String,
    scheme: String,
}

impl Ours {
    /// Adds what is known to the headers and the body. An outer error is one of the file.
    pub(super) fn complete(self, request: Request) -> Result<Entry, String> {
        if self.not_http {
            return Ok(Err("it was no whole HTTP request when it came".into()));
        }
        let there = self.there();
        let target = match self.target_base64 {
            Some(odd) => bytes("target_base64", &odd)?,
            None => joined(&self.path, &self.query).into_bytes(),
        };
        let mut request = Request {
            method: self.method,
            target,
            trailers: from_named(self.trailers)?,
            received_at: Some(self.received_at),
            // Shown only; what cannot be read is left out.
            peer: self.peer.and_then(|peer| peer.parse().ok()),
            scheme: Some(self.signature.scheme),
            there: Some(there),
            ended: self.ended.as_deref().and_then(Ended::parse),
            expected_size: self.expected_size,
            ..request
        };
        request.answer.status = self.status;
        request.answer.duration_ms = self.duration_ms;
        Ok(Ok(request))
    }

    fn there(&self) -> String {
        let claim = match (self.claim.as_str(), self.duplicate_of) {
            ("duplicate", Some(winner)) => format!(", a duplicate of #{winner}"),
            ("won", _) => ", which won its claim".into(),
            _ => String::new(),
        };
        format!("#{}{claim}, its signature {}", self.seq, self.signature.state)
    }
}
