//! What these tests stand on: a listener with a tunnel, a way in that can be broken, and a look at who lives.

use crate::harness::{Folder, Running, SECRET_ENV, until};
use serde_json::Value;
use std::{
    ffi::OsString,
    fs, io,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

/// Where the set-up puts programs of the tests' own.
pub(crate) fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin")
}

/// The PATH with folders before it.
pub(crate) fn path_with(folders: &[&Path]) -> OsString {
    let path = std::env::var_os("PATH").unwrap();
    let folders = folders.iter().map(PathBuf::from).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

/// A listener with a tunnel.
pub(crate) struct Tunnelled {
    pub(crate) run: Running,
    /// Where it listens.
    pub(crate) url: String,
}

impl Tunnelled {
    pub(crate) fn start(folder: &Folder, path: OsString, args: &[&str]) -> Self {
        let mut command = folder.command(&["listen", "--port", "0"]);
        command.args(SECRET_ENV).args(args).env("PATH", path);
        // Nothing of these tests leaves this machine.
        command.env("HTTPS_PROXY", "http://127.0.0.1:9");
        let run = Running::spawn(command);
        let first = run.next();
        assert_eq!(first["type"], "listening", "{first}");
        Self { url: first["url"].as_str().unwrap().to_owned(), run }
    }

    /// The next place where the tunnel is.
    pub(super) fn place(&self) -> Value {
        let line = self.run.next();
        assert_eq!(line["type"], "tunnel", "{line}");
        line
    }

    /// The line of the next place of this name.
    pub(super) fn until(&self, state: &str) -> Value {
        loop {
            let line = self.place();
            if line["state"] == state {
                return line;
            }
            assert_ne!(line["state"], "failed", "{line}");
        }
    }

    /// Its public URL, once it is live.
    pub(crate) fn live(&self) -> String {
        self.until("live")["url"].as_str().unwrap().to_owned()
    }
}

/// A process, as /proc tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    parent: u32,
    group: u32,
    dead: bool,
    stopped: bool,
    words: String,
}

fn processes() -> Vec<Process> {
    let read = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        let number = |at: usize| fields.get(at)?.parse().ok();
        let dead = matches!(*fields.first()?, "Z" | "X");
        let stopped = *fields.first()? == "T";
        Some(Process { pid, parent: number(1)?, group: number(2)?, dead, stopped, words })
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(read).collect()
}

/// The leash that a process started, which leads the tunnel's group.
pub(super) fn leash_of(pid: u32) -> u32 {
    until("there is a leash", || {
        let leash = |process: &Process| {
            process.parent == pid
                && process.group == process.pid
                && process.words.contains(" leash ")
        };
        processes().into_iter().find(leash).map(|process| process.pid)
    })
}

/// Who lives in a group.
pub(super) fn members(group: u32) -> Vec<Process> {
    processes().into_iter().filter(|process| process.group == group && !process.dead).collect()
}

/// Waits until so many live in it.
pub(super) fn until_members(group: u32, count: usize) -> Vec<Process> {
    until(&format!("{count} live in the group"), || {
        let members = members(group);
        (members.len() == count).then_some(members)
    })
}

pub(super) fn is_stopped(pid: u32) -> bool {
    processes().iter().any(|process| process.pid == pid && process.stopped)
}

pub(super) fn signal(pid: u32, signal: &str) {
    let status = std::process::Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(status.unwrap().success());
}

/// A way in: what connects there is led on to the listener, once that is known.
pub(super) struct WayIn {
    pub(super) address: SocketAddr,
    to: Arc<Mutex<Option<String>>>,
}

impl WayIn {
    pub(super) fn open() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let to = Arc::new(Mutex::new(None::<String>));
        let leads = Arc::clone(&to);
        // The thread ends with the test's process.
        thread::spawn(move || {
            for outside in socket.incoming().map_while(Result::ok) {
                let to = leads.lock().unwrap().clone();
                if let Some(inside) = to.and_then(|to| TcpStream::connect(to).ok()) {
                    pipe(outside.try_clone().unwrap(), inside.try_clone().unwrap());
                    pipe(inside, outside);
                }
            }
        });
        Self { address, to }
    }

    /// From now on it leads to a listener.
    pub(super) fn leads_to(&self, url: &str) {
        *self.to.lock().unwrap() = Some(url.strip_prefix("http://").unwrap().to_owned());
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn pipe(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
}

/// Writes a program.
pub(super) fn program(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.join(name);
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}
