//! What is refused: exit code 2, a sentence that says what to do, and nothing sent.

use super::{
    check, said,
    target::{Answer, Target},
};
use crate::harness::{Folder, SECRET_ENV, hooktwice, run};
use std::net::TcpListener;

/// A handler that nothing may come to.
fn untouched() -> Target {
    Target::start(|delivery| {
        delivery.work();
        Answer::Status(200)
    })
}

#[test]
fn help_has_every_option_of_the_contract_and_examples() {
    let help = run(&["check", "--help"]).expect_code(0);
    for option in [
        "--url",
        "--body-file",
        "--id-pointer",
        "--copies",
        "--only",
        "--skip",
        "--race-budget",
        "--settle",
        "--timeout",
        "--start-command",
        "--seed",
        "--allow-host",
        "--no-canary",
        "--junit",
        "--html",
        "--markdown",
        "--effect-sql",
        "--effect-query",
        "--effect-url",
        "--effect-pointer",
        "--effect-command",
        "--effect-log",
        "--effect-pattern",
        "--effect-canary",
        "--try-effect",
        "--secret-env",
        "--secret-file",
        "--secret-name",
        "--scheme",
        "--json",
    ] {
        assert!(help.text().contains(option), "{option}");
    }
    assert!(help.text().contains("Examples:"));
    assert!(help.text().lines().all(|line| line.chars().count() <= 100), "{}", help.text());
}

#[test]
fn what_cannot_be_used_is_2_and_nothing_is_sent() {
    let target = untouched();
    let (url, effects) = (target.url(), target.effect_url());
    let effect = ["--effect-url", &effects];
    let with = |args: &[&'static str]| [&effect[..], args].concat();
    for (args, says) in [
        (vec![], "--effect-sql"),
        (vec!["--effect-query", "select 1"], "--effect-sql"),
        (vec!["--effect-sql", "sqlite:x"], "--effect-query"),
        (vec!["--effect-log", "x"], "--effect-pattern"),
        (with(&["--effect-pointer", "/a", "--effect-pointer", "/b"]), "--effect-pointer"),
        (with(&["--only", "no-such-scenario"]), "crash-mid-work"),
        (with(&["--skip", "retry,nonsense"]), "nonsense"),
        (with(&["--body-file", "/no/such/body"]), "/no/such/body"),
        (with(&["--copies", "0"]), "--copies"),
        (with(&["--copies", "1001"]), "--copies"),
        (with(&["--settle", "soon"]), "500ms"),
        (with(&["--timeout", "10"]), "500ms"),
        (with(&["--seed", "x"]), "--seed"),
        (with(&["--scheme", "nobody"]), "nobody"),
        (with(&["--junit", "/no/such/folder/report.xml"]), "--junit"),
        (with(&["--html", "/"]), "--html"),
    ] {
        let refused = said(check(&url, &args)).expect_code(2);
        assert_eq!(refused.text(), "", "{args:?}");
        assert!(refused.err.contains(says), "{args:?}: {}", refused.err);
    }
    assert_eq!(target.posts(), 0);
}

#[test]
fn a_secret_is_needed() {
    let target = untouched();
    let args = ["check", "--url", &target.url(), "--effect-url", &target.effect_url()];
    let none = run(&args).expect_code(2);
    assert!(none.err.contains("--secret-env"), "{}", none.err);
    let unset = run(&[&args[..], &["--secret-env", "HT_NOT_SET"]].concat()).expect_code(2);
    assert!(unset.err.contains("HT_NOT_SET"), "{}", unset.err);
    assert_eq!(target.posts(), 0);
}

#[test]
fn a_target_is_needed() {
    let args = ["check", "--effect-url", "http://127.0.0.1:9/{job_id}"];
    let said = run(&[&args[..], &SECRET_ENV].concat()).expect_code(2);
    assert!(said.err.contains("--url"), "{}", said.err);
}

#[test]
fn another_host_needs_a_word() {
    let said = said(check("http://192.0.2.1/hook", &["--effect-command", "echo 1; : {job_id}"]))
        .expect_code(2);
    assert!(said.err.contains("--allow-host"), "{}", said.err);
}

#[test]
fn a_start_commands_port_that_is_taken_is_2() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", taken.local_addr().unwrap());
    let folder = Folder::new();
    let ran = folder.path().join("ran");
    let command = format!("touch {}; sleep 60", ran.display());
    let args = ["--effect-command", "echo 1; : {job_id}", "--start-command", &command];
    let said = said(check(&url, &args)).expect_code(2);
    assert_eq!(said.text(), "");
    assert!(said.err.contains(&taken.local_addr().unwrap().port().to_string()), "{}", said.err);
    assert!(!ran.exists(), "the command ran all the same");
}

#[test]
fn a_body_that_names_no_job_is_2() {
    let target = untouched();
    let folder = Folder::new();
    let body = folder.file("body.json", br#"{"id":"a1"}"#);
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--body-file", body.to_str().unwrap()];
    let said = said(check(&target.url(), &args)).expect_code(2);
    assert!(said.err.contains("/job_id"), "{}", said.err);
    assert_eq!(target.posts(), 0);
}

#[test]
fn no_secret_stands_on_the_command_line() {
    let mut command = hooktwice();
    command.args(["check", "--url", "http://127.0.0.1:9/", "--secret", "x"]);
    let said = said(command).expect_code(2);
    assert!(said.err.contains("--secret"), "{}", said.err);
}
