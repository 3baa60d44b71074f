//! The sample handlers under volleys of the built command: what is right stays right, and what is wrong shows.

use crate::harness::{Said, hooktwice};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

const SECRET: &str = "a secret of the tests";

/// A sample handler that runs until it is dropped.
struct Handler {
    child: Child,
    /// `127.0.0.1:PORT`.
    address: String,
    folder: TempDir,
}

impl Handler {
    /// Starts one of tests/handlers on a free port and waits for its line.
    fn start(file: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = if file.ends_with(".py") { "python3" } else { "node" };
        let mut child = Command::new(program)
            .arg(root().join("tests/handlers").join(file))
            .args(["--port", "0"])
            .env("HOOK_SECRET", SECRET)
            .env("HOOK_STORE", folder.path().join("effects"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program} could not be started: {error}"));
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening http://").expect(&line).to_owned();
        Self { child, address, folder }
    }

    /// How often the effect of a job ran, as the handler says.
    fn effects(&self, job_id: &str) -> u64 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET /effects/{job_id} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").expect(&answer);
        serde_json::from_str::<Value>(body).unwrap()["count"].as_u64().unwrap()
    }

    /// Fires copies of one signed delivery together and returns the lines: the copies', then the summary.
    fn fire(&self, job_id: &str, copies: usize) -> Vec<Value> {
        let body = self.folder.path().join("body.json");
        let event =
            serde_json::json!({"event": "job.completed", "job_id": job_id, "status": "completed"});
        std::fs::write(&body, event.to_string()).unwrap();
        let output = hooktwice()
            .args(["fire", "--json", "--release", "together", "--secret-env", "HOOK_SECRET"])
            .args(["--url", &format!("http://{}/hook", self.address)])
            .args(["--copies", &copies.to_string()])
            .arg("--body-file")
            .arg(&body)
            .arg("--data-dir")
            .arg(self.folder.path().join("data"))
            .env("HOOK_SECRET", SECRET)
            .output()
            .unwrap();
        let lines = Said::of(output).expect_code(0).lines();
        assert_eq!(lines.len(), copies + 1, "a line a copy, then the summary");
        lines
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
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Every copy's line says that it was answered 200.
fn all_200(lines: &[Value]) -> bool {
    let copies = lines.iter().filter(|line| line["type"] == "copy");
    copies.filter(|copy| copy["status"] == 200 && copy["outcome"] == "answered").count()
        == lines.len() - 1
}

#[test]
fn a_volley_at_the_python_claim_leaves_one_row_and_every_copy_is_200() {
    let handler = Handler::start("python_claim.py");
    let lines = handler.fire("job_volley", 20);
    assert!(all_200(&lines), "{lines:?}");
    assert_eq!(lines[20]["statuses"], serde_json::json!({"200": 20}));
    assert_eq!(handler.effects("job_volley"), 1);
    // Later copies of the job find the row as well.
    assert!(all_200(&handler.fire("job_volley", 3)));
    assert_eq!(handler.effects("job_volley"), 1);
    assert_eq!(handler.effects("job_other"), 0);
}

#[test]
fn the_same_volley_doubles_a_handler_that_looks_first_and_inserts_after_an_await() {
    let handler = Handler::start("node_look_then_insert.mjs");
    let lines = handler.fire("job_volley", 20);
    assert!(all_200(&lines), "{lines:?}");
    assert!(handler.effects("job_volley") >= 2, "20 copies within its 3 ms ran the effect once");
}

#[test]
fn one_copy_has_one_effect_in_every_handler() {
    for file in ["python_claim.py", "node_look_then_insert.mjs", "node_one_turn.mjs"] {
        let handler = Handler::start(file);
        assert!(all_200(&handler.fire("job_single", 1)), "{file}");
        assert!(all_200(&handler.fire("job_single", 1)), "{file}");
        assert_eq!(handler.effects("job_single"), 1, "{file}");
    }
}
