//! Deleting with undo: what comes back is what went, and no lock is overwritten.

use crate::support::*;
use hooktwice_engine::{
    error::ErrorCode,
    model::{
        ClaimSelector, ClaimState, DeliveryQuery, ForwardReport, JobIdType, RestoredClaims,
        Retention,
    },
    store::{Role, Store},
};
use rusqlite::types::Value;
use std::path::Path;

/// Every row of what is kept of deliveries and claims, with every value.
fn rows(folder: &Path) -> Vec<Vec<Value>> {
    let database = foreign(folder);
    let mut rows = Vec::new();
    for table in ["deliveries", "contents", "answers", "forwards", "claims"] {
        let mut statement = database.prepare(&format!("SELECT * FROM {table} ORDER BY 1")).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            rows.push((0..columns).map(|column| row.get(column).unwrap()).collect());
        }
    }
    rows
}

fn seqs(store: &Store, filter: &str) -> Vec<i64> {
    let query = DeliveryQuery { filter: filter.into(), ..DeliveryQuery::default() };
    store.list(&query).unwrap().rows.iter().map(|row| row.seq).collect()
}

fn which(job_id: &str) -> Option<ClaimSelector> {
    Some(ClaimSelector { job_id: job_id.into(), job_id_type: JobIdType::String, path: None })
}

#[tokio::test]
async fn a_deleted_delivery_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for body in [&b"{\"n\":1.0}\n"[..], b"\0\xff\xfe", b""] {
        store.record(with_body(delivery("a"), body)).await.unwrap();
    }
    store.finish(1, answered(204));
    store.finish(2, answered(500));
    let report = ForwardReport { url: "http://h/".into(), copies: vec![], problem: None };
    store.forwarded(2, &report);
    store.pin(2, true).await.unwrap();
    store.flush().await.unwrap();
    let before = rows(folder.path());

    assert_eq!(store.discard(vec![3, 2, 99]).await.unwrap(), Some(2));
    assert_eq!(seqs(&store, ""), [1]);
    assert!(store.body(2, None).unwrap().is_none());
    // The claim is held by what is gone.
    assert_eq!(store.claims(0, 0).unwrap().0[0].deliveries, 3);
    // A number is not given again meanwhile.
    assert_eq!(store.record(delivery("b")).await.unwrap().seq, 4);
    store.delete(vec![4]).await.unwrap();
    store.release(which("b").unwrap()).await.unwrap();

    assert_eq!(store.restore(vec![2, 3, 2]).await.unwrap(), 2);
    assert_eq!(rows(folder.path()), before);
    assert_eq!(seqs(&store, ""), [3, 2, 1]);
    // Once.
    let error = store.restore(vec![2]).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert!(error.to_string().contains("#2"), "{error}");
}

#[tokio::test]
async fn several_come_back_one_by_one_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for job in ["a", "b", "c"] {
        store.record(delivery(job)).await.unwrap();
    }
    for seq in [1, 3, 2] {
        store.discard(vec![seq]).await.unwrap();
    }
    for (seq, left) in [(2, &[2][..]), (3, &[3, 2]), (1, &[3, 2, 1])] {
        store.restore(vec![seq]).await.unwrap();
        assert_eq!(seqs(&store, ""), left);
    }
}

#[tokio::test]
async fn an_answer_that_was_on_its_way_is_there_when_it_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    store.record(delivery("a")).await.unwrap();
    store.record(delivery("b")).await.unwrap();
    store.discard(vec![1]).await.unwrap();
    store.finish(1, answered(202));
    store.finish(2, answered(204));
    store.flush().await.unwrap();
    store.restore(vec![1]).await.unwrap();
    assert_eq!(store.show(1).unwrap().unwrap().delivery.status, Some(202));
    // And one that comes later still.
    store.discard(vec![2]).await.unwrap();
    store.restore(vec![2]).await.unwrap();
    assert_eq!(store.show(2).unwrap().unwrap().delivery.status, Some(204));
}

