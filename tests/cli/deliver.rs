//! `hooktwice deliver`: the schedule at handlers of every kind.

mod handler;
mod moments;

use crate::harness::{Folder, Listener, Running, SECRET_ENV, Said, hooktwice, run_with, until};
use handler::{Answer, Handler};
use serde_json::{Value, json};
use std::{collections::HashSet, net::TcpListener};

const BODY: &[u8] = br#"{"event":"job.completed","job_id":"job_1"}"#;
/// So fast that nobody waits: a gap of 30 ms and a timeout of 5 s.
const FAST: [&str; 6] = ["--time-scale", "10", "--gap", "300ms", "--timeout", "50s"];

fn deliver(url: &str, args: &[&str]) -> Said {
    run_with(
        &[&["deliver", "--json", "--url", url, "--body-file", "-"], args, &SECRET_ENV].concat(),
        BODY,
    )
}

/// The attempts' lines, and the summary.
fn parts(said: &Said) -> (Vec<Value>, Value) {
    let mut lines = said.lines();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "summary", "{summary}");
    assert!(lines.iter().all(|line| line["type"] == "attempt"), "{lines:?}");
    assert_eq!(summary["attempts"], lines.len());
    (lines, summary)
}

fn statuses(attempts: &[Value]) -> Vec<Value> {
    attempts.iter().map(|attempt| attempt["status"].clone()).collect()
}

#[test]
fn a_listener_that_fails_twice_is_delivered_to_at_the_third_attempt() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--fail-first", "2"]);
    let trace = ["--header", "X-Trace: a"];
    let said = deliver(&listener.at("/hook?a=%2F"), &[&FAST[..], &trace].concat()).expect_code(0);
    let (attempts, summary) = parts(&said);

    assert_eq!(statuses(&attempts), [500, 500, 204]);
    for (n, attempt) in (1..).zip(&attempts) {
        assert_eq!((&attempt["n"], &attempt["outcome"]), (&json!(n), &json!("answered")));
        assert_eq!(attempt["acknowledged"], n == 3);
        assert_eq!((&attempt["error"], &attempt["warnings"]), (&Value::Null, &json!([])));
        for time in ["at_ms", "due_ms", "released_us", "first_byte_ms", "total_ms"] {
            assert!(attempt[time].is_number(), "{time}: {attempt}");
        }
    }
    assert_eq!(attempts[0]["at_ms"], 0.0);
    assert_eq!((&summary["delivered"], &summary["stopped"]), (&json!(true), &json!(false)));
    assert_eq!(summary["statuses"], json!({ "204": 1, "500": 2 }));

    let mut event_ids = HashSet::new();
    for (seq, claim) in (1..).zip(["won", "duplicate", "duplicate"]) {
        let line = listener.next();
        assert_eq!((&line["claim"], &line["signature"]["state"]), (&claim.into(), &"valid".into()));
        assert_eq!((&line["query"], &line["body_differs"]), (&"a=%2F".into(), &false.into()));
        let shown = folder.run(&["deliveries", "show", &format!("{seq}")]).line();
        let headers = shown["headers"].as_array().unwrap();
        assert!(headers.contains(&json!(["X-Trace", "a"])), "{headers:?}");
        let id = headers.iter().find(|header| header[0] == "X-Sume-Event-Id").unwrap();
        event_ids.insert(id[1].as_str().unwrap().to_owned());
    }
    assert_eq!(event_ids.len(), 1, "one event over all attempts");
}

#[test]
fn c50_a_cut_connection_is_unknown_and_the_next_attempt_a_duplicate() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--drop"]);
    let said = deliver(&listener.at("/hook"), &[&FAST[..], &["--attempts", "2"]].concat());
    let (attempts, summary) = parts(&said.expect_code(1));
    for attempt in &attempts {
        assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("unknown"), &Value::Null));
        assert!(attempt["error"].is_string(), "{attempt}");
    }
    assert_eq!((&summary["outcome_unknown"], &summary["delivered"]), (&json!(2), &json!(false)));
    assert!(summary["reason"].as_str().unwrap().contains("may have taken effect"), "{summary}");
    assert_eq!(listener.next()["claim"], "won");
    assert_eq!(listener.next()["duplicate_of"], 1);
}

