//! Installs what is missing: Debian's packages where it may, the pages' packages, the test runner. Says what it does,
//! and does nothing twice.

use crate::run::{command, output, root, run, run_quietly, succeeds};
use anyhow::{Context as _, Result, bail};
use std::{fs, process::Command};

/// To build the window.
const BUILD: &[&str] = &[
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    "librsvg2-dev",
    "libxdo-dev",
    "libayatana-appindicator3-dev",
];

/// To drive it, to send real deliveries, and to keep effects in a real database and secrets in a real keychain.
const TEST: &[&str] = &[
    "xvfb",
    "xauth",
    "webkit2gtk-driver",
    "dbus-x11",
    // Has `dbus-run-session`.
    "dbus-daemon",
    // Has `dbus-send`.
    "dbus-bin",
    // Shows notifications.
    "dunst",
    "gnome-keyring",
    "libsecret-tools",
    "chromium",
    "curl",
    "python3",
    "procps",
    "postgresql",
    // The other end of a tunnel by ssh.
    "openssh-server",
    "openssh-client",
];

/// The sample handler that has packages of its own, so that nobody else has to install them.
const PRISMA: &str = "tests/handlers/prisma";
/// Its two databases: a schema each, `NAME.prisma`.
const SCHEMAS: &[&str] = &["sqlite", "postgresql"];

/// The providers' own libraries, which Hooktwice's signatures are tested against, for Node and for Python.
const ORACLES: &str = "tests/oracles";
/// Python's, in an environment of their own: nothing is written into the system's.
const ORACLES_PYTHON: &str = "target/oracles/python";

/// What `cargo xtask app` needs.
pub(crate) fn for_app() -> Result<()> {
    packages(BUILD)?;
    node_packages()
}

/// What `cargo xtask test` needs.
pub(crate) fn everything() -> Result<()> {
    packages(&[BUILD, TEST].concat())?;
    nextest()?;
    bore()?;
    node_packages()?;
    prisma_recipe()?;
    node_oracles()?;
    python_oracles()
}

/// Debian's packages: installs those that are missing, or says with which command to.
pub(crate) fn packages(wanted: &[&str]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if !succeeds("dpkg-query", &["--version"]) {
        println!(
            "This is not a Debian system; these packages (or your system's like) are needed: {}",
            wanted.join(" ")
        );
        return Ok(());
    }
    let missing: Vec<&str> =
        wanted.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let install = format!("apt-get install -y --no-install-recommends {}", missing.join(" "));
    let may_install = output("id", &["-u"]).as_deref() == Some("0");
    let sudo: &[&str] = if may_install {
        &[]
    } else if succeeds("sudo", &["-n", "true"]) {
        &["sudo", "-n"]
    } else {
        bail!("Some packages are missing. Install them and start again:\n\n    sudo {install}\n");
    };
    println!("Installing {} …", missing.join(" "));
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> =
            sudo.iter().copied().chain(["apt-get"]).chain(arguments.iter().copied()).collect();
        let mut apt = command(words[0], &words[1..]);
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    run_quietly(apt(&["update"]))?;
    run_quietly(apt(&[&["install", "-y", "--no-install-recommends"], missing.as_slice()].concat()))
        .with_context(|| format!("By hand: sudo {install}"))
}

fn is_installed(package: &str) -> bool {
    output("dpkg-query", &["-W", "-f=${db:Status-Status}", package]).as_deref() == Some("installed")
}

/// The pages' packages, exactly as locked.
fn node_packages() -> Result<()> {
    let version = output("node", &["--version"]).unwrap_or_default();
    let major: u32 = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    if major < 20 {
        bail!(
            "Node 20 or newer is needed, and `node --version` says {version:?}. Get it from your system or nodejs.org."
        );
    }
    once_for("package-lock.json", "node_modules/.locked", || {
        println!("Installing the pages' packages …");
        run_quietly(command("npm", &["ci", "--no-audit", "--no-fund"]))
    })
}

