//! The changes that are tried, in the order in which they are.
//!
//! What rarely applies and costs nothing where it does not stands before what always applies.

use super::{body, secret};
use crate::signing::restyle::{self, Style};
use std::borrow::Cow;

/// The bytes after a change; `None` where it does not apply or changes nothing.
pub(super) type Bytes<'a> = Option<Cow<'a, [u8]>>;

/// A change of some bytes.
type Step = for<'a> fn(&'a [u8]) -> Bytes<'a>;

/// One explanation.
pub(in crate::signing) struct Candidate {
    /// What kind it is, for the sentence that says what was not tried.
    pub what: &'static str,
    /// The sentence when it is proven.
    pub hint: &'static str,
    pub change: Change,
}

/// What is changed.
pub(in crate::signing) enum Change {
    /// The secret, which the scheme then reads as it reads secrets.
    Secret(Step),
    /// The secret, into the key itself.
    Key(Step),
    /// The signed time's text.
    Stamp(Step),
    /// The body.
    Body(Step),
    /// The body, as JSON written in that style.
    Restyled(Style),
    /// The body, by its content coding.
    Decoded,
}

impl Change {
    /// Whether it needs nothing that the scheme makes of the secret as it is.
    pub(super) fn is_of_the_secret(&self) -> bool {
        matches!(self, Self::Secret(_) | Self::Key(_))
    }

    /// How many times the body is gone through at the pace of a digest, its hashing included.
    pub(super) fn effort(&self) -> usize {
        match self {
            Self::Restyled(_) => 5,
            _ => 1,
        }
    }
}

const SECRET: &str = "other forms of the secret";
const TIME: &str = "other forms of the timestamp";
const ENDS: &str = "newlines, white space and a byte order mark";
const CODING: &str = "decoded bodies";
const JSON: &str = "re-serialised JSON";

macro_rules! candidates {
    ($($what:ident $hint:literal => $change:expr,)*) => {
        &[$(Candidate { what: $what, hint: $hint, change: $change },)*]
    };
}

use Change::{Body, Decoded, Key, Restyled, Secret, Stamp};