#[test]
fn a_refused_connection_is_an_attempt_as_well() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", nobody.local_addr().unwrap());
    drop(nobody);
    let said = deliver(&url, &[&FAST[..], &["--attempts", "3"]].concat()).expect_code(1);
    let (attempts, summary) = parts(&said);
    assert_eq!(attempts.len(), 3);
    assert!(attempts.iter().all(|attempt| attempt["outcome"] == "not-sent"), "{attempts:?}");
    assert_eq!((&summary["not_sent"], &summary["outcome_unknown"]), (&json!(3), &json!(0)));
}

#[test]
fn c51_c52_a_redirect_is_shown_not_followed_and_no_acknowledgement() {
    for status in [301, 302, 303, 304, 307, 308] {
        let handler = Handler::start(move |_| match status {
            304 => Answer::Status(304),
            _ => Answer::Redirect(status, "/login"),
        });
        let said = deliver(&handler.url(), &[&FAST[..], &["--attempts", "2"]].concat());
        let (attempts, summary) = parts(&said.expect_code(1));
        assert_eq!(statuses(&attempts), [status, status]);
        assert_eq!(summary["delivered"], false);
        let location = if status == 304 { Value::Null } else { json!("/login") };
        assert_eq!(attempts[0]["location"], location, "{status}");
        let came = handler.came();
        assert_eq!(came.len(), 2, "{status}");
        assert!(came.iter().all(|came| came.head.starts_with("POST /hook ")), "{came:?}");
    }
}

#[test]
fn c53_every_2xx_acknowledges() {
    for status in [200, 201, 202, 204, 299] {
        let handler = Handler::start(move |_| Answer::Status(status));
        let (attempts, summary) = parts(&deliver(&handler.url(), &FAST).expect_code(0));
        assert_eq!(
            (statuses(&attempts), &summary["delivered"]),
            (vec![json!(status)], &json!(true))
        );
    }
}

#[test]
fn c54_410_ends_it_only_where_the_schedule_says_so() {
    let refusals = |nth| Answer::Status(if nth == 2 { 410 } else { 400 });
    let handler = Handler::start(refusals);
    let said = deliver(&handler.url(), &[&FAST[..], &["--attempts", "4"]].concat()).expect_code(1);
    assert_eq!(statuses(&parts(&said).0), [400, 410, 400, 400]);

    let handler = Handler::start(refusals);
    let stop_on = ["--stop-on", "404", "--stop-on", "410"];
    let (attempts, summary) =
        parts(&deliver(&handler.url(), &[&FAST[..], &stop_on].concat()).expect_code(1));
    assert_eq!(statuses(&attempts), [400, 410]);
    assert_eq!((&summary["delivered"], &summary["stopped"]), (&json!(false), &json!(false)));
    assert!(summary["reason"].as_str().unwrap().contains("410"), "{summary}");
}

#[test]
fn c55_each_attempt_has_a_connection_of_its_own_and_one_request() {
    let handler = Handler::start(|nth| Answer::Status(if nth < 4 { 500 } else { 200 }));
    let (attempts, _) = parts(&deliver(&handler.url(), &FAST).expect_code(0));
    let came = handler.came();
    assert_eq!((attempts.len(), came.len(), handler.connections()), (4, 4, 4));
    let from = attempts.iter().map(|attempt| attempt["local_port"].as_u64().unwrap());
    assert!(
        from.eq(came.iter().map(|came| u64::from(came.port))),
        "what is shown is what was sent"
    );
}

#[test]
fn c56_the_signed_times_are_the_real_time_whatever_the_scale() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--respond", "status=500", "--tolerance", "2s"]);
    // Ten attempts of Sume's schedule: four and a half minutes in two seconds.
    let (attempts, _) =
        parts(&deliver(&listener.at("/hook"), &["--time-scale", "135"]).expect_code(1));
    assert_eq!(attempts.len(), 10);
    for _ in 0..10 {
        let line = listener.next();
        assert_eq!(line["signature"]["state"], "valid", "{line}");
    }
    drop(listener);

    // The same signature again is what a tolerance refuses.
    let listener = Listener::start(&folder, &["--tolerance", "2s"]);
    let url = listener.at("/hook");
    let replay = ["--copies", "2", "--sign", "once", "--release", "gap=3500ms"];
    let fire = ["fire", "--json", "--url", &url, "--body-file", "-"];
    run_with(&[&fire[..], &replay, &SECRET_ENV].concat(), BODY).expect_code(0);
    let states = [listener.next(), listener.next()].map(|line| line["signature"]["state"].clone());
    assert_eq!(states, ["valid", "stale"]);
}

