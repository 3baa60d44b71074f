//! What is too much, too slow, or no HTTP.

use crate::support::{Rig, post, signature, signed};
use hooktwice_engine::model::{ClaimState, Ended, SignatureState};

#[tokio::test]
async fn c58_bodies_up_to_the_limit_are_kept_and_one_byte_more_is_413() {
    let mut rig = Rig::with(|setup| setup.limits.body_bytes = 26_214_400).await;
    for size in [2_097_152, 2_097_153, 26_214_400] {
        let body = vec![b' '; size];
        let (_, row) = rig.deliver(&signed("/h", &body)).await;
        assert_eq!((row.size, row.signature.state), (size as u64, SignatureState::Valid));
        assert!(rig.body(row.seq) == body, "{size} bytes are kept");
    }
    let body = vec![b' '; 26_214_401];
    let (reply, row) = rig.deliver(&signed("/h", &body)).await;
    assert_eq!((reply.status, row.status, row.ended), (413, Some(413), Some(Ended::Refused)));
    assert_eq!((row.size, row.expected_size, row.claim), (0, Some(26_214_401), ClaimState::None));
    assert!(row.notes[0].contains("too large, 26214401 bytes, not stored"), "{:?}", row.notes);
}

#[tokio::test]
async fn c58_a_chunked_body_over_the_limit_is_413_too() {
    let mut rig = Rig::with(|setup| setup.limits.body_bytes = 1000).await;
    let head = "POST /h HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    let request = format!("{head}{}0\r\n\r\n", chunk.repeat(2000));
    let (reply, row) = rig.deliver(request.as_bytes()).await;
    assert_eq!((reply.status, row.ended, row.size), (413, Some(Ended::Refused), 0));
}

#[tokio::test]
async fn c67_over_the_limit_is_413_instead_of_100() {
    let mut rig = Rig::with(|setup| setup.limits.body_bytes = 1000).await;
    let head =
        "POST /h HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 2000\r\n\r\n";
    let (reply, row) = rig.deliver(head.as_bytes()).await;
    assert_eq!((reply.status, row.status, row.expected_size), (413, Some(413), Some(2000)));
}

#[tokio::test]
async fn c71_heads_up_to_the_limit_are_kept_and_more_is_431() {
    let mut rig = Rig::start().await;
    let long = format!("X-Long: {}\r\n", "a".repeat(16 * 1024));
    assert_eq!(rig.deliver(&post("/h", &(long + &signature(b"{}")), b"{}")).await.0.status, 204);
    let many: String = (0..101).map(|n| format!("X-{n}: v\r\n")).collect();
    assert_eq!(rig.deliver(&post("/h", &(many + &signature(b"{}")), b"{}")).await.0.status, 204);
    let huge = format!("X-Long: {}\r\n", "a".repeat(70 * 1024));
    let lots: String = (0..300).map(|n| format!("X-{n}: v\r\n")).collect();
    for headers in [huge, lots] {
        let (reply, row) = rig.deliver(&post("/h", &headers, b"{}")).await;
        assert_eq!((reply.status, row.status, row.ended), (431, Some(431), Some(Ended::Refused)));
        assert!(row.notes[0].starts_with("rejected before the body"), "{:?}", row.notes);
        assert_eq!((row.method.as_str(), row.path.as_str()), ("POST", "/h"));
    }
}

#[tokio::test]
async fn a_target_over_64_kib_is_414() {
    let mut rig = Rig::with(|setup| setup.limits.head_bytes = 200_000).await;
    let (reply, row) = rig.deliver(&post(&format!("/{}", "a".repeat(70_000)), "", b"")).await;
    assert_eq!((reply.status, row.status, row.ended), (414, Some(414), Some(Ended::Refused)));
    assert_eq!(row.path.len(), 70_001);
}