pub(in crate::signing) const CANDIDATES: &[Candidate] = candidates![
    SECRET "secret ends in whitespace; without it the signature matches"
        => Secret(|secret| body::cut(secret, secret.trim_ascii_end())),
    SECRET "secret begins with whitespace; without it the signature matches"
        => Secret(|secret| body::cut(secret, secret.trim_ascii_start())),
    SECRET "secret has whitespace at both ends; without it the signature matches"
        => Secret(|secret| body::cut(secret, secret.trim_ascii())),
    SECRET "secret is wrapped in quotes; without them the signature matches"
        => Secret(secret::unquoted),
    SECRET "secret begins with a byte order mark; without it the signature matches"
        => Secret(|secret| body::cut(secret, secret.strip_prefix(body::BOM)?)),
    SECRET "secret begins with `v1,`; without it the signature matches"
        => Secret(|secret| secret.starts_with(b"v1,whsec_").then(|| Cow::Borrowed(&secret[3..]))),
    SECRET "secret begins with `v1,whsec_`; without it the signature matches"
        => Secret(|secret| secret.strip_prefix(b"v1,whsec_").map(Cow::Borrowed)),
    SECRET "secret begins with `whsec_`; without it the signature matches"
        => Secret(|secret| secret.strip_prefix(b"whsec_").map(Cow::Borrowed)),
    SECRET "secret is one of Standard Webhooks: the signature matches with what its base64 behind `whsec_` decodes to"
        => Key(|secret| secret::from_base64(secret::behind_prefix(secret)?)),
    SECRET "secret behind `whsec_` is used as text by the sender, which does not decode its base64"
        => Key(|secret| secret::behind_prefix(secret).map(Cow::Borrowed)),
    SECRET "secret is used as text by the sender, which does not decode it"
        => Key(|secret| Some(Cow::Borrowed(secret))),
    SECRET "secret is hex: the signature matches with the bytes that it decodes to"
        => Key(secret::from_hex),
    SECRET "secret is base64: the signature matches with the bytes that it decodes to"
        => Key(secret::from_base64),
    TIME "timestamp was sent in milliseconds, but signed in seconds"
        => Stamp(|stamp| in_milliseconds(stamp).then(|| Cow::Borrowed(&stamp[..stamp.len() - 3]))),
    ENDS "would match without the trailing newline: one was added after signing"
        => Body(|bytes| body::without_end(bytes, b"\n")),
    ENDS "would match without the trailing newline (CR LF): one was added after signing"
        => Body(|bytes| body::without_end(bytes, b"\r\n")),
    ENDS "would match without the byte order mark: one was added after signing"
        => Body(|bytes| body::cut(bytes, bytes.strip_prefix(body::BOM)?)),
    ENDS "would match without the white space around the body: it was added after signing"
        => Body(|bytes| body::cut(bytes, bytes.trim_ascii())),
    CODING "wire bytes do not match, the decoded bytes do: the body was compressed after signing"
        => Decoded,
    CODING "matches after base64-decoding the body: it was encoded after signing"
        => Body(body::from_base64),
    CODING "matches over the value of the form's `payload` alone: the form was made after signing"
        => Body(body::payload_of_form),
    CODING "matches after percent-decoding the body: it was encoded after signing"
        => Body(body::percent_decoded),
    ENDS "would match with LF line endings: they became CR LF after signing"
        => Body(body::lf),
    ENDS "would match with CR LF line endings: they became LF after signing"
        => Body(body::crlf),
    TIME "timestamp was sent in seconds, but signed in milliseconds"
        => Stamp(|stamp| {
            (!stamp.is_empty() && !in_milliseconds(stamp)).then(|| body::with_end(stamp, b"000"))
        }),
    ENDS "would match with a trailing newline: the body was trimmed after signing"
        => Body(|bytes| Some(body::with_end(bytes, b"\n"))),
    ENDS "would match with a trailing newline (CR LF): the body was trimmed after signing"
        => Body(|bytes| Some(body::with_end(bytes, b"\r\n"))),
    SECRET "would match with a newline at the end of the secret: the sender's secret has one"
        => Secret(|secret| Some(body::with_end(secret, b"\n"))),
    SECRET "would match with CR LF at the end of the secret: the sender's secret has it"
        => Secret(|secret| Some(body::with_end(secret, b"\r\n"))),
    SECRET "would match with the base64 text of the secret: the sender's secret is encoded once more"
        => Key(secret::as_base64),
    SECRET "would match with the hex text of the secret: the sender's secret is encoded once more"
        => Key(secret::as_hex),
    ENDS "would match with a byte order mark: it was removed after signing"
        => Body(|bytes| (!bytes.starts_with(body::BOM)).then(|| [body::BOM, bytes].concat().into())),
    CODING "the signature covers the form text (`payload=…`): the form was decoded after signing"
        => Body(body::as_form),
    JSON "would match re-serialised compactly: white space was added between the parts of the JSON after signing"
        => Restyled(restyle::COMPACT),
    JSON "would match re-serialised with `, ` and `: ` (as Python does): the spaces were lost after signing"
        => Restyled(restyle::SPACED),
    JSON "would match with `/` escaped as `\\/`: the JSON was rewritten after signing"
        => Restyled(restyle::SLASHES_ESCAPED),
    JSON "would match with `\\/` written as `/`: the JSON was rewritten after signing"
        => Restyled(restyle::SLASHES_PLAIN),
    JSON "would match with non-ASCII characters escaped as `\\u…`: the JSON was rewritten after signing"
        => Restyled(restyle::ASCII),
    JSON "would match with `\\u…` escapes written as characters: the JSON was rewritten after signing"
        => Restyled(restyle::RAW),
    JSON "would match re-serialised as JavaScript's JSON.stringify writes it: the JSON was rewritten after signing"
        => Restyled(restyle::JAVASCRIPT),
    JSON "would match re-serialised as Python's json.dumps writes it: the JSON was rewritten after signing"
        => Restyled(restyle::PYTHON),
    JSON "would match re-serialised as PHP's json_encode writes it: the JSON was rewritten after signing"
        => Restyled(restyle::PHP),
];

/// Whether a time's digits are too many for seconds.
fn in_milliseconds(stamp: &[u8]) -> bool {
    stamp.len() >= 12
}
