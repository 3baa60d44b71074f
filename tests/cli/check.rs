//! `hooktwice check` from the outside: what it refuses, what it prints, what it writes, how it ends.

mod effects;
mod ends;
mod field;
mod flood;
mod lines;
mod races;
mod reports;
mod schemes;
mod target;
mod trying;
mod usage;

use crate::harness::{SECRET_ENV, Said, hooktwice};
use serde_json::Value;
use std::process::Command;

/// A check of a handler with the tests' secret, as JSON, with short times where it gives none.
fn check(url: &str, args: &[&str]) -> Command {
    let mut command = hooktwice();
    command.args(["check", "--json", "--url", url]).args(SECRET_ENV).args(args);
    for short in [["--settle", "100ms"], ["--race-budget", "1s"]] {
        if !args.contains(&short[0]) {
            command.args(short);
        }
    }
    command
}

fn said(mut command: Command) -> Said {
    Said::of(command.output().unwrap())
}

/// The line of a scenario.
fn scenario<'a>(lines: &'a [Value], id: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["type"] == "scenario" && line["id"] == id);
    found.unwrap_or_else(|| panic!("no line of {id}: {lines:?}"))
}

fn reason(line: &Value) -> &str {
    line["reason"].as_str().unwrap()
}
