//! Every way to end leaves no process and no half record.

use super::stand::{
    Tunnelled, WayIn, is_stopped, leash_of, members, path_with, signal, until_members,
};
use crate::{
    harness::{Folder, Listener, post, signed, until},
    serve::Served,
};
use serde_json::json;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// A tunnel of a shell with a child that only a kill ends, both of which a careless parent would leave behind.
fn stubborn(way_in: &WayIn) -> String {
    format!(
        "trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1000; done) & echo {}; while :; do wait; done",
        way_in.url()
    )
}

fn listening(folder: &Folder, way_in: &WayIn, command: &str, args: &[&str]) -> (Tunnelled, u32) {
    let all = [&["--tunnel", "command", "--tunnel-command", command], args].concat();
    let listener = Tunnelled::start(folder, path_with(&[]), &all);
    way_in.leads_to(&listener.url);
    assert_eq!(listener.live(), way_in.url());
    let group = leash_of(listener.run.pid());
    (listener, group)
}

#[test]
fn asked_to_end_it_ends_its_tunnel_with_all_of_its_processes() {
    for name in ["-TERM", "-INT"] {
        let (folder, way_in) = (Folder::new(), WayIn::open());
        let command = stubborn(&way_in);
        let (mut listener, group) = listening(&folder, &way_in, &command, &[]);
        assert!(members(group).len() >= 4, "{:?}", members(group));
        listener.run.signal(name);
        assert_eq!(listener.run.ended(), 0, "{name}");
        // Not a moment later: it waited for that.
        assert_eq!(members(group), [], "{name}");
    }
}

#[test]
fn killed_in_the_middle_of_a_delivery_it_leaves_no_process_and_no_half_record() {
    let (folder, way_in) = (Folder::new(), WayIn::open());
    let command = stubborn(&way_in);
    let (mut listener, group) = listening(&folder, &way_in, &command, &["--delay", "30s"]);
    let url = way_in.url();
    let sender = thread::spawn(move || post(&url, &signed(BODY), BODY));
    until("it is stored", || (folder.deliveries().len() == 1).then_some(()));
    listener.run.kill();
    assert_eq!(sender.join().unwrap(), None);
    until_members(group, 0);
    // The next owner of the folder says how it ended.
    drop(Listener::start(&folder, &[]));
    let deliveries = folder.deliveries();
    assert_eq!(deliveries.len(), 1);
    assert!(!deliveries[0]["ended"].is_null(), "{}", deliveries[0]);
    assert_eq!(deliveries[0]["status"], serde_json::Value::Null);
}

#[test]
fn a_leash_that_is_killed_leaves_nothing_and_the_tunnel_is_started_again() {
    let (folder, way_in) = (Folder::new(), WayIn::open());
    let command = stubborn(&way_in);
    let (listener, group) = listening(&folder, &way_in, &command, &[]);
    signal(group, "-KILL");
    let waiting = listener.until("waiting");
    assert_eq!(waiting["message"], "the command has ended (signal 9).");
    assert_eq!(members(group), []);
    assert_eq!(listener.live(), way_in.url());
    assert_ne!(leash_of(listener.run.pid()), group);
}

#[test]
fn what_a_tunnels_program_leaves_behind_is_ended_too() {
    let (folder, way_in) = (Folder::new(), WayIn::open());
    let command = format!("sleep 1000 & echo {}; read line", way_in.url());
    let (listener, group) = listening(&folder, &way_in, &command, &[]);
    let shell = until_members(group, 3);
    let shell = shell.iter().map(|process| process.pid).filter(|pid| *pid != group).min().unwrap();
    signal(shell, "-KILL");
    assert_eq!(listener.until("waiting")["message"], "the command has ended (exit code 137).");
    assert_eq!(members(group), []);
}

#[test]
fn c85_a_pause_of_the_whole_program_is_no_trouble_and_no_burst() {
    let (folder, way_in) = (Folder::new(), WayIn::open());
    let command = format!("echo {}; exec cat", way_in.url());
    let (mut listener, group) = listening(&folder, &way_in, &command, &[]);
    listener.run.signal("-STOP");
    until("it stands still", || is_stopped(listener.run.pid()).then_some(()));
    // The system takes the connection and the bytes for it meanwhile.
    let mut sender = TcpStream::connect(way_in.address).unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        BODY.len()
    );
    sender.write_all(&[head.as_bytes(), BODY].concat()).unwrap();
    listener.run.signal("-CONT");
    let mut answer = String::new();
    sender.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let line = listener.run.next();
    assert_eq!((&line["type"], &line["claim"]), (&"delivery".into(), &"none".into()));
    let (code, rest, _) = listener.run.terminate();
    assert_eq!((code, rest.len()), (0, 1), "nothing but that it is off: {rest:?}");
    assert_eq!(members(group), []);
}

#[test]
fn an_engine_starts_its_tunnel_moves_it_with_the_listener_and_ends_it() {
    for name in ["-TERM", "-KILL"] {
        let (folder, way_in) = (Folder::new(), WayIn::open());
        let tunnel =
            json!({ "preset": "command", "command": stubborn(&way_in), "autostart": true });
        folder.file("settings.json", json!({ "tunnel": tunnel }).to_string().as_bytes());
        let mut served = Served::start(Served::command(&folder));
        way_in.leads_to(&served.listening);
        let state = |served: &Served| served.rpc("app.state", &json!({}))["ok"].clone();
        let live = |served: &Served| {
            until("it is live", || {
                let state = state(served);
                (state["tunnel"]["state"] == "live").then_some(state)
            })
        };
        assert_eq!(live(&served)["tunnel"]["url"], way_in.url());
        let first = leash_of(served.run.pid());
        assert_eq!(post(&way_in.url(), &[], BODY), Some(401));

        // Another port: another start of the program.
        let mut settings = state(&served)["settings"].clone();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        settings["listen"]["port"] = free.local_addr().unwrap().port().into();
        drop(free);
        let moved = served.rpc("settings.set", &settings);
        let url = moved["ok"]["listener"]["url"].as_str().unwrap_or_else(|| panic!("{moved}"));
        way_in.leads_to(url);
        live(&served);
        let second = leash_of(served.run.pid());
        assert_ne!(first, second);
        assert_eq!(members(first), []);

        // Off with the listener, and on by hand.
        assert_eq!(served.rpc("tunnel.stop", &json!({}))["ok"]["tunnel"]["state"], "off");
        assert_eq!(members(second), []);
        served.rpc("tunnel.start", &json!({}));
        live(&served);
        let third = leash_of(served.run.pid());
        if name == "-KILL" {
            served.run.kill();
        } else {
            assert_eq!(served.run.terminate().0, 0);
            assert_eq!(members(third), []);
        }
        until_members(third, 0);
    }
}
