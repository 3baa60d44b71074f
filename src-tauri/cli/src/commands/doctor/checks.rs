//! The data folder, and what this machine gives.

use super::Check;
use crate::{commands::serve, people};
use hooktwice_engine::{
    firing, listener,
    model::{ReleaseMethod, Retention, Settings},
    secrets::SystemKeychain,
    signing,
    store::{Role, Store},
};
use jiff::Timestamp;
use std::{env, fs, io, path::Path};

/// Nothing that this program writes is older.
const EARLIEST: &str = "2026-01-01T00:00:00Z";

/// The data folder and what is in it.
pub(super) async fn folder(folder: &Path) -> Vec<Check> {
    let mut checks = vec![writable(folder)];
    checks.push(match Settings::load(folder) {
        Ok(settings) => settled(&settings),
        Err(error) => {
            Check::problem("settings", error.to_string(), "Mend or delete settings.json.")
        }
    });
    if folder.join("hooktwice.db").exists() {
        checks.push(database(folder));
    }
    checks
}

/// A scheme that cannot be used stands in the way of everything that signs or listens.
fn settled(settings: &Settings) -> Check {
    let Settings { listen, schemes, retention, .. } = settings;
    match signing::scheme(&listen.scheme, schemes) {
        Ok(scheme) => Check::ok(
            "settings",
            format!("port {}, scheme {}, {}", listen.port, scheme.name(), kept(*retention)),
        ),
        Err(error) => Check::problem(
            "settings",
            format!("The scheme that is set cannot be used: {error}."),
            "Choose or mend it in Settings, Scheme, or in settings.json.",
        ),
    }
}

fn kept(retention: Retention) -> String {
    match retention {
        Retention { deliveries: 0, bytes: 0 } => "everything is kept".into(),
        Retention { deliveries, bytes: 0 } => format!("{deliveries} deliveries are kept"),
        Retention { deliveries: 0, bytes } => format!("{} are kept", people::size(bytes)),
        Retention { deliveries, bytes } => {
            format!("{deliveries} deliveries or {} are kept", people::size(bytes))
        }
    }
}

/// Tries it: rights alone do not tell of a read-only mount.
fn writable(folder: &Path) -> Check {
    let tried = match existing(folder) {
        Some(place) => tempfile::tempfile_in(place).map(|_| place),
        None => Err(io::ErrorKind::NotFound.into()),
    };
    match tried {
        Ok(place) if place == folder => Check::ok(
            "data-folder",
            format!("{}, {}", folder.display(), people::size(size(folder))),
        ),
        Ok(_) => Check::ok("data-folder", format!("{}, which will be made", folder.display())),
        Err(error) => Check::problem(
            "data-folder",
            format!("{} cannot be written: {error}.", folder.display()),
            "Make it a folder that can be written, or choose another with --data-dir.",
        ),
    }
}

/// The folder, or the nearest one above it that is there.
fn existing(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .map(|place| if place.as_os_str().is_empty() { Path::new(".") } else { place })
        .find(|place| place.exists())
}

fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|file| file.len())
        .sum()
}

fn database(folder: &Path) -> Check {
    let counted = Store::open(folder, Role::Guest, Retention::default())
        .and_then(|store| Ok((store.counts("")?.all, store.claims(1, 0)?.1)));
    match counted {
        Ok((deliveries, claims)) => {
            Check::ok("database", format!("deliveries: {deliveries}, claims: {claims}"))
        }
        Err(error) => Check::problem("database", error.to_string(), "See the message."),
    }
}

/// What this machine gives.
pub(super) async fn machine() -> Vec<Check> {
    vec![
        port("listen-port", 4400, "--port").await,
        port("pages-port", 4401, "serve --port").await,
        keychain().await,
        io_uring(),
        clock(),
        pages(),
    ]
}

async fn port(name: &'static str, port: u16, option: &str) -> Check {
    match listener::bind("127.0.0.1", port).await {
        Ok(_) => Check::ok(name, format!("{port} is free")),
        // It may well be ours: that is no fault.
        Err(error) => Check::missing(
            name,
            error.to_string(),
            format!("Where it is not Hooktwice's own, use {option}."),
        ),
    }
}

async fn keychain() -> Check {
    match tokio::task::spawn_blocking(SystemKeychain::open).await {
        Ok(Ok(_)) => Check::ok("keychain", "the system's answers"),
        Ok(Err(error)) => Check::missing(
            "keychain",
            error.to_string(),
            "Use --secret-env or --secret-file; the window keeps secrets in memory.",
        ),
        Err(error) => {
            Check::missing("keychain", error.to_string(), "Use --secret-env or --secret-file.")
        }
    }
}

fn io_uring() -> Check {
    match firing::release_method() {
        ReleaseMethod::IoUring => Check::ok("io-uring", "releases a volley in one call"),
        ReleaseMethod::SendLoop | ReleaseMethod::Unheld => Check::missing(
            "io-uring",
            "The kernel has none, or forbids it; a loop of sends is used, which is about twice as wide.",
            "Linux 5.6 or later with kernel.io_uring_disabled=0; containers often forbid it.",
        ),
    }
}

/// A clock that stands wrong makes every timestamp stale (C18). Only what cannot be is told: nothing here asks a server.
fn clock() -> Check {
    let now = Timestamp::now();
    let built = env::current_exe().and_then(fs::metadata).and_then(|file| file.modified());
    let built = built.ok().and_then(|time| Timestamp::try_from(time).ok());
    let earliest = EARLIEST.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    if now < built.unwrap_or(earliest).max(earliest) {
        return Check::problem(
            "clock",
            format!("It says {now:.0}, which is before this program was made."),
            "Set the clock: signatures hold for minutes only.",
        );
    }
    Check::ok("clock", format!("{now:.0}"))
}

fn pages() -> Check {
    if serve::has_pages() {
        Check::ok("pages", "embedded")
    } else {
        Check::missing(
            "pages",
            "This program was built without them.",
            "npm ci && npm run build, then build it again.",
        )
    }
}