#[tokio::test]
async fn what_is_no_http_is_answered_400_and_kept() {
    let mut rig = Rig::start().await;
    let hello = [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(), &[7; 64]].concat();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    for (bytes, word) in [
        (hello.as_slice(), "TLS"),
        (preface, "HTTP/2"),
        (b"\x00\x01\x02\x03", "not HTTP"),
        (b"hello\r\n\r\n", "not HTTP"),
        (b"POST / HTTP/1.1\r\nBad Header: 1\r\n\r\n", "not HTTP"),
        (b"POST /\xff HTTP/1.1\r\n\r\n", ""),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", "both"),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "differ"),
        (b"POST / HTTP/1.1\r\nContent-Length: two\r\n\r\n{}", "Content-Length"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n{}", "chunked"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n", "hex"),
    ] {
        let (reply, row) = rig.deliver(bytes).await;
        let what = String::from_utf8_lossy(bytes);
        assert_eq!(
            (reply.status, row.status, row.ended),
            (400, Some(400), Some(Ended::Refused)),
            "{what:?}"
        );
        assert!(
            row.notes[0].contains(word) && reply.body.contains(word),
            "{what:?}: {:?}",
            row.notes
        );
        assert_eq!(row.signature.state, SignatureState::Unchecked);
        let head = rig.store.head(row.seq).unwrap().unwrap();
        assert!(bytes.starts_with(&head) && !head.is_empty(), "{what:?}: {head:?}");
    }
    assert_eq!(rig.fire(&signed("/h", b"{}")).await.status, 204, "the next one is well");
}

#[tokio::test]
async fn a_broken_chunk_keeps_what_came_before_it() {
    let mut rig = Rig::start().await;
    let request = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n3\r\nabcd\r\n";
    let (reply, row) = rig.deliver(request).await;
    assert_eq!((reply.status, row.size, row.claim), (400, 5, ClaimState::None));
    assert_eq!(rig.body(row.seq), b"{}abc");
}

#[tokio::test]
async fn a_bad_request_after_a_good_one_harms_only_itself() {
    let mut rig = Rig::start().await;
    let mut sender = rig.connect().await;
    sender.send(&[signed("/good", b"{}").as_slice(), b"nonsense\r\n\r\n"].concat()).await;
    assert_eq!(sender.answer().await.unwrap().status, 204);
    assert_eq!(sender.answer().await.unwrap().status, 400);
    assert_eq!((rig.ended().await.status, rig.ended().await.status), (Some(204), Some(400)));
}

#[tokio::test]
async fn a_slow_head_and_a_slow_body_are_408() {
    let mut rig = Rig::with(|setup| setup.limits.idle_s = 1).await;
    let mut head = rig.connect().await;
    head.send(b"POST /slow HTTP/1.1\r\nHost").await;
    assert_eq!(head.answer().await.unwrap().status, 408);
    let row = rig.ended().await;
    assert_eq!(
        (row.status, row.ended, row.path.as_str()),
        (Some(408), Some(Ended::Refused), "/slow")
    );
    let mut body = rig.connect().await;
    body.send(b"POST /slow HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n{\"a").await;
    assert_eq!(body.answer().await.unwrap().status, 408);
    let row = rig.ended().await;
    assert_eq!((row.status, row.size, row.expected_size), (Some(408), 3, Some(10)));
    assert_eq!((row.claim, row.signature.state), (ClaimState::None, SignatureState::Unchecked));
}

#[tokio::test]
async fn connections_over_the_limit_are_503() {
    let mut rig = Rig::with(|setup| setup.limits.connections = 2).await;
    let mut kept = Vec::new();
    for _ in 0..2 {
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", b"{}")).await;
        assert_eq!(sender.answer().await.unwrap().status, 204);
        rig.ended().await;
        kept.push(sender);
    }
    let (reply, row) = rig.deliver(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!((reply.status, row.status, row.ended), (503, Some(503), Some(Ended::Refused)));
    assert_eq!((row.claim, row.size, row.expected_size), (ClaimState::None, 0, Some(15)));
    kept.pop();
    // The place of the one that left is free as soon as the listener has seen it leave.
    loop {
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", b"{}")).await;
        if sender.answer().await.is_some_and(|reply| reply.status == 204) {
            break;
        }
    }
}
