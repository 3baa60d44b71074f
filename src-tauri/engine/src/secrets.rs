//! Secrets: their bytes stay inside; outside there are a name and a fingerprint.

mod keychain;
mod named;
mod ring;

use crate::error::ErrorCode;
use secrecy::{ExposeSecret, SecretSlice};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use keychain::{Keychain, MemoryKeychain, SystemKeychain, keychain};
pub use named::NamedSecret;
pub use ring::{MAX_SECRETS, Ring};

/// The most bytes of a file that are taken as a secret; more is surely another file.
const LARGEST_FILE: u64 = 64 * 1024;

/// What stands before a secret in another provider's notation, and what such a secret needs.
const PREFIXES: [(&str, &str); 3] = [
    (
        "v1,whsec_",
        "a Standard Webhooks secret, whose base64 is decoded by `--scheme standard-webhooks` only",
    ),
    ("whsec_", "a secret of Standard Webhooks or Stripe; check that the scheme is the right one"),
    ("sha256=", "a signature, not a secret"),
];

/// A secret's bytes. A clone shares them; they are overwritten when the last one goes.
#[derive(Clone)]
pub struct Secret(Arc<SecretSlice<u8>>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// As [`Secret::new`], for bytes that a person gave.
impl TryFrom<Vec<u8>> for Secret {
    type Error = SecretError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, SecretError> {
        Self::new(bytes).not_empty("what was given")
    }
}

impl Secret {
    /// From its bytes, as they are. An empty one can neither sign nor verify (C14); `try_from` refuses it.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(SecretSlice::from(bytes)))
    }

    /// From an environment variable, its bytes as they are.
    ///
    /// # Errors
    /// When it is not set or empty.
    pub fn from_env(name: &str) -> Result<Self, SecretError> {
        let value =
            std::env::var_os(name).ok_or_else(|| SecretError::NotInEnvironment(name.to_owned()))?;
        Self::new(value.into_encoded_bytes()).not_empty(&format!("the environment variable {name}"))
    }

    /// From a file, its bytes as they are: a newline at its end belongs to the secret, and [`Secret::warning`] names it.
    ///
    /// # Errors
    /// When it cannot be read, is empty, or is larger than a secret can be.
    pub fn from_file(path: &Path) -> Result<Self, SecretError> {
        let unreadable = |source| SecretError::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        // Room for the largest, so that no part of it is left behind where a buffer grew.
        let mut bytes = Vec::with_capacity(LARGEST_FILE as usize + 1);
        let read = file.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
        let secret = Self::new(bytes);
        if read.map_err(unreadable)? as u64 > LARGEST_FILE {
            return Err(SecretError::FileTooLarge(path.to_owned()));
        }
        secret.not_empty(&format!("the file {}", path.display()))
    }

    /// From a keychain, by its name. Blocking.
    ///
    /// # Errors
    /// When the keychain does not answer or holds no such secret.
    pub fn from_keychain(keychain: &dyn Keychain, name: &str) -> Result<Self, SecretError> {
        let secret =
            keychain.get(name)?.ok_or_else(|| SecretError::NotInKeychain(name.to_owned()))?;
        secret.not_empty(&format!("`{name}` in the keychain"))
    }

    /// A fresh one: 32 random bytes in hex, so that it can be copied into any handler's settings, and is a secret of every
    /// scheme: base64 too, as Standard Webhooks wants it.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn throwaway() -> Result<Self, SecretError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| SecretError::NoRandomBytes(error.to_string()))?;
        Ok(Self::new(hex::encode(bytes).into_bytes()))
    }

    /// The first four hex digits of a digest of it: enough to tell two apart, too little to look one up.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::new_with_prefix(b"hooktwice secret fingerprint\0")
            .chain_update(self.expose())
            .finalize();
        hex::encode(&digest[..2])
    }

    /// A sentence where it looks as if it was copied with something that does not belong to it (C12, C13). It is used
    /// as it is all the same: a secret may truly end in a space.
    pub fn warning(&self) -> Option<String> {
        let bytes = self.expose();
        let starts = |(prefix, what): (&str, &str)| {
            bytes
                .starts_with(prefix.as_bytes())
                .then(|| format!("The secret begins with `{prefix}`: it looks like {what}."))
        };
        let end = if bytes.is_empty() {
            Some("The secret is empty; nothing can be signed or verified with it.")
        } else if bytes.ends_with(b"\r\n") {
            Some(
                "The secret ends in CR LF, which is part of it; cut it from the source where it does not belong to it.",
            )
        } else if bytes.ends_with(b"\n") {
            Some(
                "The secret ends in a newline, which is part of it; cut it from the source where it does not belong to it.",
            )
        } else if bytes.ends_with(b"\r") {
            Some(
                "The secret ends in a carriage return, which is part of it; cut it from the source where it does not belong to it.",
            )
        } else if bytes.trim_ascii().len() != bytes.len() {
            Some(
                "The secret has white space at an end, which is part of it; cut it from the source where it does not belong to it.",
            )
        } else if bytes.starts_with(b"\xef\xbb\xbf") {
            Some(
                "The secret begins with a byte order mark, which is part of it; save its file without one.",
            )
        } else {
            None
        };
        end.map(str::to_owned).or_else(|| PREFIXES.into_iter().find_map(starts))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }

    /// For the digest, and nothing else.
    pub(crate) fn expose(&self) -> &[u8] {
        self.0.expose_secret()
    }

    fn not_empty(self, from: &str) -> Result<Self, SecretError> {
        if self.is_empty() { Err(SecretError::Empty(from.to_owned())) } else { Ok(self) }
    }
}

