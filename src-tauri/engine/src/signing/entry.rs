//! One signature as it came: of the scheme's form, or in another dress that can be named (C16, C22).

use super::{Algorithm, Digest};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::borrow::Cow;

/// How a scheme writes a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// What stands before it, for example `v1=`.
    pub tag: Cow<'static, str>,
    /// How its bytes are written.
    pub encoding: Encoding,
    /// How many bytes it has.
    pub length: usize,
}

/// How the bytes of a digest are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Two digits a byte, read in either case.
    Hex,
    /// The standard alphabet, padded.
    Base64,
}

impl Form {
    /// Hex after a tag.
    pub const fn hex(tag: &'static str) -> Self {
        Self {
            tag: Cow::Borrowed(tag),
            encoding: Encoding::Hex,
            length: Algorithm::Sha256.length(),
        }
    }

    /// Base64 after a tag.
    pub const fn base64(tag: &'static str) -> Self {
        Self {
            tag: Cow::Borrowed(tag),
            encoding: Encoding::Base64,
            length: Algorithm::Sha256.length(),
        }
    }

    /// Of a tag that is a setting, for digests of an algorithm.
    pub fn new(tag: String, encoding: Encoding, algorithm: Algorithm) -> Self {
        Self { tag: Cow::Owned(tag), encoding, length: algorithm.length() }
    }

    /// A digest in this form.
    pub fn write(&self, digest: &Digest) -> String {
        format!("{}{}", self.tag, self.encode(digest.bytes()))
    }

    /// Bytes as a digest's are written, however many, without the tag.
    pub fn encode(&self, bytes: &[u8]) -> String {
        match self.encoding {
            Encoding::Hex => hex::encode(bytes),
            Encoding::Base64 => STANDARD.encode(bytes),
        }
    }

    /// The form as a person reads it: `v1=<64 hex digits>`.
    pub fn describe(&self) -> String {
        let what = match self.encoding {
            Encoding::Hex => format!("<{} hex digits>", self.length * 2),
            Encoding::Base64 => format!("<base64 of {} bytes>", self.length),
        };
        format!("{}{what}", self.tag)
    }

    fn read(&self, text: &[u8]) -> Option<Digest> {
        let digest = match self.encoding {
            Encoding::Hex => from_hex(text),
            Encoding::Base64 => from_base64(text),
        };
        digest.filter(|digest| digest.bytes().len() == self.length)
    }
}

/// One signature as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Of the scheme's form.
    Digest(Digest),
    /// Of another form; with the digest where one can be read out of it. Such a one never makes a request valid.
    Other(Dress, Option<Digest>),
}

/// What an entry of another form looks like. In the order in which one is named where several came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dress {
    /// White space between the tag and the digest.
    Spaced,
    /// A digest with no tag before it.
    Untagged,
    /// A digest after another tag, for example `sha256=`.
    OtherTag,
    /// Base64 where hex is due.
    Base64,
    /// Hex where base64 is due.
    Hex,
    /// Nothing after the tag, or nothing at all.
    Empty,
    /// Bytes that are not ASCII.
    NotAscii,
    /// Base64 without its padding.
    Unpadded,
    /// Base64 in the alphabet for addresses, padded or not.
    UrlSafe,
    /// Of the right alphabet and the wrong length.
    Length,
    /// None of these.
    Unknown,
}

impl Dress {
    /// As the end of a sentence that begins with "the signature".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Spaced => "has white space inside",
            Self::Untagged => "is a digest without its tag",
            Self::OtherTag => "has another tag",
            Self::Base64 => "looks like base64",
            Self::Hex => "looks like hex",
            Self::Empty => "is empty",
            Self::NotAscii => "holds bytes that are not ASCII",
            Self::Unpadded => "is base64 without its padding",
            Self::UrlSafe => "is base64 in the URL-safe alphabet",
            Self::Length => "has the wrong length",
            Self::Unknown => "has another form",
        }
    }
}

impl Entry {
    /// The signatures of one header line, parted at a byte, with or without white space around it.
    pub fn split(line: &[u8], separator: u8, form: &Form) -> impl Iterator<Item = Self> {
        line.split(move |byte| *byte == separator)
            .map(move |part| Self::read(part.trim_ascii(), form))
    }

