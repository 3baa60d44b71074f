//! What goes back to the provider: an answer of our own, or the handler's.

use super::respond::Reply;
use crate::firing::PassedOn;
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, response::Parts},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream;
use hyper::ext::ReasonPhrase;
use std::convert::Infallible;

/// Headers of the connection that carried an answer, not of the answer (RFC 9110, 7.6.1), and framing.
const NOT_PASSED: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    HeaderName::from_static("proxy-connection"),
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// What is answered.
#[derive(Debug)]
pub(super) enum Answering {
    /// By us.
    Own(Reply),
    /// By the handler that the delivery went on to.
    Handlers(Box<Passed>),
}

impl Answering {
    /// What the provider sees.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Own(reply) => reply.status,
            Self::Handlers(passed) => passed.head.status.as_u16(),
        }
    }

    /// As hyper writes it; also says how many bytes of body that will be.
    pub(super) fn into_response(self, is_head: bool, close: bool) -> (Response, usize) {
        match self {
            Self::Own(reply) => reply.into_response(is_head, close),
            Self::Handlers(passed) => passed.into_response(is_head, close),
        }
    }
}

/// A handler's answer.
#[derive(Debug)]
pub(super) struct Passed {
    head: Parts,
    body: Bytes,
}

impl Passed {
    /// As it came.
    pub(super) fn new(answer: PassedOn) -> Self {
        let PassedOn { head, body, .. } = answer;
        Self { head, body }
    }

    fn into_response(self, is_head: bool, close: bool) -> (Response, usize) {
        let Self { head, body } = self;
        let status = head.status;
        let bodiless =
            is_head || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let mut headers = end_to_end(head.headers);
        // The framing is made anew, but what a HEAD is told is the length of the answer that it did not ask for.
        let told = headers.remove(header::CONTENT_LENGTH).filter(|_| is_head);
        let length = if bodiless { 0 } else { body.len() };
        let body = match &told {
            _ if !bodiless => Body::from(body),
            // A length that nobody told must not be made up: this one has none.
            None if is_head => Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()),
            _ => Body::empty(),
        };
        if let Some(told) = told {
            headers.insert(header::CONTENT_LENGTH, told);
        }
        if close {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        if let Some(reason) = head.extensions.get::<ReasonPhrase>() {
            response.extensions_mut().insert(reason.clone());
        }
        (response, length)
    }
}

/// Without what belongs to the connection that it came by; in order, repeated ones kept.
fn end_to_end(mut headers: HeaderMap) -> HeaderMap {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .collect();
    for name in named.iter().chain(&NOT_PASSED) {
        headers.remove(name);
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_the_connection_stays_behind() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("set-cookie", "a=1"),
            ("keep-alive", "timeout=5"),
            ("set-cookie", "b=2"),
            ("transfer-encoding", "chunked"),
            ("trailer", "x-t"),
        ] {
            let name = HeaderName::from_static(name);
            headers.append(name, HeaderValue::from_static(value));
        }
        let left: Vec<_> = end_to_end(headers)
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        assert_eq!(left, ["set-cookie: a=1", "set-cookie: b=2"]);
    }
}
