//! Our own lines of JSON: what `hooktwice deliveries export --format json` and `deliveries show --json` write.

use super::{
    Entry, ImportError, fit,
    ours::Ours,
    request::{Request, bytes, from_named},
};
use crate::model::{ForwardReport, NamedHeader};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

/// Which kind of line it is.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: String,
    body_base64: Option<String>,
}

/// What a line has beside [`Ours`]. What later versions add is passed over.
#[derive(Deserialize)]
struct Line {
    headers: Vec<NamedHeader>,
    http_version: String,
    body_sha256: Option<String>,
    #[serde(default)]
    response_headers: Vec<NamedHeader>,
    #[serde(default)]
    response_body: String,
    forward: Option<ForwardReport>,
}

/// Takes every value of a file.
pub(super) fn read(text: &str, take: &mut impl FnMut(u64, Entry)) -> Result<(), ImportError> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    for (number, value) in (1..).zip(values) {
        let value = value.map_err(|error| ImportError::NotJson { error })?;
        let Kind { name, body_base64 } = fit(number, value)?;
        let entry = match body_base64 {
            _ if name != "delivery" => Err(format!("it is a line of type {name}, not a delivery")),
            None => Err("it has no body_base64, so its bytes are not in the file \
                         (`hooktwice deliveries export` writes them)"
                .into()),
            Some(body) => line(fit(number, value)?, fit(number, value)?, &body)
                .map_err(|why| ImportError::Entry { entry: number, why })?,
        };
        take(number, entry);
    }
    Ok(())
}

/// A delivery's line; an outer error is one of the file.
fn line(line: Line, ours: Ours, body: &str) -> Result<Entry, String> {
    let body = bytes("body_base64", body)?;
    let changed = line.body_sha256.is_some_and(|sha| sha != hex::encode(Sha256::digest(&body)));
    let entry = Request {
        minor_version: u8::from(line.http_version != "1.0"),
        headers: from_named(line.headers)?,
        body: body.into(),
        forward: line.forward,
        ..Request::default()
    };
    let mut entry = ours.complete(entry)?;
    if let Ok(request) = &mut entry {
        request.answer.headers = from_named(line.response_headers)?;
        request.answer.body = line.response_body.into();
        if changed {
            request
                .notes
                .push("its body in the file is not the one that body_sha256 was made of".into());
        }
    }
    Ok(entry)
}
