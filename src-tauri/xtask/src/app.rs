//! Builds the pages and opens the window.

use crate::{
    run::{command, run_quietly},
    setup,
};
use anyhow::Result;
use std::env;

pub(crate) fn run() -> Result<()> {
    setup::for_app()?;
    build_pages()?;
    if has_display() {
        println!("Building the window; the first time takes some minutes …");
        crate::run::run(command("cargo", &["run", "--release", "--package", "hooktwice-app"]))
    } else {
        println!("There is no display here, so the pages are served to a browser.");
        crate::run::run(command(
            "cargo",
            &["run", "--release", "--package", "hooktwice-cli", "--", "serve"],
        ))
    }
}

/// Builds `ui/dist`.
pub(crate) fn build_pages() -> Result<()> {
    println!("Building the pages …");
    run_quietly(command("npm", &["run", "build"]))
}

fn has_display() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
