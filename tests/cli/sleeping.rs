//! A process that is stopped and goes on, as with a sleep of the machine.

#![cfg(target_os = "linux")]

use crate::harness::{Folder, Listener, PATIENCE, part, request, signed, status, until};
use jiff::{SignedDuration, Timestamp};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
};

/// How long it is stopped: seen in what is written, and long enough for every timer of half a second to miss some turns.
const STOPPED: SignedDuration = SignedDuration::from_millis(1500);

#[test]
fn c85_what_comes_during_a_sleep_is_taken_after_it_and_the_listener_goes_on() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    assert_eq!(listener.deliver("/hook", br#"{"job_id":"before"}"#), 204);
    listener.next();

    listener.run.signal("-STOP");
    let stat = format!("/proc/{}/stat", listener.run.pid());
    until("it is stopped", || fs::read_to_string(&stat).unwrap().contains(") T ").then_some(()));
    let start = Timestamp::now();
    // The system takes the connection; nobody answers it yet.
    let body = br#"{"job_id":"meanwhile"}"#;
    let mut socket = TcpStream::connect(part(&listener.url).0).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.write_all(&request(&listener.at("/hook"), &signed(body), body)).unwrap();
    until("it has slept", || (Timestamp::now().duration_since(start) >= STOPPED).then_some(()));
    let awake = Timestamp::now();
    listener.run.signal("-CONT");

    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    assert_eq!(status(&answer), Some(204));
    let line = listener.next();
    let received: Timestamp = line["received_at"].as_str().unwrap().parse().unwrap();
    assert!(received >= awake, "{received} is before {awake}");
    assert_eq!(line["signature"]["state"], "valid", "{line}");
    assert_eq!(listener.deliver("/hook", br#"{"job_id":"after"}"#), 204);
    assert_eq!(listener.next()["job_id"], "after");
}
