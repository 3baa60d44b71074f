//! Files of deliveries: a HAR 1.2 of any tool, and our own lines of JSON, read back as deliveries.
//!
//! A file is read whole before anything of it is stored. What it says of a request is kept byte for byte; what it says
//! of a verdict is not: nothing in a file has arrived here, so it is not judged and claims nothing.

mod error;
mod har;
mod json;
mod ours;
mod request;

pub use error::ImportError;

use crate::{
    model::{ListenSettings, SchemeSettings, SkippedEntry},
    store::Import,
};
use jiff::Timestamp;
use request::Request;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

/// The largest file that is read, in bytes.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// What a file is read with.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The file's name, as it is shown.
    pub name: &'a str,
    /// Where the id stands, and by which scheme a request is read that does not say by which.
    pub listen: &'a ListenSettings,
    /// How a provider signs, where that is a setting.
    pub schemes: &'a SchemeSettings,
    /// The most bytes of a body.
    pub body_bytes: u64,
    /// The time of what has none.
    pub now: Timestamp,
}

/// What a file holds.
#[derive(Debug, Default)]
pub struct Contents {
    /// In the file's order.
    pub deliveries: Vec<Import>,
    /// Entries that cannot be a delivery, with the reason.
    pub skipped: Vec<SkippedEntry>,
}

/// What an entry of a file comes to: a request, or why it is left out.
type Entry = Result<Request, String>;

/// Reads a file.
///
/// # Errors
/// When it is neither a HAR nor an export of ours, or breaks somewhere; the error says where.
pub fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Contents, ImportError> {
    if bytes.len() as u64 > LARGEST {
        return Err(ImportError::TooLarge { size: bytes.len() as u64 });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ImportError::NotText { at: error.valid_up_to() })?;
    if text.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let mut contents = Contents::default();
    let mut take =
        |number: u64, entry: Entry| match entry.and_then(|request| request.into_import(reading)) {
            Ok(import) => contents.deliveries.push(import),
            Err(why) => contents.skipped.push(SkippedEntry { entry: number, why }),
        };
    match kind(text)? {
        Kind::Har(log) => har::read(log, &mut take)?,
        Kind::Lines => json::read(text, &mut take)?,
    }
    Ok(contents)
}

/// What a file is.
enum Kind<'a> {
    Har(&'a RawValue),
    Lines,
}

/// Enough of the first value to tell.
#[derive(Deserialize)]
struct First<'a> {
    #[serde(borrow)]
    log: Option<&'a RawValue>,
    #[serde(rename = "type")]
    type_name: Option<IgnoredAny>,
}

fn kind(text: &str) -> Result<Kind<'_>, ImportError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    // What is not JSON from its first character on is some other file.
    let first = match values.next() {
        Some(Ok(first)) if first.get().starts_with('{') => first.get(),
        Some(Err(error)) if text.trim_start().starts_with('{') => {
            return Err(ImportError::NotJson { error });
        }
        _ => return Err(ImportError::Neither),
    };
    match serde_json::from_str(first) {
        Ok(First { log: Some(log), .. }) => match values.next() {
            None => Ok(Kind::Har(log)),
            Some(_) => Err(ImportError::MoreAfterHar),
        },
        Ok(First { log: None, type_name: Some(IgnoredAny) }) => Ok(Kind::Lines),
        _ => Err(ImportError::Neither),
    }
}

/// Reads a value of a file's entry; where it does not fit, the error names the place in it.
fn fit<'a, T: Deserialize<'a>>(entry: u64, value: &'a RawValue) -> Result<T, ImportError> {
    let mut json = serde_json::Deserializer::from_str(value.get());
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = match error.path().to_string() {
            path if path == "." => String::new(),
            path => format!("{path}: "),
        };
        let why = without_position(error.inner());
        ImportError::Entry { entry, why: format!("{place}{why}") }
    })
}

/// What serde says; the position would be one in a part of the file.
fn without_position(error: &serde_json::Error) -> String {
    let why = error.to_string();
    why.rsplit_once(" at line ").map_or(why.clone(), |(why, _)| why.to_owned())
}
