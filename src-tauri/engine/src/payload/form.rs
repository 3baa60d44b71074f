//! A form in the place of JSON (C11): told apart, and not read.

/// How much of a body is looked at.
const LOOK: usize = 64;

/// The first name of a body that looks like `name=value`.
pub(super) fn name(body: &[u8]) -> Option<&str> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let end = body.iter().take(LOOK).position(|byte| *byte == b'=').filter(|end| *end > 0)?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.%+[]".contains(byte);
    std::str::from_utf8(&body[..end]).ok().filter(|name| name.as_bytes().iter().all(plain))
}
