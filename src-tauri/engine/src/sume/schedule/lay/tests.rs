use super::*;
use crate::model::{JobIdType, SignatureReport, SignatureState};

const START: &str = "2026-11-29T12:00:00.000000Z";

/// A verified delivery so many seconds after the first, at work until it gets an ending.
fn came(seq: i64, at_s: f64) -> Delivery {
    let start: Timestamp = START.parse().unwrap();
    let signature = SignatureReport {
        state: SignatureState::Valid,
        scheme: "sume".into(),
        reason: None,
        hints: Vec::new(),
        secret: None,
        age_s: Some(0.0),
    };
    Delivery {
        seq,
        id: format!("00000000-0000-7000-8000-{seq:012}"),
        received_at: rfc3339(start + SignedDuration::from_secs_f64(at_s)),
        method: "POST".into(),
        path: "/hook".into(),
        query: String::new(),
        size: 62,
        signature,
        event: Some("job.completed".into()),
        job_id: Some("job_1".into()),
        job_id_type: JobIdType::String,
        claim: if seq == 1 { ClaimState::Won } else { ClaimState::Duplicate },
        claim_reason: None,
        duplicate_of: (seq > 1).then_some(1),
        body_differs: false,
        ended: None,
        expected_size: None,
        status: None,
        duration_ms: None,
        notes: Vec::new(),
        pinned: false,
    }
}

fn ended(seq: i64, at_s: f64, how: Ended, took_s: Option<f64>, status: Option<u16>) -> Delivery {
    let duration_ms = took_s.map(|took| took * 1e3);
    Delivery { ended: Some(how), status, duration_ms, ..came(seq, at_s) }
}

/// One that was answered.
fn answered(seq: i64, at_s: f64, took_s: f64, status: u16) -> Delivery {
    ended(seq, at_s, Ended::Answered, Some(took_s), Some(status))
}

fn laid_at(deliveries: &[Delivery], now_s: f64) -> JobSchedule {
    let now: Timestamp = START.parse().unwrap();
    lay(deliveries, Schedule::default(), now + SignedDuration::from_secs_f64(now_s)).unwrap()
}

/// As it looks a second after the last delivery.
fn laid(deliveries: &[Delivery]) -> JobSchedule {
    let last: Timestamp = deliveries.last().unwrap().received_at.parse().unwrap();
    let start: Timestamp = START.parse().unwrap();
    laid_at(deliveries, last.duration_since(start).as_secs_f64() + 1.0)
}

fn numbers(laid: &JobSchedule) -> Vec<Option<u32>> {
    laid.attempts.iter().map(|attempt| attempt.attempt).collect()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.01
}

#[test]
fn the_first_is_acknowledged_and_that_is_all() {
    let laid = laid(&[answered(1, 0.0, 0.012, 204)]);
    assert_eq!(numbers(&laid), [Some(1)]);
    assert_eq!((laid.left, laid.acknowledged_by), (0, Some(1)));
    let only = &laid.attempts[0];
    assert_eq!((only.due_ms, only.took_ms, only.too_slow), (Some(0.0), Some(12.0), false));
}

#[test]
fn two_refusals_then_an_acknowledgement() {
    let laid = laid(&[
        answered(1, 0.0, 0.2, 500),
        answered(2, 30.4, 0.1, 503),
        answered(3, 61.3, 0.1, 200),
    ]);
    assert_eq!(numbers(&laid), [Some(1), Some(2), Some(3)]);
    assert_eq!((laid.left, laid.acknowledged_by), (0, Some(3)));
    assert!(close(laid.attempts[1].due_ms.unwrap(), 30_200.0), "{laid:?}");
    // Counted from the end of the second, not from the first.
    assert!(close(laid.attempts[2].due_ms.unwrap(), 60_500.0), "{laid:?}");
    assert!(close(laid.attempts[2].at_ms, 61_300.0));
}

#[test]
fn while_it_is_refused_the_rest_is_left_and_the_window_says_its_end() {
    let laid = laid(&[answered(1, 0.0, 0.0, 500)]);
    assert_eq!((laid.left, laid.acknowledged_by), (9, None));
    // Nine gaps, and eight attempts in between that may each take their 10 s.
    assert!(close(laid.ends_ms, 350_000.0), "{}", laid.ends_ms);
    assert_eq!(laid.ends_at, "2026-11-29T12:05:50.000000Z");
}

#[test]
fn ten_refusals_end_at_270_seconds() {
    let all: Vec<Delivery> = (0..10).map(|n| answered(n + 1, n as f64 * 30.0, 0.0, 500)).collect();
    let laid = laid(&all);
    assert_eq!(numbers(&laid), (1..=10).map(Some).collect::<Vec<_>>());
    assert_eq!(laid.left, 0);
    assert!(close(laid.ends_ms, 270_000.0), "{}", laid.ends_ms);
}

