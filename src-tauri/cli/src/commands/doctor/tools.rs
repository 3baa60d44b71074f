//! Programs that work with this one where they are there.

use super::Check;
use std::{env, ffi::OsStr, path::PathBuf};

/// Each with what it is for and where to get it.
const TOOLS: [(&str, &str); 4] = [
    (
        "curl",
        "sends the commands that `deliveries export --format curl` writes: https://curl.se/download.html",
    ),
    (
        "cloudflared",
        "a tunnel: https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/",
    ),
    ("ngrok", "a tunnel: https://ngrok.com/download"),
    ("bore", "a tunnel: cargo install bore-cli"),
];

pub(super) fn look() -> Vec<Check> {
    let look = |(name, advice): (&'static str, &str)| match find(name) {
        Some(path) => Check::ok(name, path.display().to_string()),
        None => Check::missing(name, "Not on the PATH; optional.", advice),
    };
    TOOLS.into_iter().map(look).collect()
}

/// Where a program stands, as the system would find it.
fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(AsRef::<OsStr>::as_ref(&path))
        .map(|folder| folder.join(&file))
        .find(|file| file.is_file())
}
