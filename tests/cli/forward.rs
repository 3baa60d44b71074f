//! `hooktwice listen --forward`: the developer's own handler behind the listener.

use crate::harness::{Folder, Listener, exchange, part, post, request, signed, until};
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// A handler that answers every request alike, or holds it until the test ends.
struct Handler {
    url: String,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
    stop: Arc<AtomicBool>,
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let (host, _) = part(&self.url);
        // One more connection wakes it.
        let _ = TcpStream::connect(host);
    }
}

impl Handler {
    /// With this status line and no body; `None` says nothing.
    fn answering(status: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (all, end) = (Arc::clone(&seen), Arc::clone(&stop));
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let all = Arc::clone(&all);
                thread::spawn(move || serve(socket, status, &all));
            }
        });
        Self { url, seen, stop }
    }

    fn came(&self, count: usize) -> Vec<Vec<u8>> {
        until("the handler is reached", || {
            let seen = self.seen.lock().unwrap();
            (seen.len() >= count).then(|| seen.clone())
        })
    }
}

fn serve(mut socket: TcpStream, status: Option<&str>, all: &Mutex<Vec<Vec<u8>>>) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.ends_with(BODY) {
        match socket.read(&mut piece) {
            Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    all.lock().unwrap().push(request);
    match status {
        Some(status) => {
            let answer =
                format!("HTTP/1.1 {status}\r\nX-From: handler\r\nContent-Length: 0\r\n\r\n");
            // Whoever asked may have left.
            let _ = socket.write_all(answer.as_bytes());
        }
        None => {
            let _ = socket.read_to_end(&mut Vec::new());
        }
    }
}

#[test]
fn the_line_has_the_handlers_status() {
    let handler = Handler::answering(Some("202 Accepted"));
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--forward", &handler.url]);
    let (host, _) = part(&listener.url);
    let lines: String =
        signed(BODY).iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "POST /hook?a=%20 HTTP/1.1\r\nHost: {host}\r\n{lines}Content-Length: {}\r\nConnection: close\r\n\r\n",
        BODY.len()
    );
    let answer = exchange(host, &[head.as_bytes(), BODY].concat());
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 202 Accepted\r\nx-from: handler\r\n"), "{answer}");
    let line = listener.next();
    for (name, value) in [
        ("status", json!(202)),
        ("claim", json!("won")),
        ("ended", json!("answered")),
        ("notes", json!([])),
    ] {
        assert_eq!(line[name], value, "{line}");
    }
    assert_eq!(listener.deliver("/hook?a=%20", BODY), 202);
    assert_eq!(listener.next()["duplicate_of"], 1);
    let seen = handler.came(2);
    assert!(String::from_utf8_lossy(&seen[0]).starts_with("POST /hook?a=%20 HTTP/1.1\r\n"));
    let shown = folder.run(&["deliveries", "show", "1"]).expect_code(0).line();
    assert_eq!(shown["forward"]["url"], json!(format!("{}/hook?a=%20", handler.url)));
    assert_eq!(shown["forward"]["copies"][0]["status"], 202);
}

