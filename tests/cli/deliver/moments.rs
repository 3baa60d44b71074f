//! When attempts come: at a handler that is too slow, and after a sleep.

use super::{Answer, BODY, Handler, begin, deliver, parts, statuses};
use crate::harness::{Folder, Listener};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Milliseconds between each and the one before it.
fn steps(moments: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let moments: Vec<f64> = moments.into_iter().collect();
    moments.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn all_near(steps: &[f64], expected: f64, tolerance: f64) {
    assert!(
        steps.iter().all(|step| (step - expected).abs() <= tolerance),
        "{steps:?}, not {expected}"
    );
}

/// Sume's schedule 25 times faster: a tenth of its gap is still more than a busy machine is late.
const SCALE: [&str; 2] = ["--time-scale", "25"];
const GAP: f64 = 1200.0;
const TIMEOUT: f64 = 400.0;
/// Longer than from one attempt to the next.
const SLOW: Duration = Duration::from_millis(2500);

#[test]
fn ten_attempts_at_a_slow_handler_come_at_their_moments_and_overlap() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--delay", &format!("{}ms", SLOW.as_millis())]);
    let said = deliver(&listener.at("/hook"), &SCALE).expect_code(1);
    let (attempts, summary) = parts(&said);
    assert_eq!(attempts.len(), 10);
    assert_eq!((&summary["delivered"], &summary["outcome_unknown"]), (&json!(false), &json!(10)));

    let number = |attempt: &Value, name: &str| attempt[name].as_f64().unwrap();
    let tenth = GAP / 10.0;
    for attempt in &attempts {
        let late = number(attempt, "at_ms") - number(attempt, "due_ms");
        assert!((0.0..tenth).contains(&late), "{late} ms late: {attempt}");
    }
    all_near(&steps(attempts.iter().map(|attempt| number(attempt, "at_ms"))), TIMEOUT + GAP, tenth);

    // The other side's own clock says the same, and that each was still at work when the next one came.
    let mut lines: Vec<Value> = (0..10).map(|_| listener.next()).collect();
    lines.sort_by_key(|line| line["seq"].as_i64());
    let received =
        |line: &Value| line["received_at"].as_str().unwrap().parse::<Timestamp>().unwrap();
    let came = lines.iter().map(|line| received(line).as_microsecond() as f64 / 1e3);
    all_near(&steps(came), TIMEOUT + GAP, tenth);
    for pair in lines.windows(2) {
        let at_work = pair[0]["duration_ms"].as_f64().unwrap();
        let next_came = received(&pair[1]).duration_since(received(&pair[0])).as_millis_f64();
        assert!(at_work > next_came, "{} is over before {}", pair[0], pair[1]);
    }
    assert_eq!(lines[0]["claim"], "won");
    assert!(lines[1..].iter().all(|line| line["duplicate_of"] == 1), "{lines:?}");
}

#[test]
fn the_first_2xx_in_time_ends_it() {
    let handler =
        Handler::start(|nth| if nth < 3 { Answer::After(SLOW, 200) } else { Answer::Status(200) });
    let (attempts, summary) = parts(&deliver(&handler.url(), &SCALE).expect_code(0));
    assert_eq!(statuses(&attempts), [Value::Null, Value::Null, json!(200)]);
    assert_eq!((&summary["outcome_unknown"], &summary["delivered"]), (&json!(2), &json!(true)));
    assert!(handler.most_at_work() > 1, "the third came while the second was at work");
    assert_eq!(handler.came().len(), 3);
}

#[test]
fn c49_three_tries_of_three_seconds_at_a_handler_that_takes_eight() {
    // Four times faster: 750 ms for each, and the handler takes 2 s.
    let eight_s = Duration::from_secs(2);
    let handler = Handler::start(move |_| Answer::After(eight_s, 200));
    let profile = ["--attempts", "3", "--gap", "0s", "--timeout", "3s", "--time-scale", "4"];
    let (attempts, summary) = parts(&deliver(&handler.url(), &profile).expect_code(1));
    let came = handler.came();
    assert_eq!(
        (attempts.len(), came.len()),
        (3, 3),
        "each run of the handler is an attempt that is shown"
    );
    let first = came[0].at;
    let moments = came.iter().map(|came| (came.at - first).as_secs_f64() * 1e3);
    all_near(&steps(moments), 750.0, 75.0);
    assert_eq!(summary["outcome_unknown"], 3);
    let reason = summary["reason"].as_str().unwrap();
    assert!(
        reason.contains("none of 3 attempts was acknowledged")
            && reason.contains("may have taken effect")
    );
}

#[test]
fn c85_after_a_sleep_one_attempt_comes_and_no_burst() {
    let handler = Handler::start(|_| Answer::Status(500));
    let (folder, url) = (Folder::new(), handler.url());
    let gap = Duration::from_millis(300);
    let mut running = begin(&folder, &url, &["--gap", "300ms", "--attempts", "4"]);
    assert_eq!(running.next()["n"], 1);
    running.signal("-STOP");
    let stopped = Instant::now();
    // So long that all the others would have been due.
    thread::sleep(gap * 5);
    assert_eq!(handler.came().len(), 1, "it sleeps");
    running.signal("-CONT");
    for n in 2..=4 {
        assert_eq!(running.next()["n"], n);
    }
    assert_eq!(running.ended(), 1);
    let came = handler.came();
    assert!(came[1].at >= stopped + gap * 5);
    for pair in came[1..].windows(2) {
        assert!(pair[1].at - pair[0].at >= gap, "{came:?}");
    }
    assert!(came.iter().all(|came| came.head.contains(&format!("Content-Length: {}", BODY.len()))));
}
