//! A scheme that is described by settings: what is signed as a template, where it stands, how it is written.
//!
//! It is also the example of how a scheme is added: this file, its `mod` line and its line in `registry`. Of the trait
//! only what differs is written; everything else (verifying, explaining, signing) is the same for all.

use super::{
    Algorithm, Digest, Entry, Form, Scheme, SchemeError, SignedRequest, SignedText, Stamp,
    StampFault, entry::Encoding,
};
use crate::{
    head::RawHeader,
    model::{CustomAlgorithm, CustomEncoding, CustomForm, CustomSecret, CustomTimestamp},
    secrets::Secret,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderName;

/// As in `--scheme`.
pub(super) const NAME: &str = "custom";

/// A scheme as it is set.
#[derive(Debug, Clone)]
pub(super) struct Custom {
    set: CustomForm,
    form: Form,
    parts: Vec<Part>,
}

/// One piece of the signed text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Timestamp,
    Id,
    Method,
    Path,
    Query,
    Body,
    Header(String),
}

impl Custom {
    /// As it is set. What does not fit together ([`check`]) is left out of the text.
    pub(super) fn new(set: &CustomForm) -> Self {
        let encoding = match set.encoding {
            CustomEncoding::Hex => Encoding::Hex,
            CustomEncoding::Base64 => Encoding::Base64,
        };
        let form = Form::new(set.prefix.clone(), encoding, algorithm(set));
        Self { parts: parts(&set.signed).unwrap_or_default(), form, set: set.clone() }
    }

    fn separator(&self) -> Option<u8> {
        self.set.separator.bytes().next()
    }

    /// The pieces of every line, parted where several signatures may stand in one.
    fn pieces<'a>(&self, request: &SignedRequest<'a>) -> Vec<&'a [u8]> {
        let separator = self.separator();
        let lines = request.values(&self.set.signature_header);
        match separator {
            None => lines.map(<[u8]>::trim_ascii).collect(),
            Some(separator) => lines
                .flat_map(|line| line.split(move |byte| *byte == separator))
                .map(<[u8]>::trim_ascii)
                .filter(|piece| !piece.is_empty())
                .collect(),
        }
    }
}

impl Scheme for Custom {
    fn name(&self) -> &'static str {
        NAME
    }

    fn signature_header(&self) -> &str {
        &self.set.signature_header
    }

    fn timestamp_header(&self) -> Option<&str> {
        match &self.set.timestamp {
            CustomTimestamp::Header { name } => Some(name),
            CustomTimestamp::None | CustomTimestamp::Parameter { .. } => None,
        }
    }

    fn event_id_header(&self) -> Option<&str> {
        (!self.set.id_header.is_empty()).then_some(self.set.id_header.as_str())
    }

    fn algorithm(&self) -> Algorithm {
        algorithm(&self.set)
    }

    fn form(&self) -> &Form {
        &self.form
    }

    fn key(&self, secret: &Secret) -> Result<Secret, SchemeError> {
        let given = secret.expose();
        let key = match self.set.secret {
            CustomSecret::Text => given.to_vec(),
            CustomSecret::Base64 => STANDARD.decode(given).map_err(|_| {
                SchemeError::Secret("the secret is not base64, and is set to be; copy it whole, or set it to be text")
            })?,
            CustomSecret::Hex => hex::decode(given).map_err(|_| {
                SchemeError::Secret("the secret is not hex, and is set to be; copy it whole, or set it to be text")
            })?,
        };
        if key.is_empty() {
            return Err(SchemeError::EmptySecret);
        }
        Ok(Secret::new(key))
    }

    fn stamp<'a>(&self, request: &SignedRequest<'a>) -> Result<Option<Stamp<'a>>, StampFault> {
        for part in &self.parts {
            match part {
                Part::Id => Stamp::require(request, &self.set.id_header)?,
                // One that did not come is signed as nothing: not every header is on every request.
                Part::Header(name) if request.values(name).any(|value| !value.is_empty()) => {
                    Stamp::require(request, name)?;
                }
                _ => {}
            }
        }
        let name = match &self.set.timestamp {
            CustomTimestamp::None => return Ok(None),
            CustomTimestamp::Header { name } => return Stamp::from_header(request, name).map(Some),
            CustomTimestamp::Parameter { name } => name,
        };
        let shown = format!("{name} in {}", self.set.signature_header);
        let marker = format!("{name}=");
        let mut times = self
            .pieces(request)
            .into_iter()
            .filter_map(|piece| piece.strip_prefix(marker.as_bytes()));
        let Some(text) = times.next() else { return Err(StampFault::Missing(shown)) };
        match times.count() {
            0 => Stamp::parse(text, &shown).map(Some),
            more => Err(StampFault::Several { header: shown, count: more + 1 }),
        }
    }

    fn entries(&self, request: &SignedRequest<'_>) -> Vec<Entry> {
        let time = match &self.set.timestamp {
            CustomTimestamp::Parameter { name } => Some(format!("{name}=")),
            CustomTimestamp::None | CustomTimestamp::Header { .. } => None,
        };
        self.pieces(request)
            .into_iter()
            .filter(|piece| !time.as_ref().is_some_and(|time| piece.starts_with(time.as_bytes())))
            .map(|piece| Entry::read(piece, &self.form))
            .collect()
    }

    fn text(&self, stamp: &[u8], event_id: &[u8], request: &SignedRequest<'_>) -> SignedText {
        let mut text = SignedText { without_body: true, ..SignedText::default() };
        for part in &self.parts {
            let bytes: Vec<u8> = match part {
                Part::Text(text) => text.clone().into_bytes(),
                Part::Timestamp => stamp.to_vec(),
                Part::Id => event_id.to_vec(),
                Part::Method => request.method.as_bytes().to_vec(),
                Part::Path => request.path.as_bytes().to_vec(),
                Part::Query => request.query.as_bytes().to_vec(),
                Part::Header(name) => request.first(Some(name)).to_vec(),
                Part::Body => {
                    text.without_body = false;
                    continue;
                }
            };
            let side = if text.without_body { &mut text.before } else { &mut text.after };
            side.extend(bytes);
        }
        text
    }

    fn write(&self, stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        let signature = self.form.write(digest);
        let mut headers = Vec::new();
        let value = match &self.set.timestamp {
            CustomTimestamp::None => signature,
            CustomTimestamp::Header { name } => {
                headers.push(RawHeader::new(name.clone(), stamp.to_owned()));
                signature
            }
            CustomTimestamp::Parameter { name } => {
                format!("{name}={stamp}{}{signature}", self.set.separator)
            }
        };
        headers.push(RawHeader::new(self.set.signature_header.clone(), value));
        if let Some(name) = self.event_id_header() {
            headers.push(RawHeader::new(name.to_owned(), event_id.to_owned()));
        }
        headers
    }
}