/// A secret that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set.
    #[error("the environment variable {0} is not set; set it to the secret, or name another one")]
    NotInEnvironment(String),
    /// The file cannot be read.
    #[error("the secret file {} cannot be read; check its path and its rights", path.display())]
    File {
        /// As given.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is surely another one.
    #[error("the secret file {} is over 64 KiB; name the file that holds the secret alone", .0.display())]
    FileTooLarge(PathBuf),
    /// There is nothing in it.
    #[error(
        "the secret in {0} is empty, and anybody can sign with an empty secret; give one that has bytes"
    )]
    Empty(String),
    /// The keychain has no such entry.
    #[error("the keychain holds no secret named `{0}`; keep it there first, or use another source")]
    NotInKeychain(String),
    /// No keychain runs here.
    #[error(
        "no system keychain answers here ({0}); give the secret in an environment variable or a file"
    )]
    NoKeychain(String),
    /// It did not answer, perhaps because it waits to be unlocked.
    #[error(
        "the system keychain did not answer within {0} s; unlock it, or give the secret in a file"
    )]
    KeychainSilent(u64),
    /// Nobody unlocked it, or there is nothing in it yet to keep a secret in.
    #[error(
        "the system keychain is locked, or has no keyring to hold `{name}`: unlock it or make one, or give the secret in a file ({reason})"
    )]
    KeychainLocked {
        /// Of the entry.
        name: String,
        /// In the keychain's words, which hold no secret.
        reason: String,
    },
    /// It refused.
    #[error("the system keychain refused `{name}`: {reason}")]
    KeychainRefused {
        /// Of the entry.
        name: String,
        /// In the keychain's words, which hold no secret.
        reason: String,
    },
    /// A scheme has as many as it may have.
    #[error("there are {0} secrets for this scheme already; take one of them out first")]
    TooMany(usize),
    /// The keychain knows secrets by name alone.
    #[error("`{name}` is the name of another secret, {scheme}'s; give this one another name")]
    NameTaken {
        /// Of the secret.
        name: String,
        /// Whose it is.
        scheme: String,
    },
    /// None of that name is in use.
    #[error("no secret named `{name}` is in use for {scheme}; it may have been taken out already")]
    NotInUse {
        /// The scheme.
        scheme: String,
        /// Of the secret.
        name: String,
    },
    /// The system has no randomness.
    #[error("the system gives no random bytes for a secret: {0}")]
    NoRandomBytes(String),
}

impl SecretError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Empty(_) | Self::FileTooLarge(_) | Self::TooMany(_) | Self::NameTaken { .. } => {
                ErrorCode::BadInput
            }
            Self::NoRandomBytes(_) => ErrorCode::Internal,
            Self::NotInUse { .. }
            | Self::NotInEnvironment(_)
            | Self::File { .. }
            | Self::NotInKeychain(_)
            | Self::NoKeychain(_)
            | Self::KeychainSilent(_)
            | Self::KeychainLocked { .. }
            | Self::KeychainRefused { .. } => ErrorCode::NoSecret,
        }
    }
}

#[cfg(test)]
mod tests;
