//! What is said of a signature that does not match.

use super::*;

/// The one hint of a signature that does not match.
#[track_caller]
pub(super) fn hint(report: &SignatureReport) -> String {
    assert_eq!(report.state, SignatureState::Invalid, "{report:?}");
    assert_eq!(report.hints.len(), 1, "{report:?}");
    report.hints[0].clone()
}

#[test]
fn c01_a_re_serialised_body_fails_and_the_hint_says_so() {
    let hint = Sent::new(ROW_2, ROW_1_DIGEST).hint();
    assert!(hint.contains("would match re-serialised compactly"), "{hint}");
    let python = br#"{"job_id": "a1", "n": [1, 2.50]}"#;
    let compact = br#"{"job_id":"a1","n":[1,2.50]}"#;
    let hint = Sent::new(compact, &digest_of(SECRET.as_bytes(), "1700000000", python)).hint();
    assert!(hint.contains("as Python does"), "{hint}");
}

#[test]
fn c02_c05_a_rewritten_string_is_explained() {
    let pairs: [(&[u8], &[u8], &str); 6] = [
        (br#"{"job_id":"a/1"}"#, br#"{"job_id":"a\/1"}"#, "`/` escaped as `\\/`"),
        (br#"{"job_id":"a\/1"}"#, br#"{"job_id":"a/1"}"#, "`\\/` written as `/`"),
        (
            "{\"job_id\":\"😀\"}".as_bytes(),
            br#"{"job_id":"\ud83d\ude00"}"#,
            "non-ASCII characters escaped",
        ),
        (
            br#"{"job_id":"\ud83d\ude00"}"#,
            "{\"job_id\":\"😀\"}".as_bytes(),
            "escapes written as characters",
        ),
        ("{\"u\": \"a/é\"}".as_bytes(), br#"{"u":"a\/\u00e9"}"#, "json_encode"),
        (br#"{"u": "a\/\u00e9"}"#, "{\"u\":\"a/é\"}".as_bytes(), "JSON.stringify"),
    ];
    for (came, signed, said) in pairs {
        let hint = Sent::new(came, &digest_of(SECRET.as_bytes(), "1700000000", signed)).hint();
        assert!(hint.contains(said), "{hint}");
    }
}

#[test]
fn c06_c07_c09_line_ends_marks_and_trims_are_explained() {
    let row = |before: &str, after: &str| [before.as_bytes(), ROW_1, after.as_bytes()].concat();
    let lines = |end: &str| format!("{{{end}\"job_id\":\"a1\"{end}}}").into_bytes();
    let pairs = [
        (row("", "\n"), row("", ""), "would match without the trailing newline"),
        (row("", "\r\n"), row("", ""), "would match without the trailing newline (CR LF)"),
        (row("", ""), row("", "\n"), "would match with a trailing newline"),
        (row("", ""), row("", "\r\n"), "would match with a trailing newline (CR LF)"),
        (row("\u{feff}", ""), row("", ""), "without the byte order mark"),
        (row("", ""), row("\u{feff}", ""), "with a byte order mark"),
        (row(" ", " \n"), row("", ""), "without the white space around"),
        (lines("\r\n"), lines("\n"), "with LF line endings"),
        (lines("\n"), lines("\r\n"), "with CR LF line endings"),
    ];
    for (came, signed, said) in pairs {
        let hint = Sent::new(&came, &digest_of(SECRET.as_bytes(), "1700000000", &signed)).hint();
        assert!(hint.contains(said), "{said}: {hint}");
    }
}

#[test]
fn c12_white_space_of_a_secret_is_named_and_kept() {
    for end in ["\n", " ", "\r\n", "\t"] {
        let hint = Sent::row_1().secret(&format!("{SECRET}{end}")).hint();
        assert_eq!(hint, "secret ends in whitespace; without it the signature matches");
    }
    let begins = Sent::row_1().secret(" test-secret").hint();
    assert!(begins.starts_with("secret begins with whitespace"), "{begins}");
    let both = Sent::row_1().secret(" test-secret ").hint();
    assert!(both.starts_with("secret has whitespace at both ends"), "{both}");
    let newline = "987812a25a42c298298425e7ee46de760e93779f11733fac8aebacf0117f23b6";
    let hint = Sent::new(ROW_1, newline).hint();
    assert!(hint.contains("newline at the end of the secret"), "{hint}");
}

#[test]
fn a_large_forged_body_costs_a_bounded_explanation() {
    let body = vec![b'a'; 10 * 1024 * 1024];
    let report = Sent::new(&body, &"0".repeat(64)).judge();
    assert_eq!(report.state, SignatureState::Invalid);
    assert!(report.reason.unwrap().contains("too large to try every explanation"));
    // What applies first is still proven.
    let digest = digest_of(SECRET.as_bytes(), "1700000000", &body[1..]);
    let newline = [&body[1..], b"\n"].concat();
    assert!(Sent::new(&newline, &digest).hint().contains("without the trailing newline"));
}
