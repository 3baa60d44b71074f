//! `hooktwice deliveries`, beside a listener that holds the folder.

use crate::harness::{Folder, Listener, SECRET_ENV, Said, exchange, hooktwice, part, signed};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{fmt::Write as _, io::Write as _, net::TcpStream, process::Command};

/// Posts a body with headers as bytes.
fn post_raw(listener: &Listener, headers: &[u8], body: &[u8]) {
    post_raw_to("/hook?a=1", listener, headers, body);
}

fn post_raw_to(target: &str, listener: &Listener, headers: &[u8], body: &[u8]) {
    let (host, _) = part(&listener.url);
    let mut head =
        format!("POST {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n").into_bytes();
    head.extend_from_slice(headers);
    let mut lines = String::new();
    for (name, value) in signed(body) {
        write!(lines, "{name}: {value}\r\n").unwrap();
    }
    head.extend_from_slice(format!("{lines}Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    assert!(!exchange(host, &[&head[..], body].concat()).is_empty());
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn people(folder: &Folder, args: &[&str]) -> Said {
    Said::of(hooktwice().args(args).arg("--data-dir").arg(folder.path()).output().unwrap())
}

#[test]
fn a_delivery_is_shown_with_its_exact_bytes() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = b"{\"job_id\":\"a1\"}\r\n\xff";
    post_raw(
        &listener,
        b"X-One: a\r\nx-one: b\r\nX-Raw: \xe9\r\nAuthorization: Bearer hush\r\n",
        body,
    );
    let line = listener.next();
    let id = line["id"].as_str().unwrap();

    for name in [id, "1"] {
        let shown = folder.run(&["deliveries", "show", name]).expect_code(0).line();
        for (field, value) in line.as_object().unwrap() {
            assert_eq!(&shown[field], value, "{field}");
        }
        let headers = shown["headers"].as_array().unwrap();
        let at = headers.iter().position(|header| header == &json!(["X-One", "a"])).unwrap();
        assert_eq!(headers[at + 1], json!(["x-one", "b"]));
        assert_eq!(headers[at + 2], json!(["X-Raw", { "base64": "6Q==" }]));
        assert_eq!(shown["body_base64"], STANDARD.encode(body));
        assert_eq!(people(&folder, &["deliveries", "body", name]).expect_code(0).out, body);
    }
    let screen = people(&folder, &["deliveries", "show", "1"]).expect_code(0);
    assert!(screen.text().contains("Authorization: [masked]"), "{}", screen.text());
    assert!(screen.text().contains("not UTF-8"), "{}", screen.text());
    let revealed = people(&folder, &["deliveries", "show", "1", "--reveal"]);
    assert!(revealed.text().contains("Bearer hush"));
}

#[test]
fn what_is_shown_can_be_imported_as_an_export_can() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    // Path and query do not tell that a `?` stood at the end.
    post_raw_to("/hook?", &listener, b"", b"{}");
    listener.next();
    let shown = folder.run(&["deliveries", "show", "1"]).expect_code(0).line();
    assert_eq!(shown["target_base64"], STANDARD.encode(b"/hook?"));
    let exported =
        folder.run(&["deliveries", "export", "--format", "json", "1"]).expect_code(0).line();
    for (field, value) in exported.as_object().unwrap() {
        assert_eq!(&shown[field], value, "{field}");
    }
}

#[test]
fn a_delivery_without_a_body_is_shown_too() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let (host, _) = part(&listener.url);
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    exchange(host, request.as_bytes());
    listener.next();
    assert_eq!(folder.run(&["deliveries", "show", "1"]).expect_code(0).line()["body_base64"], "");
    assert_eq!(people(&folder, &["deliveries", "body", "1"]).expect_code(0).out, b"");
    let curl = people(&folder, &["deliveries", "export", "--format", "curl", "1"]).expect_code(0);
    assert!(curl.text().contains("-X GET"), "{}", curl.text());
}

