//! Why a check cannot be carried out.

use crate::{error::ErrorCode, firing::FireError, signing::SchemeError};

/// A check that could not be started, or ended before it could say anything. Nothing was found out.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// What was asked for cannot be used.
    #[error("{0}")]
    Input(String),
    /// The target cannot be fired at.
    #[error(transparent)]
    Fire(#[from] FireError),
    /// Nothing can be signed.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A probe is not usable as it was given.
    #[error("The {probe} probe cannot be used: {reason}")]
    Probe {
        /// `sql`, `url`, `command`, `log`, `canary`.
        probe: &'static str,
        /// A sentence that ends in what to do.
        reason: String,
    },
    /// The handler could not be started.
    #[error("{0}")]
    Start(String),
    /// This machine does not give what the check needs.
    #[error("{0}")]
    Machine(String),
}

impl CheckError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Fire(error) => error.code(),
            Self::Input(_) | Self::Scheme(_) | Self::Probe { .. } | Self::Start(_) => {
                ErrorCode::BadInput
            }
            Self::Machine(_) => ErrorCode::Internal,
        }
    }
}
