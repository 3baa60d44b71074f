//! The lines of contract.md, and what people read.

use super::{
    check, reason, said, scenario,
    target::{Answer, Target},
};
use crate::harness::{SECRET_ENV, hooktwice};
use serde_json::{Value, json};

/// Right where it is tried: it works once for each job and says yes.
fn right() -> Target {
    Target::start(|delivery| {
        delivery.work_once();
        Answer::Status(204)
    })
}

#[test]
fn a_scenario_and_the_verdict_have_every_field_of_the_contract_in_order() {
    let target = right();
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--only", "concurrent,retry", "--copies", "5"];
    let said = said(check(&target.url(), &args)).expect_code(0);
    assert!(
        said.text().starts_with(r#"{"type":"scenario","id":"first-delivery","verdict":"pass","#)
    );
    let lines = said.lines();
    let ids: Vec<&Value> = lines.iter().filter_map(|line| line.get("id")).collect();
    // In the contract's order, whatever the order of --only.
    assert_eq!(ids, ["first-delivery", "retry", "concurrent"]);
    for line in &lines[..3] {
        assert_eq!(
            (&line["type"], &line["verdict"]),
            (&"scenario".into(), &"pass".into()),
            "{line}"
        );
        assert!(!reason(line).is_empty());
        assert_eq!((&line["expected_effects"], &line["observed_effects"]), (&1.into(), &1.into()));
        assert_eq!(line["evidence"][0]["probe"], "url");
        assert_eq!(line["evidence"][0]["count"], 1);
        assert!(line["statuses"]["204"].as_u64().unwrap() > 0, "{line}");
        assert!(line.get("advice").is_some() && line.get("repro").is_some(), "{line}");
        assert!(line.get("traces").is_none(), "{line}");
    }
    assert_eq!(lines.len(), 4);
    let verdict = &lines[3];
    assert_eq!((&verdict["type"], &verdict["verdict"]), (&"verdict".into(), &"pass".into()));
    assert_eq!(verdict["passed"], json!(["first-delivery", "retry", "concurrent"]));
    for list in ["failed", "warned", "unknown", "skipped"] {
        assert_eq!(verdict[list], json!([]), "{verdict}");
    }
    assert!(target.effects().values().all(|&count| count == 1));
}

#[test]
fn the_first_effect_option_decides_and_the_others_stand_beside_it() {
    let target = right();
    let effects = target.effect_url();
    let (url, command) = (["--effect-url", &effects], ["--effect-command", "echo 0; : {job_id}"]);
    let probes = |line: &Value| -> Vec<String> {
        let evidence = line["evidence"].as_array().unwrap().iter();
        evidence.map(|one| one["probe"].as_str().unwrap().to_owned()).collect()
    };
    let only = ["--only", "first-delivery", "--timeout", "1s"];

    let lines =
        said(check(&target.url(), &[&only[..], &url, &command].concat())).expect_code(0).lines();
    let first = scenario(&lines, "first-delivery");
    assert_eq!(
        (probes(first), &first["verdict"]),
        (vec!["url".into(), "command".into()], &"pass".into())
    );

    // The command sees nothing, and it decides: no evidence is never a pass.
    let lines =
        said(check(&target.url(), &[&only[..], &command, &url].concat())).expect_code(3).lines();
    let first = scenario(&lines, "first-delivery");
    assert_eq!(
        (probes(first), &first["verdict"]),
        (vec!["command".into(), "url".into()], &"unknown".into())
    );
    assert_eq!(lines.last().unwrap()["verdict"], "unknown");
}

#[test]
fn a_first_delivery_that_fails_ends_it_with_1_and_the_rest_skipped() {
    let target = Target::start(|_| Answer::Status(401));
    let effects = target.effect_url();
    let lines = said(check(&target.url(), &["--effect-url", &effects])).expect_code(1).lines();
    let (verdict, scenarios) = lines.split_last().unwrap();
    assert_eq!(scenarios.len(), 21);
    assert_eq!(scenarios[0]["verdict"], "fail");
    assert!(reason(&scenarios[0]).contains("401"), "{}", scenarios[0]);
    for line in &scenarios[1..] {
        assert_eq!(line["verdict"], "skipped", "{line}");
        assert!(!reason(line).is_empty());
    }
    assert_eq!(verdict["failed"], json!(["first-delivery"]));
    assert_eq!(verdict["skipped"].as_array().unwrap().len(), 20);
}

#[test]
fn a_handler_that_doubles_is_1_with_advice_and_a_command() {
    let target = Target::start(|delivery| {
        delivery.work();
        Answer::Status(200)
    });
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--only", "retry"];
    let lines = said(check(&target.url(), &args)).expect_code(1).lines();
    let retry = scenario(&lines, "retry");
    assert_eq!((&retry["verdict"], &retry["expected_effects"]), (&"fail".into(), &1.into()));
    assert!(retry["observed_effects"].as_u64().unwrap() > 1, "{retry}");
    assert!(!retry["advice"].as_str().unwrap().is_empty());
    assert!(retry["repro"].as_str().unwrap().starts_with("hooktwice "), "{retry}");
    assert_eq!(lines.last().unwrap()["failed"], json!(["retry"]));
}

#[test]
fn people_read_a_line_a_scenario_and_a_last_sentence_without_colour() {
    let target = Target::start(|delivery| {
        delivery.work();
        Answer::Status(200)
    });
    let mut command = hooktwice();
    command.args(["check", "--url", &target.url(), "--effect-url", &target.effect_url()]);
    command.args(["--only", "retry", "--settle", "100ms"]).args(SECRET_ENV);
    let said = said(command).expect_code(1);
    let text = said.text();
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(text.starts_with("pass     first-delivery "), "{text}");
    assert!(text.contains("\nfail     retry "), "{text}");
    assert!(text.contains("\n         Effects: expected 1; url saw "), "{text}");
    assert!(text.contains("\n         $ hooktwice "), "{text}");
    assert!(text.contains("\nFAIL: 1 of 2 scenarios failed: retry."), "{text}");
    // No terminal, no progress.
    assert_eq!(said.err, "");
}

#[test]
fn requests_on_the_wire_are_the_requests_that_are_told() {
    let target = right();
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--only", "retry,concurrent", "--copies", "7"];
    let lines = said(check(&target.url(), &args)).expect_code(0).lines();
    assert_eq!(lines.last().unwrap()["facts"]["deliveries"], target.posts());
}

#[test]
fn the_first_delivery_is_not_skipped_and_that_is_said() {
    let target = right();
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--only", "retry", "--skip", "retry,first-delivery"];
    let said = said(check(&target.url(), &args)).expect_code(0);
    assert!(said.err.contains("first-delivery is not skipped"), "{}", said.err);
    assert_eq!(said.lines()[0]["id"], "first-delivery");
    assert_eq!(said.lines().len(), 2);
}
