//! Starts the command, reads its lines as facts, speaks HTTP to it byte by byte, and leaves nothing behind.

use hooktwice_engine::{
    head::RawHeader,
    model::SchemeSettings,
    secrets::Secret,
    signing::{self, Signer},
};
use serde_json::Value;
use std::{
    ffi::OsStr,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The key of the vectors in the cases.
pub(crate) const SECRET: &str = "test-secret";
/// The time of the vectors.
pub(crate) const T: i64 = 1_700_000_000;
/// The variable that the tests keep the key in.
pub(crate) const SECRET_ENV: [&str; 2] = ["--secret-env", "HT_TEST_SECRET"];
/// How long a fact may take; it is only waited out by a test that fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

thread_local! {
    /// The data folder of a test's calls that name none, gone with the test's thread.
    static UNNAMED: TempDir = tempfile::tempdir().unwrap();
}

/// The command, with nothing of this machine's settings.
pub(crate) fn hooktwice() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooktwice"));
    for name in ["HOOKTWICE_LOG", "HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    UNNAMED.with(|folder| command.env("HOOKTWICE_DATA_DIR", folder.path()));
    command.env("HT_TEST_SECRET", SECRET).stdin(Stdio::null());
    command
}

/// What a command that has ended said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Stdout as JSON lines, each of them an object and nothing beside them.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            let value: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(value.is_object(), "{line}");
            value
        };
        self.text().lines().map(parse).collect()
    }

    pub(crate) fn line(&self) -> Value {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:?}");
        lines.remove(0)
    }

    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.text(), self.err);
        self
    }
}

/// Runs the command to its end.
pub(crate) fn run(args: &[impl AsRef<OsStr>]) -> Said {
    Said::of(hooktwice().args(args).output().unwrap())
}

/// Runs the command to its end with something on its stdin.
pub(crate) fn run_with(args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Said {
    let mut child = hooktwice()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    Said::of(child.wait_with_output().unwrap())
}

/// Looks again and again until something is so.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A data folder of this test's own.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs a command over this folder, with JSON.
    pub(crate) fn run(&self, args: &[&str]) -> Said {
        Said::of(self.command(args).output().unwrap())
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = hooktwice();
        command.args(args).arg("--json").arg("--data-dir").arg(self.path());
        command
    }

    /// The deliveries, oldest first.
    pub(crate) fn deliveries(&self) -> Vec<Value> {
        let mut lines = self.run(&["deliveries", "list", "--limit", "0"]).expect_code(0).lines();
        lines.reverse();
        lines
    }
}

/// A program that runs until it is told to end, and prints JSON lines meanwhile.
pub(crate) struct Running {
    child: Child,
    lines: mpsc::Receiver<Value>,
    stderr: Option<thread::JoinHandle<String>>,
}

impl Running {
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (tell, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if tell.send(value).is_err() {
                    return;
                }
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Self { child, lines, stderr: Some(stderr) }
    }

    /// The next line; waits for it.
    pub(crate) fn next(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self) -> i32 {
        let child = &mut self.child;
        let status = until("the program ends", || child.try_wait().unwrap());
        status.code().unwrap_or(-1)
    }

    /// SIGTERM, and its exit code, the lines that were left, and its stderr.
    pub(crate) fn terminate(&mut self) -> (i32, Vec<Value>, String) {
        self.signal("-TERM");
        let code = self.ended();
        let lines = self.lines.iter().collect();
        (code, lines, self.stderr.take().unwrap().join().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `hooktwice listen` on a free port.
pub(crate) struct Listener {
    pub(crate) run: Running,
    /// `http://127.0.0.1:…`
    pub(crate) url: String,
}

impl Listener {
    /// Over a folder, with the tests' secret.
    pub(crate) fn start(folder: &Folder, args: &[&str]) -> Self {
        Self::start_unchecked(folder, &[&SECRET_ENV, args].concat())
    }

    /// Over a folder, with what is given and no more.
    pub(crate) fn start_unchecked(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.command(&["listen", "--port", "0"]);
        command.args(args);
        let run = Running::spawn(command);
        let first = run.next();
        assert_eq!(first["type"], "listening", "{first}");
        Self { url: first["url"].as_str().unwrap().to_owned(), run }
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The next delivery's line.
    pub(crate) fn next(&self) -> Value {
        let line = self.run.next();
        assert_eq!(line["type"], "delivery", "{line}");
        line
    }

    /// Sends a signed delivery; its status.
    pub(crate) fn deliver(&self, path: &str, body: &[u8]) -> u16 {
        post(&self.at(path), &signed(body), body).unwrap()
    }
}

/// The headers that sign a body now.
pub(crate) fn signed(body: &[u8]) -> Vec<(String, String)> {
    let now = jiff::Timestamp::now().as_second();
    signed_at(now, body)
}

/// The headers that sign a body at a Unix second.
pub(crate) fn signed_at(unix: i64, body: &[u8]) -> Vec<(String, String)> {
    signed_with(SECRET, unix, body)
}

/// The headers that sign a body with a secret at a Unix second.
pub(crate) fn signed_with(secret: &str, unix: i64, body: &[u8]) -> Vec<(String, String)> {
    let secret = Secret::new(secret.into());
    let signer =
        Signer { scheme: signing::scheme("sume", &SchemeSettings::default()).unwrap(), secret };
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let pair = |header: RawHeader| (text(&header.name), text(&header.value));
    signer.sign(unix, "evt_test", body).unwrap().into_iter().map(pair).collect()
}

/// Posts a body on a connection of its own; the status, or nothing where no answer came.
pub(crate) fn post(url: &str, headers: &[(String, String)], body: &[u8]) -> Option<u16> {
    status(&exchange(part(url).0, &request(url, headers, body)))
}

/// The bytes of a request that posts a body on a connection of its own.
pub(crate) fn request(url: &str, headers: &[(String, String)], body: &[u8]) -> Vec<u8> {
    let mut lines = String::new();
    for (name, value) in headers {
        write!(lines, "{name}: {value}\r\n").unwrap();
    }
    let (host, path) = part(url);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\n{lines}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends bytes as they are and reads until the other end closes; whatever came.
pub(crate) fn exchange(host: &str, bytes: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    let Ok(mut socket) = TcpStream::connect(host) else { return answer };
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    if socket.write_all(bytes).is_ok() {
        let _ = socket.read_to_end(&mut answer);
    }
    answer
}

/// `host:port` and the rest of an `http://` URL.
pub(crate) fn part(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").unwrap();
    rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash))
}

/// The status of an answer.
pub(crate) fn status(answer: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(answer);
    line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}
