//! Retention, pins, clearing, runs.

use crate::support::*;
use hooktwice_engine::{
    model::{
        CopyOutcome, CopyReport, DeliveryQuery, ForwardReport, Release, Retention, RunReport,
        RunState,
    },
    store::{Finish, Role, Store},
};
use std::fs;

fn seqs(store: &Store) -> Vec<i64> {
    store.list(&DeliveryQuery::default()).unwrap().rows.iter().rev().map(|row| row.seq).collect()
}

#[tokio::test]
async fn the_oldest_go_first_and_never_a_pinned_one() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        Store::open(folder.path(), Role::Owner, Retention { deliveries: 5, bytes: 0 }).unwrap();
    store.record(delivery("a")).await.unwrap();
    store.pin(1, true).await.unwrap();
    for n in 2..=10 {
        store.record(delivery(&format!("job_{n}"))).await.unwrap();
    }
    until("retention by count", || seqs(&store) == [1, 7, 8, 9, 10]);
    // The claims of what is gone stay.
    assert_eq!(store.record(delivery("job_2")).await.unwrap().duplicate_of, Some(2));
    store.set_retention(Retention { deliveries: 2, bytes: 0 });
    until("retention by a new count", || seqs(&store) == [1, 11]);
    for gone in [2, 6, 10] {
        assert!(store.show(gone).unwrap().is_none());
        assert!(store.body(gone, None).unwrap().is_none());
    }
}

#[tokio::test]
async fn bytes_are_limited_and_free_pages_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 0..100 {
        store.record(with_body(delivery(&format!("job_{n}")), vec![0; 100_000])).await.unwrap();
    }
    store.set_retention(Retention { deliveries: 0, bytes: 1_050_000 });
    until("retention by bytes", || seqs(&store) == (91..=100).collect::<Vec<_>>());
    let file = folder.path().join("hooktwice.db");
    let pages = || {
        foreign(folder.path())
            .pragma_query_value(None, "page_count", |row| row.get::<_, u32>(0))
            .unwrap()
    };
    until("fewer pages", || pages() < 1000);
    drop(store);
    assert!(fs::metadata(&file).unwrap().len() < 4_000_000);
}

#[tokio::test]
async fn clearing_keeps_what_is_pinned_and_deleting_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let record = |n| {
        let (store, new) = (store.clone(), delivery(&format!("job_{n}")));
        tokio::spawn(async move { store.record(new).await.unwrap() })
    };
    for task in (0..1200).map(record).collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(store.pin(7, true).await.unwrap(), 1);
    assert_eq!(store.pin(7, true).await.unwrap(), 0);
    assert_eq!(store.pin(5000, true).await.unwrap(), 0);
    assert!(store.show(7).unwrap().unwrap().delivery.pinned);
    assert_eq!(store.clear().await.unwrap(), 1199);
    assert_eq!(seqs(&store), [7]);
    assert_eq!(store.claims(1, 0).unwrap().1, 1200);
    assert_eq!(store.delete(vec![7, 8]).await.unwrap(), 1);
    assert!(seqs(&store).is_empty());
    // An ending that comes after its delivery was deleted is for nobody.
    store.finish(7, answered(204));
    store.flush().await.unwrap();
    let orphans = "SELECT count(*) FROM answers";
    let orphans: i64 = foreign(folder.path()).query_row(orphans, [], |row| row.get(0)).unwrap();
    assert_eq!(orphans, 0);
}

fn run(n: u32, state: RunState) -> RunReport {
    let copy = CopyReport {
        n: 1,
        local_port: None,
        connected_ms: Some(-1.5),
        written_ms: None,
        released_us: Some(0.0),
        first_byte_ms: Some(0.1),
        total_ms: Some(0.2),
        status: Some(204),
        outcome: CopyOutcome::Answered,
        error: None,
        warnings: vec![],
        location: None,
        response_body: "ok".into(),
    };
    RunReport {
        id: format!("run_{n:04}"),
        started_at: format!("2026-01-01T00:00:00.{n:06}Z"),
        url: "http://127.0.0.1:1".into(),
        release: Release::Gap { ms: 0.5 },
        copies_planned: 1,
        state,
        copies: vec![copy],
        summary: None,
        error: None,
    }
}

#[tokio::test]
async fn what_became_of_a_forward_is_kept_counted_and_deleted_with_its_delivery() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let report = |length: usize| ForwardReport {
        url: "http://localhost:3000/hook".into(),
        copies: vec![CopyReport {
            response_body: "x".repeat(length),
            ..run(1, RunState::Done).copies.remove(0)
        }],
        problem: Some("The handler is down.".into()),
    };
    for n in 1..=3 {
        store.record(delivery(&format!("job_{n}"))).await.unwrap();
        store.forwarded(n, &report(100_000));
        let answer = vec![b'x'; 50_000].into();
        store.finish(n, Finish { response_body: answer, ..answered(200) });
    }
    // The first one is kept, and what is of no delivery is for nobody.
    store.forwarded(1, &report(1));
    store.forwarded(99, &report(1));
    store.flush().await.unwrap();
    assert_eq!(store.show(1).unwrap().unwrap().forward, Some(report(100_000)));
    assert_eq!(store.job(&key("job_1"), 1).unwrap().1, 1);
    let count =
        |sql: &str| foreign(folder.path()).query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(count("SELECT min(stored) FROM deliveries") > 150_000, "the answers are counted");
    store.set_retention(Retention { deliveries: 0, bytes: 400_000 });
    until("retention by what came late", || seqs(&store) == [2, 3]);
    assert_eq!(count("SELECT count(*) FROM forwards"), 2);
    drop(store);
    // The same after a new start, which counts again.
    let store = owner(folder.path());
    assert_eq!(store.delete(vec![2]).await.unwrap(), 1);
    store.clear().await.unwrap();
    assert_eq!(count("SELECT count(*) FROM forwards"), 0);
}

#[tokio::test]
async fn the_last_two_hundred_runs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 0..=200 {
        store.save_run(run(n, RunState::Running)).await.unwrap();
    }
    store.save_run(run(150, RunState::Done)).await.unwrap();
    let listed = store.runs(0).unwrap();
    assert_eq!((listed.len(), listed[0].id.as_str(), listed[0].copies.len()), (200, "run_0200", 0));
    assert_eq!(store.runs(3).unwrap(), listed[..3]);
    assert_eq!(store.run("run_0150").unwrap(), Some(run(150, RunState::Done)));
    assert_eq!(store.run("run_0000").unwrap(), None);
}
