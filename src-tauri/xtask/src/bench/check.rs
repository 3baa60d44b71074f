//! How long a whole check takes, and whether a right handler is ever called wrong.

use super::{
    Bench, median,
    process::Server,
    table::{Row, Table, Target},
};
use crate::run::{self, command, root};
use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::{fs, process::Stdio};

/// What a check should take, in seconds.
const HALF_A_MINUTE: f64 = 30.0;

/// Checks every right sample handler with the usual budgets.
pub(super) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    run::run(command(
        "cargo",
        &["build", "--release", "--package", "hooktwice-cli", "--example", "sample-handlers"],
    ))?;
    let mut seconds = Vec::new();
    let (mut volleys, mut pairs, mut alarms) = (0, 0, 0);
    for file in right_handlers()? {
        let verdict = check(bench, &file)?;
        let took = verdict["duration_s"].as_f64().context("a check has no duration")?;
        let count = |name: &str| verdict["facts"][name].as_u64().unwrap_or(0);
        let failed = verdict["failed"].as_array().map_or(0, Vec::len);
        println!(
            "check: {file} {took:.1} s, {} volleys, {} pairs, {failed} alarms",
            count("volleys"),
            count("pairs")
        );
        seconds.push(took);
        volleys += count("volleys");
        pairs += count("pairs");
        alarms += failed;
    }
    let half = median(&seconds);
    table.add(Row {
        figure: format!("a whole check, the middle of {} right handlers", seconds.len()),
        ours: format!("{half:.1} s"),
        beside: "half a minute".into(),
        theirs: format!("{HALF_A_MINUTE} s"),
        ratio: half / HALF_A_MINUTE,
        target: Target::AtMost(1.25),
    });
    table.add(Row {
        figure: format!("false alarms in {volleys} volleys and {pairs} pairs at them"),
        ours: alarms.to_string(),
        beside: "volleys that were asked for".into(),
        theirs: "1000".into(),
        ratio: if alarms == 0 { volleys as f64 / 1000.0 } else { 0.0 },
        target: if bench.quick { Target::Told } else { Target::AtLeast(1.0) },
    });
    Ok(())
}

/// The files whose line in the table of samples names no fault.
fn right_handlers() -> anyhow::Result<Vec<String>> {
    let table = fs::read_to_string(root().join("tests/handlers/README.md"))
        .context("the table of sample handlers cannot be read")?;
    let files: Vec<String> = table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let file = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
            (*cells.get(3)? == "none").then(|| file.to_owned())
        })
        .collect();
    ensure!(!files.is_empty(), "the table of sample handlers names no right one");
    Ok(files)
}

/// The last line that a check of a handler prints.
fn check(bench: &Bench, file: &str) -> anyhow::Result<Value> {
    let store = tempfile::tempdir_in(bench.folder.path())?;
    let path = format!("tests/handlers/{file}");
    let mut handler = match file.strip_prefix("rust/").and_then(|name| name.strip_suffix(".rs")) {
        Some(name) => {
            let mut handler =
                bench.command(bench.hooktwice.with_file_name("examples/sample-handlers"));
            handler.arg(name);
            handler
        }
        None => {
            let mut handler = bench.command(if file.ends_with(".py") { "python3" } else { "node" });
            handler.arg(path);
            handler
        }
    };
    handler
        .args(["--port", "0"])
        .env("HOOK_STORE", store.path().join("effects"))
        .stderr(Stdio::null());
    let server = Server::start(&mut handler)?;
    let mut check = bench.command(&bench.hooktwice);
    check.args(["check", "--json", "--secret-env", "HOOK_SECRET", "--effect-pointer", "/count"]);
    check.args(["--url", &format!("{}/hook", server.url)]);
    check.args(["--effect-url", &format!("{}/effects/{{job_id}}", server.url)]);
    if bench.quick {
        check.args(["--race-budget", "3s"]);
    }
    // A failed check is told by its exit code, and counted.
    let output = check.output().context("the check cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last().with_context(|| {
        format!("the check of {file} said nothing: {}", String::from_utf8_lossy(&output.stderr))
    })?;
    serde_json::from_str(last).context("the check's last line is no JSON")
}
