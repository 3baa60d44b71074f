//! Effects beside answers: C29, C38 and C39.

use super::{
    check, reason, said, scenario,
    target::{Answer, Target},
};
use crate::{
    harness::{Folder, SECRET_ENV, hooktwice, run_with},
    sample::{self, Handler},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fs,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

fn fire_two(target: &Target, release: &str) -> Vec<Value> {
    let url = target.url();
    let fire = ["fire", "--json", "--url", &url, "--body-file", "-", "--copies", "2"];
    let fire = [&fire[..], &["--release", release], &SECRET_ENV].concat();
    run_with(&fire, br#"{"job_id":"a1"}"#).expect_code(0).lines()
}

#[test]
fn c29_checked_the_status_on_the_wire_counts_and_the_effect_apart_from_it() {
    // A duplicate was meant to be answered 409; the transaction that it ended made that a 500.
    let target = Target::start(|delivery| {
        delivery.work_once();
        if delivery.nth == 1 { Answer::Status(200) } else { Answer::With(500, "X-Meant: 409") }
    });
    let effects = target.effect_url();
    let args = ["--only", "retry,concurrent", "--copies", "3", "--timeout", "2s"];
    let args = [&args[..], &["--effect-url", &effects]].concat();
    let lines = said(check(&target.url(), &args)).expect_code(1).lines();
    for id in ["retry", "concurrent"] {
        let line = scenario(&lines, id);
        assert_eq!(line["verdict"], "fail", "{line}");
        assert_eq!((&line["expected_effects"], &line["observed_effects"]), (&1.into(), &1.into()));
        let statuses: Vec<&String> = line["statuses"].as_object().unwrap().keys().collect();
        assert_eq!(statuses, ["200", "500"], "{line}");
        let reason = reason(line);
        assert!(reason.contains("answered 500") && !reason.contains("409"), "{reason}");
        assert!(line["advice"].as_str().unwrap().contains("duplicate 2xx"), "{line}");
    }
    assert_eq!(scenario(&lines, "retry")["statuses"], json!({ "200": 1, "500": 3 }));
    assert!(target.effects().values().all(|count| *count == 1));
}

#[test]
fn c38_checked_an_effect_before_the_failure_runs_again_with_the_retry() {
    let target = Target::start(|delivery| {
        delivery.work();
        Answer::Status(if delivery.nth == 1 { 500 } else { 200 })
    });
    fire_two(&target, "sequential");
    assert_eq!(target.effects()["a1"], 2);
    let effects = target.effect_url();
    let args = ["--only", "first-delivery", "--effect-url", &effects];
    let lines = said(check(&target.url(), &args)).expect_code(1).lines();
    let first = reason(scenario(&lines, "first-delivery"));
    assert!(first.contains("500, though the effect ran once"), "{first}");

    // Where only the work fails, by the canary, a check sees both.
    let handler = Handler::start("python_effect_first.py");
    let mut command = hooktwice();
    command.args(["check", "--json", "--url", &format!("http://{}/hook", handler.address)]);
    command.args(["--secret-env", "HOOK_SECRET", "--only", "work-fails", "--settle", "100ms"]);
    command.args(["--effect-url", &format!("http://{}/effects/{{job_id}}", handler.address)]);
    sample::set(&mut command, handler.folder.path());
    let lines = said(command).expect_code(1).lines();
    let line = scenario(&lines, "work-fails");
    assert_eq!(
        (&line["verdict"], &line["expected_effects"], &line["observed_effects"]),
        (&"fail".into(), &1.into(), &2.into()),
        "{line}"
    );
    assert!(reason(line).contains("ran twice"), "{line}");
    let advice = line["advice"].as_str().unwrap();
    assert!(advice.contains("kept although the delivery failed"), "{advice}");
    assert!(advice.contains("one transaction"), "{advice}");
}

/// What is known of a job.
enum Lease {
    Until(Instant),
    Done,
}

/// Works under a lease that nobody renews.
fn leased(lease: Duration, work: Duration) -> Target {
    let jobs: Mutex<HashMap<String, Lease>> = Mutex::default();
    Target::start(move |delivery| {
        {
            let mut jobs = jobs.lock().unwrap();
            match jobs.get(delivery.job_id) {
                Some(Lease::Done) => return Answer::Status(200),
                Some(Lease::Until(end)) if Instant::now() < *end => return Answer::Status(409),
                Some(Lease::Until(_)) | None => {}
            }
            jobs.insert(delivery.job_id.to_owned(), Lease::Until(Instant::now() + lease));
        }
        thread::sleep(work);
        delivery.work();
        jobs.lock().unwrap().insert(delivery.job_id.to_owned(), Lease::Done);
        Answer::Status(200)
    })
}

#[test]
fn c39_checked_a_lease_that_ends_during_the_work_is_found_and_drawn() {
    let target = leased(Duration::from_secs(1), Duration::from_secs(3));
    let lines = fire_two(&target, "gap=1500ms");
    assert_eq!(lines[2]["statuses"], json!({ "200": 2 }));
    assert_eq!(target.effects()["a1"], 2);

    let folder = Folder::new();
    let html = folder.path().join("check.html");
    let effects = target.effect_url();
    let args = ["--only", "late-retry", "--effect-url", &effects];
    let args = [&args[..], &["--html", html.to_str().unwrap()]].concat();
    let lines = said(check(&target.url(), &args)).expect_code(1).lines();
    let line = scenario(&lines, "late-retry");
    assert_eq!((&line["verdict"], &line["observed_effects"]), (&"fail".into(), &2.into()));
    assert!(reason(line).contains("ran the effect more than once"), "{line}");
    assert!(line["advice"].as_str().unwrap().contains("no lock that runs out"), "{line}");

    // On the time line of the retry after 1.5 s the second begins before the first has ended.
    let page = fs::read_to_string(html).unwrap();
    let title = "<strong class=\"wrong\">a retry 1.5 s after the first: the effect ran twice<";
    let (_, figure) = page.split_once(title).unwrap_or_else(|| panic!("not drawn: {page}"));
    let (figure, _) = figure.split_once("</svg>").unwrap();
    let lanes: Vec<(f64, f64)> =
        figure.split("<g class=\"lane taken\">").skip(1).map(bar).collect();
    let [(first_from, first_to), (second_from, second_to)] = lanes[..] else { panic!("{figure}") };
    assert!(
        first_from < second_from && second_from < first_to && first_to < second_to,
        "{lanes:?}"
    );
}

/// Where a lane's bar begins and ends.
fn bar(lane: &str) -> (f64, f64) {
    let (_, rect) = lane.split_once("<rect class=\"wait\"").unwrap();
    let number = |name: &str| -> f64 {
        let (_, rest) = rect.split_once(&format!(" {name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let from = number("x");
    (from, from + number("width"))
}
