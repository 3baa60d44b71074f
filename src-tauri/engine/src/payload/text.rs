//! The text of a JSON string.

use std::borrow::Cow;

/// An escape names half of a surrogate pair: valid JSON, and no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoText;

/// Decodes a string that was scanned before; with or without its quotes.
pub(super) fn decode(string: &[u8]) -> Result<String, NoText> {
    let inner =
        string.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(string);
    decode_inner(inner).map(Cow::into_owned)
}

/// Decodes what stands between the quotes.
pub(super) fn decode_inner(inner: &[u8]) -> Result<Cow<'_, str>, NoText> {
    // The whole body was found to be UTF-8 before anything is decoded, and a cut at an ASCII byte keeps it so.
    let text = std::str::from_utf8(inner).map_err(|_| NoText)?;
    let Some(mut at) = memchr::memchr(b'\\', inner) else { return Ok(Cow::Borrowed(text)) };
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    loop {
        out.push_str(&text[copied..at]);
        let (character, length) = escape(&inner[at..])?;
        out.push(character);
        copied = at + length;
        match memchr::memchr(b'\\', &inner[copied..]) {
            Some(next) => at = copied + next,
            None => break,
        }
    }
    out.push_str(&text[copied..]);
    Ok(Cow::Owned(out))
}

/// The character of the escape that some bytes begin with, and its length as written.
fn escape(bytes: &[u8]) -> Result<(char, usize), NoText> {
    let character = match bytes.get(1).ok_or(NoText)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(bytes),
        other => char::from(*other),
    };
    Ok((character, 2))
}

fn unicode(bytes: &[u8]) -> Result<(char, usize), NoText> {
    let first = unit(bytes).ok_or(NoText)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Ok((character, 6));
    }
    let second = bytes.get(6..).and_then(unit).ok_or(NoText)?;
    match char::decode_utf16([first, second]).next() {
        Some(Ok(character)) => Ok((character, 12)),
        _ => Err(NoText),
    }
}

/// The UTF-16 unit of a `\u` escape.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    std::str::from_utf8(digits).ok().and_then(|digits| u16::from_str_radix(digits, 16).ok())
}
