//! The real bore over loopback. Its server's port is fixed, so these tests follow each other (.config/nextest.toml).

use super::stand::{Tunnelled, leash_of, path_with, signal, tools, until_members};
use crate::harness::{Folder, exchange, part, post, signed, status, until};
use std::{
    net::TcpStream,
    process::{Child, Command, Stdio},
};

const BODY: &[u8] = br#"{"event":"job.completed","job_id":"job_1"}"#;

/// The other end.
pub(crate) struct Server(Child);

impl Server {
    pub(crate) fn start() -> Self {
        let server = Command::new(tools().join("bore"))
            .args(["server", "--bind-addr", "127.0.0.1", "--bind-tunnels", "127.0.0.1"])
            .stdout(Stdio::null())
            .spawn();
        let server = Self(server.expect("bore is there: cargo xtask setup"));
        until("bore's server listens", || TcpStream::connect("127.0.0.1:7835").ok());
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bore(folder: &Folder, args: &[&str]) -> Tunnelled {
    let all = [&["--tunnel", "bore=127.0.0.1"], args].concat();
    Tunnelled::start(folder, path_with(&[&tools()]), &all)
}

#[test]
fn a_delivery_comes_through_bore_and_a_proof_is_none() {
    let _server = Server::start();
    let folder = Folder::new();
    let mut listener = bore(&folder, &[]);
    let starting = listener.place();
    let port = listener.url.rsplit(':').next().unwrap();
    assert_eq!(
        starting["command"],
        format!("bore local {port} --local-host 127.0.0.1 --to 127.0.0.1")
    );
    assert_eq!(listener.place()["state"], "proving");
    let live = listener.place();
    assert_eq!(live["state"], "live");
    assert!(live["round_trip_ms"].as_f64().unwrap() > 0.0);
    let url = live["url"].as_str().unwrap();
    assert_ne!(url, listener.url);

    for claim in ["won", "duplicate"] {
        assert_eq!(post(&format!("{url}/hook?a=1"), &signed(BODY), BODY), Some(204));
        let line = listener.run.next();
        assert_eq!((&line["claim"], &line["path"]), (&claim.into(), &"/hook".into()));
        assert_eq!((&line["query"], &line["signature"]["state"]), (&"a=1".into(), &"valid".into()));
    }
    let group = leash_of(listener.run.pid());
    let (code, rest, err) = listener.run.terminate();
    assert_eq!((code, rest.last().unwrap()["state"].as_str()), (0, Some("off")), "{err}");
    assert!(err.contains("Starting bore local"), "{err}");
    until_members(group, 0);
    assert_eq!(folder.deliveries().len(), 2);
}

#[test]
fn c68_c69_c70_probes_and_challenges_come_through_bore() {
    let _server = Server::start();
    let folder = Folder::new();
    let listener = bore(&folder, &["--answer-challenges"]);
    let url = listener.live();
    let (host, _) = part(&url);
    for method in ["HEAD", "GET", "OPTIONS"] {
        let request = format!(
            "{method} /hook HTTP/1.1\r\nHost: {host}\r\nWebHook-Request-Origin: e.example\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(status(&exchange(host, request.as_bytes())), Some(200), "{method}");
        let line = listener.run.next();
        assert_eq!((&line["method"], &line["claim"]), (&method.into(), &"none".into()));
    }
    let request = format!(
        "GET /hook?hub.mode=subscribe&hub.challenge=2089&hub.verify_token=x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    );
    let answer = String::from_utf8(exchange(host, request.as_bytes())).unwrap();
    assert!(answer.ends_with("\r\n\r\n2089"), "{answer}");
    // Nobody else can ask what only a proof may.
    let request = format!(
        "GET /.well-known/hooktwice-proof/1 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    );
    exchange(host, request.as_bytes());
    assert_eq!(until("it is kept", || (folder.deliveries().len() == 5).then_some(5)), 5);
}

#[test]
fn c75_a_listener_on_ipv6_is_reached_by_bore() {
    let _server = Server::start();
    let folder = Folder::new();
    let listener = bore(&folder, &["--host", "::1"]);
    assert!(listener.url.starts_with("http://[::1]:"), "{}", listener.url);
    let url = listener.live();
    assert_eq!(post(&url, &signed(BODY), BODY), Some(204));
}

#[test]
fn a_bore_that_is_killed_is_started_again_and_its_new_url_proven() {
    let _server = Server::start();
    let folder = Folder::new();
    let listener = bore(&folder, &[]);
    listener.live();
    let group = leash_of(listener.run.pid());
    let program = until_members(group, 2).into_iter().find(|process| process.pid != group).unwrap();
    signal(program.pid, "-KILL");
    let waiting = listener.until("waiting");
    assert_eq!(
        (&waiting["failures"], &waiting["message"]),
        (&1.into(), &"bore has ended (exit code 137).".into())
    );
    assert!(
        waiting["lines"]
            .as_array()
            .unwrap()
            .iter()
            .any(|line| line.as_str().unwrap().contains("listening at"))
    );
    let url = listener.live();
    assert_eq!(post(&url, &signed(BODY), BODY), Some(204));
    until_members(group, 0);
}

#[test]
fn without_bores_server_its_last_lines_are_shown() {
    // The other tests' servers are at another address.
    let folder = Folder::new();
    let all = ["--tunnel", "bore=127.0.0.2"];
    let listener = Tunnelled::start(&folder, path_with(&[&tools()]), &all);
    let waiting = listener.until("waiting");
    assert_eq!(waiting["message"], "bore has ended (exit code 1).");
    let lines = waiting["lines"].to_string();
    assert!(lines.contains("could not connect to 127.0.0.2:7835"), "{lines}");
}
