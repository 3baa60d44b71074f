//! The `hooktwice` command: contract.md's names over the engine.

mod cli;
mod commands;
mod covered;
mod exit;
mod input;
mod output;
mod people;
mod secret;
mod terminal;
mod units;

use clap::Parser as _;
use exit::Failure;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// A delivery is some dozens of small allocations, made on one thread and freed on another: a third of what it costs
/// the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    log_to_stderr();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::Runtime(error)),
    };
    let result = runtime.block_on(commands::run(cli));
    // A reader that has stopped reading our output must not keep the process alive.
    runtime.shutdown_background();
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => report(&failure),
    }
}

fn report(failure: &Failure) -> ExitCode {
    if !failure.is_closed_pipe() {
        terminal::say(&format!("hooktwice: {}", failure.in_words()));
    }
    failure.exit().into()
}

/// What the engine has to say goes to stderr, never among the lines that scripts read.
fn log_to_stderr() {
    let filter =
        EnvFilter::try_from_env("HOOKTWICE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
