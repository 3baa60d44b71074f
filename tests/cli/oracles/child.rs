//! A program that holds oracles: one line of JSON asks it, one line answers.

use super::case::Case;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hooktwice_engine::head::RawHeader;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// What can sign and verify one scheme and is not ours.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Oracle {
    /// The library, or what stands in for one.
    pub(super) oracle: String,
    /// Of a library.
    pub(super) version: Option<String>,
    pub(super) scheme: String,
    pub(super) bodies: Bodies,
    /// Whether it takes an empty body.
    pub(super) empty: bool,
    pub(super) ahead: Ahead,
    /// Whether it signs as well.
    pub(super) signs: bool,
}

/// Which bodies an oracle can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Bodies {
    /// Any.
    Bytes,
    /// Those that are UTF-8.
    Text,
    /// Those that are JSON.
    Json,
}

/// What an oracle makes of a time that is ahead of its clock by more than the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ahead {
    Refused,
    /// It only asks whether a time is too old.
    Taken,
}

/// The running program.
pub(super) struct Oracles {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// Where its libraries come from.
    pub(super) package: String,
    pub(super) all: Vec<Oracle>,
}

#[derive(Deserialize)]
struct Hello {
    package: String,
    oracles: Vec<Oracle>,
}

impl Oracles {
    /// npm's.
    pub(super) fn node() -> Self {
        let folder = root().join("tests/oracles");
        installed(&folder.join("node_modules/.locked"));
        let mut node = Command::new("node");
        node.arg(folder.join("oracle.mjs"));
        Self::start(node)
    }

    /// PyPI's.
    pub(super) fn python() -> Self {
        let folder = root().join("target/oracles/python");
        installed(&folder.join(".locked"));
        let mut python = Command::new(folder.join("bin/python"));
        // Without -B it would write its compiled files among the sources.
        python.arg("-B").arg(root().join("tests/oracles/oracle.py"));
        Self::start(python)
    }

    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let hello: Hello = serde_json::from_str(&line(&mut stdout)).unwrap();
        let stdin = child.stdin.take();
        Self { child, stdin, stdout, package: hello.package, all: hello.oracles }
    }

    /// The headers that an oracle signs a request with.
    pub(super) fn sign(&mut self, oracle: &Oracle, case: &Case) -> Vec<RawHeader> {
        let answer = self.ask("sign", oracle, case, &case.more);
        let pairs: Vec<(String, String)> = serde_json::from_value(answer["headers"].clone())
            .unwrap_or_else(|_| panic!("{} of {}: {answer}", oracle.oracle, oracle.scheme));
        pairs.into_iter().map(|(name, value)| RawHeader::new(name, value)).collect()
    }

    /// Whether an oracle takes a request as it came.
    pub(super) fn verify(&mut self, oracle: &Oracle, case: &Case, came: &[RawHeader]) -> bool {
        let answer = self.ask("verify", oracle, case, &[&case.more, came].concat());
        answer["valid"]
            .as_bool()
            .unwrap_or_else(|| panic!("{} of {}: {answer}", oracle.oracle, oracle.scheme))
    }

    fn ask(&mut self, act: &str, oracle: &Oracle, case: &Case, headers: &[RawHeader]) -> Value {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let pairs: Vec<_> =
            headers.iter().map(|header| (text(&header.name), text(&header.value))).collect();
        let ask = json!({
            "do": act, "oracle": oracle.oracle, "scheme": oracle.scheme, "form": case.form,
            "secret": case.secret, "id": case.id, "timestamp": case.unix,
            "method": case.method, "path": case.path, "query": case.query,
            "headers": pairs, "body": STANDARD.encode(&case.body),
        });
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{ask}\n").as_bytes()).unwrap();
        serde_json::from_str(&line(&mut self.stdout)).unwrap()
    }
}

impl Drop for Oracles {
    fn drop(&mut self) {
        // The end of its stdin is its end; should it hang, so that a test fails rather than waits.
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The project's root folder.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

fn installed(stamp: &Path) {
    assert!(stamp.exists(), "the oracles are not installed; `cargo xtask setup` does it");
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "the oracles' program ended; its stderr says why");
    line
}