#[test]
fn copies_reach_the_handler_and_one_answer_goes_back() {
    let handler = Handler::answering(Some("200 OK"));
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--forward", &handler.url, "--copies", "5"]);
    assert_eq!(listener.deliver("/hook", BODY), 200);
    assert_eq!(listener.next()["status"], 200);
    assert_eq!(handler.came(5).len(), 5);
    let (code, lines, err) = listener.run.terminate();
    assert_eq!((code, lines.len()), (0, 0), "one line a delivery");
    assert!(err.contains("5 times at once"), "{err}");
    let shown = folder.run(&["deliveries", "show", "1"]).expect_code(0).line();
    assert_eq!(shown["forward"]["copies"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_handler_that_is_down_or_slow_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let down = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let silent = Handler::answering(None);
    for (url, status, word) in
        [(&down, 502, "could not be reached"), (&silent.url, 504, "did not answer in time")]
    {
        let folder = Folder::new();
        let listener = Listener::start(&folder, &["--forward", url, "--forward-timeout", "1s"]);
        assert_eq!(listener.deliver("/hook", BODY), status);
        let line = listener.next();
        assert_eq!((&line["status"], &line["ended"]), (&json!(status), &json!("answered")));
        let note = line["notes"][0].as_str().unwrap();
        assert!(note.contains(word) && note.contains(&**url), "{note}");
    }
}

#[test]
fn only_valid_signatures_go_on_where_that_is_asked_for() {
    let handler = Handler::answering(Some("200 OK"));
    let folder = Folder::new();
    let args = ["--forward", &handler.url, "--forward-valid-only"];
    let listener = Listener::start(&folder, &args);
    assert_eq!(post(&listener.at("/hook"), &[], BODY), Some(401));
    assert_eq!(listener.next()["signature"]["state"], "unsigned");
    assert_eq!(listener.deliver("/hook", BODY), 200);
    assert_eq!(handler.came(1).len(), 1);
}

#[test]
fn scripted_answers_hold_with_a_handler_too() {
    let handler = Handler::answering(Some("200 OK"));
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--forward", &handler.url, "--fail-first", "2"]);
    let statuses: Vec<u16> = (0..3).map(|_| listener.deliver("/", BODY)).collect();
    assert_eq!(statuses, [500, 500, 200]);
    assert_eq!(handler.came(1).len(), 1);
    drop(listener);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--forward", &handler.url, "--drop"]);
    assert_eq!(post(&listener.at("/"), &signed(BODY), BODY), None);
    let line = listener.next();
    assert_eq!((&line["status"], &line["claim"]), (&Value::Null, &json!("won")));
    assert_eq!(handler.came(2).len(), 2);
    drop(listener);

    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--forward", &handler.url, "--delay", "300ms"]);
    assert_eq!(listener.deliver("/", BODY), 200);
    assert!(listener.next()["duration_ms"].as_f64().unwrap() >= 300.0);
}

#[test]
fn c49_an_answer_may_be_delayed_past_every_providers_patience() {
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--delay", "11s"]);
    let (host, _) = part(&listener.url);
    let mut socket = TcpStream::connect(host).unwrap();
    socket.write_all(&request(&listener.url, &signed(BODY), BODY)).unwrap();
    until("it is stored", || (folder.deliveries().len() == 1).then_some(()));
    // The provider gives up long before, and its retry overlaps the first answer.
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(socket.read(&mut [0]).is_err(), "no answer yet");
    drop(socket);
    let line = listener.next();
    assert_eq!((&line["ended"], &line["claim"]), (&json!("sender-left"), &json!("won")));
    assert!(line["duration_ms"].as_f64().unwrap() >= 11_000.0, "{line}");
    assert_eq!(listener.run.terminate().0, 0);
}

#[test]
fn c48_killed_between_the_claim_and_the_handlers_answer() {
    let silent = Handler::answering(None);
    let folder = Folder::new();
    let mut listener = Listener::start(&folder, &["--forward", &silent.url]);
    let url = listener.at("/hook");
    let sender = thread::spawn(move || post(&url, &signed(BODY), BODY));
    silent.came(1);
    listener.run.kill();
    assert_eq!(sender.join().unwrap(), None);

    let handler = Handler::answering(Some("200 OK"));
    let listener = Listener::start(&folder, &["--forward", &handler.url]);
    assert_eq!(listener.deliver("/hook", BODY), 200);
    assert_eq!(listener.next()["duplicate_of"], 1);
    assert_eq!(handler.came(1).len(), 1, "the duplicate reached it");
    let deliveries = folder.deliveries();
    assert_eq!(
        (&deliveries[0]["claim"], &deliveries[0]["ended"]),
        (&json!("won"), &json!("interrupted"))
    );
}

#[test]
fn what_cannot_be_forwarded_is_a_usage_error() {
    let folder = Folder::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let itself = format!("http://localhost:{port}/hook");
    let secret = ["--secret-env", "HT_TEST_SECRET"];
    let url = "http://localhost:1";
    for (args, word) in [
        (vec!["--forward", url, "--respond", "claim"], "--respond"),
        (vec!["--copies", "2"], "--forward URL"),
        (vec!["--forward-valid-only"], "--forward URL"),
        (vec!["--forward", url, "--copies", "0"], "between 1 and 100"),
        (vec!["--forward", url, "--copies", "101"], "between 1 and 100"),
        (vec!["--forward", url, "--forward-timeout", "10ms"], "between 1 second"),
        (vec!["--forward", "localhost:3000"], "http://"),
        (vec!["--forward", "http://localhost:3000/?a=1"], "query"),
        (vec!["--forward", &itself], "itself"),
    ] {
        let all = [&["listen", "--port", &port][..], &secret, &args].concat();
        let said = folder.run(&all).expect_code(2);
        assert!(said.err.contains(word), "{args:?}: {}", said.err);
        assert_eq!(said.text(), "", "nothing was listened on");
    }
    let said = folder.run(&["listen", "--port", "0", "--forward", url, "--forward-valid-only"]);
    assert!(said.expect_code(2).err.contains("--secret-env"));
}
