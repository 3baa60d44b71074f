//! What goes over the wire: the bytes as given, and nothing that belongs to another connection.

use crate::support::{Answer, Handler, OK, fire, plan};
use bytes::Bytes;
use hooktwice_engine::{
    error::ErrorCode,
    firing::Plan,
    head::RawHeader,
    model::{Protocol, Release},
};

#[tokio::test]
async fn bodies_go_out_byte_for_byte() {
    let bodies: [&[u8]; 5] = [
        // C01: spaces; C02: an escaped slash; C60: binary with what looks like a second request.
        b"{ \"job_id\": \"job_1\" }",
        b"{\"job_id\":\"a\\/1\"}",
        b"\x00\xff\r\n\r\nGET /",
        b"",
        b"1",
    ];
    for body in bodies {
        for release in [Release::Sequential, Release::Together] {
            let handler = Handler::start(OK).await;
            let plan =
                Plan { body: Bytes::from_static(body), copies: 3, release, ..plan(&handler.url) };
            let (copies, _) = fire(plan).await.unwrap();
            assert!(copies.iter().all(|copy| copy.status == Some(200)), "{copies:?}");
            let seen = handler.seen();
            assert_eq!(seen.len(), 3);
            for request in seen {
                assert_eq!(request.body, body);
                let lengths: Vec<_> = request.head.values("content-length").cloned().collect();
                assert_eq!(lengths, [body.len().to_string()]);
            }
        }
    }
}

#[tokio::test]
async fn a_body_of_many_packets_is_held_and_goes_out_whole() {
    let handler = Handler::start(OK).await;
    let body: Vec<u8> = (0..3_000_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
    let plan = Plan { body: body.clone().into(), copies: 4, ..plan(&handler.url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&4), "{copies:?}");
    assert!(handler.seen().iter().all(|request| request.body == body));
}

#[tokio::test]
async fn c03_framing_of_another_connection_is_not_replayed() {
    let handler = Handler::start(OK).await;
    let headers = [
        ("Content-Length", "99999"),
        ("Content-Encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Host", "old.example"),
        ("Expect", "100-continue"),
    ];
    let headers = headers.map(|(name, value)| RawHeader::new(name, value)).to_vec();
    let plan = Plan { headers, body: Bytes::from_static(b"0123456789"), ..plan(&handler.url) };
    let (copies, _) = fire(plan).await.unwrap();
    assert_eq!(copies[0].status, Some(200));
    let seen = &handler.seen()[0];
    assert_eq!(seen.body, b"0123456789");
    let host = handler.address.to_string();
    let expected =
        [("Host", host.as_str()), ("Content-Encoding", "gzip"), ("Content-Length", "10")];
    assert_eq!(seen.head.headers, expected.map(|(name, value)| RawHeader::new(name, value)));
}

#[tokio::test]
async fn c64_repeated_headers_keep_their_lines_case_and_place() {
    let handler = Handler::start(OK).await;
    let mut headers: Vec<RawHeader> =
        [("X-A", "1"), ("b", "2"), ("x-a", "2"), ("X-A", "3, 4"), ("ETag-x", "")]
            .map(|(name, value)| RawHeader::new(name, value))
            .to_vec();
    headers.push(RawHeader { name: "X-Bytes".into(), value: Bytes::from_static(b"\xe9\xff") });
    let plan = Plan { headers: headers.clone(), copies: 2, ..plan(&handler.url) };
    fire(plan).await.unwrap();
    for request in handler.seen() {
        let kept = &request.head.headers[1..request.head.headers.len() - 1];
        assert_eq!(kept, headers);
    }
}

#[tokio::test]
async fn path_query_and_method_go_out_as_given() {
    let handler = Handler::start(OK).await;
    let target = "/a/../b//c%2f%7E?x=1&x=\"{}|\\^`&é=<>";
    let url = format!("http://{}{target}", handler.address);
    let plan = Plan { method: "PuT".into(), ..plan(&url) };
    fire(plan).await.unwrap();
    let seen = &handler.seen()[0];
    // The parser of the tests takes any byte of a target that is no white space.
    assert_eq!(seen.head.target, target);
    assert_eq!(seen.head.method, "PuT");
}

#[tokio::test]
async fn a_get_has_no_body_and_is_held_by_its_head() {
    let handler = Handler::start(OK).await;
    let plan = Plan { method: "GET".into(), body: Bytes::new(), copies: 5, ..plan(&handler.url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&5));
    let seen = handler.seen();
    // The head was written, but for a byte, before the first was let go.
    assert!(copies.iter().all(|copy| copy.written_ms.unwrap() < 0.0), "{copies:?}");
    assert!(seen.iter().all(|request| request.head.values("content-length").next().is_none()));
}

#[tokio::test]
async fn what_cannot_be_fired_is_refused_and_nothing_is_sent() {
    let handler = Handler::start(OK).await;
    let base = || plan(&handler.url);
    let breaks = vec![RawHeader::new("X-A", "1\r\nX-B: 2")];
    let refused = [
        (Plan { copies: 0, ..base() }, ErrorCode::BadInput),
        (Plan { copies: 1001, ..base() }, ErrorCode::BadInput),
        (Plan { headers: breaks, ..base() }, ErrorCode::BadInput),
        (Plan { url: format!("{}\r\nX: 1", handler.url), ..base() }, ErrorCode::BadInput),
        (Plan { url: format!("{}#part", handler.url), ..base() }, ErrorCode::BadInput),
        (Plan { release: Release::Gap { ms: -1.0 }, ..base() }, ErrorCode::BadInput),
        (Plan { release: Release::Gap { ms: f64::NAN }, ..base() }, ErrorCode::BadInput),
        (Plan { url: "http://192.0.2.1/".into(), ..base() }, ErrorCode::HostNotAllowed),
    ];
    for (plan, code) in refused {
        let error = fire(plan).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
    assert_eq!(*handler.opened.borrow(), 0);
}

#[tokio::test]
async fn c76_exactly_so_many_copies_arrive() {
    for (release, copies) in [
        (Release::Together, 10),
        (Release::Sequential, 10),
        (Release::Gap { ms: 1.0 }, 10),
        (Release::Together, 1),
    ] {
        let handler = Handler::start(OK).await;
        let (reports, summary) =
            fire(Plan { release, copies, ..plan(&handler.url) }).await.unwrap();
        assert_eq!((reports.len(), summary.copies), (copies as usize, copies));
        assert_eq!(
            (handler.seen().len(), *handler.opened.borrow()),
            (copies as usize, copies as usize)
        );
    }
}

#[tokio::test]
async fn http2_is_not_answered_by_a_handler_that_does_not_speak_it() {
    let handler = Handler::start(Answer::Never).await;
    let (copies, summary) =
        fire(Plan { protocol: Protocol::Http2, ..plan(&handler.url) }).await.unwrap();
    assert_eq!(summary.not_sent, 1, "{copies:?}");
    assert!(copies[0].error.as_ref().unwrap().contains("HTTP/2"), "{copies:?}");
}
