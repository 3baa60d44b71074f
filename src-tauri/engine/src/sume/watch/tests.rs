use super::*;
use crate::{clock::FixedClock, model::Retention, store::Role, sume::problem::Refusal};
use std::sync::Arc;

const PACE: Pace = Pace {
    first: Duration::from_secs(5),
    least: Duration::from_secs(5),
    most: Duration::from_secs(60),
    grace: Duration::from_secs(45),
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn entry() -> WatchEntry {
    fresh("job_1".into(), Duration::from_secs(90), at(0), PACE)
}

fn status(state: JobState, word: &str) -> Sight {
    Sight::Status(state, word.into())
}

fn refused(status: u16, retry_after: Option<u64>) -> Sight {
    Sight::Failed(SumeError::Refused(Box::new(Refusal {
        what: "The job's status",
        status,
        code: None,
        message: None,
        request_id: Some("req_1".into()),
        retry_after: retry_after.map(Duration::from_secs),
    })))
}

fn wait(entry: &WatchEntry, now: i64) -> f64 {
    entry.next.unwrap().duration_since(at(now)).as_secs_f64()
}

#[test]
fn looks_become_rarer_up_to_a_minute() {
    let mut entry = entry();
    assert_eq!(wait(&entry, 0), 5.0);
    let mut waits = Vec::new();
    for _ in 0..12 {
        entry = after(entry, status(JobState::Open, "running"), at(0), PACE, 0.5);
        waits.push(wait(&entry, 0));
    }
    assert_eq!(waits[..3], [5.0, 7.5, 11.25]);
    assert_eq!(waits[11], 60.0);
    assert!(waits.is_sorted());
    let jittered =
        |jitter| wait(&after(entry.clone(), status(JobState::Open, ""), at(0), PACE, jitter), 0);
    assert_eq!((jittered(0.0), jittered(1.0)), (48.0, 72.0));
}

#[test]
fn a_job_that_is_expected_at_once_is_looked_at_soon() {
    let entry = fresh("job_1".into(), Duration::from_secs(1), at(0), PACE);
    assert_eq!(wait(&entry, 0), 1.0);
    let entry = after(entry, status(JobState::Completed, "completed"), at(1), PACE, 0.5);
    assert_eq!((entry.state, wait(&entry, 1)), (WatchState::Waiting, 1.0), "its grace is as short");
}

#[test]
fn a_finished_job_without_a_delivery_is_missed_after_the_grace() {
    let entry = after(entry(), status(JobState::Failed, "FAILED"), at(10), PACE, 0.5);
    assert_eq!((entry.state, entry.word.as_deref()), (WatchState::Waiting, Some("FAILED")));
    assert_eq!(passed(entry.clone(), at(54)).state, WatchState::Waiting);
    let missed = passed(entry, at(55));
    assert_eq!((missed.state, missed.next), (WatchState::Missed, None));
    assert!(settled(&missed));
    // Its redelivery comes.
    let delivered = after(missed, Sight::Delivery(7), at(60), PACE, 0.5);
    assert_eq!((delivered.state, delivered.delivery), (WatchState::Delivered, Some(7)));
}

#[test]
fn a_job_is_late_and_still_looked_at() {
    let late = passed(entry(), at(90));
    assert_eq!((late.state, settled(&late)), (WatchState::Late, false));
    let late = after(late, status(JobState::Open, "running"), at(91), PACE, 0.5);
    assert_eq!(late.state, WatchState::Late);
}

#[test]
fn a_word_that_is_not_known_is_said_and_asked_again() {
    let entry = after(entry(), status(JobState::Unknown, "Archived"), at(5), PACE, 0.5);
    assert!(entry.problem.as_ref().unwrap().contains("Archived"));
    assert!(!settled(&entry));
    let entry = after(entry, status(JobState::Open, "running"), at(9), PACE, 0.5);
    assert_eq!(entry.problem, None);
}

#[test]
fn a_job_that_sume_does_not_know_is_given_up_after_a_few_looks() {
    let mut entry = entry();
    for look in 1..=3 {
        entry = after(entry, refused(404, None), at(look), PACE, 0.5);
        assert_eq!((entry.state, settled(&entry)), (WatchState::Unknown, look == 3));
    }
    let problem = entry.problem.clone().unwrap();
    assert!(problem.contains("404") && problem.contains("req_1"), "{problem}");
    // It was only young: its webhook comes all the same.
    assert_eq!(after(entry, Sight::Delivery(1), at(9), PACE, 0.5).state, WatchState::Delivered);
}

#[test]
fn what_the_api_asks_for_is_kept_to_within_reason() {
    let wait_after = |sight| wait(&after(entry(), sight, at(0), PACE, 0.5), 0);
    assert_eq!(wait_after(refused(429, Some(120))), 120.0);
    assert_eq!(wait_after(refused(429, Some(0))), 5.0, "never quicker than the usual pace");
    assert_eq!(wait_after(refused(503, Some(1_000_000))), 600.0);
    assert_eq!(wait_after(refused(401, None)), 60.0);
    let failed = after(entry(), refused(500, None), at(0), PACE, 0.5);
    assert_eq!(failed.state, WatchState::Waiting, "a fault of the API says nothing of the job");
}

fn watch(folder: &tempfile::TempDir, clock: &Arc<FixedClock>) -> Watch {
    let store = Store::open(folder.path(), Role::Owner, Retention::default()).unwrap();
    Watch::new(store, clock.clone(), PACE)
}

#[tokio::test(flavor = "multi_thread")]
async fn c85_the_list_outlives_a_restart_and_a_sleep() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock::at_micros(at(0).as_microsecond()));
    let first = watch(&folder, &clock);
    first.add(vec!["a".into(), "b".into()], Duration::from_secs(90)).await.unwrap();
    drop(first);

    let mut second = watch(&folder, &clock);
    assert!(second.turn(None, None).await.unwrap().changed.is_empty());
    clock.set_micros(at(4_000).as_microsecond());
    let turn = second.turn(None, None).await.unwrap();
    assert_eq!(turn.changed.len(), 2);
    assert!(turn.changed.iter().all(|entry| entry.state == WatchState::Late));
    assert!(second.turn(None, None).await.unwrap().changed.is_empty(), "it is told once");
    for entry in second.store.watched().unwrap() {
        assert!(second.is_due(&entry, at(4_000)));
        // A clock that is put back does not put a look off for ever.
        let far = WatchEntry { next: Some(at(4_000)), ..entry };
        assert!(second.is_due(&far, at(0)));
        assert!(!second.is_due(&far, at(3_900)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_watched_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock::at_micros(at(0).as_microsecond()));
    let watch = watch(&folder, &clock);
    for ids in [vec![], vec![String::new()], vec!["..".into()], vec!["x".into(); 201]] {
        assert!(watch.add(ids, Duration::ZERO).await.is_err());
    }
    let week = Duration::from_secs(LONGEST_S + 1);
    assert!(watch.add(vec!["a".into()], week).await.is_err());
    assert!(watch.store.watched().unwrap().is_empty());
}
