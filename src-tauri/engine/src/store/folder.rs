//! The data folder: made when missing, for this user only, and owned by one process at a time (C80, C84).

use super::StoreError;
use crate::clock::rfc3339;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    process,
};

/// The operating system's lock is on this file; it is gone with the process, however that ends.
const LOCK: &str = "owner.lock";
/// Who holds it. A file of its own: on Windows a locked file cannot be read by others.
const HOLDER: &str = "owner.json";
/// The database.
const DATABASE: &str = "hooktwice.db";

/// Held for as long as the folder is owned.
#[derive(Debug)]
pub(super) struct Lock {
    /// Closing it gives the lock back.
    _file: File,
}

/// The process that owns a folder, as it wrote itself down.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    program: String,
    started_at: String,
}

impl Holder {
    fn this() -> Self {
        let program = std::env::current_exe().ok();
        let program = program
            .as_deref()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned());
        Self {
            pid: process::id(),
            program: program.unwrap_or_else(|| "hooktwice".into()),
            started_at: rfc3339(Timestamp::now()),
        }
    }
}

/// The database's path in a folder.
pub(super) fn database(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Makes the folder where it is missing.
pub(super) fn make(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder).map_err(|cause| StoreError::folder(folder, cause))
}

/// Makes a file for this user only where it is missing; what is in it stays.
pub(super) fn make_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).map_err(|cause| StoreError::folder(path, cause))
}

/// Takes the folder's lock; `None` when another process has it.
pub(super) fn try_lock(folder: &Path) -> Result<Option<Lock>, StoreError> {
    let path = folder.join(LOCK);
    let file = make_file(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(cause)) => Err(StoreError::folder(&path, cause)),
    }
}

/// Takes the folder's lock and writes down who has it.
pub(super) fn own(folder: &Path) -> Result<Lock, StoreError> {
    let Some(lock) = try_lock(folder)? else {
        return Err(StoreError::InUse { folder: folder.to_owned(), holder: holder(folder) });
    };
    let path = folder.join(HOLDER);
    make_file(&path)?;
    let text = serde_json::to_vec(&Holder::this()).unwrap_or_default();
    fs::write(&path, text).map_err(|cause| StoreError::folder(&path, cause))?;
    Ok(lock)
}

/// The process that has the folder's lock, in words.
pub(super) fn holder(folder: &Path) -> String {
    let text = fs::read(folder.join(HOLDER)).unwrap_or_default();
    match serde_json::from_slice::<Holder>(&text) {
        Ok(Holder { pid, program, started_at }) => {
            format!("{program} (process {pid}, since {started_at})")
        }
        Err(_) => "another process".into(),
    }
}
