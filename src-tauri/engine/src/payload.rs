//! Reads what the listener needs from a body: the event and the job id, without changing a byte.
//!
//! One pass over the bytes, strict as RFC 8259, without a tree and without recursion. serde_json is not used here
//! because it tells neither of keys that stand twice nor of a number's text or an id's place.

mod find;
mod form;
mod pointer;
mod scan;
mod text;

use crate::model::{ClaimReason, JobIdType, Notes};
use find::Found;
use pointer::Pointer;
use scan::Kind;
use std::ops::Range;

pub use pointer::PointerError;

/// The most bytes of an id, decoded (contract.md). A longer one is refused, never cut (C43).
pub const MAX_ID_BYTES: usize = 4096;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The `event` at the root, where it is a string; the last one where it stands twice.
    pub event: Option<String>,
    /// The id's text: a string's decoded text, a number's text as sent. `None` too where it is over 4 KiB, stands
    /// twice, or holds half of a surrogate pair and so is no text.
    pub job_id: Option<String>,
    /// Its JSON type.
    pub job_id_type: JobIdType,
    /// Why it cannot claim; `None` where it can.
    pub reason: Option<ClaimReason>,
    /// In words, with the byte where a body breaks.
    pub notes: Notes,
    /// The byte range of the id's value in the body (with its quotes), where there is exactly one.
    pub id_span: Option<Range<usize>>,
}

impl Payload {
    fn without_id(event: Option<String>, reason: ClaimReason, note: String) -> Self {
        Self {
            event,
            job_id: None,
            job_id_type: JobIdType::Missing,
            reason: Some(reason),
            notes: vec![note],
            id_span: None,
        }
    }
}

/// Checks an id pointer.
///
/// # Errors
/// When it is not RFC 6901.
pub fn check_pointer(pointer: &str) -> Result<(), PointerError> {
    Pointer::parse(pointer).map(|_| ())
}

/// Reads a body; `pointer` is RFC 6901. Bytes are counted from 0, in the body as sent.
pub fn read(body: &[u8], pointer: &str) -> Payload {
    if body.is_empty() {
        return Payload::without_id(None, ClaimReason::NoBody, "no body, no job_id".into());
    }
    let pointer = match Pointer::parse(pointer) {
        Ok(pointer) => pointer,
        Err(error) => return Payload::without_id(None, ClaimReason::MissingId, error.to_string()),
    };
    match find::find(body, &pointer) {
        Ok(found) => judge(body, &pointer, &found),
        Err(fault) => {
            let form = form::name(body).map(|name| format!("; the body is a form (`{name}=…`)"));
            let note = format!("{fault}{}, id not read", form.unwrap_or_default());
            Payload::without_id(None, ClaimReason::NotJson, note)
        }
    }
}

/// Where the JSON breaks, in words with the byte; `None` where it does not.
pub fn json_error(body: &[u8]) -> Option<String> {
    scan::check(body).err().map(|fault| fault.to_string())
}

fn judge(body: &[u8], pointer: &Pointer, found: &Found) -> Payload {
    let event = found.event.as_ref().and_then(|span| text::decode(&body[span.clone()]).ok());
    let name = pointer.name();
    if let Some((first, second)) = found.twice {
        let note = format!(
            "ambiguous id: {name} stands twice in its object (bytes {first} and {second}), and which one counts cannot be told"
        );
        let payload = Payload::without_id(event, ClaimReason::AmbiguousId, note);
        return Payload {
            job_id_type: found.id.as_ref().map_or(JobIdType::Missing, |(kind, _)| type_of(*kind)),
            ..payload
        };
    }
    let Some((kind, span)) = &found.id else {
        return Payload::without_id(
            event,
            ClaimReason::MissingId,
            find::missing(body, pointer, found),
        );
    };
    let (job_id, refused) = id(&body[span.clone()], *kind, &name);
    let (reason, notes) =
        refused.map_or((None, Vec::new()), |(reason, note)| (Some(reason), vec![note]));
    Payload {
        event,
        job_id,
        job_id_type: type_of(*kind),
        reason,
        notes,
        id_span: Some(span.clone()),
    }
}

/// The id's text, and why it cannot claim.
fn id(value: &[u8], kind: Kind, name: &str) -> (Option<String>, Option<(ClaimReason, String)>) {
    let unusable = |reason, why: &str| Some((reason, format!("unusable id: {name} {why}")));
    let text = match kind {
        Kind::Null => return (None, Some((ClaimReason::NullId, format!("no {name} (null)")))),
        Kind::True | Kind::False | Kind::Object | Kind::Array => {
            let why = format!("is {}, and neither a string nor a number", kind.describe());
            return (None, unusable(ClaimReason::IdType, &why));
        }
        Kind::String => match text::decode(value) {
            Ok(text) => text,
            Err(text::NoText) => {
                return (
                    None,
                    unusable(
                        ClaimReason::IdType,
                        "holds half of a surrogate pair, which is no text",
                    ),
                );
            }
        },
        Kind::Number => String::from_utf8_lossy(value).into_owned(),
    };
    if text.len() > MAX_ID_BYTES {
        let why = format!("has {} bytes, and at most {MAX_ID_BYTES} are taken", text.len());
        return (None, unusable(ClaimReason::IdTooLong, &why));
    }
    if text.trim().is_empty() {
        let why = if text.is_empty() { "is empty" } else { "is only white space" };
        return (Some(text), unusable(ClaimReason::EmptyId, why));
    }
    (Some(text), None)
}

fn type_of(kind: Kind) -> JobIdType {
    match kind {
        Kind::String => JobIdType::String,
        Kind::Number => JobIdType::Number,
        Kind::Null => JobIdType::Null,
        Kind::True | Kind::False | Kind::Object | Kind::Array => JobIdType::Other,
    }
}

#[cfg(test)]
mod tests;
