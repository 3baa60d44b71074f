//! `settings.json` in the data folder: read, checked, and written in one step. A file of another version of this program
//! keeps what it says: what is missing has its default, and what this version does not know is written back as it was.

mod merging;
mod ranges;
#[cfg(test)]
mod tests;
mod understanding;

pub use understanding::{Problem, Understood};

use crate::model::Settings;
use jiff::Timestamp;
use merging::merge;
use serde_json::Value;
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use understanding::understand;

/// The file's name in the data folder.
const FILE: &str = "settings.json";

/// A setting out of its range, or a file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A value that cannot be used.
    #[error("{name} is {value}, and has to be {wanted}.")]
    OutOfRange {
        /// Where it stands in the file, as `listen.port`.
        key: &'static str,
        /// Which setting.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it has to be.
        wanted: &'static str,
    },
    /// The file is not what this version writes.
    #[error("The settings in {} cannot be understood: {problem} Mend or delete that file.", path.display())]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// The first thing that is not understood.
        problem: Problem,
    },
    /// The file cannot be read.
    #[error("The settings in {} cannot be read: {source}.", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("The settings cannot be written to {}: {source}. What was set holds until the end of this run.", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Settings {
    /// Reads a data folder's settings; a folder without a file has the defaults.
    ///
    /// # Errors
    /// When the file cannot be read, is not understood, or holds a value out of its range.
    pub fn load(folder: &Path) -> Result<Self, SettingsError> {
        let Understood { settings, problems } = Self::understand(folder)?;
        match problems.into_iter().next() {
            Some(problem) => Err(SettingsError::NotUnderstood { path: folder.join(FILE), problem }),
            None => Ok(settings),
        }
    }

    /// Reads what can be understood of a data folder's settings, for a program that has to start all the same: what is
    /// not understood has its default, and is told. The file is left as it is.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn understand(folder: &Path) -> Result<Understood, SettingsError> {
        Ok(read(&folder.join(FILE))?.map_or_else(Understood::default, |bytes| understand(&bytes).0))
    }

    /// Writes them beside the old ones and swaps, so that a crash leaves one or the other whole. What the file says
    /// that this version does not know stays in it. A file that is not understood is kept as `settings.json.broken-…`
    /// first; so is one that the caller has its doubts about.
    ///
    /// # Errors
    /// When a value is out of its range, or the folder cannot be written.
    pub fn save(&self, folder: &Path, doubts: bool) -> Result<(), SettingsError> {
        self.check()?;
        let path = folder.join(FILE);
        let write = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut written = serde_json::to_value(self)?;
            // One that cannot be read cannot be kept aside, and is not written over.
            if let Some(before) = read_file(&path)? {
                let (understood, document) = understand(&before);
                if doubts || !understood.problems.is_empty() {
                    keep_aside(folder, &before)?;
                }
                if let Some(document) = document {
                    let known = serde_json::to_value(&understood.settings)?;
                    written = merge(document, &known, written);
                }
            }
            swap_in(&path, &written)
        };
        write().map_err(|source| SettingsError::Write { path: path.clone(), source })
    }

    /// Checks every value against its range.
    ///
    /// # Errors
    /// Names the first value that is out of its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        ranges::check(self)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, SettingsError> {
    read_file(path).map_err(|source| SettingsError::Read { path: path.to_owned(), source })
}

/// `None` where there is no file. A file in the folder's place is the store's to name.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn swap_in(path: &Path, written: &Value) -> io::Result<()> {
    let fresh = path.with_extension("json.new");
    let mut text = serde_json::to_string_pretty(written)?;
    text.push('\n');
    fs::write(&fresh, text)?;
    fs::File::open(&fresh)?.sync_all()?;
    fs::rename(&fresh, path)
}

/// Writes what a file held under a name that says when, and that nothing has yet.
fn keep_aside(folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = format!("{FILE}.broken-{}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"));
    let more = (2..100).map(|count| format!("{name}-{count}"));
    for name in std::iter::once(name.clone()).chain(more) {
        match fs::File::create_new(folder.join(name)) {
            Ok(mut file) => return file.write_all(bytes).and_then(|()| file.sync_all()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