#[tokio::test]
async fn what_comes_back_is_found_by_its_words() {
    const SEGMENT: i64 = 4096;
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let records = (1..SEGMENT).map(|n| {
        let colour = if n == 1 || n == 2000 { "Ochre" } else { "blue" };
        store.record(with_body(delivery(&format!("job_{n}")), colour))
    });
    for recorded in futures_util::future::join_all(records).await {
        recorded.unwrap();
    }
    let indexed = || {
        let count = "SELECT count(*) FROM grams";
        foreign(folder.path()).query_row(count, [], |row| row.get::<_, i64>(0)).unwrap() > 0
    };
    // The word is remembered, and the segment is indexed, without them.
    store.discard(vec![1, 2000]).await.unwrap();
    until("the segment's index", indexed);
    assert_eq!(seqs(&store, "ochre"), Vec::<i64>::new());
    store.restore(vec![2000]).await.unwrap();
    assert_eq!(seqs(&store, "ochre"), [2000]);
    store.restore(vec![1]).await.unwrap();
    assert_eq!(seqs(&store, "ochre"), [2000, 1]);
    assert_eq!(seqs(&guest(folder.path()), "ochre"), [2000, 1]);
    // The index comes again, with them.
    store.record(delivery("late")).await.unwrap();
    until("the segment's index again", indexed);
    drop(store);
    assert_eq!(seqs(&owner(folder.path()), "ochre"), [2000, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_come_in_while_others_go_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 0..50 {
        store.record(delivery(&format!("old_{n}"))).await.unwrap();
    }
    let before: Vec<i64> = (1..=50).collect();
    let streams: Vec<_> = (0..8)
        .map(|stream| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0..100 {
                    let new = store.record(delivery(&format!("new_{stream}_{n}"))).await.unwrap();
                    store.finish(new.seq, answered(204));
                }
            })
        })
        .collect();
    for seq in &before {
        assert_eq!(store.discard(vec![*seq]).await.unwrap(), Some(1));
        assert_eq!(store.restore(vec![*seq]).await.unwrap(), 1);
    }
    for stream in streams {
        stream.await.unwrap();
    }
    store.flush().await.unwrap();
    assert_eq!(seqs(&store, ""), (1..=850).rev().collect::<Vec<_>>());
    assert_eq!(store.claims(1, 0).unwrap().1, 850);
}

#[tokio::test]
async fn retention_counts_what_came_back() {
    let folder = tempfile::tempdir().unwrap();
    let three = Retention { deliveries: 3, bytes: 0 };
    let store = Store::open(folder.path(), Role::Owner, three).unwrap();
    for job in ["a", "b", "c"] {
        store.record(delivery(job)).await.unwrap();
    }
    store.discard(vec![2]).await.unwrap();
    store.record(delivery("d")).await.unwrap();
    store.pin(1, true).await.unwrap();
    store.restore(vec![2]).await.unwrap();
    until("retention after it came back", || seqs(&store, "") == [4, 3, 1]);
}

#[tokio::test]
async fn what_is_too_large_to_be_kept_is_not_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for _ in 0..7 {
        store.record(with_body(delivery("large"), vec![0; 10 * 1024 * 1024])).await.unwrap();
    }
    assert_eq!(store.discard((1..=7).collect()).await.unwrap(), None);
    assert_eq!(store.counts("").unwrap().all, 7);
    assert_eq!(store.discard((1..=6).collect()).await.unwrap(), Some(6));
    // Beside them there is no room for another; none of them is given up for it.
    assert_eq!(store.discard(vec![7]).await.unwrap(), None);
    assert_eq!(store.restore((1..=6).collect()).await.unwrap(), 6);
    assert_eq!(store.discard(vec![7]).await.unwrap(), Some(1));
}

#[tokio::test]
async fn released_claims_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for job in ["a", "b", "b", "c"] {
        store.record(delivery(job)).await.unwrap();
    }
    store.record(delivery_of("/other", "b", JobIdType::String)).await.unwrap();
    let before = rows(folder.path());
    let (changed, one) = store.discard_claims(which("b")).await.unwrap().unwrap();
    assert_eq!(changed, 2);
    let (changed, all) = store.discard_claims(None).await.unwrap().unwrap();
    assert_eq!((changed, store.claims(0, 0).unwrap().1), (2, 0));
    let back = |restored| RestoredClaims { restored, taken: 0 };
    assert_eq!(store.restore_claims(all).await.unwrap(), back(2));
    assert_eq!(store.restore_claims(one).await.unwrap(), back(2));
    assert_eq!(rows(folder.path()), before);
    let error = store.restore_claims(one).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
}

#[tokio::test]
async fn a_claim_that_was_taken_anew_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    store.record(delivery("a")).await.unwrap();
    store.record(delivery("b")).await.unwrap();
    let (_, number) = store.discard_claims(None).await.unwrap().unwrap();
    let anew = store.record(delivery("a")).await.unwrap();
    assert_eq!(anew.claim, ClaimState::Won);
    let put = store.restore_claims(number).await.unwrap();
    assert_eq!(put, RestoredClaims { restored: 1, taken: 1 });
    let duplicate = store.record(delivery("a")).await.unwrap();
    assert_eq!(duplicate.duplicate_of, Some(anew.seq));
    assert_eq!(store.record(delivery("b")).await.unwrap().duplicate_of, Some(2));
}

#[tokio::test]
async fn nothing_is_kept_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    store.record(delivery("a")).await.unwrap();
    store.discard(vec![1]).await.unwrap();
    drop(store);
    let error = owner(folder.path()).restore(vec![1]).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
}
