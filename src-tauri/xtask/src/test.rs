//! Every check, in the order in which they fail fastest. Nothing is skipped in silence: what a machine lacks is an
//! error of the set-up.

use crate::{
    app, house,
    run::{self, command, root, run_quietly},
    setup,
};
use anyhow::{Context as _, Result, bail};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

struct Step {
    name: &'static str,
    what: &'static str,
    check: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        what: "rustfmt",
        check: || run::run(command("cargo", &["fmt", "--all", "--check"])),
    },
    Step {
        name: "house",
        what: "house rules: who may know whom, what may not be in the tree",
        check: house::check,
    },
    Step {
        name: "lint",
        what: "the pages' lint and format",
        check: || run::run(command("npm", &["run", "--silent", "lint"])),
    },
    Step {
        name: "check",
        what: "the pages' types",
        check: || run::run(command("npm", &["run", "--silent", "check"])),
    },
    Step {
        name: "pages",
        what: "the pages' unit tests",
        check: || run::run(command("npm", &["run", "--silent", "test"])),
    },
    Step { name: "build", what: "the pages", check: app::build_pages },
    Step { name: "clippy", what: "clippy, warnings denied", check: clippy },
    Step { name: "rust", what: "cargo nextest, the whole workspace", check: nextest },
    Step {
        name: "types",
        what: "the generated types are the committed ones",
        check: compare_types,
    },
    Step {
        name: "web",
        what: "end to end in Chromium",
        check: || run::run(command("npm", &["run", "--silent", "e2e:web"])),
    },
    Step { name: "native", what: "end to end in the real window", check: native },
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let only: Vec<&str> = match arguments {
        [] => Vec::new(),
        [flag, names] if flag == "--only" => names.split(',').collect(),
        _ => bail!("`cargo xtask test` takes only `--only STEP,…` with {}", names()),
    };
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        bail!("there is no step {unknown:?}; there are {}", names());
    }
    timed("set-up", setup::everything)?;
    let mut times = Vec::new();
    for step in STEPS.iter().filter(|step| only.is_empty() || only.contains(&step.name)) {
        println!("\n── {}: {}", step.name, step.what);
        times.push((step.name, timed(step.name, step.check)?));
    }
    println!("\nEverything passed:");
    for (name, time) in times {
        println!("  {name:<8} {:>6.1} s", time.as_secs_f64());
    }
    Ok(())
}

fn names() -> String {
    STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
}

fn timed(name: &str, check: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    check().with_context(|| format!("the step {name:?} did not pass"))?;
    Ok(start.elapsed())
}

fn clippy() -> Result<()> {
    run::run(command(
        "cargo",
        &["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"],
    ))
}

/// Where the types are written for comparison.
const FRESH_TYPES: &str = "target/bindings";

/// The tests of the types write them; here into a folder beside the committed ones.
fn nextest() -> Result<()> {
    let fresh = root().join(FRESH_TYPES);
    if fresh.exists() {
        fs::remove_dir_all(&fresh).with_context(|| format!("{FRESH_TYPES} cannot be removed"))?;
    }
    fs::create_dir_all(&fresh).with_context(|| format!("{FRESH_TYPES} cannot be made"))?;
    let mut nextest = command("cargo", &["nextest", "run", "--workspace", "--no-fail-fast"]);
    nextest.env("TS_RS_EXPORT_DIR", &fresh);
    run::run(nextest)
}

fn compare_types() -> Result<()> {
    let (fresh, committed) = (root().join(FRESH_TYPES), root().join("ui/src/bindings"));
    if !fresh.exists() {
        bail!("the types were not written: run the step \"rust\" as well");
    }
    let names = |folder: &Path| -> Result<std::collections::BTreeSet<String>> {
        let entries =
            fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        Ok(entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect())
    };
    let all: std::collections::BTreeSet<String> =
        names(&fresh)?.union(&names(&committed)?).cloned().collect();
    let differs =
        |name: &&String| fs::read(fresh.join(name)).ok() != fs::read(committed.join(name)).ok();
    let different: Vec<&String> = all.iter().filter(differs).collect();
    if !different.is_empty() {
        bail!(
            "ui/src/bindings is not what the engine says; run `cargo xtask types` and commit: {different:?}"
        );
    }
    println!("{} files agree", all.len());
    Ok(())
}

/// Writes the types into the tree.
pub(crate) fn write_types() -> Result<()> {
    let folder = root().join("ui/src/bindings");
    fs::remove_dir_all(&folder)
        .and_then(|()| fs::create_dir_all(&folder))
        .context("ui/src/bindings cannot be emptied")?;
    run_quietly(command(
        "cargo",
        &["test", "--quiet", "--package", "hooktwice-engine", "--lib", "export_bindings"],
    ))
}

/// The window on a display and a session bus of its own.
fn native() -> Result<()> {
    // The bare window is the bench's alone.
    let build = ["build", "--quiet", "--workspace", "--exclude", "hooktwice-bare"];
    run::run(command("cargo", &build))?;
    run::run(command(
        "xvfb-run",
        &["--auto-servernum", "dbus-run-session", "--", "npm", "run", "--silent", "e2e:native"],
    ))
}