#[test]
fn c57_one_attempt_at_a_time_however_short_the_gap() {
    let handler = Handler::start(|_| Answer::Status(503));
    let args = ["--attempts", "100", "--gap", "0s"];
    let (attempts, _) = parts(&deliver(&handler.url(), &args).expect_code(1));
    assert_eq!((attempts.len(), handler.came().len()), (100, 100));
    assert_eq!(handler.most_at_work(), 1);
}

#[test]
fn what_cannot_be_kept_is_refused_before_anything_is_sent() {
    let handler = Handler::start(|_| Answer::Status(204));
    let url = handler.url();
    for (args, named) in [
        (&["--attempts", "0"][..], "0 attempts"),
        (&["--attempts", "101"], "101 attempts"),
        (&["--time-scale", "0"], "time scale of 0"),
        (&["--time-scale", "-5"], "time scale of -5"),
        (&["--time-scale", "NaN"], "NaN"),
        (&["--timeout", "0s"], "timeout"),
        (&["--stop-on", "204"], "204"),
        (&["--gap", "30"], "duration"),
        (&["--header", "no"], "header"),
    ] {
        let said = deliver(&url, args).expect_code(2);
        assert!(said.err.contains(named), "{args:?}: {}", said.err);
        assert_eq!(said.text(), "");
    }
    let elsewhere = deliver("http://192.0.2.1/hook", &[]).expect_code(2);
    assert!(elsewhere.err.contains("--allow-host"), "{}", elsewhere.err);
    let unsigned = ["deliver", "--url", &url, "--body-file", "-"];
    assert!(run_with(&unsigned, BODY).expect_code(2).err.contains("--secret-env"));
    assert_eq!(handler.connections(), 0);
}

#[test]
fn ctrl_c_between_two_attempts_ends_with_a_summary() {
    let handler = Handler::start(|_| Answer::Status(500));
    let (folder, url) = (Folder::new(), handler.url());
    let mut running = begin(&folder, &url, &[]);
    assert_eq!(running.next()["status"], 500);
    running.signal("-INT");
    assert_eq!(running.ended(), 3);
    let summary = running.next();
    assert_eq!((&summary["type"], &summary["attempts"]), (&json!("summary"), &json!(1)));
    assert_eq!((&summary["delivered"], &summary["stopped"]), (&json!(false), &json!(true)));
    assert!(summary["reason"].as_str().unwrap().starts_with("Stopped by hand"), "{summary}");
}

#[test]
fn ctrl_c_during_an_attempt_tells_it_without_its_answer() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--delay", "60s"]);
    let (bodies, url) = (Folder::new(), listener.at("/hook"));
    let mut running = begin(&bodies, &url, &["--timeout", "60s"]);
    until("it is stored", || (folder.deliveries().len() == 1).then_some(()));
    running.signal("-TERM");
    assert_eq!(running.ended(), 3);
    assert_eq!(running.next()["outcome"], "unknown");
    let summary = running.next();
    assert_eq!((&summary["stopped"], &summary["outcome_unknown"]), (&json!(true), &json!(1)));
}

/// Starts a delivery that goes on.
fn begin(folder: &Folder, url: &str, args: &[&str]) -> Running {
    let body = folder.file("body", BODY);
    let deliver = ["deliver", "--url", url, "--body-file", body.to_str().unwrap()];
    Running::spawn(folder.command(&[&deliver[..], args, &SECRET_ENV].concat()))
}

#[test]
fn people_read_a_line_an_attempt_and_when_the_next_one_comes() {
    let handler = Handler::start(|nth| Answer::Status(if nth < 2 { 500 } else { 204 }));
    let folder = Folder::new();
    let body = folder.file("body", BODY);
    let mut command = hooktwice();
    command.args(["deliver", "--url", &handler.url(), "--body-file"]).arg(body);
    let output = command.args(FAST).args(SECRET_ENV).output().unwrap();
    let said = Said::of(output).expect_code(0);
    let lines: Vec<&str> = said.text().lines().collect();
    let [first, next, second, last] = lines[..] else { panic!("{lines:?}") };
    assert!(first.starts_with("#1    500") && second.starts_with("#2    204"), "{lines:?}");
    assert!(next.trim().starts_with("next in 30.0 ms, at "), "{lines:?}");
    assert_eq!(last, "Delivered: attempt 2 was acknowledged with 204.");
}
