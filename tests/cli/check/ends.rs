//! How it ends when it cannot come to its end: no target, a signal, a reader that leaves.

use super::{
    check, said, scenario,
    target::{Answer, Target},
};
use crate::harness::{Folder, Running, Said, until};
use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    process::Stdio,
    sync::mpsc,
};

#[test]
fn a_target_that_is_not_there_is_3() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", socket.local_addr().unwrap());
    drop(socket);
    let lines =
        said(check(&url, &["--effect-command", "echo 0; : {job_id}"])).expect_code(3).lines();
    assert_eq!(scenario(&lines, "first-delivery")["verdict"], "unknown");
    assert_eq!(lines.last().unwrap()["verdict"], "unknown");
    assert!(lines.iter().all(|line| line["verdict"] != "pass"));
}

/// A handler whose later deliveries are not answered before the test lets them; it tells when one came.
fn stuck_after_the_first(first: u16) -> (Target, mpsc::Receiver<()>) {
    let (tell, came) = mpsc::channel();
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let target = Target::start(move |delivery| {
        delivery.work_once();
        seen.lock().unwrap().insert(delivery.job_id.to_owned());
        if seen.lock().unwrap().len() > 1 || delivery.nth > 1 {
            let _ = tell.send(());
            std::thread::park_timeout(std::time::Duration::from_secs(30));
        }
        Answer::Status(first)
    });
    (target, came)
}

#[test]
fn a_signal_stops_it_with_the_summary_of_what_was_reached_and_3() {
    for signal in ["-INT", "-TERM"] {
        let (target, came) = stuck_after_the_first(200);
        let folder = Folder::new();
        let junit = folder.path().join("check.xml");
        let effects = target.effect_url();
        let args = ["--effect-url", &effects, "--only", "retry", "--timeout", "60s", "--junit"];
        let args = [&args[..], &[junit.to_str().unwrap()]].concat();
        let mut run = Running::spawn(check(&target.url(), &args));
        assert_eq!(run.next()["id"], "first-delivery");
        came.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        run.signal(signal);
        assert_eq!(run.ended(), 3, "{signal}");
        assert_eq!(run.next()["id"], "retry");
        let verdict = run.next();
        assert_eq!((&verdict["type"], &verdict["verdict"]), (&"verdict".into(), &"unknown".into()));
        assert_eq!(verdict["passed"], serde_json::json!(["first-delivery"]));
        assert_eq!(verdict["state"], "stopped");
        assert!(std::fs::read_to_string(&junit).unwrap().contains("first-delivery"));
    }
}

#[test]
fn a_reader_that_leaves_stops_it_and_it_is_no_pass() {
    let (target, _came) = stuck_after_the_first(200);
    let effects = target.effect_url();
    let mut command =
        check(&target.url(), &["--effect-url", &effects, "--only", "retry", "--timeout", "60s"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("first-delivery"), "{line}");
    drop(stdout);
    until("the check ends", || child.try_wait().unwrap());
    let said = Said::of(child.wait_with_output().unwrap()).expect_code(3);
    assert_eq!(said.err, "");
}

#[test]
fn what_was_started_is_ended() {
    let (target, _came) = stuck_after_the_first(200);
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let folder = Folder::new();
    let pid_file = folder.path().join("pid");
    // A server with a child of its own; both have to be gone.
    let start = format!(
        "sleep 600 & echo $! > {}; exec python3 -m http.server {port} --bind 127.0.0.1",
        pid_file.display()
    );
    let effects = target.effect_url();
    let url = format!("http://127.0.0.1:{port}/hook");
    let args = ["--effect-url", &effects, "--only", "first-delivery", "--start-command", &start];
    // The server knows no POST, so this is a plain no; what matters is that it was there, and is gone.
    let lines = said(check(&url, &args)).expect_code(1).lines();
    assert_eq!(scenario(&lines, "first-delivery")["statuses"]["501"], 1);
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    until_gone(&pid);
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

fn until_gone(pid: &str) {
    until("the process is gone", || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok();
        // One that waits for its parent to ask has ended too.
        state.is_none_or(|state| state.contains(") Z ")).then_some(())
    });
}

/// Says that it listens by writing its process id down, takes whatever comes, never answers, and does not care for SIGTERM.
const DEAF: &str = r"
import os, signal, socket, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
open(sys.argv[2], 'w').write(str(os.getpid()))
held = []
while True:
    connection, _ = server.accept()
    held.append(connection)
    if connection.recv(4):
        open(sys.argv[3], 'w').close()
";

#[test]
fn a_second_signal_ends_it_at_once_and_what_was_started_too() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let folder = Folder::new();
    let script = folder.file("deaf.py", DEAF.as_bytes());
    let (pid, came) = (folder.path().join("pid"), folder.path().join("came"));
    let start =
        format!("exec python3 {} {port} {} {}", script.display(), pid.display(), came.display());
    let url = format!("http://127.0.0.1:{port}/hook");
    let probe = "echo 0; : {job_id}";
    let args = ["--effect-command", probe, "--start-command", &start, "--timeout", "60s"];
    let mut run = Running::spawn(check(&url, &args));
    until("a delivery came", || came.exists().then_some(()));
    let pid = std::fs::read_to_string(&pid).unwrap();
    run.signal("-INT");
    // It waits for the handler now, which is deaf; the first line says that the check itself has ended.
    assert_eq!(run.next()["id"], "first-delivery");
    run.signal("-INT");
    assert_eq!(run.ended(), 130);
    until_gone(&pid);
}
