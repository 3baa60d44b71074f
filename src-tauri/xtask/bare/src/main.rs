//! The least that a Tauri window can be: what `cargo xtask bench window` measures Hooktwice's start, memory and size
//! beside.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
