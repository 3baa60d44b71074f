//! A race that is found, and one that is not there: C26 and C27.

use super::{
    check, reason, said, scenario,
    target::{Answer, Target},
};
use crate::harness::{Folder, Listener, SECRET_ENV, hooktwice, run_with};
use serde_json::{Value, json};
use std::{fs, process::Command, thread, time::Duration};

/// Looks, takes its time, and writes: whoever looks meanwhile finds nothing either.
fn looking_first(window: Duration) -> Target {
    Target::start(move |delivery| {
        if !delivery.has_worked() {
            thread::sleep(window);
            delivery.work();
        }
        Answer::Status(200)
    })
}

fn claiming() -> Target {
    Target::start(|delivery| {
        delivery.work_once();
        Answer::Status(200)
    })
}

/// Fires two copies of one job at the same instant.
fn fire_two(url: &str) {
    let fire = ["fire", "--json", "--url", url, "--body-file", "-", "--copies", "2"];
    let body = br#"{"event":"job.completed","job_id":"a1"}"#;
    run_with(&[&fire[..], &SECRET_ENV].concat(), body).expect_code(0);
}

/// The first "N of M" of a sentence.
fn n_of_m(sentence: &str) -> (usize, usize) {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let found = words.windows(3).find_map(|words| match words {
        [n, "of", m] => Some((n.parse().ok()?, m.parse().ok()?)),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing is counted: {sentence}"))
}

/// The search alone, with pairs and volleys of two.
fn search(target: &Target, budget: &str) -> Command {
    let effects = target.effect_url();
    let args = ["--only", "race-search", "--copies", "2", "--race-budget", budget, "--seed", "1"];
    check(&target.url(), &[&args[..], &["--effect-url", &effects]].concat())
}

#[test]
fn c26_checked_two_at_once_pass_a_look_and_one_claim() {
    let target = looking_first(Duration::from_millis(50));
    fire_two(&target.url());
    assert_eq!(target.effects()["a1"], 2);

    let effects = target.effect_url();
    let args = ["--only", "concurrent,race-search", "--copies", "5", "--race-budget", "5s"];
    let args = [&args[..], &["--effect-url", &effects]].concat();
    let lines = said(check(&target.url(), &args)).expect_code(1).lines();
    for id in ["concurrent", "race-search"] {
        let line = scenario(&lines, id);
        let observed = line["observed_effects"].as_u64().unwrap();
        assert_eq!((&line["verdict"], &line["expected_effects"]), (&"fail".into(), &1.into()));
        assert!(observed > 1 && line["evidence"][0]["count"] == observed, "{line}");
        let times = if observed == 2 { "twice".to_owned() } else { format!("{observed} times") };
        assert!(reason(line).contains(&format!("ran the effect {times}")), "{line}");
        assert!(line["advice"].as_str().unwrap().contains("insert the lock"), "{line}");
    }
    assert_eq!(lines.last().unwrap()["failed"], json!(["concurrent", "race-search"]));

    // The same two at our own listener.
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    fire_two(&listener.at("/hook"));
    let (first, second) = (listener.next(), listener.next());
    let (won, other) = if first["claim"] == "won" { (first, second) } else { (second, first) };
    assert_eq!((&won["claim"], &won["duplicate_of"]), (&"won".into(), &Value::Null));
    assert_eq!((&other["claim"], &other["duplicate_of"]), (&"duplicate".into(), &won["seq"]));
}

#[test]
fn c27_checked_how_often_a_narrow_window_was_hit_is_counted() {
    let target = looking_first(Duration::from_millis(1));
    let lines = said(search(&target, "10s")).expect_code(1).lines();
    let line = scenario(&lines, "race-search");
    assert_eq!(line["verdict"], "fail", "{line}");
    let (hits, rounds) = n_of_m(reason(line));
    assert!((1..=rounds).contains(&hits), "{line}");
    // The handler knows it better: each of these rounds, and the one that came first.
    let doubled = target.effects().values().filter(|count| **count > 1).count();
    assert!(doubled > hits, "{doubled} doubled: {line}");
}

#[test]
fn c27_checked_what_did_not_double_is_counted_and_never_called_safe() {
    let target = claiming();
    let folder = Folder::new();
    let reports = ["html", "markdown"].map(|name| (name, folder.path().join(name)));
    let mut command = search(&target, "4s");
    for (name, path) in &reports {
        command.arg(format!("--{name}")).arg(path);
    }
    let json = said(command).expect_code(0);
    let lines = json.lines();
    let line = scenario(&lines, "race-search");
    assert_eq!(line["verdict"], "pass", "{line}");
    let (doubled, rounds) = n_of_m(reason(line));
    assert!(doubled == 0 && rounds >= 100, "{line}");
    // As many as were fired, and the handler saw two copies of each.
    let facts = &lines.last().unwrap()["facts"];
    let fired = facts["volleys"].as_u64().unwrap() + facts["pairs"].as_u64().unwrap();
    assert_eq!(rounds as u64, fired, "{facts}");
    assert!(target.posts() >= 2 * rounds, "{} deliveries: {line}", target.posts());
    assert!(target.effects().values().all(|count| *count == 1));

    let mut people = hooktwice();
    people.args(["check", "--url", &target.url(), "--effect-url", &target.effect_url()]);
    people.args(["--only", "race-search", "--race-budget", "1s", "--settle", "100ms"]);
    people.args(SECRET_ENV);
    let people = said(people).expect_code(0);
    let texts = reports.iter().map(|(_, path)| fs::read_to_string(path).unwrap());
    for text in texts.chain([json.text().to_owned(), people.text().to_owned()]) {
        // What a page looks like is not what it says.
        let text = text.split_once("</style>").map_or(&*text, |(_, said)| said);
        assert!(text.contains("0 of "), "{text}");
        assert!(!text.to_lowercase().contains("safe"), "{text}");
    }
}
