//! The digest of a signed text, and the comparison that tells nothing by its time.

use crate::secrets::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};

/// HMAC-SHA256.
pub type Digest = [u8; 32];

/// What is signed around the body. The body itself is not copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignedText {
    /// Before the body.
    pub before: Vec<u8>,
    /// After it.
    pub after: Vec<u8>,
}

impl SignedText {
    /// The digest of the text with this body.
    pub fn digest(&self, key: &Secret, body: &[u8]) -> Digest {
        #[expect(
            clippy::expect_used,
            reason = "HMAC takes a key of any length (RFC 2104, section 2)"
        )]
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose()).expect("a key of any length");
        mac.update(&self.before);
        mac.update(body);
        mac.update(&self.after);
        mac.finalize().into_bytes().into()
    }

    /// How many bytes a digest of it costs.
    pub(super) fn cost(&self, body: &[u8]) -> usize {
        self.before.len() + body.len() + self.after.len()
    }
}

/// How many of these digests are the expected one. Looks at every byte of every one.
pub(super) fn count_equal<'a>(
    expected: &Digest,
    received: impl Iterator<Item = &'a Digest>,
) -> usize {
    let mut any = 0;
    for digest in received {
        let equal: Choice = expected.ct_eq(digest);
        any += usize::from(equal.unwrap_u8());
    }
    any
}
