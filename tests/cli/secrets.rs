//! Secrets are in no output and in no file.

use crate::harness::{Folder, Running, Said, hooktwice, post};
use std::{fs, process::Command};

const LOUD: &str = "5ecret-that-must-not-be-seen\n";

fn with_secret(folder: &Folder, args: &[&str]) -> Command {
    let mut command = hooktwice();
    command
        .args(args)
        .arg("--data-dir")
        .arg(folder.path())
        .env("HT_LOUD", LOUD)
        .env("HOOKTWICE_LOG", "trace");
    command
}

#[test]
fn a_secret_is_printed_nowhere_and_kept_nowhere() {
    let folder = Folder::new();
    let body = folder.file("body", br#"{"job_id":"a1"}"#);
    let body = body.to_str().unwrap();
    let mut listener =
        Running::spawn(with_secret(&folder, &["listen", "--port", "0", "--secret-env", "HT_LOUD"]));
    let first = listener.next();
    let url = first.as_str().unwrap().strip_prefix("Listening on ").unwrap().to_owned();
    assert_eq!(post(&url, &[("X-Sume-Signature".into(), "v1=00".into())], b"{}"), Some(401));

    let mut printed = String::new();
    for args in [
        &["sign", "--body-file", body, "--secret-env", "HT_LOUD"][..],
        &[
            "verify",
            "--body-file",
            body,
            "--secret-env",
            "HT_LOUD",
            "--header",
            "X-Sume-Signature: v1=00",
        ],
        &["fire", "--url", &url, "--body-file", body, "--secret-env", "HT_LOUD", "--json"],
        &["deliveries", "list", "--json"],
        &["deliveries", "verify", "1", "--secret-env", "HT_LOUD"],
        &["deliveries", "export", "--format", "json", "--reveal"],
    ] {
        let said = Said::of(with_secret(&folder, args).output().unwrap());
        assert!(said.code <= 1, "{args:?}: {}", said.err);
        printed += said.text();
        printed += &said.err;
    }
    let (code, lines, err) = listener.terminate();
    assert_eq!(code, 0);
    printed += &err;
    printed += &format!("{lines:?}");
    assert!(!printed.contains(LOUD.trim()), "{printed}");
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(LOUD.len() - 1).any(|window| window == LOUD.trim().as_bytes());
        assert!(!found, "{}", path.display());
    }
}
