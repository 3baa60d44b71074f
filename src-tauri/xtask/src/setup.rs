//! Installs what is missing: Debian's packages where it may, the pages' packages, the test runner. Says what it does,
//! and does nothing twice.

use crate::run::{command, output, root, run, run_quietly, succeeds};
use anyhow::{Context as _, Result, bail};
use std::fs;

/// To build the window.
const BUILD: &[&str] = &[
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    "librsvg2-dev",
    "libxdo-dev",
    "libayatana-appindicator3-dev",
];

/// To drive it, and to send real deliveries.
const TEST: &[&str] =
    &["xvfb", "xauth", "webkit2gtk-driver", "dbus-x11", "chromium", "curl", "python3", "procps"];

/// What `cargo xtask app` needs.
pub(crate) fn for_app() -> Result<()> {
    packages(BUILD)?;
    node_packages()
}

/// What `cargo xtask test` needs.
pub(crate) fn everything() -> Result<()> {
    packages(&[BUILD, TEST].concat())?;
    nextest()?;
    node_packages()
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
    let lock =
        fs::read(root().join("package-lock.json")).context("package-lock.json cannot be read")?;
    let stamp = root().join("node_modules/.locked");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("Installing the pages' packages …");
    run_quietly(command("npm", &["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&stamp, lock).context("node_modules cannot be written")
}

fn nextest() -> Result<()> {
    if succeeds("cargo", &["nextest", "--version"]) {
        return Ok(());
    }
    println!("Installing cargo-nextest …");
    run(command("cargo", &["install", "--locked", "cargo-nextest"]))
}
