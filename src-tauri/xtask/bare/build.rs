//! Tauri's macro keeps the page in the folder that only a package with a build script has.

fn main() {}
