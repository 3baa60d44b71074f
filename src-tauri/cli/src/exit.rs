//! How the command ends: the four exit codes of contract.md, and what went wrong.

use hooktwice_engine::{
    Error, ErrorCode, checking::CheckError, firing::FireError, listener::ListenError,
    secrets::SecretError, settings::SettingsError, signing::SchemeError, store::StoreError,
    sume::SumeError,
};
use std::{io, process::ExitCode};

/// An exit code of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done; for `verify`, valid.
    Done,
    /// 1: the answer is no.
    No,
    /// 2: usage or configuration is wrong; nothing was sent.
    Usage,
    /// 3: it could not be told.
    Unknown,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Unknown => 3,
        })
    }
}

/// Why a command could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] Error),
    /// What was typed cannot be used.
    #[error("{0}")]
    Usage(String),
    /// What was asked has no answer.
    #[error("{0}")]
    CannotTell(String),
    /// Stdout, or a file that was named, cannot be written.
    #[error("The output cannot be written: {0}.")]
    Output(#[from] io::Error),
    /// The async runtime does not start.
    #[error("The program cannot start its threads: {0}.")]
    Runtime(#[source] io::Error),
}

/// The result of a command.
pub(crate) type Result<T = Exit, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Whoever read our output went away: that ends the program, and is nothing to complain about.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The contract's code for it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Output(_) if self.is_closed_pipe() => Exit::Done,
            Self::Engine(error) => match error.code() {
                ErrorCode::Unreachable | ErrorCode::Internal => Exit::Unknown,
                ErrorCode::Refused => Exit::No,
                _ => Exit::Usage,
            },
            Self::CannotTell(_) | Self::Output(_) | Self::Runtime(_) => Exit::Unknown,
            Self::Usage(_) => Exit::Usage,
        }
    }

    /// The message, with the causes underneath that it does not name itself.
    pub(crate) fn in_words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            if !words.contains(text.trim_end_matches('.')) {
                words.push_str(&format!(" ({text})"));
            }
            cause = error.source();
        }
        words
    }
}

/// The engine's parts each have their own error; here they are all the engine's.
macro_rules! from_engine {
    ($($part:ty),+) => {$(
        impl From<$part> for Failure {
            fn from(error: $part) -> Self {
                Self::Engine(error.into())
            }
        }
    )+};
}

from_engine!(
    CheckError,
    StoreError,
    ListenError,
    FireError,
    SettingsError,
    SecretError,
    SchemeError,
    SumeError
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_a_quiet_end_and_a_full_disk_is_not() {
        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(closed.is_closed_pipe());
        assert_eq!(closed.exit(), Exit::Done);
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert!(!full.is_closed_pipe());
        assert_eq!(full.exit(), Exit::Unknown);
    }

    #[test]
    fn what_was_typed_wrong_is_2() {
        assert_eq!(Failure::Usage("no".into()).exit(), Exit::Usage);
        assert_eq!(Failure::from(Error::NotFound("no such delivery".into())).exit(), Exit::Usage);
    }
}
