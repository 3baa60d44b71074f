//! The body that is sent: a text in which only the id and the artifact's URL change, every other byte stays.

use super::error::CheckError;
use crate::{
    model::{CheckSpec, JobIdType, ProbeSpec},
    payload,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use std::{fmt::Write as _, ops::Range};

/// Where Sume's bodies name what was made.
pub(super) const ARTIFACT: &str = "/artifacts/0/url";
/// Compact and ASCII, its keys in this order: a handler that writes it again writes the same bytes, so that doing so is
/// found where it is looked for and nowhere else.
const USUAL: &str = r#"{"event":"job.completed","job_id":"job_0","status":"completed","status_url":"https://api.sume.com/v1/jobs/job_0/status","artifacts":[{"type":"video","url":"https://example.com/video.mp4"}]}"#;

/// How letters outside of ASCII are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As `\u00e9`.
    Escaped,
    /// As they are, in UTF-8.
    Raw,
    /// Every letter of the id as an escape.
    AllEscaped,
}

/// A body with its two places.
#[derive(Debug, Clone)]
pub(super) struct Template {
    text: Bytes,
    /// The id's value, with its quotes.
    id: Range<usize>,
    /// The artifact's URL, with its quotes.
    artifact: Option<Range<usize>>,
}

impl Template {
    /// Of what was asked for.
    pub(super) fn new(spec: &CheckSpec) -> Result<Self, CheckError> {
        let text = match &spec.body_base64 {
            Some(body) => Bytes::from(STANDARD.decode(body).map_err(|error| {
                CheckError::Input(format!("The body is not base64: {error}. Give its bytes."))
            })?),
            None => Bytes::from_static(USUAL.as_bytes()),
        };
        payload::check_pointer(&spec.id_pointer)
            .map_err(|error| CheckError::Input(format!("In {:?}, {error}.", spec.id_pointer)))?;
        let id = id_place(&text, spec)?;
        let probe = spec.effects.iter().find_map(|effect| match effect {
            ProbeSpec::Canary { pointer } => Some(pointer.as_str()),
            _ => None,
        });
        if probe.is_some() && !spec.canary {
            return Err(CheckError::Input(
                "The canary is to count the effect and is switched off as well. Leave out --no-canary, or count \
                 another way."
                    .into(),
            ));
        }
        let artifact = spec.canary.then(|| place(&text, probe.unwrap_or(ARTIFACT))).flatten();
        if let (Some(pointer), None) = (probe, &artifact) {
            return Err(CheckError::Input(format!(
                "The body has no string at {pointer}, where the canary's URL is to be put. Give a body that has one, or \
                 another pointer."
            )));
        }
        if artifact.as_ref().is_some_and(|artifact| *artifact == id) {
            return Err(CheckError::Input(
                "The id and the canary cannot stand in the same place of the body.".into(),
            ));
        }
        Ok(Self { text, id, artifact })
    }

    /// Whether the body names an artifact that can be ours.
    pub(super) fn has_artifact(&self) -> bool {
        self.artifact.is_some()
    }

    /// With an id, and with an artifact where there is a place for it.
    pub(super) fn fill(&self, id: &str, artifact: Option<&str>, spelling: Spelling) -> Bytes {
        let mut places = vec![(self.id.clone(), quoted(id, spelling))];
        if let (Some(place), Some(url)) = (&self.artifact, artifact) {
            places.push((place.clone(), quoted(url, Spelling::Raw)));
        }
        places.sort_by_key(|(place, _)| place.start);
        let mut body = Vec::with_capacity(self.text.len() + 128);
        let mut from = 0;
        for (place, value) in places {
            body.extend_from_slice(&self.text[from..place.start]);
            body.extend_from_slice(value.as_bytes());
            from = place.end;
        }
        body.extend_from_slice(&self.text[from..]);
        body.into()
    }
}

