//! The Hooktwice window.

// No console window beside it on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    hooktwice_app::run()
}
