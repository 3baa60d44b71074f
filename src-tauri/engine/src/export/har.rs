//! HAR 1.2, as far as a request that was received has it (<http://www.softwareishard.com/blog/har-12-spec/>).
//!
//! What HAR has no place for stands in fields that begin with an underscore, as the specification asks.

use super::{Frame, Stored, joined};
use crate::model::{HeaderValue, NamedHeader};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

pub(super) fn frame() -> Frame {
    let creator = json!({ "name": "hooktwice", "version": env!("CARGO_PKG_VERSION") });
    let open = format!(r#"{{"log":{{"version":"1.2","creator":{creator},"entries":["#);
    Frame { open, between: ",", close: "]}}\n" }
}

pub(super) fn entry(stored: &Stored) -> Value {
    let Stored { detail, body, .. } = stored;
    let delivery = &detail.delivery;
    let host = value(&detail.headers, "host").unwrap_or_default();
    let target = joined(&delivery.path, &delivery.query);
    let time = delivery.duration_ms.unwrap_or(0.0);
    let version = format!("HTTP/{}", detail.http_version);
    let mut request = json!({
        "method": delivery.method,
        "url": format!("http://{host}{target}"),
        "httpVersion": version,
        "cookies": [],
        "headers": headers(&detail.headers),
        "queryString": query_string(&delivery.query),
        "headersSize": -1,
        "bodySize": delivery.size,
    });
    if !body.is_empty() {
        request["postData"] =
            post_data(value(&detail.headers, "content-type").unwrap_or_default(), body);
    }
    json!({
        "startedDateTime": delivery.received_at,
        "time": time,
        "request": request,
        "response": {
            // HAR tools write 0 where no answer came.
            "status": delivery.status.unwrap_or(0),
            "statusText": "",
            "httpVersion": version,
            "cookies": [],
            "headers": headers(&detail.response_headers),
            "content": {
                "size": detail.response_body.len(),
                "mimeType": value(&detail.response_headers, "content-type").unwrap_or_default(),
                "text": detail.response_body,
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": detail.response_body.len(),
        },
        "cache": {},
        "timings": { "send": 0, "wait": time, "receive": 0 },
        "_hooktwice": ours(stored),
    })
}

/// What HAR does not have.
fn ours(stored: &Stored) -> Value {
    let mut ours = json!(stored.detail.delivery);
    ours["peer"] = json!(stored.detail.peer);
    if !stored.detail.trailers.is_empty() {
        ours["trailers"] = json!(stored.detail.trailers);
    }
    if let Some(target) = stored.odd_target() {
        ours["target_base64"] = target.into();
    }
    if stored.head.is_none() {
        ours["not_http"] = true.into();
    }
    ours
}

/// HAR has text only: other bytes go as base64, and say so as its response bodies do.
fn post_data(mime_type: &str, body: &[u8]) -> Value {
    match std::str::from_utf8(body) {
        Ok(text) => json!({ "mimeType": mime_type, "text": text, "params": [] }),
        Err(_) => json!({
            "mimeType": mime_type,
            "text": STANDARD.encode(body),
            "params": [],
            "_encoding": "base64",
        }),
    }
}

fn headers(headers: &[NamedHeader]) -> Vec<Value> {
    let one = |(name, value): &NamedHeader| match value {
        HeaderValue::Text(text) => json!({ "name": name, "value": text }),
        HeaderValue::Bytes { base64 } => {
            json!({ "name": name, "value": base64, "_encoding": "base64" })
        }
    };
    headers.iter().map(one).collect()
}

fn query_string(query: &str) -> Vec<Value> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        json!({ "name": name, "value": value })
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

fn value<'a>(headers: &'a [NamedHeader], name: &str) -> Option<&'a str> {
    headers.iter().find_map(|(found, value)| match value {
        HeaderValue::Text(text) if found.eq_ignore_ascii_case(name) => Some(text.as_str()),
        _ => None,
    })
}
