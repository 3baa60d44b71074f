//! `--try-effect`: a probe alone, without a handler and without a secret.

use super::target::{Answer, Target};
use crate::harness::{Folder, Said, run};
use serde_json::json;

fn try_it(args: &[&str]) -> Said {
    run(&[&["check", "--json", "--try-effect", "job_1"], args].concat())
}

#[test]
fn each_kind_says_what_it_sees() {
    let folder = Folder::new();
    let log =
        folder.file("app.log", b"sent mail for job_1\nsent mail for job_12\nsent mail for job_1\n");
    let database = folder.path().join("app.db");
    let url = Target::start(|_| Answer::Status(200));
    let sqlite = sqlite_with_two_rows(&database);

    for (args, probe, count) in [
        (&["--effect-command", "echo 3; : {job_id}"][..], "command", 3),
        (&["--effect-url", &url.effect_url()], "url", 0),
        (&["--effect-log", log.to_str().unwrap(), "--effect-pattern", r"for {job_id}\b"], "log", 2),
        (
            &[
                "--effect-sql",
                &sqlite,
                "--effect-query",
                "select count(*) from effects where job_id = :job_id",
            ],
            "sql",
            2,
        ),
    ] {
        let line = try_it(args).expect_code(0).line();
        assert_eq!(line, json!({"type": "probe", "probe": probe, "count": count, "error": null}));
    }
    assert_eq!(url.posts(), 0);
}

/// Python's sqlite3 makes it, as a handler of the field would.
fn sqlite_with_two_rows(path: &std::path::Path) -> String {
    let script = "import sqlite3, sys\n\
                  db = sqlite3.connect(sys.argv[1])\n\
                  db.execute('create table effects (job_id text)')\n\
                  db.executemany('insert into effects values (?)', [('job_1',), ('job_1',), ('job_2',)])\n\
                  db.commit()";
    let python = std::process::Command::new("python3").args(["-c", script]).arg(path).status();
    assert!(python.unwrap().success());
    format!("sqlite:{}", path.display())
}

#[test]
fn the_order_of_the_options_is_the_order_of_the_lines() {
    let folder = Folder::new();
    let log = folder.file("app.log", b"");
    let log = ["--effect-log", log.to_str().unwrap(), "--effect-pattern", "{job_id}"];
    let command = ["--effect-command", "echo 1 {job_id} | cut -c1"];
    let probes = |args: &[&str]| -> Vec<String> {
        let lines = try_it(args).expect_code(0).lines();
        lines.iter().map(|line| line["probe"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(probes(&[&log[..], &command].concat()), ["log", "command"]);
    assert_eq!(probes(&[&command[..], &log].concat()), ["command", "log"]);
}

#[test]
fn what_cannot_be_seen_is_3_and_says_why() {
    let said = try_it(&["--effect-command", "echo no number; : {job_id}"]).expect_code(3);
    let line = said.line();
    assert_eq!(line["count"], serde_json::Value::Null);
    assert!(!line["error"].as_str().unwrap().is_empty());

    let two =
        ["--effect-command", "echo 1; : {job_id}", "--effect-url", "http://127.0.0.1:9/{job_id}"];
    let lines = try_it(&two).expect_code(3).lines();
    assert_eq!((&lines[0]["count"], &lines[1]["count"]), (&1.into(), &serde_json::Value::Null));

    let canary = try_it(&["--effect-canary", "/artifacts/0/url"]).expect_code(3).line();
    assert_eq!((&canary["probe"], &canary["count"]), (&"canary".into(), &serde_json::Value::Null));
}

#[test]
fn a_probe_that_can_never_work_is_2() {
    for args in [
        &["--effect-log", "/no/such/log", "--effect-pattern", "no id in it"][..],
        &["--effect-sql", "mysql://x", "--effect-query", "select 1 where 'a' = :job_id"],
        &["--effect-url", "ftp://127.0.0.1/{job_id}"],
        &[],
    ] {
        let said = try_it(args).expect_code(2);
        assert_eq!(said.text(), "", "{args:?}");
    }
}

#[test]
fn people_read_a_number_or_a_reason() {
    let args = ["check", "--try-effect", "job_1", "--effect-command", "echo 7; : {job_id}"];
    assert_eq!(run(&args).expect_code(0).text(), "command  7\n");
    let args = ["check", "--try-effect", "job_1", "--effect-command", "exit 1; : {job_id}"];
    let said = run(&args).expect_code(3);
    assert!(said.text().starts_with("command  could not tell: "), "{}", said.text());
}