fn algorithm(set: &CustomForm) -> Algorithm {
    match set.algorithm {
        CustomAlgorithm::Sha1 => Algorithm::Sha1,
        CustomAlgorithm::Sha256 => Algorithm::Sha256,
        CustomAlgorithm::Sha512 => Algorithm::Sha512,
    }
}

/// Whether a custom scheme can be used as it is set.
///
/// # Errors
/// When its template, its header names or its separator do not fit together; the sentence says which.
pub fn check(set: &CustomForm) -> Result<(), SchemeError> {
    let wrong = |what: String| Err(SchemeError::Custom(what));
    let names = [Some(&set.signature_header), Some(&set.id_header).filter(|name| !name.is_empty())];
    let time = match &set.timestamp {
        CustomTimestamp::Header { name } => Some(name),
        CustomTimestamp::None | CustomTimestamp::Parameter { .. } => None,
    };
    for name in names.into_iter().flatten().chain(time) {
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            return wrong(format!("{name:?} is not the name of a header"));
        }
    }
    let parts = match parts(&set.signed) {
        Ok(parts) => parts,
        Err(what) => return wrong(what),
    };
    let signs = |part: &Part| parts.contains(part);
    if !signs(&Part::Body) {
        return wrong("what is signed has no {body}, so anybody could change it".into());
    }
    if parts.iter().filter(|part| **part == Part::Body).count() > 1 {
        return wrong("what is signed has {body} more than once".into());
    }
    if signs(&Part::Timestamp) && set.timestamp == CustomTimestamp::None {
        return wrong(
            "what is signed has {timestamp}, and nothing says where it comes from".into(),
        );
    }
    if signs(&Part::Id) && set.id_header.is_empty() {
        return wrong("what is signed has {id}, and no header is named for it".into());
    }
    if set.separator.len() > 1 || !set.separator.is_ascii() {
        return wrong(format!(
            "{:?} parts no signatures: give one ASCII character or nothing",
            set.separator
        ));
    }
    match &set.timestamp {
        CustomTimestamp::Parameter { name } if name.is_empty() || set.separator.is_empty() => wrong(
            "a timestamp beside the signature needs a name (t) and a character that parts them (,)"
                .into(),
        ),
        _ => check_line(set).map_err(SchemeError::Custom),
    }
}

