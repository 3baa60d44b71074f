//! Starts the sample handlers of tests/handlers.

use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// What deliveries to a sample are signed with.
pub(crate) const SECRET: &str = "a secret of the tests";

/// A sample handler that runs until it is dropped.
pub(crate) struct Handler {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
    pub(crate) folder: TempDir,
}

impl Handler {
    /// Starts one of tests/handlers on a free port and waits for its line.
    pub(crate) fn start(file: &str) -> Self {
        Self::start_with(file, SECRET)
    }

    /// As [`Handler::start`], with a secret of its own.
    pub(crate) fn start_with(file: &str, secret: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let words = words(file);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(["--port", "0"]);
        set(&mut command, folder.path());
        command.env("HOOK_SECRET", secret);
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{} could not be started: {error}", words[0]));
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening http://").expect(&line).to_owned();
        Self { child, address, folder }
    }

    /// How often the effect of a job ran, as the handler says.
    pub(crate) fn effects(&self, job_id: &str) -> u64 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET /effects/{job_id} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").expect(&answer);
        serde_json::from_str::<Value>(body).unwrap()["count"].as_u64().unwrap()
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has noticed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The top of the work tree.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// What a sample needs to know: the secret, and where its effects are.
pub(crate) fn set(command: &mut Command, folder: &Path) {
    command
        .env("HOOK_SECRET", SECRET)
        .env("HOOK_STORE", folder.join("effects"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
}

/// The program of one of tests/handlers, and its arguments but the port.
fn words(file: &str) -> Vec<String> {
    let path = root().join("tests/handlers").join(file);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    match path.extension().unwrap().to_str().unwrap() {
        // The providers' libraries have an environment of their own.
        "py" if file.starts_with("providers/") => {
            let python = root().join("target/oracles/python/bin/python");
            assert!(python.exists(), "no {}: `cargo xtask setup` makes it", python.display());
            vec![text(&python), text(&path)]
        }
        "py" => vec!["python3".into(), text(&path)],
        "mjs" => vec!["node".into(), text(&path)],
        "rs" => {
            // Cargo builds the examples of a package with its tests and puts them there.
            let folder = Path::new(env!("CARGO_BIN_EXE_hooktwice")).with_file_name("examples");
            let program = folder.join("sample-handlers");
            assert!(program.exists(), "no {}: build the tests without --test", program.display());
            vec![text(&program), path.file_stem().unwrap().to_str().unwrap().into()]
        }
        other => panic!("{file}: nothing runs a .{other}"),
    }
}

/// A line for a shell that runs a sample once at each port, all of them on one store.
pub(crate) fn shell_line(file: &str, ports: &[u16]) -> String {
    let quote = |word: String| format!("'{}'", word.replace('\'', r"'\''"));
    let program = words(file).into_iter().map(quote).collect::<Vec<_>>().join(" ");
    let instances: Vec<_> = ports.iter().map(|port| format!("{program} --port {port} &")).collect();
    format!("{} wait", instances.join(" "))
}

/// Ports that nothing listened at a moment ago.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    // All of them are held until the last one is known, so that no two are the same.
    let held: Vec<_> =
        (0..count).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()).collect();
    held.iter().map(|socket| socket.local_addr().unwrap().port()).collect()
}