#[test]
fn c49_a_slow_handler_is_given_up_each_time_and_due_every_40_seconds() {
    let slow = |n: i64| answered(n, (n - 1) as f64 * 40.05, 11.0, 204);
    let laid = laid(&[slow(1), slow(2), slow(3)]);
    assert_eq!(numbers(&laid), [Some(1), Some(2), Some(3)]);
    assert_eq!((laid.left, laid.acknowledged_by), (7, None), "too late is no acknowledgement");
    assert!(laid.attempts.iter().all(|attempt| attempt.too_slow && attempt.overlaps.is_none()));
    assert!(close(laid.attempts[2].due_ms.unwrap(), 80_050.0), "{laid:?}");
}

#[test]
fn a_sender_that_left_at_its_timeout_is_the_same() {
    let left = |n: i64, at_s| ended(n, at_s, Ended::SenderLeft, Some(12.0), None);
    let laid = laid(&[left(1, 0.0), left(2, 40.1)]);
    assert_eq!(numbers(&laid), [Some(1), Some(2)]);
    assert_eq!(laid.attempts[0].took_ms, Some(12_000.0));
    assert!(laid.attempts[0].too_slow);
}

#[test]
fn an_attempt_overlaps_the_one_that_is_still_at_work() {
    let first = answered(1, 0.0, 45.0, 204);
    let laid_after = laid(&[first, answered(2, 40.2, 0.1, 204)]);
    assert_eq!(numbers(&laid_after), [Some(1), Some(2)]);
    assert_eq!(laid_after.attempts[1].overlaps, Some(1));
    assert_eq!(laid_after.acknowledged_by, Some(2));

    // Also while nobody knows yet how long the first takes.
    let laid_before = laid(&[came(1, 0.0), answered(2, 40.2, 0.1, 204)]);
    assert_eq!(laid_before.attempts[1].overlaps, Some(1));
    assert_eq!(laid_before.attempts[0].took_ms, None);
    assert!(laid_before.attempts[0].too_slow, "its 10 s are over");
}

#[test]
fn a_second_delivery_during_a_first_of_11_seconds_overlaps_and_is_no_attempt() {
    let laid = laid(&[answered(1, 0.0, 11.0, 204), answered(2, 9.0, 0.1, 204)]);
    assert_eq!(numbers(&laid), [Some(1), None]);
    assert_eq!(laid.attempts[1].overlaps, Some(1));
    assert!(laid.attempts[0].too_slow && !laid.attempts[1].too_slow);
    assert_eq!(
        (laid.acknowledged_by, laid.left),
        (Some(2), 9),
        "what a Redeliver ends is not known"
    );
}

#[test]
fn a_redeliver_in_the_middle_has_no_number_and_shifts_nothing() {
    let laid = laid(&[
        answered(1, 0.0, 0.1, 500),
        answered(2, 12.0, 0.1, 500),
        answered(3, 30.3, 0.1, 500),
        answered(4, 60.5, 0.1, 204),
    ]);
    assert_eq!(numbers(&laid), [Some(1), None, Some(2), Some(3)]);
    assert_eq!(laid.attempts[1].due_ms, None);
}

#[test]
fn of_two_about_one_moment_the_nearer_is_the_attempt() {
    let laid = laid(&[
        answered(1, 0.0, 0.1, 500),
        answered(2, 28.5, 0.1, 500),
        answered(3, 30.2, 0.1, 500),
        answered(4, 60.4, 0.1, 500),
    ]);
    assert_eq!(numbers(&laid), [Some(1), None, Some(2), Some(3)]);
}

#[test]
fn after_an_acknowledgement_everything_is_a_redeliver() {
    let laid = laid(&[
        answered(1, 0.0, 0.1, 204),
        answered(2, 30.1, 0.1, 204),
        answered(3, 95.0, 0.1, 204),
    ]);
    assert_eq!(numbers(&laid), [Some(1), None, None]);
    assert_eq!((laid.left, laid.acknowledged_by), (0, Some(1)));
}

#[test]
fn of_a_double_delivery_one_is_the_attempt() {
    let laid = laid(&[
        answered(1, 0.0, 0.1, 500),
        answered(2, 0.001, 0.1, 500),
        answered(3, 30.2, 0.1, 500),
        answered(4, 30.203, 0.1, 500),
        answered(5, 60.4, 0.1, 204),
    ]);
    assert_eq!(numbers(&laid), [Some(1), None, Some(2), None, Some(3)]);
    assert_eq!(laid.attempts[1].overlaps, Some(1));
    assert_eq!(laid.attempts[3].overlaps, Some(3));
}

#[test]
fn a_lost_attempt_leaves_a_gap_of_two_periods() {
    for (at_s, number, why) in [
        (60.2, Some(3), "refused at once"),
        (70.3, Some(3), "timed out"),
        (100.5, Some(4), "one refused, one timed out"),
        (50.0, None, "between two attempts"),
        (65.0, None, "no attempt was due"),
    ] {
        let laid = laid(&[answered(1, 0.0, 0.1, 500), answered(2, at_s, 0.1, 500)]);
        assert_eq!(numbers(&laid), [Some(1), number], "{at_s}: {why}");
    }
}

