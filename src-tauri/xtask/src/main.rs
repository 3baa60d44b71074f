//! What people type: `cargo xtask app`, `cargo xtask test`, `cargo xtask bench`. Each installs what it needs first.

mod app;
mod bench;
mod house;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask app      installs what is missing, builds the pages and opens the window;
                     where there is no display, it serves the pages to a browser
cargo xtask test     installs what is missing and runs every check (--only STEP,… for some of them)
cargo xtask bench    measures beside other programs and prints the ratios (--help for its rows)
cargo xtask setup    only installs what is missing
cargo xtask types    writes the pages' types anew";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let done = match arguments.first().map(String::as_str) {
        Some("app") => app::run(),
        Some("test") => test::run(rest),
        Some("bench") => bench::run(rest),
        Some("setup") => setup::everything(),
        Some("types") => test::write_types(),
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
