//! The body is judged as it came, and what was done to it is told.

use super::*;

#[test]
fn c01_c02_c04_c05_c06_c09_c24_c25_raw_bytes_are_judged_and_nothing_else() {
    for case in cases() {
        for (vector, body, _) in VECTORS {
            let sent = case.sent(body);
            let report = sent.judge();
            assert_eq!(report.state, SignatureState::Valid, "{}: {vector}", case.name);
            assert!(report.hints.is_empty() && report.reason.is_none(), "{report:?}");
            assert_eq!(report.scheme, case.scheme.name());
            for (other, near, _) in VECTORS.into_iter().filter(|other| other.0 != vector) {
                let state = sent.clone().body(near).state();
                assert_eq!(state, SignatureState::Invalid, "{}: {vector} as {other}", case.name);
            }
        }
    }
}

#[test]
fn c01_c02_c06_c07_c09_what_a_program_did_to_the_body_is_explained() {
    let changed: [(&[u8], &[u8], &str); 6] = [
        (ROW_2, ROW_1, "re-serialised"),
        (b"{\"job_id\":\"a1\"}\n", ROW_1, "without the trailing newline"),
        (ROW_1, b"{\"job_id\":\"a1\"}\n", "with a trailing newline"),
        (b"\xef\xbb\xbf{\"job_id\":\"a1\"}", ROW_1, "byte order mark"),
        (b"{\n\"job_id\":\"a1\"\n}", b"{\r\n\"job_id\":\"a1\"\r\n}", "CR LF line endings"),
        (b"{\"job_id\":\"a/1\"}", br#"{"job_id":"a\/1"}"#, "escaped as `\\/`"),
    ];
    for case in cases() {
        for (came, signed, said) in changed {
            let report = case.sent(signed).body(came).judge();
            assert_eq!(report.state, SignatureState::Invalid, "{}", case.name);
            let told = report.hints.iter().any(|hint| hint.contains(said));
            assert!(told, "{}: {said}: {report:?}", case.name);
        }
    }
}

#[test]
fn c03_other_headers_and_the_case_of_names_do_not_matter() {
    for case in cases() {
        let sent = case.sent(ROW_1);
        let others = ["Content-Length", "Host", "Transfer-Encoding", "X-Signed", "Date"];
        let more = others.iter().fold(sent.clone(), |sent, name| sent.and(name, "99999"));
        assert_eq!(more.state(), SignatureState::Valid, "{}", case.name);
        for change in [str::to_uppercase, str::to_lowercase] {
            let none = sent.clone().with_headers(Vec::new());
            let named = sent
                .headers()
                .into_iter()
                .fold(none, |none, (name, value)| none.and(&change(name), value));
            assert_eq!(
                named.state(),
                SignatureState::Valid,
                "{}: {:?}",
                case.name,
                named.headers()
            );
        }
    }
}

#[test]
fn c08_a_body_that_lost_its_line_breaks_is_another_body() {
    let (file, sent) = (b"{\n\"job_id\":\r\n\"a1\"}\n", b"{\"job_id\":\"a1\"}");
    for case in cases() {
        assert_eq!(case.sent(file).state(), SignatureState::Valid, "{}", case.name);
        assert_eq!(case.sent(file).body(sent).state(), SignatureState::Invalid, "{}", case.name);
    }
}
