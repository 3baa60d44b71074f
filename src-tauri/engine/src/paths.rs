//! Where everything is kept.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// The operating system's folder for this application's data: on Linux `$XDG_DATA_HOME/hooktwice`, else
/// `~/.local/share/hooktwice`.
///
/// # Errors
/// When there is no home folder, as in some containers.
pub fn data_folder() -> Result<PathBuf> {
    directories::ProjectDirs::from("", "", "hooktwice").map(|dirs| dirs.data_dir().to_owned()).ok_or_else(|| {
        Error::Input(
            "No home folder is known, so there is no place for data. Set HOOKTWICE_DATA_DIR or give --data-dir.".into(),
        )
    })
}
