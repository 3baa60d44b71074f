//! Field cases that go through several commands: C45 and C70.

use crate::harness::{
    Folder, Listener, SECRET_ENV, T, exchange, hooktwice, part, run_with, signed,
};
use std::fmt::Write as _;

#[test]
fn c45_events_out_of_order_are_listed_as_they_came_with_the_provider_s_time() {
    let folder = Folder::new();
    // The events are as old as the case.
    let listener = Listener::start(&folder, &["--tolerance", "4000000000s"]);
    for (job_id, unix) in [("e2", T + 2), ("e1", T + 1)] {
        let body = format!(r#"{{"job_id":"{job_id}"}}"#);
        let unix = unix.to_string();
        let sign = ["sign", "--json", "--body-file", "-", "--timestamp", &unix];
        let line = run_with(&[&sign[..], &SECRET_ENV].concat(), body.as_bytes()).line();
        let url = listener.at("/hook");
        let mut fire = ["fire", "--json", "--url", &url, "--body-file", "-", "--sign", "verbatim"]
            .map(str::to_owned)
            .to_vec();
        for header in line["headers"].as_array().unwrap() {
            let (name, value) = (header[0].as_str().unwrap(), header[1].as_str().unwrap());
            fire.extend(["--header".into(), format!("{name}: {value}")]);
        }
        assert_eq!(run_with(&fire, body.as_bytes()).expect_code(0).lines()[0]["status"], 204);
        let line = listener.next();
        assert_eq!((&line["signature"]["state"], &line["claim"]), (&"valid".into(), &"won".into()));
    }

    let ids: Vec<_> = folder.deliveries().iter().map(|line| line["job_id"].clone()).collect();
    assert_eq!(ids, ["e2", "e1"], "in the order in which they came");
    for (seq, signed_at) in [("1", "2023-11-14T22:13:22Z"), ("2", "2023-11-14T22:13:21Z")] {
        let shown = folder.run(&["deliveries", "show", seq]).expect_code(0).line();
        assert_eq!(shown["signed_at"], signed_at);
        let mut people = hooktwice();
        people.args(["deliveries", "show", seq]).arg("--data-dir").arg(folder.path());
        let screen = String::from_utf8(people.output().unwrap().stdout).unwrap();
        assert!(screen.contains(&format!("\nsigned    {signed_at}\n")), "{screen}");
    }
}

/// Sends a request on a connection of its own; the head of the answer in small letters, and its body.
fn ask(listener: &Listener, request_line: &str, body: &[u8]) -> (String, String) {
    let (host, _) = part(&listener.url);
    let mut head = format!("{request_line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    if !body.is_empty() {
        for (name, value) in signed(body) {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(head, "Content-Length: {}\r\n", body.len()).unwrap();
    }
    let answer = exchange(host, &[head.as_bytes(), b"\r\n", body].concat());
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), body.to_owned())
}

#[test]
fn c70_a_challenge_is_answered_with_itself_where_that_is_asked_for() {
    let slack = br#"{"type":"url_verification","challenge":"c1"}"#;
    let meta = "GET /hook?hub.mode=subscribe&hub.challenge=2089&hub.verify_token=x";
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--answer-challenges"]);
    for (request, body, value) in [("POST /hook", &slack[..], "c1"), (meta, &[], "2089")] {
        let (head, answered) = ask(&listener, request, body);
        assert_eq!(answered, value);
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        assert!(head.contains("\r\ncontent-type: text/plain") && !head.contains("html"), "{head}");
        assert!(head.contains("\r\nx-content-type-options: nosniff"), "{head}");
        let line = listener.next();
        assert_eq!((&line["claim"], &line["status"]), (&"none".into(), &200.into()));
        let notes = line["notes"].as_array().unwrap();
        assert!(notes.iter().any(|note| note == "handshake: the challenge was echoed"), "{line}");
    }
    assert_eq!(folder.run(&["claims", "list"]).expect_code(0).text(), "");
    drop(listener);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let (head, answered) = ask(&listener, "POST /hook", slack);
    assert!(head.starts_with("http/1.1 204 ") && answered.is_empty(), "{head}");
    assert!(!ask(&listener, meta, &[]).1.contains("2089"));

    // Set in the window, it holds for the command line too.
    let folder = Folder::new();
    folder.file("settings.json", br#"{"listen":{"answer_challenges":true}}"#);
    let listener = Listener::start(&folder, &[]);
    assert_eq!(ask(&listener, meta, &[]).1, "2089");
}
