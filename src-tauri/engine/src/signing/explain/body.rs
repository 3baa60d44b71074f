//! Changes that a body goes through on its way.

use super::{candidates::Bytes, secret};
use percent_encoding::percent_decode;
use std::borrow::Cow;
use url::form_urlencoded;

/// UTF-8's byte order mark.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The name under which a form carries JSON (C11).
const PAYLOAD: &str = "payload";

/// A part of the whole, where that is a change.
pub(super) fn cut<'a>(whole: &[u8], part: &'a [u8]) -> Bytes<'a> {
    (part.len() < whole.len()).then_some(Cow::Borrowed(part))
}

pub(super) fn without_end<'a>(whole: &'a [u8], end: &[u8]) -> Bytes<'a> {
    whole.strip_suffix(end).map(Cow::Borrowed)
}

pub(super) fn with_end<'a>(whole: &[u8], end: &[u8]) -> Cow<'a, [u8]> {
    [whole, end].concat().into()
}

pub(super) fn lf(body: &[u8]) -> Bytes<'_> {
    memchr::memmem::find(body, b"\r\n")?;
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
    Some(out.into())
}

pub(super) fn crlf(body: &[u8]) -> Bytes<'_> {
    memchr::memchr(b'\n', body)?;
    let mut out = Vec::with_capacity(body.len() + body.len() / 16);
    let mut before = 0;
    for &byte in body {
        if byte == b'\n' && before != b'\r' {
            out.push(b'\r');
        }
        out.push(byte);
        before = byte;
    }
    (out.len() != body.len()).then_some(out.into())
}

/// Decoded from base64, as a gateway encodes what it takes for binary (C23).
pub(super) fn from_base64(body: &[u8]) -> Bytes<'_> {
    secret::from_base64(body.trim_ascii())
}

/// The JSON that a form carries.
pub(super) fn payload_of_form(body: &[u8]) -> Bytes<'_> {
    // A text that has no such name is not parsed.
    memchr::memmem::find(body, PAYLOAD.as_bytes())?;
    let (_, value) = form_urlencoded::parse(body).find(|(name, _)| name == PAYLOAD)?;
    Some(value.into_owned().into_bytes().into())
}

/// A form that carries this JSON.
pub(super) fn as_form(body: &[u8]) -> Bytes<'_> {
    if !body.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let value: String = form_urlencoded::byte_serialize(body).collect();
    Some(format!("{PAYLOAD}={value}").into_bytes().into())
}

/// With `%…` decoded, where there is any.
pub(super) fn percent_decoded(body: &[u8]) -> Bytes<'_> {
    memchr::memchr(b'%', body)?;
    match percent_decode(body).into() {
        Cow::Borrowed(_) => None,
        Cow::Owned(decoded) => Some(decoded.into()),
    }
}
