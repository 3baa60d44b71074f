//! `hooktwice listen`.

use crate::harness::{Folder, Listener, exchange, part, post, signed, signed_at, status, until};
use std::{net::TcpListener, thread};

#[test]
fn the_line_has_every_field_of_the_contract() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = br#"{"event":"job.completed","job_id":"job_1"}"#;
    assert_eq!(listener.deliver("/hook?a=%20b?c", body), 204);
    let line = listener.next();
    let expected = serde_json::json!({
        "type": "delivery", "seq": 1, "method": "POST", "path": "/hook", "query": "a=%20b?c", "size": body.len(),
        "event": "job.completed", "job_id": "job_1", "job_id_type": "string",
        "claim": "won", "claim_reason": null, "duplicate_of": null, "body_differs": false,
        "ended": "answered", "expected_size": null, "status": 204, "notes": [],
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&line[name], value, "{name}");
    }
    let signature = serde_json::json!({
        "state": "valid", "scheme": "sume", "reason": null, "hints": [], "secret": "HT_TEST_SECRET",
    });
    for (name, value) in signature.as_object().unwrap() {
        assert_eq!(&line["signature"][name], value, "{name}");
    }
    assert!(line["signature"]["age_s"].as_f64().is_some_and(|age_s| (0.0..60.0).contains(&age_s)));
    assert!(line["id"].as_str().is_some_and(|id| id.len() == 36));
    assert!(line["duration_ms"].as_f64().unwrap() > 0.0);
    let received_at = line["received_at"].as_str().unwrap();
    assert_eq!(received_at.len(), "2026-11-29T12:00:00.123456Z".len(), "{received_at}");
    assert_eq!(folder.deliveries(), [line]);
}

#[test]
fn answers_are_the_contracts() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--max-body", "1KiB"]);
    let url = listener.at("/hook");
    let body = br#"{"job_id":"a1"}"#;
    let wrong = signed(b"another body");
    let now = jiff::Timestamp::now().as_second();
    let large = vec![b' '; 2000];
    let no_id = br#"{"event":"webhook.test"}"#;
    for (headers, body, answered, state, claim_reason) in [
        (vec![], &body[..], 401, "unsigned", "not-verified"),
        (wrong, &body[..], 401, "invalid", "not-verified"),
        (signed_at(now - 1000, body), &body[..], 401, "stale", "not-verified"),
        (signed(b"{"), b"{", 400, "valid", "not-json"),
        (signed(no_id), no_id, 204, "valid", "missing-id"),
        (signed(&large), &large[..], 413, "unchecked", ""),
    ] {
        assert_eq!(post(&url, &headers, body), Some(answered), "{state} {claim_reason}");
        let line = listener.next();
        assert_eq!(line["status"], answered);
        assert_eq!(line["signature"]["state"], state, "{line}");
        assert_eq!(line["claim"], "none");
        if !claim_reason.is_empty() {
            assert_eq!(line["claim_reason"], claim_reason);
        }
    }
    for method in ["GET", "HEAD", "OPTIONS"] {
        let (host, _) = part(&url);
        let request =
            format!("{method} /hook HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&exchange(host, request.as_bytes())), Some(200), "{method}");
        let line = listener.next();
        assert_eq!((&line["method"], &line["claim_reason"]), (&method.into(), &"method".into()));
    }
    assert_eq!(folder.run(&["claims", "list"]).expect_code(0).text(), "");
}

#[test]
fn without_a_secret_nothing_is_checked_and_claims_are_made() {
    let folder = Folder::new();
    let mut listener = Listener::start_unchecked(&folder, &[]);
    assert_eq!(post(&listener.at("/"), &[], br#"{"job_id":"a1"}"#), Some(204));
    let line = listener.next();
    assert_eq!((&line["signature"]["state"], &line["claim"]), (&"unchecked".into(), &"won".into()));
    let (code, _, err) = listener.run.terminate();
    assert_eq!(code, 0);
    assert!(err.contains("--secret-env"), "{err}");
}

#[test]
fn a_status_fail_first_and_a_drop() {
    let body = br#"{"job_id":"a1"}"#;
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--respond", "status=503"]);
    assert_eq!(listener.deliver("/", body), 503);
    drop(listener);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--fail-first", "2"]);
    let statuses: Vec<u16> = (0..4).map(|_| listener.deliver("/", body)).collect();
    assert_eq!(statuses, [500, 500, 204, 204]);
    let claims: Vec<_> = (0..4).map(|_| listener.next()["claim"].clone()).collect();
    assert_eq!(claims, ["won", "duplicate", "duplicate", "duplicate"]);
    drop(listener);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--drop"]);
    assert_eq!(post(&listener.at("/"), &signed(body), body), None);
    assert_eq!(listener.next()["status"], serde_json::Value::Null);
}

#[test]
fn quiet_says_where_it_listens_and_no_more() {
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--quiet"]);
    assert_eq!(listener.deliver("/", br#"{"job_id":"a1"}"#), 204);
    let (code, lines, _) = listener.run.terminate();
    assert_eq!((code, lines.len()), (0, 0));
    assert_eq!(folder.deliveries().len(), 1);
}

#[test]
fn the_id_is_where_the_pointer_says() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--id-pointer", "/data/id"]);
    listener.deliver("/", br#"{"job_id":"no","data":{"id":100}}"#);
    let line = listener.next();
    assert_eq!((&line["job_id"], &line["job_id_type"]), (&"100".into(), &"number".into()));
}

#[test]
fn c44_two_paths_are_two_scopes() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    for path in ["/a", "/b", "/a"] {
        listener.deliver(path, br#"{"job_id":"1"}"#);
    }
    let claims: Vec<_> = (0..3).map(|_| listener.next()["claim"].clone()).collect();
    assert_eq!(claims, ["won", "won", "duplicate"]);
    assert_eq!(folder.run(&["claims", "list"]).lines().len(), 2);
}

#[test]
fn c77_a_port_that_is_taken_is_named() {
    let folder = Folder::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for host in ["127.0.0.1", "0.0.0.0"] {
        let said = folder.run(&["listen", "--host", host, "--port", &port]).expect_code(2);
        assert!(said.err.contains(&port), "{}", said.err);
        assert_eq!(said.text(), "");
    }
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--host", "0.0.0.0"]);
    let (_, _, err) = listener.run.terminate();
    assert!(err.contains("WARNING"), "{err}");
}

#[test]
fn sigterm_waits_for_the_answer_in_flight() {
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--delay", "700ms"]);
    let url = listener.at("/hook");
    let body = br#"{"job_id":"a1"}"#;
    let sender = thread::spawn(move || post(&url, &signed(body), body));
    until("it is stored", || (folder.deliveries().len() == 1).then_some(()));
    let (code, lines, _) = listener.run.terminate();
    assert_eq!(sender.join().unwrap(), Some(204));
    assert_eq!(code, 0);
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["ended"], &lines[0]["status"]), (&"answered".into(), &204.into()));
}
