//! The exit codes, closed pipes, and what stands on stdout and stderr.

use crate::harness::{Folder, Running, SECRET_ENV, hooktwice, run, run_with};
use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    process::Stdio,
};

#[test]
fn usage_is_2_and_help_is_0() {
    for args in [
        &["no-such-command"][..],
        &[],
        &["listen", "--port", "70000"],
        &["listen", "--respond", "status=99"],
        &["listen", "--delay", "soon"],
        &["listen", "--max-body", "huge"],
        &["listen", "--forward", "127.0.0.1:1"],
        &["fire", "--url", "http://127.0.0.1:1/"],
        &["fire", "--body-file", "-"],
        &["deliveries", "export", "--format", "pdf"],
        &["claims", "release"],
        &["sign", "--body-file", "-", "--secret", "x"],
    ] {
        let said = run(args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert_eq!(said.text(), "", "{args:?}");
        assert!(!said.err.is_empty());
    }
    for args in
        [&["--help"][..], &["--version"], &["fire", "--help"], &["deliveries", "list", "--help"]]
    {
        assert!(!run(args).expect_code(0).text().is_empty());
    }
}

#[test]
fn every_command_teaches() {
    for command in
        ["listen", "fire", "sign", "verify", "serve", "deliveries", "claims", "completions"]
    {
        let help = run(&[command, "--help"]).expect_code(0);
        assert!(help.text().lines().count() > 8, "{command}");
    }
    for command in ["listen", "fire", "sign", "verify", "serve", "deliveries", "completions"] {
        assert!(run(&[command, "--help"]).text().contains("Examples:"), "{command}");
    }
}

#[test]
fn a_secret_comes_from_exactly_one_place() {
    let folder = Folder::new();
    let secret = folder.file("secret", b"test-secret");
    let secret = secret.to_str().unwrap();
    let sign = ["sign", "--body-file", "-"];
    let none = run_with(&sign, b"x").expect_code(2);
    assert!(none.err.contains("--secret-env"), "{}", none.err);
    run_with(&[&sign[..], &SECRET_ENV, &["--secret-file", secret]].concat(), b"x").expect_code(2);
    run_with(&[&sign[..], &["--secret-env", "HT_NOT_SET"]].concat(), b"x").expect_code(2);
    run_with(&[&sign[..], &["--secret-file", "/no/such/file"]].concat(), b"x").expect_code(2);
    run_with(&[&sign[..], &["--secret-file", secret]].concat(), b"x").expect_code(0);
}

#[test]
fn what_does_not_exist_is_2() {
    let folder = Folder::new();
    folder.run(&["deliveries", "show", "99"]).expect_code(2);
    folder.run(&["deliveries", "body", "no-such-id"]).expect_code(2);
    run_with(&[&["sign", "--body-file", "/no/such/body"], &SECRET_ENV[..]].concat(), b"")
        .expect_code(2);
    let scheme = run_with(
        &[&["sign", "--body-file", "-", "--scheme", "nobody"], &SECRET_ENV[..]].concat(),
        b"x",
    );
    assert!(scheme.expect_code(2).err.contains("nobody"));
}

#[test]
fn a_target_that_is_not_there_is_3() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", socket.local_addr().unwrap());
    drop(socket);
    let said = run_with(
        &[&["fire", "--json", "--url", &url, "--body-file", "-"], &SECRET_ENV[..]].concat(),
        b"{}",
    );
    let said = said.expect_code(3);
    assert_eq!(said.lines().last().unwrap()["type"], "summary");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = hooktwice()
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let said = crate::harness::Said::of(child.wait_with_output().unwrap()).expect_code(0);
    assert_eq!(said.err, "");
}

#[test]
fn a_listener_whose_reader_leaves_ends_without_a_delivery() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["listen", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("listening"), "{line}");
    drop(stdout);
    let status = crate::harness::until("the listener ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).expect_code(0);
        assert!(script.text().contains("deliveries"), "{shell}");
    }
}

#[test]
fn a_signal_ends_a_listener_well() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let mut run = Running::spawn(folder.command(&["listen", "--port", "0"]));
        run.next();
        run.signal(signal);
        assert_eq!(run.ended(), 0, "{signal}");
    }
}
