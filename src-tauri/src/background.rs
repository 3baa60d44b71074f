//! What the window shows before its page is painted: the page's own ground, as it was last. Without it each start of a
//! dark page would begin with a white flash.

use std::{
    fs, io,
    path::{Path, PathBuf},
};
use tauri::{AppHandle, Manager as _, WebviewWindow, window::Color};

/// Beside the window's place.
const FILE: &str = ".background.json";

/// Red, green and blue.
type Rgb = [u8; 3];

/// The ground that the page had when it was last seen. Where that is not known the webview's own has to do until the page
/// is there.
pub(crate) fn last(app: &AppHandle) -> Option<Color> {
    read(&file(app)?).map(Color::from)
}

/// The page's ground: told once it is painted, and when its theme changes.
#[tauri::command]
pub(crate) async fn background(window: WebviewWindow, rgb: Rgb) {
    let file = file(window.app_handle());
    if file.as_deref().and_then(read) == Some(rgb) {
        // The window has it.
        return;
    }
    if let Err(error) = window.set_background_color(Some(rgb.into())) {
        tracing::debug!(%error, "the window keeps its background");
    }
    if let Some(file) = file
        && let Err(error) = write(&file, rgb)
    {
        tracing::warn!(%error, file = %file.display(), "the next start begins with another background");
    }
}

fn file(app: &AppHandle) -> Option<PathBuf> {
    app.path().app_config_dir().ok().map(|folder| folder.join(FILE))
}

fn read(file: &Path) -> Option<Rgb> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn write(file: &Path, rgb: Rgb) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, serde_json::to_vec(&rgb)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_and_what_is_broken_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("not/there/yet").join(FILE);
        assert_eq!(read(&file), None);
        write(&file, [13, 17, 23]).unwrap();
        assert_eq!(read(&file), Some([13, 17, 23]));
        for broken in ["", "[13,17", "[13,17,999]", "\"#é12345\"", "[1,2,3,4]"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(read(&file), None, "{broken}");
        }
    }
}
