//! One error for everything that leaves the engine.
//!
//! Each part has its own thiserror type; they are folded here. A code is added only where someone acts on it: a
//! page, an exit code, a status. The message says what happened, to what, and what to do.

use crate::{
    checking::CheckError, firing::FireError, import::ImportError, listener::ListenError,
    secrets::SecretError, settings::SettingsError, signing::SchemeError, store::StoreError,
    sume::SumeError, tunnel::TunnelError,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The result of everything that the engine's surface does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum ErrorCode {
    /// What was given cannot be used; nothing was done.
    BadInput,
    /// There is no such delivery, claim, run or command.
    NotFound,
    /// Another process holds the data folder.
    DataFolderInUse,
    /// The database was written by a newer version.
    DatabaseTooNew,
    /// The data folder cannot be written: read-only, full, locked or damaged.
    CannotWrite,
    /// The address cannot be listened on.
    PortInUse,
    /// No secret or API key is set that can be used, and one is needed.
    NoSecret,
    /// The target cannot be reached.
    Unreachable,
    /// The host is not loopback and was not allowed.
    HostNotAllowed,
    /// Sume's API was asked and said no.
    Refused,
    /// Anything else: a fault of ours.
    Internal,
}

/// Anything that can go wrong, as one type.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database or its folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The listener's socket.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A firing that could not be started.
    #[error(transparent)]
    Fire(#[from] FireError),
    /// A check that could not be carried out.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A setting out of its range, or a settings file that cannot be read.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A secret that cannot be had.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A scheme that does not exist, or cannot sign with what it was given.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// Sume's API did not do what was asked.
    #[error(transparent)]
    Sume(#[from] SumeError),
    /// A tunnel that cannot be started.
    #[error(transparent)]
    Tunnel(#[from] TunnelError),
    /// A file that cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// What was asked for cannot be used.
    #[error("{0}")]
    Input(String),
    /// What was asked for does not exist.
    #[error("{0}")]
    NotFound(String),
}

impl Error {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Store(error) => error.code(),
            Self::Listen(error) => error.code(),
            Self::Fire(error) => error.code(),
            Self::Check(error) => error.code(),
            Self::Settings(_) | Self::Scheme(_) | Self::Import(_) | Self::Input(_) => {
                ErrorCode::BadInput
            }
            Self::Secret(error) => error.code(),
            Self::Sume(error) => error.code(),
            Self::Tunnel(error) => error.code(),
            Self::NotFound(_) => ErrorCode::NotFound,
        }
    }

    /// As it goes over the wire.
    pub fn to_wire(&self) -> WireError {
        let detail = std::error::Error::source(self).map(ToString::to_string);
        WireError { code: self.code(), message: sentence(&self.to_string()), detail }
    }
}

/// A message of a part, which a command line puts behind its own name, as a sentence that stands alone.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let end = if message.ends_with(['.', '!', '?', ')']) { "" } else { "." };
    first.chain(letters).chain(end.chars()).collect()
}

/// An error as a page sees it. No page matches on its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WireError {
    /// What the page may act on.
    pub code: ErrorCode,
    /// A sentence or two for the person.
    pub message: String,
    /// The cause underneath, for a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_page_is_told_whole_sentences() {
        assert_eq!(
            sentence("the disk is full; free some space"),
            "The disk is full; free some space."
        );
        assert_eq!(sentence("The port is 99."), "The port is 99.");
        assert_eq!(sentence("\u{e9}t\u{e9}"), "\u{c9}t\u{e9}.");
        assert_eq!(sentence(""), ".");
    }
}
