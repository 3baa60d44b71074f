//! The Hooktwice window.

// No console window beside it on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

/// A delivery is some dozens of small allocations, made on one thread and freed on another: a third of what it costs
/// the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    hooktwice_app::leash(std::env::args_os().skip(1)).unwrap_or_else(hooktwice_app::run)
}
