//! Connections that read beside the writer. A read collects its rows and returns: none keeps a statement open, so
//! none holds the write-ahead log back (C83).

use super::{StoreError, schema};
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// How many idle connections are kept; more are opened where more read at once.
const KEPT: usize = 4;

/// A small pool.
#[derive(Debug)]
pub(super) struct Readers {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Over a database; the first connection is opened at once, so that a file that cannot be read is known.
    pub(super) fn open(file: &Path) -> Result<Self, StoreError> {
        let first = schema::open_reader(file)?;
        Ok(Self { file: file.to_owned(), idle: Mutex::new(vec![first]) })
    }

    /// Reads in one snapshot.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| schema::open_reader(&self.file), Ok)?;
        let in_snapshot = || {
            let snapshot = connection.unchecked_transaction()?;
            let found = read(&snapshot)?;
            snapshot.finish()?;
            Ok(found)
        };
        let found = in_snapshot().map_err(|error| StoreError::sqlite(&self.file, error))?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(found)
    }
}
