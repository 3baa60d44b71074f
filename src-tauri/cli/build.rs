//! The pages are embedded from `ui/dist`, which `npm run build` makes. A fresh clone has none yet: an empty folder
//! lets the command build, and `serve` then says how to get the pages.

use std::{fs, path::Path};

fn main() -> std::io::Result<()> {
    let pages = Path::new("../../ui/dist");
    println!("cargo::rerun-if-changed={}", pages.display());
    fs::create_dir_all(pages)
}
