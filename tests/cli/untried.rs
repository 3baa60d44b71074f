//! A body for which not every explanation can be tried: what was left out is said, and nothing is guessed.

use crate::harness::{Folder, SECRET_ENV, T};

/// The largest that a listener takes as it is set.
const LARGEST: usize = 10 * 1024 * 1024;

#[test]
fn verifying_ten_mebibytes_that_fail_ends_and_says_what_was_not_tried() {
    let folder = Folder::new();
    let now = T.to_string();
    let filler = "x".repeat(LARGEST - 32);
    let body = format!("{{\"job_id\":\"a1\",\"filler\":\"{filler}\"}}\n");
    assert!(body.len() <= LARGEST);
    let body = folder.file("body", body.as_bytes());
    let other = folder.file("other", br#"{"job_id":"a1"}"#);

    for scheme in ["sume", "stripe", "github", "shopify", "slack"] {
        let sign = ["sign", "--scheme", scheme, "--timestamp", &now, "--body-file"];
        let sign = [&sign[..], &[other.to_str().unwrap()], &SECRET_ENV].concat();
        let signed = folder.run(&sign).expect_code(0).line();
        let lines = signed["headers"].as_array().unwrap().iter().map(|header| {
            format!("{}: {}", header[0].as_str().unwrap(), header[1].as_str().unwrap())
        });
        let lines: Vec<_> = lines.collect();
        let verify = ["verify", "--scheme", scheme, "--now", &now, "--body-file"];
        let mut verify = [&verify[..], &[body.to_str().unwrap()], &SECRET_ENV].concat();
        for line in &lines {
            verify.extend(["--header", line]);
        }
        let said = folder.run(&verify).expect_code(1).line();
        assert_eq!((&said["state"], &said["hints"]), (&"invalid".into(), &serde_json::json!([])));
        let reason = said["reason"].as_str().unwrap();
        assert!(reason.starts_with("the signature does not match the body"), "{reason}");
        let (_, untried) = reason
            .split_once("too large to try every explanation; not tried: ")
            .unwrap_or_else(|| panic!("{scheme}: {reason}"));
        assert!(untried.ends_with(')') && untried.len() > 5, "{scheme}: {reason}");
    }
}
