//! Tells Tauri which commands there are, so that the window may call these and nothing else.

fn main() {
    // A fresh clone has no pages yet; the window then says how to build them.
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/dist");
    if let Err(error) = std::fs::create_dir_all(&pages) {
        println!("cargo::error=The folder {} cannot be made: {error}", pages.display());
    }
    let commands = &["rpc", "subscribe", "save_file", "notifications", "background"];
    let manifest = tauri_build::AppManifest::new().commands(commands);
    if let Err(error) =
        tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
    {
        println!("cargo::error={error:#}");
    }
}