/// The Prisma recipe's packages, exactly as locked, and its client for each database.
fn prisma_recipe() -> Result<()> {
    let path = |file: &str| format!("{PRISMA}/{file}");
    once_for(&path("package-lock.json"), &path("node_modules/.locked"), || {
        println!("Installing the Prisma recipe's packages; SQLite may have to be compiled …");
        // Prisma's own scripts fetch programs that nothing here needs. SQLite's gets its library, built or ready-made.
        run_quietly(within(PRISMA, "npm", &["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))?;
        run_quietly(within(PRISMA, "npm", &["rebuild", "better-sqlite3"]))
    })?;
    // Generating asks that this program is there and never starts it; any other would be fetched.
    let engine = output("node", &["--print", "process.execPath"]).context("node cannot be run")?;
    for schema in SCHEMAS {
        let file = format!("{schema}.prisma");
        // Beside the packages, so that a new installation generates anew.
        once_for(&path(&file), &path(&format!("node_modules/.generated-{schema}")), || {
            println!("Generating the Prisma client for {schema} …");
            let words = ["exec", "--", "prisma", "generate", "--schema", &file];
            let mut generate = within(PRISMA, "npm", &words);
            generate.env("PRISMA_SCHEMA_ENGINE_BINARY", &engine).env("CHECKPOINT_DISABLE", "1");
            run_quietly(generate)
        })?;
    }
    Ok(())
}

/// The libraries for Node, exactly as locked. None of them has anything to compile.
fn node_oracles() -> Result<()> {
    let path = |file: &str| format!("{ORACLES}/{file}");
    once_for(&path("package-lock.json"), &path("node_modules/.locked"), || {
        println!("Installing the providers' libraries for Node …");
        let words = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        run_quietly(within(ORACLES, "npm", &words))
    })
}

/// The libraries for Python, each with the hash that it is to have.
fn python_oracles() -> Result<()> {
    let wanted = format!("{ORACLES}/requirements.txt");
    once_for(&wanted, &format!("{ORACLES_PYTHON}/.locked"), || {
        // Debian parts it from Python.
        if !succeeds("python3", &["-c", "import ensurepip, venv"]) {
            packages(&["python3-venv"])?;
        }
        println!("Installing the providers' libraries for Python …");
        // Anew, since what is installed may be of another Python, or no longer asked for.
        run_quietly(command("python3", &["-m", "venv", "--clear", ORACLES_PYTHON]))?;
        let python = root().join(ORACLES_PYTHON).join("bin/python");
        let python = python.to_str().context("the project's path is not UTF-8")?;
        let words = ["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement"];
        run_quietly(command(python, &[&words[..], &[&wanted]].concat()))
    })
}

/// A program to run in a folder of the project.
fn within(folder: &str, program: &str, arguments: &[&str]) -> Command {
    let mut command = command(program, arguments);
    command.current_dir(root().join(folder));
    command
}

/// Does something once for a file as it is: what it was done for is kept as the stamp, and compared.
fn once_for(file: &str, stamp: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let wanted = fs::read(root().join(file)).with_context(|| format!("{file} cannot be read"))?;
    let stamp = root().join(stamp);
    if fs::read(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    act()?;
    fs::write(&stamp, wanted).with_context(|| format!("{} cannot be written", stamp.display()))
}

fn nextest() -> Result<()> {
    if succeeds("cargo", &["nextest", "--version"]) {
        return Ok(());
    }
    println!("Installing cargo-nextest …");
    run(command("cargo", &["install", "--locked", "cargo-nextest"]))
}

/// A tunnel, both ends of it, for the tests: into the project and nowhere else.
fn bore() -> Result<()> {
    let tools = root().join("target/tools");
    if tools.join("bin").join(format!("bore{}", std::env::consts::EXE_SUFFIX)).exists() {
        return Ok(());
    }
    println!("Building bore into {} …", tools.display());
    let mut install = command("cargo", &["install", "--locked", "bore-cli", "--root"]);
    install.arg(&tools);
    run(install)
}
