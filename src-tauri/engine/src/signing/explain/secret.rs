//! Other ways to read a secret (C13 to C15).

use super::candidates::Bytes;
use base64::{
    Engine as _,
    alphabet::{self, Alphabet},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use std::borrow::Cow;

/// As lenient as any sender may be: it is the digest that decides.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

const fn lenient(alphabet: &Alphabet) -> GeneralPurpose {
    GeneralPurpose::new(alphabet, LENIENT)
}

const STANDARD: GeneralPurpose = lenient(&alphabet::STANDARD);
const URL_SAFE: GeneralPurpose = lenient(&alphabet::URL_SAFE);

/// What stands behind the prefix of Standard Webhooks, with or without its version.
pub(super) fn behind_prefix(secret: &[u8]) -> Option<&[u8]> {
    secret.strip_prefix(b"v1,").unwrap_or(secret).strip_prefix(b"whsec_")
}

/// Without the quotes of a configuration file around it.
pub(super) fn unquoted(secret: &[u8]) -> Bytes<'_> {
    let inside = |quote: &[u8]| secret.strip_prefix(quote)?.strip_suffix(quote);
    inside(b"\"").or_else(|| inside(b"'")).or_else(|| inside(b"`")).map(Cow::Borrowed)
}

/// Decoded from base64 of either alphabet, padded or not.
pub(super) fn from_base64(text: &[u8]) -> Bytes<'_> {
    let url_safe = text.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let engine = if url_safe { URL_SAFE } else { STANDARD };
    engine.decode(text).ok().filter(|bytes| !bytes.is_empty()).map(Cow::Owned)
}

/// Decoded from hex of either case.
pub(super) fn from_hex(secret: &[u8]) -> Bytes<'_> {
    hex::decode(secret).ok().map(Cow::Owned)
}

/// Its base64 text.
pub(super) fn as_base64(secret: &[u8]) -> Bytes<'_> {
    Some(general_purpose::STANDARD.encode(secret).into_bytes().into())
}

/// Its hex text, in lower case.
pub(super) fn as_hex(secret: &[u8]) -> Bytes<'_> {
    Some(hex::encode(secret).into_bytes().into())
}
