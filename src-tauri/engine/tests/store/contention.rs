//! Beside other programs, and beside itself.

use crate::support::*;
use hooktwice_engine::{
    error::ErrorCode,
    model::{ClaimSelector, ClaimState, DeliveryQuery, JobIdType},
    store::{NewDelivery, StoreError},
};
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

#[tokio::test(flavor = "multi_thread")]
async fn c82_fifty_at_once_beside_a_foreign_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let other = foreign(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let held = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        other.execute_batch("COMMIT").unwrap();
    });
    let tasks: Vec<_> = (0..50)
        .map(|n| {
            let (store, new) = (store.clone(), delivery(&format!("job_{n}")));
            tokio::spawn(async move { store.record(new).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap().claim, ClaimState::Won);
    }
    held.join().unwrap();
}

#[tokio::test]
async fn c82_a_transaction_that_reads_first_does_not_lose_a_claim() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let other = foreign(folder.path());
    other.execute_batch("BEGIN; SELECT count(*) FROM claims;").unwrap();
    assert_eq!(store.record(delivery("x")).await.unwrap().claim, ClaimState::Won);
    // The other one read before us: it is the one that cannot write now.
    assert!(other.execute("DELETE FROM claims", []).is_err());
    assert_eq!(store.record(delivery("x")).await.unwrap().duplicate_of, Some(1));
}

#[tokio::test]
async fn c82_a_lock_that_stays_is_an_error_and_never_a_false_success() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let answered_one = store.record(delivery("a")).await.unwrap();
    let other = foreign(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.finish(answered_one.seq, answered(204));
    let error = store.record(delivery("x")).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    assert_eq!(error.code(), ErrorCode::CannotWrite);
    assert_eq!(store.problem(), Some(error.to_string()));
    other.execute_batch("ROLLBACK").unwrap();
    // What was told as not stored is not there; the ending that failed with it comes with the next group.
    let next = store.record(delivery("x")).await.unwrap();
    assert_eq!((next.seq, next.claim), (2, ClaimState::Won));
    assert_eq!(store.show(1).unwrap().unwrap().delivery.status, Some(204));
    assert_eq!(store.problem(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_be_written_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let poison = "CREATE TRIGGER poison BEFORE INSERT ON contents WHEN NEW.body = x'62' BEGIN
                      SELECT raise(ABORT, 'poisoned'); END";
    foreign(folder.path()).execute_batch(poison).unwrap();
    // All wait behind one lock, so that they are one group.
    let other = foreign(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let send = |n: i32| {
        let body = if n % 5 == 2 { "b" } else { "a" };
        let (store, new) = (store.clone(), with_body(delivery(&format!("job_{n}")), body));
        tokio::spawn(async move { store.record(new).await })
    };
    let tasks: Vec<_> = (0..20).map(send).collect();
    thread::sleep(Duration::from_millis(50));
    other.execute_batch("COMMIT").unwrap();
    let mut stored = Vec::new();
    for (n, task) in tasks.into_iter().enumerate() {
        match task.await.unwrap() {
            Ok(delivery) => stored.push(delivery.seq),
            Err(error) => assert!(n % 5 == 2 && error.to_string().contains("poisoned"), "{error}"),
        }
    }
    stored.sort_unstable();
    // No number is lost, and what was not stored claimed nothing.
    assert_eq!(stored, (1..=16).collect::<Vec<_>>());
    assert_eq!(store.claims(0, 0).unwrap().1, 16);
    assert_eq!(store.record(delivery("job_2")).await.unwrap().claim, ClaimState::Won);
}

#[tokio::test]
async fn an_ending_that_cannot_be_written_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let poison = "CREATE TRIGGER poison BEFORE INSERT ON answers WHEN NEW.status = 418 BEGIN
                      SELECT raise(ABORT, 'poisoned'); END";
    foreign(folder.path()).execute_batch(poison).unwrap();
    for (job_id, status) in [("a", 418), ("b", 204)] {
        let delivery = store.record(delivery(job_id)).await.unwrap();
        store.finish(delivery.seq, answered(status));
    }
    store.flush().await.unwrap();
    assert_eq!(store.show(1).unwrap().unwrap().delivery.status, None);
    assert_eq!(store.show(2).unwrap().unwrap().delivery.status, Some(204));
}

#[tokio::test]
async fn a_guest_reads_and_releases_beside_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let owner = owner(folder.path());
    owner.record(delivery("a")).await.unwrap();
    owner.record(delivery("b")).await.unwrap();
    assert!(!owner.foreign_changes().unwrap());
    let guest = guest(folder.path());
    assert_eq!(guest.list(&DeliveryQuery::default()).unwrap().rows.len(), 2);
    assert!(!owner.foreign_changes().unwrap());
    let which = ClaimSelector { job_id: "a".into(), job_id_type: JobIdType::String, path: None };
    assert_eq!(guest.release(which).await.unwrap(), 1);
    assert!(owner.foreign_changes().unwrap());
    assert!(!owner.foreign_changes().unwrap());
    assert_eq!(owner.record(delivery("a")).await.unwrap().claim, ClaimState::Won);
    assert_eq!(guest.pin(1, true).await.unwrap(), 1);
    assert_eq!(guest.clear().await.unwrap(), 2);
    assert_eq!(owner.record(delivery("c")).await.unwrap().seq, 4);
    let seqs: Vec<_> =
        guest.list(&DeliveryQuery::default()).unwrap().rows.iter().map(|row| row.seq).collect();
    assert_eq!(seqs, [4, 1]);
    let refused = guest.record(delivery("d")).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Internal);
}

