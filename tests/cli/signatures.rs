//! `hooktwice sign` and `verify` over the vectors of the cases.

use crate::harness::{SECRET_ENV, Said, T, hooktwice, run_with};
use serde_json::Value;
use std::{ffi::OsString, io::Write as _, process::Stdio};

const ROW_1: &[u8] = br#"{"job_id":"a1"}"#;
const S_ROW_1: &str = "fae9584d49ddaa6dcb1291a4dbb51e5ec131265e59e1fc26532a26e52c31888b";
const S_LF: &str = "95cb29b4e8f5d9c9b87ebef5d74b8430f0eeac5e05978b4f4847907c72ca6fe7";
const S_CRLF: &str = "a4269f3d2e625d47c03ea4ddd70d07dd716d234da628219f034dfb499412321f";
const S_SECRET_LF: &str = "987812a25a42c298298425e7ee46de760e93779f11733fac8aebacf0117f23b6";
const S_MILLIS: &str = "9475b70be6b2669d5f4e85ae30424e77dd17a830f07a4c68c436c13821e75efa";
const S_SLASH: &str = "f5be359bb854c41d0dbbb36b9020cda1ead743ca271146aaecc9a5970c5ba0a5";

fn sign(body: &[u8], unix: i64) -> String {
    let unix = unix.to_string();
    let args =
        [&["sign", "--json", "--body-file", "-", "--timestamp", &unix], &SECRET_ENV[..]].concat();
    let headers = run_with(&args, body).expect_code(0).line();
    let headers = headers["headers"].as_array().unwrap();
    let find =
        |name: &str| headers.iter().find(|header| header[0] == name).unwrap()[1].as_str().unwrap();
    assert_eq!(find("X-Sume-Timestamp"), unix);
    find("X-Sume-Signature").to_owned()
}

/// Verifies with a clock that stands at the vectors' time; each header's bytes are given as they are.
fn verify_with(body: &[u8], headers: &[OsString], secret: &[u8]) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("secret");
    std::fs::write(&key, secret).unwrap();
    let mut command = hooktwice();
    command
        .args(["verify", "--json", "--body-file", "-", "--now", &T.to_string(), "--secret-file"])
        .arg(key);
    for header in headers {
        command.arg("--header").arg(header);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(body).unwrap();
    Said::of(child.wait_with_output().unwrap())
}

fn verify(body: &[u8], timestamp: &str, signature: &str) -> (i32, Value) {
    let headers = [
        format!("X-Sume-Timestamp: {timestamp}").into(),
        format!("X-Sume-Signature: {signature}").into(),
    ];
    let said = verify_with(body, &headers, b"test-secret");
    (said.code, said.line())
}

#[track_caller]
fn assert_state((code, line): &(i32, Value), state: &str) {
    assert_eq!(line["state"], state, "{line}");
    assert_eq!(*code, i32::from(state != "valid"), "{line}");
}

fn t(offset: i64) -> String {
    (T + offset).to_string()
}

fn words(line: &Value) -> String {
    format!("{} {}", line["reason"], line["hints"])
}