/// Whether what is written into the signature's header can be read out of it again.
fn check_line(set: &CustomForm) -> Result<(), String> {
    let mut names = vec![&set.signature_header];
    if let CustomTimestamp::Header { name } = &set.timestamp {
        names.push(name);
    }
    if !set.id_header.is_empty() {
        names.push(&set.id_header);
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(format!("{name} is named for two things; each needs a header of its own"));
        }
    }
    let CustomForm { prefix, separator, .. } = set;
    let plain = |text: &str| text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if !plain(prefix) || prefix.starts_with(' ') {
        return Err(format!(
            "{prefix:?} cannot stand before a digest: give ASCII text that does not begin with a space"
        ));
    }
    let digest = |byte: u8| match set.encoding {
        CustomEncoding::Hex => byte.is_ascii_hexdigit(),
        CustomEncoding::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
    };
    if !plain(separator)
        || separator.bytes().any(digest)
        || (!separator.is_empty() && prefix.contains(separator.as_str()))
    {
        return Err(format!(
            "{separator:?} parts no signatures: it stands in a signature itself; a comma is the usual one"
        ));
    }
    let CustomTimestamp::Parameter { name } = &set.timestamp else { return Ok(()) };
    if separator == "=" {
        return Err("\"=\" parts no signatures: it stands between a timestamp and its name".into());
    }
    if !name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'=') || name.contains(separator)
    {
        return Err(format!("{name:?} cannot name a timestamp: give a short word, as t"));
    }
    if prefix.starts_with(&format!("{name}=")) {
        return Err(format!(
            "the timestamp and the signature both begin with {name}=, so nothing tells them apart"
        ));
    }
    Ok(())
}

/// A template's pieces: text, and names in braces.
fn parts(template: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (text, from) = rest.split_at(open);
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        let close = from.find('}').ok_or("a brace of the template is not closed")?;
        let name = &from[1..close];
        parts.push(match name {
            "timestamp" => Part::Timestamp,
            "id" => Part::Id,
            "method" => Part::Method,
            "path" => Part::Path,
            "query" => Part::Query,
            "body" => Part::Body,
            _ => match name.strip_prefix("header:") {
                Some(header) if HeaderName::from_bytes(header.as_bytes()).is_ok() => {
                    Part::Header(header.to_owned())
                }
                _ => {
                    return Err(format!(
                        "{{{name}}} is not known; there are {{timestamp}}, {{id}}, {{method}}, {{path}}, {{query}}, \
                         {{body}} and {{header:NAME}}"
                    ));
                }
            },
        });
        rest = &from[close + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str) -> CustomTimestamp {
        CustomTimestamp::Parameter { name: name.into() }
    }

    #[test]
    fn what_could_not_be_read_back_is_refused() {
        type Change = fn(&mut CustomForm);
        let refused: [(&str, Change); 11] = [
            ("named for two things", |set| set.id_header = "x-signature".into()),
            ("named for two things", |set| {
                set.timestamp = CustomTimestamp::Header { name: "X-Signature".into() };
            }),
            ("stand before a digest", |set| set.prefix = "v1=\r\nX: ".into()),
            ("stand before a digest", |set| set.prefix = " v1=".into()),
            ("stand before a digest", |set| set.prefix = "é=".into()),
            ("parts no signatures", |set| set.prefix = "v1,".into()),
            ("parts no signatures", |set| set.separator = "a".into()),
            ("parts no signatures", |set| {
                (set.encoding, set.separator) = (CustomEncoding::Base64, "=".into());
            }),
            ("parts no signatures", |set| set.separator = "\n".into()),
            ("cannot name a timestamp", |set| set.timestamp = parameter("t=")),
            ("both begin with t=", |set| {
                (set.timestamp, set.prefix) = (parameter("t"), "t=".into());
            }),
        ];
        for (wanted, change) in refused {
            let mut set = CustomForm::default();
            change(&mut set);
            let error = check(&set).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}: {set:?}");
        }
    }

    #[test]
    fn what_can_be_read_back_is_taken() {
        let mut set = CustomForm { prefix: "HMAC ".into(), ..CustomForm::default() };
        check(&set).unwrap();
        (set.separator, set.encoding) = (String::new(), CustomEncoding::Base64);
        check(&set).unwrap();
        (set.separator, set.prefix, set.timestamp) = (" ".into(), "v1,".into(), parameter("t"));
        check(&set).unwrap();
    }
}
