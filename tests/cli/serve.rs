//! `hooktwice serve`: the pages behind their token.

use crate::harness::{Folder, Running, SECRET_ENV, exchange, part, post, signed, status};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    process::Command,
};

/// `hooktwice serve` on free ports.
pub(crate) struct Served {
    pub(crate) run: Running,
    pub(crate) host: String,
    pub(crate) token: String,
    /// Where its listener is, `http://127.0.0.1:…`.
    pub(crate) listening: String,
}

fn serve(folder: &Folder) -> Served {
    let mut command = Served::command(folder);
    command.args(SECRET_ENV);
    Served::start(command)
}

impl Served {
    /// Over a folder, with no secret.
    pub(crate) fn command(folder: &Folder) -> Command {
        folder.command(&["serve", "--port", "0", "--listen-port", "0"])
    }

    pub(crate) fn start(command: Command) -> Self {
        let run = Running::spawn(command);
        let first = run.next();
        assert_eq!(first["type"], "serving");
        let host = part(first["url"].as_str().unwrap()).0.to_owned();
        let token_url = first["token_url"].as_str().unwrap();
        let token = token_url.strip_prefix(&format!("http://{host}/?token=")).unwrap().to_owned();
        Self { run, host, token, listening: first["listening"].as_str().unwrap().to_owned() }
    }

    fn ask(&self, line: &str, headers: &str, body: &str) -> String {
        let request = format!(
            "{line} HTTP/1.1\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        String::from_utf8(exchange(&self.host, request.as_bytes())).unwrap()
    }

    pub(crate) fn host_line(&self) -> String {
        format!("Host: {}\r\n", self.host)
    }

    /// The answer to a command: `{"ok":…}` or `{"error":…}`.
    pub(crate) fn rpc(&self, command: &str, params: &Value) -> Value {
        let headers = format!(
            "{}Authorization: Bearer {}\r\nContent-Type: application/json\r\n",
            self.host_line(),
            self.token
        );
        let answer = self.ask(
            "POST /rpc",
            &headers,
            &json!({ "command": command, "params": params }).to_string(),
        );
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
}

#[test]
fn the_token_is_traded_for_a_cookie() {
    let folder = Folder::new();
    let served = serve(&folder);
    let host = served.host_line();
    for line in ["GET /", "GET /?token=wrong", "GET /events", "POST /rpc", "GET /assets/x.js"] {
        let answer = served.ask(line, &host, "");
        assert_eq!(status(answer.as_bytes()), Some(401), "{line}");
        assert!(answer.contains("hooktwice serve"), "{answer}");
    }
    let answer = served.ask(&format!("GET /?token={}", served.token), &host, "");
    assert_eq!(status(answer.as_bytes()), Some(303));
    let answer = answer.to_lowercase();
    assert!(answer.contains("location: /\r\n"), "{answer}");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let port = served.host.rsplit(':').next().unwrap();
    let name = format!("hooktwice-{port}");
    assert!(cookie.starts_with(&name), "{cookie}");

    let in_cookie = format!("{host}Cookie: other=1; {name}={}\r\n", served.token);
    let page = served.ask("GET /", &in_cookie, "").to_lowercase();
    assert_ne!(status(page.to_uppercase().as_bytes()), Some(401));
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(
        page.contains("x-content-type-options: nosniff")
            && page.contains("referrer-policy: no-referrer")
    );
    assert!(page.contains("cache-control: no-store"));
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let folder = Folder::new();
    let served = serve(&folder);
    let bearer = format!("Authorization: Bearer {}\r\n", served.token);
    for host in ["evil.example", "127.0.0.1", "evil.example:4401"] {
        let answer = served.ask("GET /", &format!("Host: {host}\r\n{bearer}"), "");
        assert_eq!(status(answer.as_bytes()), Some(421), "{host}");
    }
    let here = served.host_line();
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let answer = served.ask("GET /events", &format!("{here}{bearer}Origin: {origin}\r\n"), "");
        assert_eq!(status(answer.as_bytes()), Some(403), "{origin}");
    }
    let own = format!("{here}{bearer}Origin: http://{}\r\n", served.host);
    assert_ne!(status(served.ask("GET /", &own, "").as_bytes()), Some(403));
}

#[test]
fn a_page_asks_and_hears() {
    let folder = Folder::new();
    let mut served = serve(&folder);
    let state = served.rpc("app.state", &json!({}));
    assert_eq!(state["ok"]["listener"]["url"], served.listening.as_str());
    assert_eq!(served.rpc("no.such", &json!({}))["error"]["code"], "not-found");
    assert_eq!(
        served.rpc("deliveries.list", &json!({ "limit": "many" }))["error"]["code"],
        "bad-input"
    );

    let mut socket = TcpStream::connect(&served.host).unwrap();
    let from = &state["ok"]["next_event"];
    let request = format!(
        "GET /events?from={from} HTTP/1.1\r\n{}Authorization: Bearer {}\r\n\r\n",
        served.host_line(),
        served.token
    );
    socket.write_all(request.as_bytes()).unwrap();
    let body = br#"{"job_id":"a1"}"#;
    assert_eq!(post(&format!("{}/hook", served.listening), &signed(body), body), Some(204));
    let mut lines = BufReader::new(socket).lines().map(Result::unwrap);
    let batch = lines.find(|line| line.contains("a1")).unwrap();
    let batch: Value = serde_json::from_str(&batch).unwrap();
    assert!(batch["first"].is_number());
    let told = batch["events"].as_array().unwrap();
    assert!(told.iter().any(|event| event["delivery"]["claim"] == "won"), "{batch}");

    let (code, _, err) = served.run.terminate();
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains(&served.token), "{err}");
}
