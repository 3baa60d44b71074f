//! What cannot be served, with the status that says so and the reason in words.

use crate::head::{Head, HeadError};

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What is answered.
    pub(super) status: u16,
    /// A sentence without its full stop, for the record and the answer.
    pub(super) reason: String,
}

impl Refusal {
    fn new(status: u16, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    /// The head is over its limit (C71).
    pub(super) fn head_too_large(limit: usize) -> Self {
        Self::new(
            431,
            format!("rejected before the body: request line and headers are over {limit} bytes"),
        )
    }

    /// There are too many headers (C71).
    pub(super) fn too_many_headers(limit: usize) -> Self {
        Self::new(431, format!("rejected before the body: there are more than {limit} headers"))
    }

    /// The end of the body cannot be told, or could be told in two ways.
    pub(super) fn bad_framing(why: &str) -> Self {
        Self::new(400, why)
    }

    /// A chunk is broken.
    pub(super) fn bad_chunk(why: impl std::fmt::Display) -> Self {
        Self::new(400, format!("the chunked body is broken: {why}"))
    }

    /// A head began and did not go on in time.
    pub(super) fn head_stalled(seconds: u64) -> Self {
        Self::new(408, format!("the head was not whole after {seconds} s without a byte"))
    }

    /// A body began and did not go on in time.
    pub(super) fn body_stalled(seconds: u64, came: usize) -> Self {
        Self::new(
            408,
            format!("the body stopped after {came} bytes; {seconds} s went by without another"),
        )
    }

    /// The body is over its limit (C58).
    pub(super) fn body_too_large(size: Option<u64>, limit: u64) -> Self {
        let size = size.map_or_else(|| format!("more than {limit}"), |size| size.to_string());
        Self::new(
            413,
            format!("too large, {size} bytes, not stored; up to {limit} are taken (--max-body)"),
        )
    }

    /// There are too many connections.
    pub(super) fn too_many_connections(limit: u32) -> Self {
        Self::new(503, format!("more than {limit} connections at once; send it again later"))
    }

    /// Some bytes that are not an HTTP/1 head, with the best guess at what they are.
    pub(super) fn not_http(bytes: &[u8]) -> Self {
        let reason = if bytes.starts_with(&[0x16, 0x03]) {
            "this is the start of TLS, and this port speaks plain HTTP: use http:// instead of https://".to_owned()
        } else if bytes.starts_with(b"PRI * HTTP/2.0") {
            "this is HTTP/2 with prior knowledge, and this port speaks HTTP/1.1".to_owned()
        } else {
            match Head::parse(bytes) {
                Err(HeadError::NotHttp(error)) => format!("this is not HTTP/1: {error}"),
                // The head itself is well formed: what is left for hyper to refuse is the request target.
                _ => "the request target is not one that HTTP allows".to_owned(),
            }
        };
        Self::new(400, reason)
    }

    /// hyper refused the head with this status.
    pub(super) fn by_hyper(status: u16, head: &[u8]) -> Self {
        match status {
            414 => Self::new(414, "the request target is over 65,534 bytes"),
            431 => Self::new(431, "rejected before the body: a header is too large"),
            _ => Self { status, ..Self::not_http(head) },
        }
    }
}
