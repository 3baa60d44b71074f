//! `cargo xtask bench`: the speed table. Everything is measured in one run on one machine beside its yardstick, and what
//! counts is the ratio. It builds its own yardsticks and brings the public tools that it measures beside.

mod check;
mod deliveries;
mod process;
mod race;
mod rows;
mod spread;
mod table;
mod tools;
mod verify;
mod volley;
#[cfg(target_os = "linux")]
mod window;

use crate::run;
use anyhow::bail;
use std::{env, path::PathBuf, process::Command};
use table::Table;
use tempfile::TempDir;

const USAGE: &str = "\
cargo xtask bench [--quick] [deliveries] [spread] [race] [check] [verify] [rows] [window]

  deliveries   durable deliveries a second, beside a bare axum handler and the Python recipe
  spread       how far apart the copies of a volley arrive, beside curl -Z, oha and hey
  race         how often one volley doubles a window of one event-loop turn, beside the same
  check        how long a whole check takes, and whether a right handler is ever called wrong
  verify       how long the verdict over a forged body of 10 MiB takes
  rows         frames and filters of the Inbox in Chromium over 100,000 deliveries
  window       how soon the window can be used, and what it weighs, beside a bare Tauri window
  --quick      fewer rounds, for a look; the table is made without it
  --dev        the development builds, for work on the bench itself: their figures say nothing";

/// The secret of every server and sender here.
const SECRET: &str = "a secret of the bench";

/// What every row stands on.
struct Bench {
    /// On the disk of the work tree, since a temporary folder may be memory.
    folder: TempDir,
    /// The build of the command.
    hooktwice: PathBuf,
    /// The build of the yardstick crate.
    yardstick: PathBuf,
    /// Where both are, within Cargo's folder.
    built: &'static str,
    /// Fewer rounds.
    quick: bool,
}

/// Measures what is asked for, all of it where nothing is.
///
/// # Errors
/// When the arguments are not known, a build fails, or a tool cannot be had.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (mut rows, mut quick, mut profile) = (Vec::new(), false, "release");
    for arg in args {
        match arg.as_str() {
            "--quick" => quick = true,
            "--dev" => profile = "dev",
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            row @ ("deliveries" | "spread" | "race" | "check" | "verify" | "rows" | "window") => {
                rows.push(row);
            }
            other => bail!("bench does not know {other:?}\n\n{USAGE}"),
        }
    }
    let wanted = |row: &str| rows.is_empty() || rows.contains(&row);

    if wanted("rows") {
        // Before the command is built, which holds them.
        rows::prepare()?;
    }
    if wanted("window") {
        #[cfg(target_os = "linux")]
        window::prepare(profile)?;
        #[cfg(not(target_os = "linux"))]
        bail!("the row \"window\" is measured on Linux alone; name the others");
    }
    let bench = Bench::build(quick, profile)?;
    let mut table = Table::default();
    if wanted("deliveries") {
        deliveries::measure(&bench, &mut table)?;
    }
    if wanted("spread") || wanted("race") {
        let tools = tools::bring()?;
        if wanted("spread") {
            spread::measure(&bench, &tools, &mut table)?;
        }
        if wanted("race") {
            race::measure(&bench, &tools, &mut table)?;
        }
    }
    if wanted("check") {
        check::measure(&bench, &mut table)?;
    }
    if wanted("verify") {
        verify::measure(&bench, &mut table)?;
    }
    if wanted("rows") {
        rows::measure(&bench, &mut table)?;
    }
    #[cfg(target_os = "linux")]
    if wanted("window") {
        window::measure(&bench, &mut table)?;
    }
    table.print();
    Ok(())
}

impl Bench {
    /// Builds what is measured and what it is measured with.
    fn build(quick: bool, profile: &'static str) -> anyhow::Result<Self> {
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| run::root().join("target"), PathBuf::from);
        build(profile, &["hooktwice-cli", "hooktwice-yardstick"])?;
        // Cargo's own name for the folder of the profile `dev`.
        let built = if profile == "dev" { "debug" } else { profile };
        Ok(Self {
            folder: tempfile::Builder::new().prefix("bench-").tempdir_in(&target)?,
            hooktwice: target.join(built).join("hooktwice"),
            yardstick: target.join(built).join("yardstick"),
            built,
            quick,
        })
    }

    /// A program that finds the secret where `--secret-env HOOK_SECRET` looks.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(run::root())
            .env("HOOK_SECRET", SECRET)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// So many rounds, or the few of a quick look.
    fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

/// Builds packages of the workspace.
fn build(profile: &str, packages: &[&str]) -> anyhow::Result<()> {
    let mut cargo = run::command("cargo", &["build", "--profile", profile]);
    cargo.args(packages.iter().flat_map(|package| ["--package", package]));
    run::run(cargo)
}

/// The middle of some figures; of two middles the mean.
fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (
        sorted.get(sorted.len() / 2),
        sorted.len().checked_sub(1).and_then(|last| sorted.get(last / 2)),
    ) {
        (Some(upper), Some(lower)) => f64::midpoint(*lower, *upper),
        _ => f64::NAN,
    }
}

/// What nine of ten figures do not exceed.
fn ninth_decile(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * 9).div_ceil(10).saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_deciles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]).to_bits(), 2.0_f64.to_bits());
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]).to_bits(), 2.5_f64.to_bits());
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(ninth_decile(&ten).to_bits(), 9.0_f64.to_bits());
        assert_eq!(ninth_decile(&[7.0]).to_bits(), 7.0_f64.to_bits());
        assert!(median(&[]).is_nan() && ninth_decile(&[]).is_nan());
    }
}