#[test]
fn the_list_is_newest_first_limited_and_filtered() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    for n in 1..=5 {
        listener.deliver("/hook", format!(r#"{{"job_id":"job_{}"}}"#, n % 2).as_bytes());
    }
    let seqs = |args: &[&str]| -> Vec<Value> {
        let lines = folder.run(&[&["deliveries", "list"], args].concat()).expect_code(0).lines();
        lines.into_iter().map(|line| line["seq"].clone()).collect()
    };
    crate::harness::until("all are kept", || (seqs(&[]).len() == 5).then_some(()));
    assert_eq!(seqs(&[]), [5, 4, 3, 2, 1]);
    assert_eq!(seqs(&["--limit", "2"]), [5, 4]);
    assert_eq!(seqs(&["--limit", "0"]).len(), 5);
    assert_eq!(seqs(&["--filter", "claim:duplicate"]), [5, 4, 3]);
    assert_eq!(seqs(&["--filter", "job:job_0 claim:won"]), [2]);
    folder.run(&["deliveries", "list", "--filter", "status>=many"]).expect_code(2);
}

#[test]
fn clear_keeps_the_claims() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    listener.deliver("/hook", br#"{"job_id":"a1"}"#);
    listener.next();
    assert_eq!(folder.run(&["deliveries", "clear"]).expect_code(0).line()["cleared"], 1);
    assert_eq!(folder.deliveries().len(), 0);
    listener.deliver("/hook", br#"{"job_id":"a1"}"#);
    assert_eq!(listener.next()["claim"], "duplicate");
}

#[test]
fn verify_judges_the_stored_bytes_at_the_time_of_receipt() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    post_raw(&listener, b"", b"{\"job_id\":\"a1\"}\n");
    let at_receipt = listener.next()["signature"].clone();
    let good =
        folder.run(&[&["deliveries", "verify", "1"], &SECRET_ENV[..]].concat()).expect_code(0);
    let mut good = good.line();
    good["scheme"] = "sume".into();
    assert_eq!(good, at_receipt);
    assert_eq!((&good["state"], &good["secret"]), (&"valid".into(), &"HT_TEST_SECRET".into()));
    let other = folder.file("other", b"another-secret");
    let args = ["deliveries", "verify", "1", "--secret-file", other.to_str().unwrap()];
    assert_eq!(folder.run(&args).expect_code(1).line()["state"], "invalid");
    folder.run(&["deliveries", "verify", "1"]).expect_code(2);
}

#[test]
fn what_did_not_come_whole_cannot_be_verified_and_is_3() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let (host, _) = part(&listener.url);
    let mut socket = TcpStream::connect(host).unwrap();
    let head = format!("POST /hook HTTP/1.1\r\nHost: {host}\r\nX-Sume-Signature: v1=00\r\n");
    socket.write_all(format!("{head}Content-Length: 10\r\n\r\n{{\"job").as_bytes()).unwrap();
    drop(socket);
    let line = listener.next();
    assert_eq!(
        (&line["ended"], &line["size"], &line["expected_size"]),
        (&"incomplete".into(), &5.into(), &10.into())
    );
    let verify = [&["deliveries", "verify", "1"], &SECRET_ENV[..]].concat();
    assert_eq!(folder.run(&verify).expect_code(3).line()["state"], "unchecked");
}

#[test]
fn c08_a_copied_curl_command_sends_the_same_bytes() {
    let bodies: [&[u8]; 5] = [
        b"{\"job_id\":\"lf\"}\n",
        b"{\"job_id\":\"crlf\",\r\n\"it's\":\"$HOME `x` \\\\ !\"}\r\n\r\n",
        "{\"job_id\":\"\u{1f600}\"}".as_bytes(),
        b"{\"job_id\":\"b\xff\x00\"}",
        b"-d @/dev/null % %s \\n",
    ];
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    for (n, body) in bodies.iter().enumerate() {
        let target = "/a/../b//c;d[1-3]{x,y}?q=%20'$&[2]";
        post_raw_to(target, &listener, b"X-Quote: it's \"$1\"\r\nX-Empty:\r\n", body);
        let first = listener.next();
        let seq = (2 * n + 1).to_string();
        let export =
            people(&folder, &["deliveries", "export", "--format", "curl", &seq]).expect_code(0);
        let sent = Command::new("sh").arg("-c").arg(export.text()).output().unwrap();
        assert!(sent.status.success(), "{sent:?}");
        let second = listener.next();
        assert_eq!(format!("{}?{}", as_text(&first["path"]), as_text(&first["query"])), target);
        for same in ["/path", "/query", "/size", "/job_id", "/signature/state"] {
            assert_eq!(first.pointer(same), second.pointer(same), "{same}: {}", export.text());
        }
        let again = (2 * n + 2).to_string();
        assert_eq!(people(&folder, &["deliveries", "body", &again]).out, *body);
    }
}

#[test]
fn exports_are_lossless_and_masked_unless_asked() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    post_raw(&listener, b"Cookie: hush\r\n", b"{\"job_id\":\"a1\"}");
    post_raw(&listener, b"", b"\xff\x00");
    listener.next();
    listener.next();

    let lines = folder.run(&["deliveries", "export", "--format", "json"]).expect_code(0).lines();
    assert_eq!(lines.iter().map(|line| line["seq"].clone()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(lines[1]["body_base64"], STANDARD.encode(b"\xff\x00"));
    for format in ["json", "har", "curl"] {
        let export = ["deliveries", "export", "--format", format, "1"];
        assert!(!folder.run(&export).expect_code(0).text().contains("hush"), "{format}");
        let revealed = folder.run(&[&export[..], &["--reveal"]].concat());
        assert!(revealed.expect_code(0).text().contains("hush"), "{format}");
    }

    let har = folder.run(&["deliveries", "export", "--format", "har"]).expect_code(0).line();
    assert_eq!(har["log"]["version"], "1.2");
    assert!(har["log"]["creator"]["name"].is_string());
    let entries = har["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    for entry in entries {
        for field in ["startedDateTime", "time", "request", "response", "cache", "timings"] {
            assert!(!entry[field].is_null(), "{field}");
        }
        for field in [
            "method",
            "url",
            "httpVersion",
            "cookies",
            "headers",
            "queryString",
            "headersSize",
            "bodySize",
        ] {
            assert!(!entry["request"][field].is_null(), "{field}");
        }
        for field in
            ["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL"]
        {
            assert!(!entry["response"][field].is_null(), "{field}");
        }
    }
    assert_eq!(entries[0]["request"]["postData"]["text"], "{\"job_id\":\"a1\"}");
    assert_eq!(entries[0]["request"]["queryString"], json!([{ "name": "a", "value": "1" }]));
    assert_eq!(entries[1]["request"]["postData"]["text"], "/wA=");
}
