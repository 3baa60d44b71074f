//! The exact bytes of what came.

use crate::support::{Rig, post, shown, signature, signed};
use hooktwice_engine::model::{ClaimState, SignatureState};
use std::time::{Duration, Instant};

const A1: &[u8] = br#"{"job_id":"a1"}"#;

#[tokio::test]
async fn c60_binary_bodies_are_kept_byte_for_byte_as_one_row() {
    let mut rig = Rig::start().await;
    let body = b"\x00\xff\r\n\r\nGET /";
    let (_, row) = rig.deliver(&signed("/h", body)).await;
    assert_eq!((row.signature.state, row.size), (SignatureState::Valid, 11));
    assert_eq!(rig.body(row.seq), body);
    rig.stop().await;
    assert_eq!(rig.rows().len(), 1);
}

#[tokio::test]
async fn c61_the_content_type_changes_nothing() {
    let mut rig = Rig::start().await;
    for (n, kind) in
        ["text/plain; charset=UTF-8", "", "application/json;charset=utf8"].into_iter().enumerate()
    {
        let line =
            if kind.is_empty() { String::new() } else { format!("Content-Type: {kind}\r\n") };
        let (_, row) = rig.deliver(&post("/h", &(line + &signature(A1)), A1)).await;
        assert_eq!(
            (row.signature.state, row.job_id.as_deref()),
            (SignatureState::Valid, Some("a1")),
            "{kind}"
        );
        assert_eq!(row.claim == ClaimState::Won, n == 0);
    }
}

#[tokio::test]
async fn c63_chunks_extensions_and_trailers() {
    let mut rig = Rig::start().await;
    let mut request = format!(
        "POST /h HTTP/1.1\r\nHost: here\r\n{}Transfer-Encoding: chunked\r\n\r\n",
        signature(A1)
    )
    .into_bytes();
    for byte in A1 {
        request
            .extend_from_slice(format!("1;name=\"v\";x\r\n{}\r\n", char::from(*byte)).as_bytes());
    }
    request.extend_from_slice(b"0;last\r\nX-Sum: 1\r\nx-sum:  \xe9\r\n\r\n");
    let (reply, row) = rig.deliver(&request).await;
    assert_eq!((reply.status, row.signature.state, row.size), (204, SignatureState::Valid, 15));
    assert_eq!(rig.body(row.seq), A1);
    assert_eq!(shown(&rig.detail(row.seq).trailers), [("X-Sum", "1"), ("x-sum", "6Q==")]);
}

#[tokio::test]
async fn c64_headers_keep_order_case_and_bytes() {
    let mut rig = Rig::start().await;
    let head = b"POST /a%20b/%C3%A9?q=1?2&%3f#frag HTTP/1.1\r\nX-A: 1\r\nhOST: here\r\nx-a: 2\r\nX-Odd: \xff\xe9\r\nX-A: 3, 4\r\nContent-Length: 2\r\n\r\n";
    let (_, row) = rig.deliver(&[head.as_slice(), b"{}"].concat()).await;
    assert_eq!(rig.store.head(row.seq).unwrap().unwrap(), head.as_slice());
    assert_eq!((row.path.as_str(), row.query.as_str()), ("/a%20b/%C3%A9", "q=1?2&%3f#frag"));
    let detail = rig.detail(row.seq);
    assert_eq!(
        shown(&detail.headers),
        [
            ("X-A", "1"),
            ("hOST", "here"),
            ("x-a", "2"),
            ("X-Odd", "/+k="),
            ("X-A", "3, 4"),
            ("Content-Length", "2")
        ]
    );
}

