//! What goes in comes out, byte for byte, and in order.

use crate::support::*;
use bytes::Bytes;
use hooktwice_engine::{
    model::{Ended, HeaderValue, JobIdType, SignatureReport, SignatureState},
    store::{Finish, NewDelivery},
};

#[tokio::test]
async fn every_byte_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let body: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let head =
        Bytes::from_static(b"PUT /a?b?c HTTP/1.0\r\nX-A: 1\r\nx-a:  \xe9 \r\nX-A: 3\r\n\r\n");
    let new = NewDelivery {
        head: head.clone(),
        method: "PUT".into(),
        path: "/a".into(),
        query: "b?c".into(),
        trailers: Bytes::from_static(b"Sum: 1\r\n"),
        signature: SignatureReport {
            state: SignatureState::Stale,
            scheme: "sume".into(),
            reason: Some("the timestamp is 400 s old".into()),
            hints: vec!["a \"quoted\" hint".into(), "\u{1F600}".into()],
            secret: Some("old".into()),
            age_s: Some(400.25),
        },
        notes: vec!["odd".into()],
        expected_size: Some(u64::from(u32::MAX) * 5),
        ..with_body(delivery_of("/a", "nul\0id", JobIdType::String), body.clone())
    };
    let mut delivery = store.record(new.clone()).await.unwrap();
    assert_eq!((delivery.seq, delivery.size, delivery.ended), (1, 100_000, None));
    assert_eq!(store.show(1).unwrap().unwrap().delivery, delivery);

    let finish = Finish { notes: vec!["late".into()], ..answered(204) };
    store.finish(1, finish.clone());
    store.flush().await.unwrap();
    finish.apply(&mut delivery);
    let detail = store.show(1).unwrap().unwrap();
    assert_eq!(detail.delivery, delivery);
    assert_eq!(delivery.notes, ["odd", "late"]);
    assert_eq!((delivery.status, delivery.duration_ms), (Some(204), Some(0.75)));
    assert_eq!(detail.http_version, "1.0");
    assert_eq!(detail.peer, "127.0.0.1:4711");
    assert_eq!(detail.body_sha256, hex::encode(new.body_sha256));
    let names: Vec<_> = detail.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["X-A", "x-a", "X-A"]);
    assert_eq!(detail.headers[1].1, HeaderValue::Bytes { base64: "6Q==".into() });
    assert_eq!(detail.trailers, [("Sum".into(), HeaderValue::Text("1".into()))]);
    assert_eq!(detail.response_headers, [("Server".into(), HeaderValue::Text("us".into()))]);
    assert_eq!(detail.response_body, "fine");

    assert_eq!(store.head(1).unwrap(), Some(head));
    assert_eq!(store.body(1, None).unwrap(), Some((Bytes::from(body.clone()), 100_000)));
    let slice = |range: std::ops::Range<usize>| Bytes::from(body[range].to_vec());
    assert_eq!(store.body(1, Some(10..20)).unwrap(), Some((slice(10..20), 100_000)));
    assert_eq!(
        store.body(1, Some(99_990..200_000)).unwrap(),
        Some((slice(99_990..100_000), 100_000))
    );
    assert_eq!(store.body(1, Some(200_000..u64::MAX)).unwrap(), Some((Bytes::new(), 100_000)));
    assert_eq!(store.body(1, Some(5..5)).unwrap(), Some((Bytes::new(), 100_000)));
    assert_eq!((store.body(2, None).unwrap(), store.head(2).unwrap()), (None, None));
    assert!(store.show(2).unwrap().is_none());
}

#[tokio::test]
async fn a_delivery_that_ended_at_once_needs_no_finish() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let ended = Finish {
        ended: Ended::Incomplete,
        status: None,
        duration_ms: None,
        response_head: Bytes::new(),
        response_body: Bytes::new(),
        notes: vec!["3 of 10 bytes came".into()],
    };
    let new = NewDelivery { ended: Some(ended), expected_size: Some(10), ..delivery("x") };
    let delivery = store.record(new).await.unwrap();
    assert_eq!((delivery.ended, delivery.notes.len()), (Some(Ended::Incomplete), 1));
    // A second ending changes nothing.
    store.finish(delivery.seq, answered(204));
    store.flush().await.unwrap();
    let detail = store.show(delivery.seq).unwrap().unwrap();
    assert_eq!(detail.delivery, delivery);
    assert_eq!((detail.response_headers.len(), detail.response_body.as_str()), (0, ""));
}

#[tokio::test]
async fn endings_are_written_without_a_flush_and_without_more_deliveries() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let delivery = store.record(delivery("x")).await.unwrap();
    store.finish(delivery.seq, answered(200));
    until("the ending", || store.show(1).unwrap().unwrap().delivery.status == Some(200));
}

#[tokio::test]
async fn numbers_go_on_after_everything_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for n in 1..=3 {
        assert_eq!(store.record(delivery("x")).await.unwrap().seq, n);
    }
    assert_eq!(store.clear().await.unwrap(), 3);
    store.clear_claims().await.unwrap();
    drop(store);
    let store = owner(folder.path());
    assert_eq!(store.record(delivery("x")).await.unwrap().seq, 4);
}

#[tokio::test]
async fn an_id_is_found_by_number_and_by_uuid() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    store.record(delivery("x")).await.unwrap();
    let second = store.record(delivery("y")).await.unwrap();
    for typed in [second.id.as_str(), &second.id.to_uppercase(), "2", "#2", " 2 "] {
        assert_eq!(store.find(typed).unwrap(), Some(2), "{typed}");
    }
    for typed in ["3", "0", "-1", "", "x", "00000000-0000-7000-8000-000000000000"] {
        assert_eq!(store.find(typed).unwrap(), None, "{typed}");
    }
}