#[test]
fn what_is_signed_is_the_vector_and_verifies() {
    for (body, expected) in [(ROW_1, S_ROW_1), (br#"{"job_id":"a\/1"}"#, S_SLASH)] {
        assert_eq!(sign(body, T), format!("v1={expected}"));
        let valid = verify(body, &t(0), &format!("v1={expected}"));
        assert_state(&valid, "valid");
        assert_eq!((&valid.1["reason"], &valid.1["hints"]), (&Value::Null, &serde_json::json!([])));
    }
}

#[test]
fn c06_a_last_newline_is_part_of_the_body() {
    let lf = [ROW_1, b"\n"].concat();
    let crlf = [ROW_1, b"\r\n"].concat();
    assert_state(&verify(&lf, &t(0), &format!("v1={S_LF}")), "valid");
    assert_state(&verify(&crlf, &t(0), &format!("v1={S_CRLF}")), "valid");
    for body in [&lf, &crlf] {
        let off = verify(body, &t(0), &format!("v1={S_ROW_1}"));
        assert_state(&off, "invalid");
        assert!(words(&off.1).contains("newline"), "{}", off.1);
    }
}

#[test]
fn c12_a_secret_with_a_newline_is_named_and_not_cut() {
    let headers: [OsString; 2] =
        [format!("X-Sume-Timestamp: {T}").into(), format!("X-Sume-Signature: v1={S_ROW_1}").into()];
    let off = verify_with(ROW_1, &headers, b"test-secret\n");
    assert_state(&(off.code, off.line()), "invalid");
    assert!(!off.line()["hints"].as_array().unwrap().is_empty(), "{}", off.line());
    let truly: [OsString; 2] = [
        format!("X-Sume-Timestamp: {T}").into(),
        format!("X-Sume-Signature: v1={S_SECRET_LF}").into(),
    ];
    let truly = verify_with(ROW_1, &truly, b"test-secret\n");
    assert_state(&(truly.code, truly.line()), "valid");
    assert!(truly.err.contains("newline"), "{}", truly.err);
}

#[test]
fn c16_another_dress_is_read_or_named() {
    assert_state(&verify(ROW_1, &t(0), &format!("v1={}", S_ROW_1.to_uppercase())), "valid");
    let base64 = "+ulYTUndqm3LEpGk27UeXsExJl5Z4fwmUyom5Swxios=";
    for dress in [
        S_ROW_1.to_owned(),
        format!("sha256= {S_ROW_1}"),
        format!("v1={base64}"),
        base64.to_owned(),
    ] {
        let (code, line) = verify(ROW_1, &t(0), &dress);
        assert_eq!(code, 1, "{dress}");
        assert_eq!(line["state"], "invalid", "{dress}");
        assert!(line["reason"].is_string(), "{dress}");
    }
}

#[test]
fn c17_milliseconds_are_named() {
    let off = verify(ROW_1, &format!("{T}000"), &format!("v1={S_MILLIS}"));
    assert_eq!(off.0, 1);
    assert!(words(&off.1).contains("milliseconds"), "{}", off.1);
}

#[test]
fn c18_the_tolerance_holds_both_ways() {
    for (offset, state) in [(299, "valid"), (-299, "valid"), (301, "stale"), (-301, "stale")] {
        let verdict = verify(ROW_1, &t(offset), &sign(ROW_1, T + offset));
        assert_state(&verdict, state);
        if state == "stale" {
            assert!(words(&verdict.1).contains("301"), "{}", verdict.1);
        }
    }
}

#[test]
fn c19_a_timestamp_is_digits_only() {
    for timestamp in [
        "1700000000abc",
        "NaN",
        "+1700000000",
        "1.7e9",
        "",
        "17e8",
        "0x6553f100",
        "１７００００００００",
    ] {
        let (code, line) = verify(ROW_1, timestamp, &format!("v1={S_ROW_1}"));
        assert_eq!((code, &line["state"]), (1, &"invalid".into()), "{timestamp:?}: {line}");
        assert!(words(&line).to_lowercase().contains("timestamp"), "{line}");
    }
    let signature: OsString = format!("X-Sume-Signature: v1={S_ROW_1}").into();
    let absent = verify_with(ROW_1, std::slice::from_ref(&signature), b"test-secret");
    assert_eq!((absent.code, &absent.line()["state"]), (1, &"invalid".into()));
    let header: OsString = format!("X-Sume-Timestamp: {T}").into();
    let two = verify_with(ROW_1, &[header.clone(), header, signature], b"test-secret");
    assert_eq!((two.code, &two.line()["state"]), (1, &"invalid".into()));
}

#[test]
fn c22_a_signature_of_any_length_and_bytes_is_a_verdict() {
    let short = &S_ROW_1[..63];
    for signature in [
        "v1=",
        "v1=abcd",
        "",
        "=",
        ",,,",
        &format!("v1={short}"),
        &format!("v1={S_ROW_1}0"),
        &format!("v1={short}é"),
    ] {
        let (code, line) = verify(ROW_1, &t(0), signature);
        assert_eq!((code, &line["state"]), (1, &"invalid".into()), "{signature:?}: {line}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let header = [b"X-Sume-Signature: v1=\xe9".as_slice(), short.as_bytes()].concat();
        let headers = [format!("X-Sume-Timestamp: {T}").into(), OsString::from_vec(header)];
        let said = verify_with(ROW_1, &headers, b"test-secret");
        assert_eq!((said.code, &said.line()["state"]), (1, &"invalid".into()));
    }
}

#[test]
fn no_signature_at_all_is_unsigned() {
    let said = verify_with(ROW_1, &[], b"test-secret");
    assert_eq!((said.code, &said.line()["state"]), (1, &"unsigned".into()));
}