#[tokio::test]
async fn a_guest_of_a_fresh_folder_sees_nothing_and_leaves_room_for_an_owner() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("fresh");
    let guest = guest(&folder);
    assert_eq!(guest.list(&DeliveryQuery::default()).unwrap().total, 0);
    assert_eq!(guest.claims(0, 0).unwrap(), (vec![], 0));
    let owner = owner(&folder);
    owner.record(delivery("x")).await.unwrap();
    assert_eq!(guest.list(&DeliveryQuery::default()).unwrap().total, 1);
}

/// What the log may grow to, as log.rs states it.
const LOG: u64 = 64 * 1024 * 1024;

async fn record_many(store: &hooktwice_engine::store::Store, count: usize) {
    let mut sent = 0;
    while sent < count {
        let some: Vec<_> = (sent..count.min(sent + 1000))
            .map(|n| {
                let new = NewDelivery {
                    claim: hooktwice_engine::store::ClaimRequest::None(None),
                    ..delivery("x")
                };
                let store = store.clone();
                tokio::spawn(async move { store.record(new).await.map(|_| n) })
            })
            .collect();
        sent += some.len();
        for one in some {
            one.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c83_the_log_stays_short_beside_readers() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let log = folder.path().join("hooktwice.db-wal");
    let size = || fs::metadata(&log).map_or(0, |data| data.len());
    let done = Arc::new(AtomicBool::new(false));
    let reading = thread::spawn({
        let (store, done) = (store.clone(), done.clone());
        move || {
            let mut reads = 0;
            while !done.load(Ordering::SeqCst) {
                store.list(&DeliveryQuery { limit: 100, ..DeliveryQuery::default() }).unwrap();
                reads += 1;
            }
            reads
        }
    });
    // The store's own readers never hold it back.
    for _ in 0..5 {
        record_many(&store, 10_000).await;
        assert!(size() <= LOG, "{}", size());
    }
    // A reader of another program that stays open does; when it is gone the log is short again.
    let other = foreign(folder.path());
    other.execute_batch("BEGIN; SELECT count(*) FROM deliveries;").unwrap();
    record_many(&store, 50_000).await;
    done.store(true, Ordering::SeqCst);
    assert!(reading.join().unwrap() > 0);
    assert_eq!(store.counts("").unwrap().all, 100_000);
    other.execute_batch("COMMIT").unwrap();
    until("a short log", || size() <= LOG);
}