#[test]
fn what_fits_two_attempts_gets_no_number() {
    // Four refused at once are 150 s, three of which timed out are 150 s as well.
    let laid = laid(&[answered(1, 0.0, 0.0, 500), answered(2, 150.0, 0.1, 500)]);
    assert_eq!(numbers(&laid), [Some(1), None]);
    assert!(laid.left < 9, "{}", laid.left);
}

#[test]
fn a_late_attempt_is_still_the_next_one() {
    let laid = laid(&[
        answered(1, 0.0, 0.0, 500),
        answered(2, 36.0, 0.0, 500),
        answered(3, 66.2, 0.0, 204),
    ]);
    assert_eq!(numbers(&laid), [Some(1), Some(2), Some(3)]);
    let second = &laid.attempts[1];
    assert!(close(second.at_ms - second.due_ms.unwrap(), 6_000.0), "{second:?}");
}

#[test]
fn attempts_whose_moment_is_over_are_not_left() {
    let refused = [answered(1, 0.0, 0.1, 500)];
    for (now_s, left) in
        [(1.0, 9), (30.0, 9), (39.0, 8), (79.0, 7), (300.0, 2), (361.0, 0), (9_000.0, 0)]
    {
        assert_eq!(laid_at(&refused, now_s).left, left, "at {now_s} s");
    }
}

#[test]
fn after_the_window_a_delivery_is_a_redeliver() {
    let mut all: Vec<Delivery> =
        (0..10).map(|n| answered(n + 1, n as f64 * 30.05, 0.0, 500)).collect();
    all.push(answered(11, 300.5, 0.1, 204));
    let laid = laid(&all);
    assert_eq!(laid.attempts[9].attempt, Some(10));
    assert_eq!(laid.attempts[10].attempt, None, "there is no eleventh");
    assert_eq!((laid.left, laid.acknowledged_by), (0, Some(11)));
}

#[test]
fn what_is_not_verified_counts_for_nothing() {
    let forged = |seq, at_s| Delivery {
        claim: ClaimState::None,
        duplicate_of: None,
        ..answered(seq, at_s, 0.0, 204)
    };
    let verified =
        Delivery { claim: ClaimState::Won, duplicate_of: None, ..answered(2, 5.0, 0.1, 500) };
    let laid = laid(&[forged(1, 0.0), verified, forged(3, 35.1)]);
    assert_eq!(numbers(&laid), [None, Some(1), None]);
    assert_eq!((laid.acknowledged_by, laid.left), (None, 9));
    assert_eq!(laid.attempts[1].due_ms, Some(5_000.0), "times are from the first delivery of all");
    let now = START.parse().unwrap();
    assert_eq!(lay(&[forged(1, 0.0)], Schedule::default(), now), None);
    assert_eq!(lay(&[], Schedule::default(), now), None);
}

#[test]
fn another_event_of_the_job_is_no_attempt() {
    let other = Delivery { event: Some("job.failed".into()), ..answered(2, 30.1, 0.1, 204) };
    let laid = laid(&[answered(1, 0.0, 0.1, 500), other]);
    assert_eq!(numbers(&laid), [Some(1), None]);
}

#[test]
fn without_the_first_ones_nothing_is_counted() {
    let now = START.parse().unwrap();
    let rest = [answered(7, 0.0, 0.1, 500), answered(8, 30.1, 0.1, 204)];
    assert_eq!(lay(&rest, Schedule::default(), now), None, "the delivery that won is gone");
}

#[test]
fn c50_a_connection_that_was_cut_ends_the_attempt_when_it_was_cut() {
    let cut = ended(1, 0.0, Ended::Refused, Some(0.002), None);
    let laid = laid(&[cut, answered(2, 30.1, 0.1, 204)]);
    assert_eq!(numbers(&laid), [Some(1), Some(2)]);
    assert_eq!((laid.attempts[0].took_ms, laid.acknowledged_by), (None, Some(2)));
}

#[test]
fn c48_one_that_was_interrupted_may_have_ended_at_once_or_timed_out() {
    for at_s in [29.0, 34.0, 41.0] {
        let laid =
            laid(&[ended(1, 0.0, Ended::Interrupted, None, None), answered(2, at_s, 0.1, 204)]);
        assert_eq!(numbers(&laid), [Some(1), Some(2)], "{at_s}");
        assert_eq!(laid.attempts[1].overlaps, None);
    }
}

#[test]
fn the_order_is_that_of_the_moments() {
    let laid = laid_at(&[answered(1, 0.001, 0.1, 500), answered(2, 0.0, 0.1, 500)], 1.0);
    assert_eq!(laid.attempts.iter().map(|attempt| attempt.seq).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(numbers(&laid), [Some(1), None]);
}
