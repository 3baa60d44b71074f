//! Why a signature does not match, said alike by a listener, by `verify` and by `deliveries verify`.

use crate::harness::{Folder, Listener, SECRET, SECRET_ENV, T, post, run_with, signed};
use serde_json::{Value, json};

const ROW_1: &[u8] = br#"{"job_id":"a1"}"#;
const S_ROW_1: &str = "fae9584d49ddaa6dcb1291a4dbb51e5ec131265e59e1fc26532a26e52c31888b";

fn verify(headers: &[&str], body: &[u8], code: i32) -> Value {
    let now = T.to_string();
    let mut args =
        [&["verify", "--json", "--body-file", "-", "--now", &now], &SECRET_ENV[..]].concat();
    for header in headers {
        args.extend(["--header", *header]);
    }
    run_with(&args, body).expect_code(code).line()
}

/// Row 1, signed as GitHub signs.
fn of_github() -> String {
    let args =
        [&["sign", "--json", "--scheme", "github", "--body-file", "-"], &SECRET_ENV[..]].concat();
    let said = run_with(&args, ROW_1).expect_code(0).line();
    said["headers"][0][1].as_str().unwrap().to_owned()
}

#[test]
fn c23_a_hint_is_proven_on_the_command_line() {
    let (time, signature) =
        (format!("X-Sume-Timestamp: {T}"), format!("X-Sume-Signature: v1={S_ROW_1}"));
    let said = verify(&[&time, &signature], b"eyJqb2JfaWQiOiJhMSJ9", 1);
    assert_eq!(said["state"], "invalid");
    assert_eq!(
        said["hints"],
        json!(["matches after base64-decoding the body: it was encoded after signing"])
    );
    let said = verify(&[&time, &signature], ROW_1, 0);
    let due = json!({
        "state": "valid", "reason": null, "hints": [], "secret": "HT_TEST_SECRET", "age_s": 0.0,
    });
    assert_eq!(said, due);
}

#[test]
fn another_schemes_signature_is_named_by_verify_and_by_the_listener() {
    let github = of_github();
    let due = json!({
        "state": "unsigned",
        "reason": "the header X-Sume-Signature is missing; X-Hub-Signature-256 came, which is github's",
        "hints": ["valid as github: set the scheme to github"],
        "secret": null,
        "age_s": null,
    });
    assert_eq!(verify(&[&format!("X-Hub-Signature-256: {github}")], ROW_1, 1), due);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let headers = [("X-Hub-Signature-256".to_owned(), github)];
    assert_eq!(post(&listener.at("/hook"), &headers, ROW_1), Some(401));
    let line = listener.next();
    for key in ["state", "reason", "hints"] {
        assert_eq!(line["signature"][key], due[key], "{key}");
    }
    let args = [&["deliveries", "verify", "1"], &SECRET_ENV[..]].concat();
    assert_eq!(folder.run(&args).expect_code(1).line(), due);
}

#[test]
fn the_signature_of_another_delivery_of_the_job_is_named() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let done = br#"{"job_id":"a1","status":"done"}"#;
    assert_eq!(post(&listener.at("/hook"), &signed(done), done), Some(204));
    assert_eq!(post(&listener.at("/hook"), &signed(done), ROW_1), Some(401));
    listener.next();
    assert_eq!(
        listener.next()["signature"]["hints"],
        json!([]),
        "the listener reads no other body"
    );
    let said =
        folder.run(&[&["deliveries", "verify", "2"], &SECRET_ENV[..]].concat()).expect_code(1);
    assert_eq!(
        said.line()["hints"],
        json!(["the signature belongs to delivery #1 of this job, whose body is another"])
    );
}

#[test]
fn neither_a_secret_nor_what_was_due_is_said_with_a_hint() {
    let time = format!("X-Sume-Timestamp: {T}");
    let signature = format!("X-Sume-Signature: sha256={S_ROW_1}");
    let said = verify(&[&time, &signature], ROW_1, 1).to_string();
    assert!(said.contains("only its form differs"), "{said}");
    assert!(!said.contains(SECRET) && !said.contains(S_ROW_1), "{said}");
}
