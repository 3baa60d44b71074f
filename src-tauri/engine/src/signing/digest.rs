//! The digest of a signed text, and the comparison that tells nothing by its time.

use crate::secrets::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

/// The longest digest, in bytes.
const LONGEST: usize = 64;

/// Which hash an HMAC is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// HMAC-SHA1: twenty bytes.
    Sha1,
    /// HMAC-SHA256: thirty-two bytes.
    #[default]
    Sha256,
    /// HMAC-SHA512: sixty-four bytes.
    Sha512,
}

impl Algorithm {
    /// Of its digest, in bytes.
    pub const fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

/// An HMAC of any of the algorithms.
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Digest {
    /// From its bytes; `None` where no algorithm makes so many.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        matches!(bytes.len(), 20 | 32 | 64).then(|| {
            let mut all = [0; LONGEST];
            all[..bytes.len()].copy_from_slice(bytes);
            Self { bytes: all, length: bytes.len() }
        })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// In constant time, as for every comparison of digests.
impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.bytes().ct_eq(other.bytes()).into()
    }
}

impl Eq for Digest {}

/// An expected digest is worth as much as a signature, and stands in no log.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({} bytes)", self.length)
    }
}

/// What is signed around the body. The body itself is not copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignedText {
    /// Before the body.
    pub before: Vec<u8>,
    /// After it.
    pub after: Vec<u8>,
    /// The text holds no body at all.
    pub without_body: bool,
}

impl SignedText {
    /// The body behind something.
    pub fn before(before: Vec<u8>) -> Self {
        Self { before, ..Self::default() }
    }

    /// The digest of the text with this body.
    pub fn digest(&self, algorithm: Algorithm, key: &Secret, body: &[u8]) -> Digest {
        let body = if self.without_body { &[][..] } else { body };
        let parts = [&self.before[..], body, &self.after];
        let mut bytes = [0; LONGEST];
        let length = match algorithm {
            Algorithm::Sha1 => write::<Hmac<Sha1>>(key, parts, &mut bytes),
            Algorithm::Sha256 => write::<Hmac<Sha256>>(key, parts, &mut bytes),
            Algorithm::Sha512 => write::<Hmac<Sha512>>(key, parts, &mut bytes),
        };
        Digest { bytes, length }
    }
}

fn write<M: Mac + KeyInit>(key: &Secret, parts: [&[u8]; 3], into: &mut [u8; LONGEST]) -> usize {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length (RFC 2104, section 2)")]
    let mut mac = <M as KeyInit>::new_from_slice(key.expose()).expect("a key of any length");
    for part in parts {
        mac.update(part);
    }
    let digest = mac.finalize().into_bytes();
    into[..digest.len()].copy_from_slice(&digest);
    digest.len()
}

/// How many of these digests are the expected one. Looks at every byte of every one.
pub(super) fn count_equal<'a>(
    expected: &Digest,
    received: impl Iterator<Item = &'a Digest>,
) -> usize {
    let mut any = 0;
    for digest in received {
        // Two of different length are not equal, and that is no secret.
        let equal: Choice = expected.bytes().ct_eq(digest.bytes());
        any += usize::from(equal.unwrap_u8());
    }
    any
}
