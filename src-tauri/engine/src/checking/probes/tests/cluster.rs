//! A PostgreSQL of a test's own, in a temporary folder and on a free port of loopback.
//!
//! Stands alone, so that tests elsewhere can take it in with `#[path = "…"] mod cluster;`.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Who may run PostgreSQL where we are root, which may not.
const USER: &str = "postgres";

/// How often another port is taken, where somebody else was quicker.
const TRIES: u32 = 5;

/// A running cluster with the database `postgres` and the user of that name, who needs no password. It is stopped, and
/// its folder removed, when it is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    folder: tempfile::TempDir,
    programs: PathBuf,
    as_root: bool,
    port: u16,
}

impl Cluster {
    /// Starts one.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| String::new())
    }

    /// Starts one with settings more, as in postgresql.conf; files that they need are put into the folder that is given.
    pub(crate) fn start_with(settings: impl FnOnce(&Path) -> String) -> Self {
        let folder = tempfile::Builder::new().prefix("hooktwice-pg-").tempdir().unwrap();
        let as_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        let mut cluster = Self { folder, programs: programs(), as_root, port: 0 };
        cluster.give_away();
        let data = cluster.data();
        let mut initdb = cluster.command("initdb");
        initdb.args(["--no-sync", "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "-D"]);
        run(initdb.arg(&data));
        let own = settings(&data);
        let configuration = format!(
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = '{}'\nfsync = off\n{own}\n",
            cluster.folder.path().display()
        );
        fs::write(data.join("postgresql.auto.conf"), configuration).unwrap();
        cluster.give_away();
        for _ in 0..TRIES {
            cluster.port = free_port();
            if cluster.control("start") {
                return cluster;
            }
            let log = cluster.log();
            assert!(log.contains("Address already in use"), "PostgreSQL did not start:\n{log}");
        }
        panic!("PostgreSQL found no port:\n{}", cluster.log());
    }

    /// Of a database, over TCP.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs SQL in the database `postgres`, and gives what it answers.
    pub(crate) fn sql(&self, sql: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        run(psql
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .arg(self.url(USER)))
    }

    /// Stops it, breaks off every connection, and starts it on the same port.
    pub(crate) fn restart(&self) {
        self.stop();
        self.start_again();
    }

    /// Starts it on the same port, after it was stopped.
    pub(crate) fn start_again(&self) {
        assert!(self.control("start"), "PostgreSQL did not start again:\n{}", self.log());
    }

    /// Stops it and breaks off every connection.
    pub(crate) fn stop(&self) {
        assert!(self.control("stop"), "PostgreSQL did not stop:\n{}", self.log());
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Waits until it is done, and says whether it was.
    fn control(&self, what: &str) -> bool {
        let mut control = self.command("pg_ctl");
        control.args([what, "-w", "-s", "-m", "fast", "-D"]).arg(self.data());
        if what == "start" {
            control.arg("-l").arg(self.folder.path().join("log"));
            control.arg("-o").arg(format!("-p {}", self.port));
        }
        // The server would keep a pipe open.
        control.stdout(Stdio::null()).stderr(Stdio::null());
        control.status().unwrap().success()
    }

    /// One of its programs, run by somebody who may.
    fn command(&self, program: &str) -> Command {
        let path = self.programs.join(program);
        let mut command = if self.as_root {
            let mut command = Command::new("runuser");
            command.args(["-u", USER, "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.stdin(Stdio::null()).current_dir(self.folder.path());
        command
    }

    fn give_away(&self) {
        if self.as_root {
            run(Command::new("chown").args(["-R", USER]).arg(self.folder.path()));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut control = self.command("pg_ctl");
        control.args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.data());
        // It may be stopped already.
        let _ = control.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Where Debian and others put PostgreSQL's programs; the newest.
fn programs() -> PathBuf {
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let versions = debian.map(|entry| entry.path());
    let newest = versions.max_by_key(|path| {
        path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()).unwrap_or(0)
    });
    if let Some(version) = newest {
        return version.join("bin");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = std::env::split_paths(&path).find(|folder| folder.join("pg_ctl").is_file());
    folder.expect("PostgreSQL (Debian: postgresql) is missing on this machine; tests of it need its initdb and pg_ctl")
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (said, wrong) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}{wrong}", output.status);
    said.trim().to_owned()
}
