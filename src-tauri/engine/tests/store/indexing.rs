//! The index for bare words: it comes by itself, and no answer depends on it.

use crate::support::*;
use hooktwice_engine::{
    model::DeliveryQuery,
    store::{NewDelivery, Store},
};
use std::path::Path;

/// Deliveries of a segment of the index.
const SEGMENT: i64 = 4096;

/// Deliveries of jobs of their own, all of them at once; the numbers are in order.
async fn fill(store: &Store, count: i64) {
    let first = store.counts("").unwrap().all;
    let records = (0..count).map(|n| {
        let n = first + n.unsigned_abs() + 1;
        let new = delivery(&format!("job_{n}"));
        let body = format!(
            "{{\"n\":{n},\"colour\":\"{}\"}}\0\u{e9}",
            if n.is_multiple_of(700) { "Ochre" } else { "blue" }
        );
        store.record(NewDelivery { job_id: None, ..with_body(new, body) })
    });
    for recorded in futures_util::future::join_all(records).await {
        recorded.unwrap();
    }
}

/// Which segments are indexed.
fn segments(folder: &Path) -> Vec<i64> {
    let database = foreign(folder);
    let mut statement = database.prepare("SELECT DISTINCT id / 256 FROM grams ORDER BY 1").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn matching(store: &Store, filter: &str) -> u64 {
    let query = DeliveryQuery { filter: filter.into(), ..DeliveryQuery::default() };
    let page = store.list(&query).unwrap();
    let quick = store.list(&DeliveryQuery { quick: true, ..query }).unwrap();
    assert_eq!((&quick.rows, quick.total), (&page.rows, page.total), "{filter}");
    assert_eq!(store.counts(filter).unwrap().all, page.total, "{filter}");
    page.total
}

#[tokio::test]
async fn a_segment_is_indexed_when_nothing_comes_in_and_answers_stay_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    // The first segment has no number 0.
    fill(&store, SEGMENT + 100).await;
    let all = (SEGMENT + 100).unsigned_abs();
    let expect = |store: &Store, all: u64| {
        assert_eq!(matching(store, "OCHRE"), all / 700);
        assert_eq!(matching(store, "blue"), all - all / 700);
        assert_eq!(matching(store, "nowhere"), 0);
        assert_eq!(matching(store, "\"\0\u{e9}\""), all);
        assert_eq!(matching(store, "\"n\\\":4195,\""), 1);
    };
    expect(&store, all);
    until("the first segment's index", || segments(folder.path()) == [0]);
    // Another store has remembered nothing.
    drop(store);
    let store = owner(folder.path());
    expect(&store, all);
    expect(&guest(folder.path()), all);

    fill(&store, SEGMENT).await;
    expect(&store, all + SEGMENT.unsigned_abs());
    until("the second segment's index", || segments(folder.path()) == [0, 1]);
    drop(store);
    let store = owner(folder.path());
    expect(&store, all + SEGMENT.unsigned_abs());

    // What nobody can find any more has no index.
    store.pin(SEGMENT + 1, true).await.unwrap();
    store.clear().await.unwrap();
    assert_eq!(segments(folder.path()), [1]);
    assert_eq!(matching(&store, "blue"), 1);
    store.pin(SEGMENT + 1, false).await.unwrap();
    store.clear().await.unwrap();
    assert!(segments(folder.path()).is_empty());
    assert_eq!(matching(&store, "blue"), 0);
}

#[tokio::test]
async fn an_older_database_is_indexed_at_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    fill(&store, SEGMENT).await;
    drop(store);
    foreign(folder.path()).execute("DELETE FROM grams", []).unwrap();
    let store = owner(folder.path());
    until("the index of what was there", || segments(folder.path()) == [0]);
    assert_eq!(matching(&store, "ochre"), 5);
}
