//! Deliveries a second: verified, stored and claimed durably, beside a handler that does nothing and beside the recipe.

use super::{
    Bench, median,
    process::{Server, json},
    table::{Row, Table, Target},
};
use anyhow::{Context as _, ensure};
use std::{fs, process::Command};

/// What takes the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taker {
    /// `hooktwice listen`, every delivery of its own job, with ids that grow.
    Ordered,
    /// The same with ids in no order, the most that a claim can cost.
    Random,
    /// The same, all deliveries of one job.
    One,
    /// The bare axum handler.
    Bare,
    /// The Python recipe as it is written, in memory.
    Python,
    /// The same with its table on the disk, which is what Hooktwice does.
    PythonOnDisk,
}

const TAKERS: [Taker; 6] =
    [Taker::Ordered, Taker::Bare, Taker::Random, Taker::One, Taker::Python, Taker::PythonOnDisk];

/// Alternates the takers, so that a slow moment of the machine falls on all of them.
pub(super) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let mut rates: [Vec<f64>; TAKERS.len()] = Default::default();
    for round in 0..bench.rounds(3, 1) {
        for (taker, rates) in TAKERS.iter().zip(&mut rates) {
            let rate = taker.rate(bench)?;
            println!("deliveries, round {}: {taker:?} {rate:.0} a second", round + 1);
            rates.push(rate);
        }
    }
    let [ordered, bare, random, one, python, on_disk] = rates.map(|rates| median(&rates));
    let mut add = |jobs: &str, ours: f64, beside: &str, theirs: f64, target| {
        table.add(Row {
            figure: format!("durable deliveries, {jobs}"),
            ours: format!("{ours:.0}/s"),
            beside: beside.into(),
            theirs: format!("{theirs:.0}/s"),
            ratio: ours / theirs,
            target,
        });
    };
    add("ids in order", ordered, "bare axum", bare, Target::AtLeast(0.6));
    add("ids in no order", random, "bare axum", bare, Target::Told);
    add("all of one job", one, "bare axum", bare, Target::Told);
    add("ids in order", ordered, "Python recipe in memory", python, Target::AtLeast(9.0));
    add("ids in order", ordered, "Python recipe on disk", on_disk, Target::Told);
    Ok(())
}

impl Taker {
    /// Deliveries a second that were answered 2xx.
    fn rate(self, bench: &Bench) -> anyhow::Result<f64> {
        let folder = bench.folder.path().join(format!("{self:?}"));
        fs::create_dir_all(&folder)?;
        let server = Server::start(&mut self.command(bench, &folder))?;
        let mut load = bench.command(&bench.yardstick);
        load.args(["load", "--url", &format!("{}/hook", server.url)]);
        if bench.quick {
            load.args(["--seconds", "2", "--warm-up", "0.5"]);
        }
        load.args(["--jobs", self.jobs()]);
        let tally = json(&mut load)?;
        ensure!(tally["other"] == 0, "{self:?} did not accept every delivery: {tally}");
        drop(server);
        fs::remove_dir_all(&folder)?;
        tally["per_second"].as_f64().context("the load client told no rate")
    }

    /// As the load client names it.
    fn jobs(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::One => "one",
            Self::Ordered | Self::Bare | Self::Python | Self::PythonOnDisk => "ordered",
        }
    }

    fn command(self, bench: &Bench, folder: &std::path::Path) -> Command {
        match self {
            Self::Ordered | Self::Random | Self::One => {
                let mut command = bench.command(&bench.hooktwice);
                command.args(["listen", "--json", "--quiet", "--port", "0"]);
                command.args(["--secret-env", "HOOK_SECRET"]);
                command.arg("--data-dir").arg(folder);
                command
            }
            Self::Bare => {
                let mut command = bench.command(&bench.yardstick);
                command.arg("bare");
                command
            }
            Self::Python | Self::PythonOnDisk => {
                let mut command = bench.command("python3");
                command.args(["tests/handlers/python_claim.py", "--port", "0"]);
                let on_disk = self == Self::PythonOnDisk;
                command.env(
                    "HOOK_STORE",
                    if on_disk { folder.join("effects") } else { ":memory:".into() },
                );
                command
            }
        }
    }
}
