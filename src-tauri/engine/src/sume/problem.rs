//! Why Sume's API did not do what was asked, and what to do about it. None of these holds the key.

use crate::error::ErrorCode;
use std::time::Duration;

/// Something that Sume's API was asked for and did not give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SumeError {
    /// There is no key.
    #[error(
        "no key of Sume's API is set; give it in the environment variable {0}, or set it on the Sume page, which keeps it in the keychain"
    )]
    NoKey(String),
    /// The key cannot be a header's value.
    #[error("the API key cannot be used: {0}")]
    Key(&'static str),
    /// The base URL cannot be asked.
    #[error("the base URL of Sume's API, {url}, cannot be used: {reason}")]
    BaseUrl {
        /// As it was set, without a password.
        url: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The id cannot stand in a URL's path.
    #[error("{id:?} cannot be a job's id: {reason}")]
    JobId {
        /// As given.
        id: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The URL for a test delivery.
    #[error("a test delivery cannot be sent to {url:?}: {reason}")]
    Target {
        /// As given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// This machine cannot make a request.
    #[error("Sume's API cannot be asked from here: {0}")]
    Setup(String),
    /// No answer came.
    #[error("{what}: Sume's API at {base} did not answer: {reason}.{hint}")]
    Unreachable {
        /// What was asked.
        what: &'static str,
        /// Where.
        base: String,
        /// Why, as it was told.
        reason: String,
        /// Whether it may have been done all the same, and what to do.
        hint: &'static str,
    },
    /// An answer came that cannot be understood.
    #[error("{what}: Sume's API answered {status} with {reason}; check the base URL {base}")]
    NotUnderstood {
        /// What was asked.
        what: &'static str,
        /// Where.
        base: String,
        /// The HTTP status.
        status: u16,
        /// What it is.
        reason: String,
    },
    /// It said no.
    #[error("{0}")]
    Refused(Box<Refusal>),
}

/// An answer that is a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked.
    pub what: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The API's own code.
    pub code: Option<String>,
    /// The API's own words.
    pub message: Option<String>,
    /// For Sume's support.
    pub request_id: Option<String>,
    /// How long it wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: Sume's API answered {}", self.what, self.status)?;
        if let Some(code) = &self.code {
            write!(f, " {code}")?;
        }
        if let Some(message) = &self.message {
            write!(f, ": {}", message.trim_end_matches('.'))?;
        }
        write!(f, ". {}", self.advice())?;
        if let Some(wait) = self.retry_after {
            write!(f, " It asks to wait for {} s.", wait.as_secs_f64().ceil())?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        Ok(())
    }
}

impl Refusal {
    /// What a person can do.
    fn advice(&self) -> &'static str {
        match self.status {
            300..=399 => {
                "Redirects are not followed, since the key would go along; set the base URL that it leads to."
            }
            401 => "The API key is wrong or was revoked; set one that is valid.",
            403 => {
                "The API key may not do this; use one with the scope for it, as `account:write` for a test delivery."
            }
            404 => "Check the job's id, and that the key is of the account that it belongs to.",
            409 => "The job is not in a state for this; look at its status first.",
            400 | 422 => "Check what was sent: a URL has to be one that Sume can reach.",
            429 => "Too much was asked in a short time; try again later.",
            500.. => "That is a fault at Sume's end; try again later.",
            _ => "Look at the API's documentation for what it means.",
        }
    }
}

impl SumeError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoKey(_) | Self::Key(_) => ErrorCode::NoSecret,
            Self::BaseUrl { .. } | Self::JobId { .. } | Self::Target { .. } | Self::Setup(_) => {
                ErrorCode::BadInput
            }
            Self::Unreachable { .. } | Self::NotUnderstood { .. } => ErrorCode::Unreachable,
            Self::Refused(refusal) => match refusal.status {
                401 | 403 => ErrorCode::NoSecret,
                300..=399 => ErrorCode::BadInput,
                429 | 500.. => ErrorCode::Unreachable,
                _ => ErrorCode::Refused,
            },
        }
    }

    /// Whether the same question may have an answer a little later.
    pub(super) fn passes(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused(refusal) => matches!(refusal.status, 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// How long the API wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }

    /// The status, where it said no.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            _ => None,
        }
    }
}
