//! `hooktwice claims`, beside a listener.

use crate::harness::{Folder, Listener};

#[test]
fn c34_a_claim_is_given_back_and_the_test_button_works_again() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = br#"{"job_id":"evt_00000000000000"}"#;
    let send = || {
        assert_eq!(listener.deliver("/hook", body), 204);
        listener.next()
    };
    assert_eq!(send()["claim"], "won");
    assert_eq!(send()["duplicate_of"], 1);
    let released = folder.run(&["claims", "release", "evt_00000000000000"]).expect_code(0).line();
    assert_eq!(released["released"], 1);
    assert_eq!(send()["claim"], "won");
    assert_eq!(send()["duplicate_of"], 3);
}

#[test]
fn a_number_and_a_string_are_two_claims() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    for body in [r#"{"job_id":"100"}"#, r#"{"job_id":100}"#, r#"{"job_id":1e2}"#] {
        listener.deliver("/hook", body.as_bytes());
        assert_eq!(listener.next()["claim"], "won", "{body}");
    }
    let release = ["claims", "release", "100", "--type", "number"];
    assert_eq!(folder.run(&release).line()["released"], 1);
    let left = folder.run(&["claims", "list"]).lines();
    let left: Vec<_> = left.iter().map(|claim| (&claim["job_id"], &claim["job_id_type"])).collect();
    assert_eq!(left, [(&"1e2".into(), &"number".into()), (&"100".into(), &"string".into())]);

    let none = folder.run(&release).expect_code(0);
    assert_eq!(none.line()["released"], 0);
    assert!(none.err.contains("one of the string 100"), "{}", none.err);

    assert_eq!(folder.run(&["claims", "clear"]).line()["released"], 2);
    assert_eq!(folder.run(&["claims", "list"]).text(), "");
}

#[test]
fn a_path_narrows_a_release() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    for path in ["/a", "/b"] {
        listener.deliver(path, br#"{"job_id":"1"}"#);
    }
    assert_eq!(folder.run(&["claims", "release", "1", "--path", "/a"]).line()["released"], 1);
    assert_eq!(folder.run(&["claims", "list"]).line()["path"], "/b");
}
