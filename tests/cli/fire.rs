//! `hooktwice fire` at a listener.

use crate::harness::{Folder, Listener, Running, SECRET_ENV, post, run_with, signed, until};
use std::{net::TcpListener, thread};

fn fire(url: &str, args: &[&str], body: &[u8]) -> crate::harness::Said {
    run_with(
        &[&["fire", "--json", "--url", url, "--body-file", "-"], args, &SECRET_ENV].concat(),
        body,
    )
}

#[test]
fn a_copy_and_the_summary_have_every_field_of_the_contract() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let lines = fire(&listener.at("/hook"), &[], br#"{"job_id":"a1"}"#).expect_code(0).lines();
    let [copy, summary] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(copy["type"], "copy");
    assert_eq!(
        (&copy["n"], &copy["status"], &copy["outcome"]),
        (&1.into(), &204.into(), &"answered".into())
    );
    assert_eq!(
        (&copy["error"], &copy["warnings"]),
        (&serde_json::Value::Null, &serde_json::json!([]))
    );
    for time in ["released_us", "first_byte_ms", "total_ms"] {
        assert!(copy[time].is_number(), "{time}: {copy}");
    }
    assert_eq!(summary["type"], "summary");
    assert_eq!(summary["copies"], 1);
    assert_eq!(summary["statuses"], serde_json::json!({ "204": 1 }));
    assert!(summary["release_spread_us"].is_number());
    assert_eq!(summary["peak_in_flight"], 1);
    assert_eq!(summary["outcome_unknown"], 0);
    assert_eq!(listener.next()["signature"]["state"], "valid");
}

#[test]
fn c76_exactly_as_many_as_were_asked_for() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let url = listener.at("/hook");
    for (copies, release, arrived) in
        [("10", "together", 10), ("1", "sequential", 11), ("4", "gap=1ms", 15)]
    {
        let lines = fire(&url, &["--copies", copies, "--release", release], br#"{"job_id":"a1"}"#)
            .expect_code(0);
        assert_eq!(lines.lines().len(), copies.parse::<usize>().unwrap() + 1);
        until("all are kept", || (folder.deliveries().len() >= arrived).then_some(()));
        assert_eq!(folder.deliveries().len(), arrived);
    }
    for copies in ["0", "1001", "-1"] {
        fire(&url, &["--copies", copies], b"{}").expect_code(2);
    }
    assert_eq!(folder.deliveries().len(), 15);
}

#[test]
fn twenty_at_once_win_once() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let lines = fire(&listener.at("/hook"), &["--copies", "20"], br#"{"job_id":"a1"}"#)
        .expect_code(0)
        .lines();
    assert!(lines[20]["peak_in_flight"].as_u64().unwrap() > 1, "{}", lines[20]);
    let deliveries = folder.deliveries();
    assert_eq!(deliveries.iter().filter(|delivery| delivery["claim"] == "won").count(), 1);
    assert_eq!(deliveries.iter().filter(|delivery| delivery["claim"] == "duplicate").count(), 19);
}