/// `webhook.test`, as Sume sends it: no id, but an artifact.
pub(super) fn webhook_test(artifact: Option<&str>) -> Bytes {
    let url = quoted(artifact.unwrap_or("https://example.com/video.mp4"), Spelling::Raw);
    Bytes::from(format!(
        r#"{{"event":"webhook.test","status":"completed","artifacts":[{{"type":"video","url":{url}}}]}}"#
    ))
}

fn id_place(text: &[u8], spec: &CheckSpec) -> Result<Range<usize>, CheckError> {
    let read = payload::read(text, &spec.id_pointer);
    let wrong = |why: &str| {
        let given = if spec.body_base64.is_some() { "The body" } else { "The usual body" };
        CheckError::Input(format!(
            "{given} has no id that can be replaced at {:?}: {why}. Give a body (--body-file) whose id is a string \
             there, or another --id-pointer.",
            spec.id_pointer
        ))
    };
    match (read.job_id_type, read.id_span) {
        (JobIdType::String, Some(span)) => Ok(span),
        (JobIdType::Number, _) => Err(wrong("it is a number, and the ids of a check are strings")),
        _ => Err(wrong(&read.notes.join("; "))),
    }
}

/// Where a string stands, with its quotes.
fn place(text: &[u8], pointer: &str) -> Option<Range<usize>> {
    let read = payload::read(text, pointer);
    (read.job_id_type == JobIdType::String).then_some(read.id_span).flatten()
}

/// A JSON string.
pub(super) fn quoted(text: &str, spelling: Spelling) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        let plain = !matches!(letter, '"' | '\\') && !letter.is_control();
        let kept = match spelling {
            Spelling::Raw => plain,
            Spelling::Escaped => plain && letter.is_ascii(),
            Spelling::AllEscaped => false,
        };
        if kept {
            out.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(body: Option<&str>) -> CheckSpec {
        CheckSpec { body_base64: body.map(|body| STANDARD.encode(body)), ..CheckSpec::default() }
    }

    #[test]
    fn only_the_id_and_the_artifact_change() {
        let body =
            "{ \"artifacts\":[ {\"url\" : \"x\"} ],\r\n\t\"n\": 1.0, \"job_id\":\"a\\u0062\"}\n";
        let template = Template::new(&spec(Some(body))).unwrap();
        let filled = template.fill("job_é", Some("http://127.0.0.1:1/a"), Spelling::Escaped);
        assert_eq!(
            std::str::from_utf8(&filled).unwrap(),
            "{ \"artifacts\":[ {\"url\" : \"http://127.0.0.1:1/a\"} ],\r\n\t\"n\": 1.0, \"job_id\":\"job_\\u00e9\"}\n"
        );
    }

    #[test]
    fn the_usual_body_is_compact_ascii_and_reads_back_as_itself() {
        let filled = Template::new(&spec(None)).unwrap().fill("job_é😀", None, Spelling::Escaped);
        let text = std::str::from_utf8(&filled).unwrap();
        assert!(text.is_ascii() && text.contains(r#""job_id":"job_\u00e9\ud83d\ude00""#), "{text}");
        let keys = ["\"event\"", "\"job_id\"", "\"status\"", "\"status_url\"", "\"artifacts\""];
        let at: Vec<_> = keys.iter().map(|key| text.find(key).unwrap()).collect();
        assert!(at.is_sorted());
        assert_eq!(payload::read(&filled, "/job_id").job_id.as_deref(), Some("job_é😀"));
    }

    #[test]
    fn a_body_without_a_replaceable_id_is_refused() {
        for body in
            [r#"{"job_id":1}"#, r#"{"id":"a"}"#, "not json", r#"{"job_id":"a","job_id":"b"}"#]
        {
            let error = Template::new(&spec(Some(body))).unwrap_err().to_string();
            assert!(error.contains("--body-file"), "{error}");
        }
        let canary = ProbeSpec::Canary { pointer: "/artifacts/0/url".into() };
        let with = CheckSpec { effects: vec![canary], ..spec(Some(r#"{"job_id":"a"}"#)) };
        assert!(Template::new(&with).unwrap_err().to_string().contains("/artifacts/0/url"));
    }
}
