//! Windows, filters, counts, kin.

use crate::support::*;
use hooktwice_engine::{
    error::ErrorCode,
    model::{
        ClaimReason, DeliveryCounts, DeliveryQuery, Ended, JobIdType, SignatureReport,
        SignatureState,
    },
    store::{Finish, NewDelivery, Store},
};

/// Six deliveries that differ in everything that can be asked for.
async fn six(store: &Store) {
    let signed = |state, reason: Option<&str>| SignatureReport {
        state,
        scheme: "sume".into(),
        reason: reason.map(Into::into),
        hints: vec![],
        secret: None,
        age_s: None,
    };
    let forged = NewDelivery {
        signature: signed(SignatureState::Invalid, Some("it does not match")),
        event: None,
        ..unclaimed(ClaimReason::NotVerified, Some("job_1"), JobIdType::String)
    };
    let get = NewDelivery {
        method: "GET".into(),
        event: None,
        signature: signed(SignatureState::Unsigned, Some("the header is missing")),
        ..unclaimed(ClaimReason::Method, None, JobIdType::Missing)
    };
    let other = NewDelivery {
        path: "/other".into(),
        event: Some("job.failed".into()),
        ..delivery("job_12")
    };
    let all = [
        (with_body(delivery("job_1"), "a Needle\0 in hay"), Some(answered(204))),
        (with_body(delivery("job_1"), vec![b'x'; 20_000]), Some(answered(204))),
        (forged, Some(answered(401))),
        (get, Some(answered(200))),
        (
            other,
            Some(Finish { ended: Ended::SenderLeft, duration_ms: Some(250.0), ..answered(204) }),
        ),
        (delivery("Job 3*"), None),
    ];
    for (new, finish) in all {
        let delivery = store.record(new).await.unwrap();
        if let Some(finish) = finish {
            store.finish(delivery.seq, finish);
        }
    }
    store.pin(2, true).await.unwrap();
    store.flush().await.unwrap();
}

fn seqs(store: &Store, query: &DeliveryQuery) -> (Vec<i64>, u64) {
    let page = store.list(query).unwrap();
    (page.rows.iter().map(|row| row.seq).collect(), page.total)
}

fn matching(store: &Store, filter: &str) -> Vec<i64> {
    let (mut found, total) =
        seqs(store, &DeliveryQuery { filter: filter.into(), ..DeliveryQuery::default() });
    assert_eq!(found.len() as u64, total);
    assert_eq!(store.counts(filter).unwrap().all, total, "{filter}");
    let quick = DeliveryQuery { filter: filter.into(), quick: true, ..DeliveryQuery::default() };
    assert_eq!(seqs(store, &quick), (found.clone(), total), "{filter}");
    found.reverse();
    found
}

#[tokio::test]
async fn a_filter_finds_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    six(&store).await;
    let id = store.show(5).unwrap().unwrap().delivery.id;
    let cases: &[(&str, &[i64])] = &[
        ("", &[1, 2, 3, 4, 5, 6]),
        ("job:job_1", &[1, 2, 3]),
        ("job:job_1*", &[1, 2, 3, 5]),
        (r#"job:"Job 3*""#, &[6]),
        ("-job:job_1", &[4, 5, 6]),
        ("needle", &[1]),
        ("\"needle\0 in\"", &[1]),
        ("JOB_1", &[1, 2, 3, 5]),
        ("-job_1", &[4, 6]),
        (&id[19..], &[5]),
        ("event:FAILED", &[5]),
        ("-event:failed", &[1, 2, 3, 4, 6]),
        ("path:/OTH", &[5]),
        ("method:get", &[4]),
        ("sig:invalid,unsigned", &[3, 4]),
        ("sig:valid claim:won", &[1, 5, 6]),
        ("claim:duplicate", &[2]),
        ("ended:sender-left", &[5]),
        ("-ended:answered", &[5, 6]),
        ("status>=400", &[3]),
        ("status<400", &[1, 2, 4, 5]),
        ("status:2xx", &[1, 2, 4, 5]),
        ("-status:2xx", &[3, 6]),
        ("status=401", &[3]),
        ("size>10KiB", &[2]),
        ("size<=10KiB -size:0", &[1, 5, 6]),
        ("duration>=250ms", &[5]),
        ("#4", &[4]),
        ("-#4 method:POST -is:duplicate is:failed", &[3, 5]),
        ("is:bad-signature", &[3, 4]),
        ("is:pinned", &[2]),
        ("is:body-differs", &[2]),
        ("'; DROP TABLE deliveries; --", &[]),
        ("%", &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(matching(&store, filter), *expected, "{filter}");
    }
}

#[tokio::test]
async fn a_term_that_is_not_understood_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let terms = [
        "colour:red",
        "status:ok",
        "status>4xx",
        "size>big",
        "sig:wrong",
        "sig:",
        "claim:won,lost",
        "job>1",
        "is:odd",
        "duration<1h",
        "\"open",
        "http://here",
        "-ended:never",
        "status:70000",
    ];
    for term in terms {
        let query =
            DeliveryQuery { filter: format!("claim:won {term}"), ..DeliveryQuery::default() };
        let error = store.list(&query).unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadInput, "{term}");
        assert!(error.to_string().contains(&format!("term {term} ")), "{error}");
        assert_eq!(store.counts(&query.filter).unwrap_err().to_string(), error.to_string());
    }
    let long = DeliveryQuery { filter: "a ".repeat(5000), ..DeliveryQuery::default() };
    assert_eq!(store.list(&long).unwrap_err().code(), ErrorCode::BadInput);
    let many = DeliveryQuery { filter: "a ".repeat(100), ..DeliveryQuery::default() };
    assert_eq!(store.list(&many).unwrap_err().code(), ErrorCode::BadInput);
}