#[test]
fn c02_a_stored_delivery_is_fired_with_its_exact_bytes() {
    let body = br#"{"job_id":"a\/1"}"#;
    let (from, to) = (Folder::new(), Folder::new());
    let first = Listener::start(&from, &[]);
    first.deliver("/hook?x=%2F", body);
    assert_eq!(first.next()["job_id"], "a/1");

    let second = Listener::start(&to, &[]);
    from.run(&["fire", "--delivery", "1", "--url", &second.url]).expect_code(0);
    let copy = second.next();
    assert_eq!((&copy["path"], &copy["query"]), (&"/hook".into(), &"x=%2F".into()));
    assert_eq!((&copy["job_id"], &copy["signature"]["state"]), (&"a/1".into(), &"valid".into()));
    assert_eq!(
        to.run(&["deliveries", "body", "1"]).line()["body_base64"],
        "eyJqb2JfaWQiOiJhXC8xIn0="
    );
    let verify = ["deliveries", "verify", "1"];
    to.run(&[&verify[..], &SECRET_ENV].concat()).expect_code(0);

    // Without a URL it goes where it came from; with a secret it is signed anew.
    let again = ["fire", "--delivery", "1", "--copies", "2"];
    from.run(&[&again[..], &SECRET_ENV].concat()).expect_code(0);
    for _ in 0..2 {
        let copy = first.next();
        assert_eq!(
            (&copy["duplicate_of"], &copy["signature"]["state"]),
            (&1.into(), &"valid".into())
        );
        assert_eq!(copy["body_differs"], false);
    }
    let shown = from.run(&["deliveries", "show", "2"]).line();
    let names: Vec<_> = shown["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|header| header[0].as_str().unwrap())
        .collect();
    let signatures =
        names.iter().filter(|name| name.eq_ignore_ascii_case("X-Sume-Signature")).count();
    assert_eq!(signatures, 1, "{names:?}");
    let event_id = |headers: &serde_json::Value| {
        let headers = headers.as_array().unwrap();
        headers.iter().find(|header| header[0] == "X-Sume-Event-Id").map(|header| header[1].clone())
    };
    assert_eq!(event_id(&shown["headers"]), Some("evt_test".into()));
}

#[test]
fn without_a_secret_the_copies_go_unsigned_and_say_so() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let url = listener.at("/hook");
    let args = ["fire", "--json", "--url", &url, "--body-file", "-"];
    let said = run_with(&args, br#"{"job_id":"a1"}"#).expect_code(0);
    assert!(said.err.contains("unsigned"), "{}", said.err);
    assert_eq!(listener.next()["signature"]["state"], "unsigned");
    let each = run_with(&[&args[..], &["--sign", "each"]].concat(), b"{}").expect_code(2);
    assert!(each.err.contains("--secret-env"), "{}", each.err);
}

#[test]
fn headers_go_as_they_are_typed() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let header = ["--header", "X-Trace: a: b", "--header", "content-type: text/plain"];
    fire(&listener.at("/hook"), &header, br#"{"job_id":"a1"}"#).expect_code(0);
    let headers = folder.run(&["deliveries", "show", "1"]).line()["headers"].clone();
    let headers = headers.as_array().unwrap();
    assert!(headers.contains(&serde_json::json!(["X-Trace", "a: b"])), "{headers:?}");
    let types = headers
        .iter()
        .filter(|header| header[0].as_str().unwrap().eq_ignore_ascii_case("content-type"));
    assert_eq!(types.map(|header| &header[1]).collect::<Vec<_>>(), ["text/plain"]);
}

#[test]
fn c89_a_proxy_is_not_asked_for_loopback() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = folder.file("body", br#"{"job_id":"a1"}"#);
    let localhost = listener.url.replace("127.0.0.1", "localhost");
    for url in [&listener.url, &localhost] {
        let mut command =
            folder.command(&["fire", "--url", url, "--body-file", body.to_str().unwrap()]);
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
            command.env(name, "http://127.0.0.1:9");
        }
        crate::harness::Said::of(command.output().unwrap()).expect_code(0);
    }
    assert_eq!(folder.deliveries().len(), 2);
}

#[test]
fn another_host_needs_a_word() {
    let said = run_with(&["fire", "--url", "http://192.0.2.1/hook", "--body-file", "-"], b"{}")
        .expect_code(2);
    assert!(said.err.contains("--allow-host"), "{}", said.err);
}

#[test]
fn an_answer_that_never_comes_is_unknown_and_3() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", silent.local_addr().unwrap());
    let lines = fire(&url, &["--timeout", "300ms", "--copies", "2"], b"{}").expect_code(3).lines();
    assert_eq!(lines[0]["outcome"], "unknown");
    assert_eq!(lines[2]["outcome_unknown"], 2);
}

#[test]
fn ctrl_c_stops_and_sums_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", silent.local_addr().unwrap());
    let folder = Folder::new();
    let body = folder.file("body", b"{}");
    let accepted = thread::spawn(move || {
        let (mut socket, _) = silent.accept().unwrap();
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(b"\r\n\r\n{}")
            && std::io::Read::read(&mut socket, &mut byte).unwrap() == 1
        {
            seen.push(byte[0]);
        }
        (silent, socket)
    });
    let command = folder.command(&[
        "fire",
        "--url",
        &url,
        "--body-file",
        body.to_str().unwrap(),
        "--timeout",
        "60s",
    ]);
    let mut fired = Running::spawn(command);
    let held_open = accepted.join().unwrap();
    fired.signal("-INT");
    assert_eq!(fired.ended(), 3);
    assert_eq!(fired.next()["outcome"], "unknown");
    let summary = fired.next();
    assert_eq!((&summary["type"], &summary["outcome_unknown"]), (&"summary".into(), &1.into()));
    drop(held_open);
}

#[test]
fn a_naive_responder_is_doubled() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--respond", "naive"]);
    fire(&listener.at("/hook"), &["--copies", "20"], br#"{"job_id":"a1"}"#).expect_code(0);
    let won = folder.deliveries().iter().filter(|delivery| delivery["claim"] == "won").count();
    assert!(won > 1, "{won}");
}

#[test]
fn a_redirect_is_not_followed() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--respond", "status=302"]);
    let lines = fire(&listener.at("/hook"), &[], b"{}").expect_code(0).lines();
    assert_eq!(lines[0]["status"], 302);
    assert_eq!(post(&listener.at("/other"), &signed(b"{}"), b"{}"), Some(302));
    assert_eq!(folder.deliveries().len(), 2);
}
