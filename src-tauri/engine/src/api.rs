//! The wire: every command once, with its dispatch. The window and the browser speak exactly this.
//!
//! A command is declared in `dispatch.rs` and nowhere else: the declaration makes the dispatch and the TypeScript map
//! (`Commands.ts`), so that a page that names an unknown command does not compile.

mod deliveries;
mod dispatch;
mod first;
mod wire;

pub use dispatch::{COMMANDS, dispatch, typescript};
pub use first::first;
pub use wire::*;

#[cfg(test)]
mod tests {
    use super::*;

    /// Written like ts-rs's own exports: by the tests, into the same folder. The test command then asks git whether
    /// anything changed.
    #[test]
    fn export_bindings_commands() {
        let folder = std::env::var("TS_RS_EXPORT_DIR").unwrap();
        std::fs::write(std::path::Path::new(&folder).join("Commands.ts"), typescript()).unwrap();
    }
}
