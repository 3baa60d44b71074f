//! A secret by the name that people call it.

use super::{Secret, SecretError};
use crate::model::SecretInfo;

/// The name of a secret that was made at start.
const THROWAWAY: &str = "throwaway";

/// A secret with its name and where it is kept.
#[derive(Debug, Clone)]
pub struct NamedSecret {
    /// The bytes.
    pub secret: Secret,
    /// As in `--secret-name`.
    pub name: String,
    /// `keychain`, `memory`, `environment`, `file`.
    pub kept_in: &'static str,
    /// It was made at this start and is gone with it.
    pub throwaway: bool,
}

impl NamedSecret {
    /// One that somebody gave.
    pub fn new(name: impl Into<String>, secret: Secret, kept_in: &'static str) -> Self {
        Self { secret, name: name.into(), kept_in, throwaway: false }
    }

    /// A fresh one that is gone with this run.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn throwaway() -> Result<Self, SecretError> {
        let secret = Secret::throwaway()?;
        Ok(Self { secret, name: THROWAWAY.into(), kept_in: "memory", throwaway: true })
    }

    /// As it may be shown. `scheme` is the one that it is for; `None` is any.
    pub fn info(&self, scheme: Option<String>) -> SecretInfo {
        SecretInfo {
            name: self.name.clone(),
            scheme,
            fingerprint: self.secret.fingerprint(),
            throwaway: self.throwaway,
            kept_in: self.kept_in.into(),
            warning: self.secret.warning(),
        }
    }

    pub(super) fn same_bytes(&self, other: &Self) -> bool {
        self.secret.expose() == other.secret.expose()
    }
}