    /// Reads one. Works on bytes of any kind and length.
    pub fn read(text: &[u8], form: &Form) -> Self {
        if let Some(digest) =
            text.strip_prefix(form.tag.as_bytes()).and_then(|rest| form.read(rest))
        {
            return Self::Digest(digest);
        }
        let (tag, rest) = part(text, form);
        let value = rest.trim_ascii();
        let loose = from_hex(value).map(|digest| (Encoding::Hex, digest));
        let loose =
            loose.or_else(|| from_any_base64(value).map(|digest| (Encoding::Base64, digest)));
        let dress = match loose {
            Some((Encoding::Hex, _)) if form.encoding != Encoding::Hex => Dress::Hex,
            Some((Encoding::Base64, _)) if form.encoding != Encoding::Base64 => Dress::Base64,
            Some((_, digest)) if digest.bytes().len() != form.length => Dress::Length,
            Some((Encoding::Base64, _)) if value.iter().any(|byte| b"-_".contains(byte)) => {
                Dress::UrlSafe
            }
            Some((Encoding::Base64, _)) if !value.ends_with(b"=") => Dress::Unpadded,
            Some(_) if value.len() != rest.len() => Dress::Spaced,
            Some(_) if tag.is_empty() => Dress::Untagged,
            Some(_) => Dress::OtherTag,
            None if value.is_empty() => Dress::Empty,
            None if !text.is_ascii() => Dress::NotAscii,
            None if value.iter().all(u8::is_ascii_hexdigit) => Dress::Length,
            None => Dress::Unknown,
        };
        Self::Other(dress, loose.map(|(_, digest)| digest))
    }

    /// The digest that counts.
    pub(super) fn digest(&self) -> Option<&Digest> {
        match self {
            Self::Digest(digest) => Some(digest),
            Self::Other(..) => None,
        }
    }
}

/// Parts a tag (`v1=`, `sha256=`, `v1,`) from what follows. A `=` at the end is base64's padding.
fn part<'a>(text: &'a [u8], form: &Form) -> (&'a [u8], &'a [u8]) {
    if let Some(rest) = text.strip_prefix(form.tag.as_bytes())
        && !form.tag.is_empty()
    {
        return text.split_at(text.len() - rest.len());
    }
    let end = text.iter().take(16).position(|byte| matches!(byte, b'=' | b','));
    text.split_at(end.map_or(0, |end| end + 1))
}

fn from_hex(text: &[u8]) -> Option<Digest> {
    let mut bytes = [0; 64];
    let part = bytes.get_mut(..text.len() / 2)?;
    hex::decode_to_slice(text, part).ok()?;
    Digest::new(part)
}

fn from_base64(text: &[u8]) -> Option<Digest> {
    // 64 bytes are 88 characters; the decoder wants room for a whole last group.
    let mut bytes = [0; 66];
    if !matches!(text.len(), 28 | 44 | 88) {
        return None;
    }
    let length = STANDARD.decode_slice(text, &mut bytes).ok()?;
    Digest::new(bytes.get(..length)?)
}

/// Base64 of either alphabet, padded or not: to name what came, never to count it.
fn from_any_base64(text: &[u8]) -> Option<Digest> {
    // 20, 32 and 64 bytes; each needs padding.
    let padded = match text.len() {
        27 | 28 => 28,
        43 | 44 => 44,
        86 | 88 => 88,
        _ => return None,
    };
    let mut standard = [b'='; 88];
    for (to, byte) in standard.iter_mut().zip(text) {
        *to = match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => *other,
        };
    }
    from_base64(standard.get(..padded)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_where_it_is_due_and_hex_is_named_there() {
        let digest = Digest::new(&[0xfb; 32]).unwrap();
        for form in [Form::base64(""), Form::base64("v1,")] {
            let text = form.write(&digest);
            assert_eq!(Entry::read(text.as_bytes(), &form), Entry::Digest(digest), "{text}");
            let hex = Form::hex("sha256=").write(&digest);
            assert_eq!(Entry::read(hex.as_bytes(), &form), Entry::Other(Dress::Hex, Some(digest)));
            let url_safe = text.replace('+', "-").replace('/', "_");
            assert_eq!(
                Entry::read(url_safe.as_bytes(), &form),
                Entry::Other(Dress::UrlSafe, Some(digest))
            );
            let unpadded = text.trim_end_matches('=');
            assert_eq!(
                Entry::read(unpadded.as_bytes(), &form),
                Entry::Other(Dress::Unpadded, Some(digest))
            );
        }
    }
}
