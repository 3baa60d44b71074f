//! Which file a path leads to at the moment.

use std::{fs::Metadata, io, path::Path};

/// A file, whatever its name. It says the same file only as long as that file is held open: its number is given away
/// again afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(#[cfg(unix)] (u64, u64));

#[cfg(unix)]
pub(super) fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some(Identity((metadata.dev(), metadata.ino())))
}

/// Not told here.
#[cfg(not(unix))]
pub(super) fn identity(_: &Metadata) -> Option<Identity> {
    None
}

/// What stands at the path; a sentence where it is no file that can be read.
pub(super) fn look(path: &Path) -> Result<Metadata, String> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(metadata),
        Ok(_) => Err(format!("{} is not a file; give the path of a file.", path.display())),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Why a file cannot be read, as a sentence.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> String {
    let shown = path.display();
    if error.kind() != io::ErrorKind::NotFound {
        return format!("{shown} cannot be read: {error}; give Hooktwice the right to read it.");
    }
    let mut sentence = format!(
        "There is no file {shown} yet; if the handler makes it, it will be seen, else correct the path"
    );
    if path.starts_with("~") {
        sentence.push_str(" (`~` is not replaced here; write the whole path)");
    } else if path.is_relative()
        && let Ok(folder) = std::env::current_dir()
    {
        sentence = format!("{sentence} (it is looked for in {})", folder.display());
    }
    sentence.push('.');
    sentence
}
