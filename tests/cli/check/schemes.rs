//! `check` under other schemes than Sume's, at handlers that verify with the provider's own library.

use super::{reason, said, scenario};
use crate::{
    harness::{Folder, Said, hooktwice},
    sample::Handler,
};
use serde_json::{Value, json};
use std::process::Command;

/// One that every scheme takes: Standard Webhooks' has to be base64.
const SECRET: &str = "whsec_dGVzdC1zZWNyZXQ=";
/// What every right handler is silent about: none of them was started by the check, and there is one of each.
const UNTRIED: [&str; 3] = ["across-instances", "after-restart", "crash-mid-work"];
/// Where a handler downloads within the request and claims before it: as the other samples that do.
const WARNED: [&str; 2] = ["slow-work", "overlap-then-fail"];

fn check(handler: &Handler, scheme: &str, args: &[&str]) -> Said {
    let mut command = hooktwice();
    command.args(["check", "--json", "--scheme", scheme, "--secret-env", "HOOK_SECRET"]);
    command.args(["--url", &format!("http://{}/hook", handler.address)]);
    command.args(["--effect-url", &format!("http://{}/effects/{{job_id}}", handler.address)]);
    command.args(["--effect-pointer", "/count", "--seed", "1"]).args(args);
    said(with_secret(command))
}

/// Checks a right one whole: what is skipped beside [`UNTRIED`], and all of the lines.
fn passes(file: &str, scheme: &str, skipped: &[&str]) -> Vec<Value> {
    let handler = Handler::start_with(file, SECRET);
    let said = check(&handler, scheme, &["--race-budget", "2s"]);
    let lines = said.lines();
    let whole = format!("{file}: {}\n{}", said.text(), said.err);
    let verdict = lines.last().expect(&whole);
    assert_eq!((&verdict["verdict"], said.code), (&"pass".into(), 0), "{whole}");
    assert_eq!(verdict["failed"], json!([]), "{whole}");
    assert_eq!(verdict["unknown"], json!([]), "{whole}");
    assert_eq!(verdict["warned"], json!(WARNED), "{whole}");
    assert_eq!(verdict["skipped"], json!([skipped, &UNTRIED].concat()), "{whole}");
    for line in &lines[..lines.len() - 1] {
        if let Some(repro) = line["repro"].as_str() {
            assert!(repro.contains(&format!(" --scheme {scheme} ")), "{repro}");
            assert!(repro.contains(" --secret-env HOOK_SECRET"), "{repro}");
            assert!(!repro.contains(SECRET), "{repro}");
        }
    }
    lines
}

/// An old delivery was sent, and was refused for its age.
fn refuses_the_old(lines: &[Value]) {
    let stale = scenario(lines, "stale-timestamp");
    assert_eq!(stale["verdict"], "pass", "{stale}");
    assert!(reason(stale).contains("a day ago was refused with 40"), "{stale}");
}

#[test]
fn stripes_own_library_behind_a_claim_passes() {
    refuses_the_old(&passes("providers/stripe.mjs", "stripe", &[]));
}

#[test]
fn the_library_of_standard_webhooks_behind_a_claim_passes() {
    let lines = passes("providers/standard_webhooks.py", "standard-webhooks", &[]);
    refuses_the_old(&lines);
    // It reads base64 leniently, and every forgery was another digest all the same.
    assert_eq!(scenario(&lines, "forged-signature")["statuses"]["401"], 14);
}

#[test]
fn githubs_own_library_behind_a_claim_passes_and_no_age_is_asked_of_it() {
    let lines = passes("providers/github.mjs", "github", &["stale-timestamp"]);
    let stale = scenario(&lines, "stale-timestamp");
    assert!(reason(stale).contains("github does not say when it was signed"), "{stale}");
    assert_eq!((&stale["statuses"], &stale["repro"]), (&json!({}), &Value::Null), "{stale}");
}

#[test]
fn a_look_before_the_insert_fails_behind_stripes_library_too() {
    let handler = Handler::start_with("providers/stripe_look_first.mjs", SECRET);
    let args = ["--only", "concurrent,race-search,forged-signature", "--race-budget", "20s"];
    let said = check(&handler, "stripe", &args).expect_code(1);
    let lines = said.lines();
    assert_eq!(lines.last().unwrap()["failed"], json!(["concurrent", "race-search"]), "{said:?}");
    assert_eq!(scenario(&lines, "forged-signature")["verdict"], "pass", "{said:?}");
    // What is to show it again is accepted: its signatures are Stripe's.
    for id in ["concurrent", "race-search"] {
        let repro = scenario(&lines, id)["repro"].as_str().unwrap();
        assert!(repro.starts_with("hooktwice fire ") && repro.contains(" --scheme stripe "));
        assert_eq!(rerun(repro)["statuses"].as_object().unwrap().len(), 1, "{repro}");
    }
}

#[test]
fn what_shows_a_finding_again_at_githubs_library_names_the_event() {
    let handler = Handler::start_with("providers/github.mjs", SECRET);
    let folder = Folder::new();
    let body = folder.file("body.json", br#"{"event":"release.published","job_id":"job_0"}"#);
    // No effect is ever seen, so that there is something to show.
    let args = ["--only", "concurrent", "--effect-command", "echo 0; : {job_id}"];
    let mut command = folder.command(&["check", "--scheme", "github", "--timeout", "1s"]);
    command.args(["--url", &format!("http://{}/hook", handler.address)]).args(args);
    command.arg("--body-file").arg(body).args(["--secret-env", "HOOK_SECRET"]);
    let lines = said(with_secret(command)).expect_code(3).lines();
    let repro = scenario(&lines, "concurrent")["repro"].as_str().unwrap();
    assert!(repro.contains(" --header 'X-GitHub-Event: release.published' "), "{repro}");
    assert_eq!(rerun(repro)["statuses"], json!({ "200": 20 }), "{repro}");
}

/// Runs what a report shows, as a person would; the summary of the firing.
fn rerun(repro: &str) -> Value {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hooktwice")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let script = repro.replacen("hooktwice fire", "hooktwice fire --json", 1);
    let mut shell = Command::new("sh");
    shell.args(["-ec", &script]).env("HOOKTWICE_DATA_DIR", folder.path());
    shell.env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()));
    let said = said(with_secret(shell)).expect_code(0);
    let summary = said.lines().pop().unwrap();
    assert_eq!(summary["type"], "summary", "{said:?}");
    assert!(summary["statuses"]["200"].is_u64(), "{summary}");
    summary
}

fn with_secret(mut command: Command) -> Command {
    command.env("HOOK_SECRET", SECRET);
    command
}