#[tokio::test]
async fn targets_are_kept_as_sent() {
    let mut rig = Rig::start().await;
    for target in
        ["*", "http://e.example/x?y", "//double//slash", "/{braces}|pipe", "/?", "/a/../b/./c"]
    {
        let request = format!("OPTIONS {target} HTTP/1.1\r\nHost: here\r\n\r\n");
        let (reply, row) = rig.deliver(request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{target}");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        assert_eq!((row.path.as_str(), row.query.as_str()), (path, query));
    }
}

#[tokio::test]
async fn c65_two_signature_headers_have_one_verdict_in_any_order() {
    let mut rig = Rig::start().await;
    let good = signature(A1);
    let forged: String = signature(b"other")
        .lines()
        .filter(|line| line.contains("Signature"))
        .fold(String::new(), |all, line| all + line + "\r\n");
    let mut states = Vec::new();
    for headers in [format!("{good}{forged}"), format!("{forged}{good}")] {
        states.push(rig.deliver(&post("/h", &headers, A1)).await.1.signature.state);
    }
    assert_eq!(states[0], states[1]);
}

#[tokio::test]
async fn c66_http_1_0_with_and_without_keep_alive() {
    let mut rig = Rig::start().await;
    for keep in [false, true] {
        let started = Instant::now();
        let line = if keep { "Connection: keep-alive\r\n" } else { "" };
        let request =
            format!("POST /h HTTP/1.0\r\n{line}{}Content-Length: 15\r\n\r\n", signature(A1));
        let request = [request.as_bytes(), A1].concat();
        let mut sender = rig.connect().await;
        sender.send(&request).await;
        let reply = sender.answer().await.unwrap();
        assert_eq!((reply.status, reply.header("transfer-encoding")), (204, None));
        assert!(started.elapsed() < Duration::from_secs(1));
        let row = rig.ended().await;
        assert_eq!(rig.detail(row.seq).http_version, "1.0");
        if keep {
            assert_eq!(reply.header("connection"), Some("keep-alive"));
            sender.send(&request).await;
            assert_eq!(sender.answer().await.unwrap().status, 204, "on the same connection");
            rig.ended().await;
        } else {
            assert_eq!(sender.rest().await, b"", "it is closed");
        }
    }
}

#[tokio::test]
async fn c67_expect_is_answered_at_once() {
    let mut rig = Rig::start().await;
    let body = vec![b' '; 2000];
    let head = format!(
        "POST /h HTTP/1.1\r\nHost: here\r\n{}Expect: 100-continue\r\nContent-Length: 2000\r\n\r\n",
        signature(&body)
    );
    let mut sender = rig.connect().await;
    sender.send(head.as_bytes()).await;
    assert_eq!(sender.answer().await.unwrap().status, 100);
    sender.send(&body).await;
    let reply = sender.answer().await.unwrap();
    let row = rig.ended().await;
    assert_eq!(
        (row.size, row.status, row.signature.state),
        (2000, Some(reply.status), SignatureState::Valid)
    );
}

#[tokio::test]
async fn pipelined_requests_keep_their_own_bytes() {
    let mut rig = Rig::start().await;
    let chunked = |n: usize| {
        format!(
            "POST /c{n} HTTP/1.1\r\nX-N: {n}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{{}}\n\r\n0\r\nT: {n}\r\n\r\n"
        )
    };
    let mut all = Vec::new();
    for n in 0..5 {
        all.extend_from_slice(&post(
            &format!("/p{n}"),
            &format!("x-N: {n}\r\n"),
            format!("{{\"n\":{n}}}").as_bytes(),
        ));
        all.extend_from_slice(chunked(n).as_bytes());
        all.extend_from_slice(format!("GET /g{n} HTTP/1.1\r\nhost:here\r\n\r\n").as_bytes());
    }
    let mut sender = rig.connect().await;
    sender.send(&all).await;
    for n in 0..5 {
        assert_eq!(sender.answer().await.unwrap().status, 401);
        assert_eq!(sender.answer().await.unwrap().status, 401);
        assert_eq!(sender.answer().await.unwrap().status, 200);
        let (posted, chunks, got) = (rig.ended().await, rig.ended().await, rig.ended().await);
        assert_eq!(
            [posted.path, chunks.path.clone(), got.path],
            [format!("/p{n}"), format!("/c{n}"), format!("/g{n}")]
        );
        assert_eq!(rig.body(posted.seq), format!("{{\"n\":{n}}}").as_bytes());
        assert_eq!(rig.body(chunks.seq), b"{}\n");
        assert_eq!(shown(&rig.detail(posted.seq).headers)[1], ("x-N", n.to_string().as_str()));
        assert_eq!(shown(&rig.detail(chunks.seq).trailers), [("T", n.to_string().as_str())]);
        let head = rig.store.head(got.seq).unwrap().unwrap();
        assert_eq!(head, format!("GET /g{n} HTTP/1.1\r\nhost:here\r\n\r\n"));
    }
}

#[tokio::test]
async fn a_target_that_is_no_uri_is_accepted_and_kept_as_sent() {
    let mut rig = Rig::start().await;
    for target in ["/a<b>`c\"{d}|^\\?e=\"<f>\"", "/\u{e9}?\u{1F600}", "/a#b?c", "//", "/?"] {
        let (reply, row) = rig.deliver(&signed(target, A1)).await;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        assert_eq!((reply.status, row.path.as_str(), row.query.as_str()), (204, path, query));
        assert_eq!(row.signature.state, SignatureState::Valid);
    }
}
