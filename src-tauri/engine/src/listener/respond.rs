//! What a delivery is answered, and what is asked of the claim table for it.

use super::{judge::Judged, memory::Failures};
use crate::model::{ClaimReason, JobIdType, ListenSettings, Responder};
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

/// What a probe is answered, and what a HEAD is told the length of.
const PROBE: &str = "Hooktwice is listening here.\n";

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    /// 200 to 599.
    pub(super) status: u16,
    /// A sentence for whoever looks at the sender's log; empty where there is none.
    pub(super) text: String,
    /// The text is a sender's own words, which no browser may take for anything but text.
    pub(super) echo: bool,
}

impl Reply {
    /// A status with its reason.
    pub(super) fn new(status: u16, reason: &str) -> Self {
        let text = if reason.is_empty() { String::new() } else { format!("{reason}\n") };
        Self { status, text, echo: false }
    }

    /// 200 with exactly the value that was asked for (C70).
    pub(super) fn echo(value: String) -> Self {
        Self { status: 200, text: value, echo: true }
    }

    /// The signature is not valid.
    pub(super) fn not_valid(judged: &Judged) -> Self {
        Self::new(401, judged.signature.reason.as_deref().unwrap_or("the signature is not valid"))
    }

    /// The delivery could not be kept, so it must not be acknowledged (C81).
    pub(super) fn not_kept() -> Self {
        Self::new(
            500,
            "the delivery could not be written down, so it is not acknowledged; send it again",
        )
    }

    /// As hyper writes it; also says how many bytes of body that will be.
    pub(super) fn into_response(self, is_head: bool, close: bool) -> (Response, usize) {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let bodiless = status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED;
        let length = if bodiless || is_head { 0 } else { self.text.len() };
        let mut response = if bodiless || self.text.is_empty() {
            Response::new(Body::empty())
        } else {
            Response::new(Body::from(self.text))
        };
        *response.status_mut() = status;
        if length > 0 || is_head {
            let text = HeaderValue::from_static("text/plain; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, text);
        }
        if self.echo {
            let nosniff = HeaderValue::from_static("nosniff");
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        }
        if close {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        (response, length)
    }
}

/// GET, HEAD and OPTIONS ask whether someone is there (C68, C69).
pub(super) fn is_probe(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

/// Why a delivery may not claim; `None` where it may.
pub(super) fn claim_reason(method: &str, judged: &Judged) -> Option<ClaimReason> {
    if is_probe(method) || method == "CONNECT" {
        Some(ClaimReason::Method)
    } else if !judged.signature.state.may_claim() {
        Some(ClaimReason::NotVerified)
    } else {
        judged.payload.reason
    }
}

/// The answer of `--respond`, before anything is failed on purpose; where deliveries go on, that of those that do not.
pub(super) fn reply(
    method: &str,
    judged: &Judged,
    reason: Option<ClaimReason>,
    settings: &ListenSettings,
) -> Reply {
    if method == "CONNECT" {
        // A 2xx would turn the connection into a tunnel.
        return Reply::new(405, "this is a listener for webhooks, not a proxy");
    }
    if let Responder::Status { code } = settings.responder {
        let text = if code >= 400 { "answered on purpose (--respond status)" } else { "" };
        return Reply::new(code, text);
    }
    match reason {
        Some(ClaimReason::Method) => Reply { status: 200, text: PROBE.into(), echo: false },
        Some(ClaimReason::NotVerified) => Reply::not_valid(judged),
        Some(ClaimReason::NotJson) => {
            let why = judged.payload.notes.first().map_or("the body is not JSON", String::as_str);
            Reply::new(400, why)
        }
        // Without an id that can be claimed there is nothing to run twice: it is acknowledged and kept.
        _ => Reply::new(204, ""),
    }
}

/// The answer and the note where this delivery is one of the first that are failed on purpose.
pub(super) fn fail_first(
    path: &str,
    judged: &Judged,
    failures: &Failures,
    first: u32,
) -> Option<(Reply, String)> {
    if first == 0 {
        return None;
    }
    let id = match judged.payload.job_id_type {
        JobIdType::String | JobIdType::Number => judged.payload.job_id.as_deref(),
        _ => None,
    };
    let n = failures.next((path, id, judged.payload.job_id_type), first)?;
    let note = format!("answered 500 on purpose ({n} of {first})");
    Some((Reply::new(500, &note), note))
}
