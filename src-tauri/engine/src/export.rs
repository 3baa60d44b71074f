//! Deliveries for other programs: a curl command, a HAR file, lines of JSON. Also a plan as a command to paste.

mod command;
mod curl;
mod har;
mod json;

pub use command::fire_command;
pub(crate) use curl::fed;
pub use curl::{curl, shell_word};
pub use json::Line;

use crate::{
    head::{Head, RawHeader},
    model::{DeliveryDetail, ExportFormat, HeaderValue, NamedHeader},
    store::{Store, StoreError},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;

/// Headers that give access to something, in lower case; the pages know the same (`sensitive.ts`, and one table of both).
const SENSITIVE: [&str; 5] =
    ["authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate"];
/// Any header with one of these in its name does too.
const PARTS: [&str; 5] = ["token", "secret", "passw", "credential", "session"];
/// So does a key of one of these kinds: `X-API-Key`, but not `Idempotency-Key`.
const KEYS: [&str; 4] = ["api", "access", "auth", "private"];

/// What stands in the place of a value that is masked.
pub const MASK: &str = "[masked]";

/// Whether a header's value is masked on screen and in exports unless it was asked for. Signatures are not: they are
/// what is looked at.
pub fn is_sensitive(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let is_key = || {
        name.match_indices("key").any(|(at, _)| {
            let kind = name[..at].strip_suffix(['-', '_']).unwrap_or(&name[..at]);
            KEYS.iter().any(|key| kind.ends_with(key))
        })
    };
    SENSITIVE.contains(&&*name) || PARTS.iter().any(|part| name.contains(part)) || is_key()
}

/// The same headers, with the values of sensitive ones masked.
pub fn masked(headers: &[RawHeader]) -> Vec<RawHeader> {
    let mask = |header: &RawHeader| {
        if is_sensitive(&header.name) {
            RawHeader { name: header.name.clone(), value: MASK.into() }
        } else {
            header.clone()
        }
    };
    headers.iter().map(mask).collect()
}

/// Masks the values of sensitive headers.
pub fn mask(headers: &mut [NamedHeader]) {
    for (name, value) in headers {
        if is_sensitive(name.as_bytes()) {
            *value = HeaderValue::Text(MASK.into());
        }
    }
}

/// A delivery with all that is kept of it, sensitive values masked or not.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Everything but the bytes.
    pub detail: DeliveryDetail,
    /// As it can be sent again; `None` where it was no whole HTTP.
    pub head: Option<Head>,
    /// The exact bytes.
    pub body: Bytes,
}

impl Stored {
    /// Reads a delivery; `None` where it is not kept. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn read(store: &Store, seq: i64, reveal: bool) -> Result<Option<Self>, StoreError> {
        let (Some(mut detail), Some(head), Some((body, _))) =
            (store.show(seq)?, store.head(seq)?, store.body(seq, None)?)
        else {
            return Ok(None);
        };
        // A head that was refused for not being HTTP has nothing to mask by name.
        let mut head = Head::parse(&head).ok().map(|(head, _)| head);
        if !reveal {
            if let Some(head) = &mut head {
                head.headers = masked(&head.headers);
            }
            mask(&mut detail.headers);
            mask(&mut detail.trailers);
            mask(&mut detail.response_headers);
        }
        Ok(Some(Self { detail, head, body }))
    }

    /// The target's bytes in base64, where path and query do not tell them: it ends in its only `?`.
    fn odd_target(&self) -> Option<String> {
        let delivery = &self.detail.delivery;
        let told = joined(&delivery.path, &delivery.query);
        let sent = &self.head.as_ref()?.target;
        (told.as_bytes() != &sent[..]).then(|| STANDARD.encode(sent))
    }
}

/// Path and query as one target.
pub(crate) fn joined(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// What stands around the entries of a file, and between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Before the first.
    pub open: String,
    /// Between two.
    pub between: &'static str,
    /// After the last.
    pub close: &'static str,
}

/// The frame of a format's file.
pub fn frame(format: ExportFormat) -> Frame {
    match format {
        ExportFormat::Json => Frame { open: String::new(), between: "", close: "" },
        ExportFormat::Har => har::frame(),
    }
}

/// A delivery as an entry of a format's file.
///
/// # Errors
/// When it cannot be written as JSON, which is a fault of ours.
pub fn entry(format: ExportFormat, stored: &Stored) -> serde_json::Result<String> {
    match format {
        ExportFormat::Json => serde_json::to_string(&Line::from(stored)).map(|line| line + "\n"),
        ExportFormat::Har => Ok(har::entry(stored).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_sensitive;

    #[test]
    fn the_same_headers_are_sensitive_here_and_on_the_pages() {
        let table = include_str!("../../../tests/fixtures/sensitive_headers.json");
        let table: serde_json::Value = serde_json::from_str(table).unwrap();
        for (column, expected) in [("masked", true), ("shown", false)] {
            for name in table[column].as_array().unwrap() {
                assert_eq!(is_sensitive(name.as_str().unwrap().as_bytes()), expected, "{name}");
            }
        }
    }
}
