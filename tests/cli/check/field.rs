//! What went wrong for others, from the outside: C49 to C56.

use super::{
    check, reason, said, scenario,
    target::{Answer, Delivery, Target},
};
use crate::harness::{Folder, Listener, Said, run_with, signed_at};
use serde_json::Value;
use std::{thread, time::Duration};

/// The first delivery's line; how the check ended.
fn first(target: &Target, code: i32, args: &[&str]) -> Value {
    let effects = target.effect_url();
    let args = [&["--only", "first-delivery", "--effect-url", &effects], args].concat();
    let lines = said(check(&target.url(), &args)).expect_code(code).lines();
    scenario(&lines, "first-delivery").clone()
}

fn fire(url: &str, args: &[&str]) -> Said {
    let secret = crate::harness::SECRET_ENV;
    let fire = ["fire", "--json", "--url", url, "--body-file", "-"];
    run_with(&[&fire[..], args, &secret].concat(), br#"{"job_id":"a1"}"#)
}

#[test]
fn c49_never_acknowledged_in_time_though_every_run_succeeded() {
    let target = Target::start(|delivery| {
        delivery.work_once();
        // The handler is slower than the provider waits; nothing here waits for it.
        thread::sleep(Duration::from_millis(1500));
        Answer::Status(200)
    });
    let line = first(&target, 1, &["--timeout", "400ms"]);
    assert_eq!(
        (&line["verdict"], &line["observed_effects"]),
        (&"fail".into(), &1.into()),
        "{line}"
    );
    assert_eq!(line["statuses"], serde_json::json!({}));
    let reason = reason(&line);
    assert!(reason.contains("400 ms") && reason.contains("the effect ran once"), "{reason}");
}

#[test]
fn c50_a_cut_after_the_effect_is_unknown_and_the_next_attempt_shows_whether_it_ran_again() {
    let cut_first = |delivery: &Delivery<'_>| {
        if delivery.nth == 1 { Answer::Cut } else { Answer::Status(200) }
    };
    let claiming = Target::start(move |delivery| {
        delivery.work_once();
        cut_first(delivery)
    });
    let naive = Target::start(move |delivery| {
        delivery.work();
        cut_first(delivery)
    });
    for (target, effects) in [(&claiming, 1), (&naive, 2)] {
        let args = ["--copies", "2", "--release", "sequential"];
        let lines = fire(&target.url(), &args).expect_code(3).lines();
        let outcomes: Vec<_> = lines[..2].iter().map(|line| &line["outcome"]).collect();
        assert_eq!(outcomes, ["unknown", "answered"]);
        assert_eq!(lines[2]["outcome_unknown"], 1);
        assert_eq!(target.posts(), 2, "nothing is sent again in secret");
        assert_eq!(target.effects()["a1"], effects);
        // A check says of the first alone that it was not acknowledged and ran all the same.
        let line = first(target, 1, &["--timeout", "2s"]);
        assert_eq!((&line["verdict"], &line["observed_effects"]), (&"fail".into(), &1.into()));
        assert!(reason(&line).contains("the effect ran once"), "{line}");
    }
}

#[test]
fn c51_a_redirect_is_not_followed_and_is_no_acknowledgement() {
    for status in [301, 302, 303, 307, 308] {
        let target = Target::start(move |_| Answer::With(status, "Location: /login"));
        let line = first(&target, 1, &[]);
        assert_eq!(line["verdict"], "fail", "{line}");
        let reason = reason(&line);
        assert!(reason.contains(&status.to_string()) && reason.contains("/login"), "{reason}");
        assert_eq!(line["statuses"], serde_json::json!({ status.to_string(): 1 }));
        assert_eq!(target.posts(), 1);
    }
}

#[test]
fn c52_a_304_is_no_acknowledgement() {
    let target = Target::start(|delivery| {
        delivery.work_once();
        Answer::Status(304)
    });
    let line = first(&target, 1, &[]);
    assert_eq!(line["verdict"], "fail", "{line}");
    assert!(reason(&line).contains("304"), "{line}");
}

#[test]
fn c53_every_2xx_acknowledges() {
    for status in [200, 201, 202, 204, 299] {
        let target = Target::start(move |delivery| {
            delivery.work_once();
            Answer::Status(status)
        });
        let line = first(&target, 0, &[]);
        assert_eq!(line["verdict"], "pass", "{line}");
        assert_eq!(line["statuses"], serde_json::json!({ status.to_string(): 1 }));
    }
}

#[test]
fn c54_what_410_and_400_mean_is_said() {
    for (status, meaning) in [(410, "subscription"), (400, "Not acknowledged")] {
        let target = Target::start(move |_| Answer::Status(status));
        let line = first(&target, 1, &[]);
        let reason = reason(&line);
        assert!(reason.contains(&status.to_string()) && reason.contains(meaning), "{reason}");
    }
}

#[test]
fn c55_a_server_that_closes_idle_connections_gets_each_request_once() {
    let idle = Duration::from_millis(150);
    let work = |delivery: &Delivery<'_>| {
        delivery.work_once();
        Answer::Status(200)
    };
    for args in [
        &["--copies", "3", "--release", "gap=400ms"][..],
        &["--copies", "3", "--release", "sequential"],
        &["--copies", "8", "--release", "together"],
    ] {
        let target = Target::start_closing(Some(idle), work);
        let said = fire(&target.url(), args);
        let lines = said.lines();
        let sent = lines.iter().filter(|line| {
            line["type"] == "copy"
                && (line["outcome"] == "answered" || line["outcome"] == "unknown")
        });
        assert_eq!(sent.count(), target.posts(), "{args:?}: {lines:?}");
        assert_eq!(lines.last().unwrap()["outcome_unknown"], 0, "{args:?}: {lines:?}");
    }

    // Between the scenarios of a check its connections are idle for longer than the server keeps them.
    let target = Target::start_closing(Some(idle), work);
    let effects = target.effect_url();
    let args = ["--only", "retry", "--effect-url", &effects, "--settle", "400ms"];
    let lines = said(check(&target.url(), &args)).expect_code(0).lines();
    assert_eq!(lines.last().unwrap()["facts"]["deliveries"], target.posts());
}

#[test]
fn c56_an_exact_replay_is_refused_later_and_a_fresh_signature_is_not() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = br#"{"job_id":"a1"}"#;
    let old = signed_at(jiff::Timestamp::now().as_second() - 301, body);
    let headers: Vec<String> = old.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let headers: Vec<&str> = headers.iter().flat_map(|line| ["--header", line.as_str()]).collect();

    let replay = [&["--sign", "verbatim"][..], &headers].concat();
    let lines = fire(&listener.at("/hook"), &replay).expect_code(0).lines();
    assert_eq!(lines[0]["status"], 401);
    let line = listener.next();
    assert_eq!((&line["signature"]["state"], &line["claim"]), (&"stale".into(), &"none".into()));

    let lines = fire(&listener.at("/hook"), &["--sign", "each"]).expect_code(0).lines();
    assert_eq!(lines[0]["status"], 204);
    let line = listener.next();
    assert_eq!((&line["signature"]["state"], &line["claim"]), (&"valid".into(), &"won".into()));
}
