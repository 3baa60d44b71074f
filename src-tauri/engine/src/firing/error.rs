//! Why a firing cannot be started.

use crate::{error::ErrorCode, signing::SchemeError};

/// The most copies of one firing.
pub const MOST_COPIES: u32 = 1000;

/// A firing that could not be started; nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum FireError {
    /// The URL cannot be fired at.
    #[error("The URL {url} cannot be fired at: {reason}.")]
    Url {
        /// As given.
        url: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The method is no HTTP method.
    #[error("The method {0:?} cannot be sent: {1}.")]
    Method(String, &'static str),
    /// A header would break the request.
    #[error("The header {name:?} cannot be sent: {reason}.")]
    Header {
        /// As given.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// HTTP/2 was asked for and cannot carry this request.
    #[error("This request cannot be sent over HTTP/2: {0}. Use HTTP/1, which sends it as it is.")]
    NotForHttp2(String),
    /// No copies, or too many (C76).
    #[error("{0} copies cannot be fired. Give a number from 1 to {MOST_COPIES}.")]
    Copies(u32),
    /// The gap is no time.
    #[error("A gap of {0} ms cannot be kept. Give a time of 0 or more, up to a day.")]
    Gap(f64),
    /// No time is given to answer.
    #[error("A timeout of no time lets nothing be answered. Give at least a millisecond.")]
    Timeout,
    /// The host is not this machine, and nobody said that it may be fired at.
    #[error(
        "{host} is not this machine, so it is not fired at unless you say so. If it is yours to test, allow it once \
         for this host: `--allow-host {host}`, or the question in the window."
    )]
    HostNotAllowed {
        /// Without its port.
        host: String,
    },
    /// There is nothing to sign with.
    #[error(
        "There is no secret to sign with. Give one, or send the headers as they are (`--sign verbatim`)."
    )]
    NoSigner,
    /// The scheme cannot sign.
    #[error(transparent)]
    Sign(#[from] SchemeError),
    /// No certificate is trusted, so that no TLS connection could stand.
    #[error(
        "No root certificates were found on this machine, so https cannot be verified{0}. Name a file of them in \
         SSL_CERT_FILE."
    )]
    NoRoots(String),
    /// The process may not open that many sockets.
    #[error(
        "{copies} copies need {needed} open files, and this process may have {limit}. Fire fewer copies, or raise the \
         limit (`ulimit -n {needed}`)."
    )]
    OpenFiles {
        /// As asked for.
        copies: u32,
        /// With what is open already.
        needed: u64,
        /// The hard limit.
        limit: u64,
    },
}

impl FireError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::HostNotAllowed { .. } => ErrorCode::HostNotAllowed,
            Self::NoSigner => ErrorCode::NoSecret,
            Self::Url { .. }
            | Self::Method(..)
            | Self::Header { .. }
            | Self::NotForHttp2(_)
            | Self::Copies(_)
            | Self::Gap(_)
            | Self::Timeout
            | Self::Sign(_)
            | Self::NoRoots(_)
            | Self::OpenFiles { .. } => ErrorCode::BadInput,
        }
    }
}
