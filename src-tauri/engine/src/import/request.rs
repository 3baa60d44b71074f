//! A request of a file, and the delivery that it becomes.

use super::Reading;
use crate::{
    export::{MASK, is_sensitive},
    head::{Head, RawHeader},
    ids,
    model::{
        ClaimReason, Ended, ForwardReport, NamedHeader, Notes, SignatureReport, SignatureState,
    },
    payload, signing,
    store::{ClaimRequest, Finish, Import, NewDelivery},
};
use base64::{DecodeError, Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::net::{Ipv4Addr, SocketAddr};

/// A request as a file tells of it.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: Vec<u8>,
    pub(super) minor_version: u8,
    pub(super) headers: Vec<RawHeader>,
    pub(super) trailers: Vec<RawHeader>,
    pub(super) body: Bytes,
    pub(super) received_at: Option<Timestamp>,
    pub(super) peer: Option<SocketAddr>,
    pub(super) scheme: Option<String>,
    /// What it was where it arrived: "#12, duplicate of #3, signature valid".
    pub(super) there: Option<String>,
    pub(super) answer: Answer,
    pub(super) ended: Option<Ended>,
    pub(super) expected_size: Option<u64>,
    pub(super) forward: Option<ForwardReport>,
    pub(super) notes: Notes,
}

/// What was answered, as a file tells of it.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) status: Option<u16>,
    pub(super) headers: Vec<RawHeader>,
    pub(super) body: Bytes,
    pub(super) duration_ms: Option<f64>,
}

impl Request {
    /// The delivery that is stored, or why it cannot be one.
    pub(super) fn into_import(self, reading: &Reading<'_>) -> Result<Import, String> {
        if self.body.len() as u64 > reading.body_bytes {
            return Err(format!(
                "its body has {} bytes, and at most {} are taken (Settings, limits)",
                self.body.len(),
                reading.body_bytes
            ));
        }
        let (head, bytes) = self.head()?;
        let trailers = lines(&self.trailers);
        let finish = self.finish();
        let (path, query) = head.path_and_query();
        let known = |name: &String| signing::scheme(name, reading.schemes).is_ok();
        let scheme = self.scheme.filter(known).unwrap_or_else(|| reading.listen.scheme.clone());
        let payload = payload::read(&self.body, &reading.listen.id_pointer);
        let event = payload.event.or_else(|| {
            let scheme = signing::scheme(&scheme, reading.schemes).ok()?;
            signing::event_name(&*scheme, &head.headers)
        });
        let from = format!("imported from {}", reading.name);
        let mut notes = vec![match self.there {
            Some(there) => format!("{from}; there it was {there}"),
            None => from.clone(),
        }];
        notes.extend(self.notes);
        if head.headers.iter().any(|header| is_sensitive(&header.name) && header.value == MASK) {
            notes.push("the values of sensitive headers are masked in the file".into());
        }
        if self.received_at.is_none() {
            notes.push("the file does not say when it came; the time is that of the import".into());
        }
        notes.extend(payload.notes);
        let new = NewDelivery {
            id: ids::new_id(),
            received_at: self.received_at.unwrap_or(reading.now),
            // There is no clock that it shares with what arrives here.
            received_mono_us: 0,
            head: bytes,
            method: head.method,
            path,
            query,
            body_sha256: Sha256::digest(&self.body).into(),
            body: self.body,
            trailers,
            peer: self.peer.unwrap_or_else(|| (Ipv4Addr::UNSPECIFIED, 0).into()),
            signature: SignatureReport {
                state: SignatureState::Unchecked,
                scheme,
                reason: Some(from),
                hints: Vec::new(),
                secret: None,
                age_s: None,
            },
            event,
            job_id: payload.job_id,
            job_id_type: payload.job_id_type,
            claim: ClaimRequest::None(Some(ClaimReason::Imported)),
            notes,
            expected_size: self.expected_size,
            ended: None,
        };
        Ok(Import { new, finish, forward: self.forward })
    }

    /// The head as bytes, which read back as the same head.
    fn head(&self) -> Result<(Head, Bytes), String> {
        let wanted = Head {
            method: self.method.clone(),
            target: self.target.clone().into(),
            minor_version: self.minor_version,
            headers: self.headers.clone(),
        };
        let mut bytes = format!("{} ", self.method).into_bytes();
        bytes.extend_from_slice(&self.target);
        bytes.extend_from_slice(format!(" HTTP/1.{}\r\n", self.minor_version).as_bytes());
        bytes.extend_from_slice(&lines(&self.headers));
        bytes.extend_from_slice(b"\r\n");
        match Head::parse(&bytes) {
            Ok((head, length)) if head == wanted && length == bytes.len() => {
                Ok((head, bytes.into()))
            }
            // A line end in a value would make two headers of one.
            Ok(_) => Err("its method, address or headers cannot stand in an HTTP/1.1 head".into()),
            Err(error) => Err(format!("its request cannot be HTTP/1.1: {error}")),
        }
    }

    fn finish(&self) -> Finish {
        let Answer { status, headers, body, duration_ms } = &self.answer;
        let response_head = status.map_or_else(Bytes::new, |status| {
            let mut head = format!("HTTP/1.1 {status} \r\n").into_bytes();
            let whole = |header: &&RawHeader| stands_in_a_line(header);
            head.extend_from_slice(&lines(headers.iter().filter(whole)));
            head.extend_from_slice(b"\r\n");
            head.into()
        });
        Finish {
            ended: self.ended.unwrap_or(Ended::Answered),
            status: *status,
            duration_ms: duration_ms.filter(|ms| ms.is_finite() && *ms >= 0.0),
            response_head,
            response_body: body.clone(),
            notes: Notes::new(),
        }
    }
}

/// Header lines as they stand in a head.
fn lines<'a>(headers: impl IntoIterator<Item = &'a RawHeader>) -> Bytes {
    let mut lines = Vec::new();
    for RawHeader { name, value } in headers {
        lines.extend_from_slice(name);
        lines.extend_from_slice(b": ");
        lines.extend_from_slice(value);
        lines.extend_from_slice(b"\r\n");
    }
    lines.into()
}

/// Whether an answer's header is one line; one that is not is only shown, so it is left out.
fn stands_in_a_line(header: &RawHeader) -> bool {
    let token = |byte: &u8| byte.is_ascii_graphic() && *byte != b':';
    !header.name.is_empty()
        && header.name.iter().all(token)
        && !header.value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | b'\0'))
}

/// A header as it is stored: white space around the value aside.
pub(super) fn raw(name: impl Into<String>, value: &[u8]) -> RawHeader {
    let name: String = name.into();
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !blank(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    RawHeader { name: name.into(), value: Bytes::copy_from_slice(&value[start..end]) }
}

/// Our own way of writing headers.
pub(super) fn from_named(headers: Vec<NamedHeader>) -> Result<Vec<RawHeader>, String> {
    let one = |header: NamedHeader| {
        let named = RawHeader::from_named(&header);
        let named = named.map_err(|error| not_base64(&format!("header {}", header.0), &error))?;
        Ok(raw(header.0, &named.value))
    };
    headers.into_iter().map(one).collect()
}

/// What stands in base64.
pub(super) fn bytes(what: &str, base64: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(base64).map_err(|error| not_base64(what, &error))
}

fn not_base64(what: &str, error: &DecodeError) -> String {
    format!("{what} is not base64: {error}")
}
