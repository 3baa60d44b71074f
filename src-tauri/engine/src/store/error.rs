//! What can go wrong with the database or its folder.

use crate::error::ErrorCode;
use rusqlite::ErrorCode as Sqlite;
use std::{io, path::Path, path::PathBuf, sync::Arc};

/// Anything that can go wrong with the database or its folder. A clone is the same one: a group that fails tells it
/// to everyone in it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another process owns the data folder (C84).
    #[error(
        "the data folder {} is in use by {holder}; end that process, or choose another folder with --data-dir or \
         HOOKTWICE_DATA_DIR",
        folder.display()
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The process in words: program, number, since when.
        holder: String,
    },
    /// The database was written by a newer version; it was left untouched.
    #[error(
        "the database {} is of version {found} and this program knows version {known} at most; it was left \
         untouched; use the newer program, or another folder with --data-dir or \
         HOOKTWICE_DATA_DIR",
        file.display()
    )]
    TooNew {
        /// The database.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The database is of an older version and a process of that version holds it.
    #[error(
        "the database {} is of an older version and in use by {holder}; end that process and start it again with \
         this version",
        file.display()
    )]
    HeldByOlder {
        /// The database.
        file: PathBuf,
        /// The process in words.
        holder: String,
    },
    /// The folder or a file in it cannot be made or opened (C80, C81).
    #[error(
        "the data folder cannot be used: {}: {cause}; make it a folder that can be written, or choose another with \
         --data-dir or HOOKTWICE_DATA_DIR",
        path.display()
    )]
    Folder {
        /// What could not be made or opened.
        path: PathBuf,
        /// Why.
        #[source]
        cause: Arc<io::Error>,
    },
    /// The disk is full (C81).
    #[error("the disk that holds {} is full; nothing was stored; free some space", file.display())]
    Full {
        /// The database.
        file: PathBuf,
        /// As SQLite says it.
        #[source]
        cause: Arc<rusqlite::Error>,
    },
    /// The file or its folder is read-only (C81).
    #[error(
        "the database {} cannot be opened for writing: it or its folder is read-only (or too many files are open); \
         make both writable, or choose another folder with --data-dir or \
         HOOKTWICE_DATA_DIR",
        file.display()
    )]
    ReadOnly {
        /// The database.
        file: PathBuf,
        /// As SQLite says it.
        #[source]
        cause: Arc<rusqlite::Error>,
    },
    /// Another program held a lock for longer than is waited for (C82).
    #[error(
        "the database {} is locked by another program; nothing was stored; end what holds it (a database browser, a \
         backup)",
        file.display()
    )]
    Locked {
        /// The database.
        file: PathBuf,
        /// As SQLite says it.
        #[source]
        cause: Arc<rusqlite::Error>,
    },
    /// The file is not a database, or is damaged.
    #[error(
        "the file {} is damaged or is not a database; move it away to start with a new one, or choose another folder \
         with --data-dir or \
         HOOKTWICE_DATA_DIR",
        file.display()
    )]
    Damaged {
        /// The database.
        file: PathBuf,
        /// As SQLite says it.
        #[source]
        cause: Arc<rusqlite::Error>,
    },
    /// Anything else that SQLite says.
    #[error("the database {} failed: {cause}; look at the disk and try again", file.display())]
    Failed {
        /// The database.
        file: PathBuf,
        /// As SQLite says it.
        #[source]
        cause: Arc<rusqlite::Error>,
    },
    /// A term of a filter that is not understood.
    #[error("the filter's term {term} is not understood: {why}")]
    Filter {
        /// The term as typed.
        term: String,
        /// What would be.
        why: String,
    },
    /// What was deleted or released is not kept any more.
    #[error(
        "{what} cannot be brought back: that is possible for half a minute, and not after a restart"
    )]
    TooLate {
        /// What.
        what: String,
    },
    /// A guest was asked to record a delivery; only the folder's owner numbers them.
    #[error(
        "this process does not own the data folder and cannot record deliveries; this is a fault of Hooktwice"
    )]
    NotOwner,
    /// The writer has ended: the store was closed, or its thread broke.
    #[error("the store is closed; nothing was stored; start Hooktwice again")]
    Closed,
}

impl StoreError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InUse { .. } | Self::HeldByOlder { .. } => ErrorCode::DataFolderInUse,
            Self::TooNew { .. } => ErrorCode::DatabaseTooNew,
            Self::Filter { .. } => ErrorCode::BadInput,
            Self::TooLate { .. } => ErrorCode::NotFound,
            Self::NotOwner => ErrorCode::Internal,
            Self::Folder { .. }
            | Self::Full { .. }
            | Self::ReadOnly { .. }
            | Self::Locked { .. }
            | Self::Damaged { .. }
            | Self::Failed { .. }
            | Self::Closed => ErrorCode::CannotWrite,
        }
    }

    /// From what SQLite says of a file.
    pub(super) fn sqlite(file: &Path, error: rusqlite::Error) -> Self {
        let (file, code) = (file.to_owned(), error.sqlite_error_code());
        let cause = Arc::new(error);
        match code {
            Some(Sqlite::DiskFull) => Self::Full { file, cause },
            Some(Sqlite::ReadOnly | Sqlite::CannotOpen | Sqlite::PermissionDenied) => {
                Self::ReadOnly { file, cause }
            }
            Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => Self::Locked { file, cause },
            Some(Sqlite::DatabaseCorrupt | Sqlite::NotADatabase) => Self::Damaged { file, cause },
            _ => Self::Failed { file, cause },
        }
    }

    /// From what the system says of a path.
    pub(super) fn folder(path: &Path, cause: io::Error) -> Self {
        Self::Folder { path: path.to_owned(), cause: Arc::new(cause) }
    }
}
