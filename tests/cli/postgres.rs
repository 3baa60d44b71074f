//! A PostgreSQL of a test's own: a new cluster in a temporary folder, on a free port, gone when the test is.

use crate::harness::until;
use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// The line of `postmaster.pid` that says how far the server is, from 0.
const STATUS_LINE: usize = 7;

/// A server that runs until it is dropped, and the only one over its cluster.
pub(crate) struct Postgres {
    server: Child,
    port: u16,
    // Removed after the server has ended.
    _folder: TempDir,
}

impl Postgres {
    /// Makes a cluster that trusts this machine and forgoes the disk's safety, and serves it.
    pub(crate) fn start() -> Self {
        let programs = programs();
        let user = user();
        let folder = tempfile::tempdir().unwrap();
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let run = |name: &str| {
            let mut command = Command::new(programs.join(name));
            command.current_dir(folder.path()).stdin(Stdio::null());
            command.arg("-D").arg(data(folder.path()));
            if let Some((uid, gid)) = user {
                command.uid(uid).gid(gid);
            }
            command
        };
        let made = run("initdb")
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"])
            .args(["--no-sync", "--no-instructions"])
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        // A port that is free now may be taken a moment later; the server ends then.
        for _ in 0..5 {
            let port = free_port();
            let mut server = run("postgres")
                .args(["-p", &port.to_string()])
                .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
                .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
                .stdout(Stdio::null())
                .stderr(fs::File::create(log(folder.path())).unwrap())
                .spawn()
                .unwrap();
            if until("PostgreSQL is ready or has ended", || state(&mut server, folder.path())) {
                return Self { server, port, _folder: folder };
            }
        }
        panic!("PostgreSQL does not start: {}", fs::read_to_string(log(folder.path())).unwrap());
    }

    /// `postgres://…` of its one database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGINT ends every session and then the server.
        let told = Command::new("kill").args(["-INT", &self.server.id().to_string()]).status();
        if !told.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Whether the server takes connections; false where it has ended, nothing where neither is so yet.
fn state(server: &mut Child, folder: &Path) -> Option<bool> {
    if server.try_wait().unwrap().is_some() {
        return Some(false);
    }
    let text = fs::read_to_string(data(folder).join("postmaster.pid")).ok()?;
    let is_ours = text.lines().next()?.parse() == Ok(server.id());
    let is_ready = text.lines().nth(STATUS_LINE)?.trim() == "ready";
    (is_ours && is_ready).then_some(true)
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// The folder of `initdb` and `postgres`: the newest of Debian's, which are not in the path, else the path's.
fn programs() -> PathBuf {
    let version = |folder: &PathBuf| -> Option<u32> { folder.file_name()?.to_str()?.parse().ok() };
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions.map(|entry| entry.path()).filter(|it| version(it).is_some());
    if let Some(newest) = newest.max_by_key(version) {
        return newest.join("bin");
    }
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .find(|folder| folder.join("initdb").exists())
        .expect("PostgreSQL is not installed; `cargo xtask setup` installs it")
}

/// Whom the server runs as, where that is not who we are: it refuses root.
fn user() -> Option<(u32, u32)> {
    let id = |args: &[&str]| -> u32 {
        let output = Command::new("id").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().expect("no such user")
    };
    (id(&["-u"]) == 0).then(|| (id(&["-u", "postgres"]), id(&["-g", "postgres"])))
}
