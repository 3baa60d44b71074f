//! The Inbox over 100,000 stored deliveries, in Chromium: how long a frame takes, and how soon a filter has its first rows.

use super::{
    Bench,
    table::{Row, Table, Target},
};
use crate::{app, run, setup};
use anyhow::Context as _;
use serde_json::Value;
use std::fs;

/// What nineteen of twenty frames may take, in milliseconds.
const FRAME: f64 = 50.0;
/// How soon the first rows of a filter are to be there, in milliseconds.
const FIRST_ROWS: f64 = 150.0;
/// How long 10,000 deliveries take to be sent, in seconds.
const ARRIVING: f64 = 2.0;

/// Brings what the pages are built and looked at with, and builds them.
pub(super) fn prepare() -> anyhow::Result<()> {
    setup::for_app()?;
    setup::packages(&["chromium"])?;
    app::build_pages()
}

/// Runs the script and tells its figures.
pub(super) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let file = bench.folder.path().join("rows.json");
    let mut script = run::command("npx", &["vitest", "run", "--config", "tests/rows.config.ts"]);
    script.env("HOOKTWICE_PROFILE", bench.built).env("ROWS_FIGURES", &file);
    run::run_quietly(script)?;
    let figures: Value =
        serde_json::from_slice(&fs::read(&file)?).context("the script's figures are no JSON")?;
    println!("rows: {figures}");
    for (doing, frames) in figures["frames"].as_object().context("there are no frames")? {
        let figure = |name: &str| frames[name].as_f64().unwrap_or(f64::NAN);
        let p95 = figure("p95");
        table.add(Row {
            figure: format!("100,000 rows, {doing}: 95 of 100 frames"),
            ours: format!("{p95:.0} ms (longest {:.0} ms)", figure("longest")),
            beside: "a frame that is not felt".into(),
            theirs: format!("{FRAME} ms"),
            ratio: p95 / FRAME,
            target: Target::AtMost(1.0),
        });
    }
    let seconds = figures["arrived"]["seconds"].as_f64().unwrap_or(f64::NAN);
    table.add(Row {
        figure: "10,000 arriving while scrolling".into(),
        ours: format!("{seconds:.1} s"),
        beside: "the pace that they are sent at".into(),
        theirs: format!("{ARRIVING} s"),
        ratio: seconds / ARRIVING,
        target: Target::AtMost(1.1),
    });
    for filter in figures["filters"].as_array().context("there are no filters")? {
        let ms = filter["ms"].as_f64().unwrap_or(f64::NAN);
        let told = |name: &str| filter[name].as_str().unwrap_or_default().to_owned();
        table.add(Row {
            figure: format!(
                "first rows of {} ({}, {} match)",
                told("text"),
                told("kind"),
                filter["matches"]
            ),
            ours: format!("{ms:.0} ms"),
            beside: "an answer at once".into(),
            theirs: format!("{FIRST_ROWS} ms"),
            ratio: ms / FIRST_ROWS,
            target: Target::AtMost(1.0),
        });
    }
    Ok(())
}
