//! How long the verdict over a large body takes that matches nothing, with every explanation tried that there is time for.

use super::{
    Bench, median,
    table::{Row, Table, Target},
};
use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Bytes of a body.
const LARGE: usize = 10 * 1024 * 1024;
/// What a verdict may take.
const SECOND: Duration = Duration::from_secs(1);
/// A signature that is nobody's.
const FORGED: &str =
    "X-Sume-Signature: v1=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Verifies bodies of the largest size that the listener takes by default.
pub(super) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let item =
        br#"{"job_id":"job_1","text":"caf\u00e9 \/ \ud83d\ude00","n":[1.0,-2e3,null,true]},"#;
    let mut json = b"[".to_vec();
    while json.len() < LARGE - item.len() - 2 {
        json.extend_from_slice(item);
    }
    json.extend_from_slice(b"{}]");
    let binary: Vec<u8> =
        (0..LARGE).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (what, body) in [("JSON", json), ("binary", binary)] {
        let file = bench.folder.path().join("large-body");
        fs::write(&file, body)?;
        let (failing, untried) = verdict(bench, &file)?;
        let digest = digest(bench, &file)?;
        println!("verify: {what} {failing:?}, one digest by openssl {digest:?}; {untried}");
        table.add(Row {
            figure: format!("the verdict over a forged 10 MiB body, explained ({what})"),
            ours: format!("{:.2} s", failing.as_secs_f64()),
            beside: format!("a second (one digest by openssl: {:.2} s)", digest.as_secs_f64()),
            theirs: "1 s".into(),
            ratio: failing.as_secs_f64() / SECOND.as_secs_f64(),
            target: Target::AtMost(1.0),
        });
    }
    Ok(())
}

/// The whole command, from its start to its end, and what it says of what was not tried.
fn verdict(bench: &Bench, body: &Path) -> anyhow::Result<(Duration, String)> {
    let mut took = Vec::new();
    let mut reason = String::new();
    for _ in 0..bench.rounds(9, 3) {
        let mut command = bench.command(&bench.hooktwice);
        command.args(["verify", "--json", "--secret-env", "HOOK_SECRET", "--now", "1700000000"]);
        command.args(["--header", "X-Sume-Timestamp: 1700000000", "--header", FORGED]);
        command.arg("--data-dir").arg(bench.folder.path().join("none"));
        command.arg("--body-file").arg(body);
        let began = Instant::now();
        let output = command.output().context("hooktwice cannot be run")?;
        took.push(began.elapsed().as_secs_f64());
        let said: Value = serde_json::from_slice(&output.stdout).context("no verdict came")?;
        ensure!(said["state"] == "invalid", "the forged body is called {}", said["state"]);
        said["reason"].as_str().unwrap_or_default().clone_into(&mut reason);
    }
    Ok((Duration::from_secs_f64(median(&took)), reason))
}

/// One digest of the same file by another program.
fn digest(bench: &Bench, body: &Path) -> anyhow::Result<Duration> {
    let mut took = Vec::new();
    for _ in 0..bench.rounds(9, 3) {
        let began = Instant::now();
        let output =
            bench.command("openssl").args(["dgst", "-sha256", "-hmac", "key"]).arg(body).output();
        let output = output.context("openssl cannot be run; install it")?;
        took.push(began.elapsed().as_secs_f64());
        ensure!(
            output.status.success(),
            "openssl failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(Duration::from_secs_f64(median(&took)))
}