#[tokio::test]
async fn a_window_is_the_same_with_a_filter_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 0..10 {
        store.record(delivery(&format!("job_{n}"))).await.unwrap();
    }
    for filter in ["", "claim:won", "completed"] {
        let query = |limit, before, offset| DeliveryQuery {
            filter: filter.into(),
            limit,
            before,
            offset,
            quick: false,
        };
        assert_eq!(seqs(&store, &query(3, None, 0)), (vec![10, 9, 8], 10));
        assert_eq!(seqs(&store, &query(3, None, 8)), (vec![2, 1], 10));
        assert_eq!(seqs(&store, &query(3, Some(5), 1)), (vec![3, 2, 1], 10));
        assert_eq!(seqs(&store, &query(0, Some(3), 0)), (vec![2, 1], 10));
        assert_eq!(seqs(&store, &query(5, None, 100)), (vec![], 10));
    }
}

#[tokio::test]
async fn a_quick_window_says_whether_there_is_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 0..10 {
        store.record(delivery(&format!("job_{n}"))).await.unwrap();
    }
    for filter in ["claim:won", "completed", "claim:won \"job_\""] {
        let page = |limit, before, offset| {
            let filter = filter.into();
            let query = DeliveryQuery { filter, limit, before, offset, quick: true };
            let page = store.list(&query).unwrap();
            let rows: Vec<i64> = page.rows.iter().map(|row| row.seq).collect();
            (rows, page.total, page.more)
        };
        // The second time round the words are known.
        for _ in 0..2 {
            assert_eq!(page(3, None, 0), (vec![10, 9, 8], 3, true), "{filter}");
            assert_eq!(page(3, None, 7), (vec![3, 2, 1], 10, false), "{filter}");
            assert_eq!(page(0, Some(3), 0), (vec![2, 1], 2, false), "{filter}");
            assert_eq!(matching(&store, filter).len(), 10);
        }
    }
}

#[tokio::test]
async fn the_chips_count_under_the_filter() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    assert_eq!(store.counts("").unwrap(), DeliveryCounts::default());
    six(&store).await;
    let counts = |all, duplicates, bad_signature, failed| DeliveryCounts {
        all,
        duplicates,
        bad_signature,
        failed,
    };
    assert_eq!(store.counts("").unwrap(), counts(6, 1, 2, 2));
    assert_eq!(store.counts("job:job_1").unwrap(), counts(3, 1, 1, 1));
    assert_eq!(store.counts("nothing").unwrap(), counts(0, 0, 0, 0));
}

#[tokio::test]
async fn a_job_is_listed_oldest_first_with_its_forged_ones() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    six(&store).await;
    let job = |limit| {
        let (rows, total) = store.job(&key("job_1"), limit).unwrap();
        (rows.iter().map(|row| row.seq).collect::<Vec<_>>(), total)
    };
    assert_eq!(job(500), (vec![1, 2, 3], 3));
    assert_eq!(job(2), (vec![2, 3], 3));
    assert_eq!(store.job(&key("job_9"), 500).unwrap(), (vec![], 0));
}
