//! What a copy's end is called.

use crate::support::{Answer, Handler, OK, fire, in_child, plan};
use bytes::Bytes;
use hooktwice_engine::{
    firing::Plan,
    model::{CopyOutcome, CopyReport, Protocol, Release},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

async fn one(plan: Plan) -> CopyReport {
    fire(plan).await.unwrap().0.remove(0)
}

async fn answered_with(answer: Answer) -> CopyReport {
    let handler = Handler::start(answer).await;
    one(plan(&handler.url)).await
}

fn warns(copy: &CopyReport, word: &str) -> bool {
    copy.warnings.iter().any(|warning| warning.contains(word))
}

#[tokio::test]
async fn refused_is_not_sent_and_names_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for copies in [1, 3] {
        let (reports, summary) =
            fire(Plan { copies, ..plan(&format!("http://{address}/")) }).await.unwrap();
        assert_eq!(summary.not_sent, copies);
        for copy in reports {
            assert_eq!(
                (copy.outcome, copy.status, copy.released_us),
                (CopyOutcome::NotSent, None, None)
            );
            assert!(copy.error.unwrap().contains(&address.to_string()));
        }
    }
}

#[tokio::test]
async fn c75_localhost_is_tried_on_both_families() {
    let mut ports = Vec::new();
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let handler = Handler::on(address, OK).await;
        let url = format!("http://localhost:{}/", handler.address.port());
        let (copies, summary) = fire(Plan { copies: 4, ..plan(&url) }).await.unwrap();
        assert_eq!(summary.statuses.get(&200), Some(&4), "{copies:?}");
        assert_eq!(handler.seen().len(), 4);
        ports.push(handler.address.port());
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = one(plan(&format!("http://localhost:{port}/"))).await.error.unwrap();
    assert!(
        error.contains(&format!("[::1]:{port}")) && error.contains(&format!("127.0.0.1:{port}")),
        "{error}"
    );
}

#[tokio::test]
async fn an_allowed_name_without_an_address_is_not_sent() {
    // A label of more than 63 characters: no name server is asked.
    let name = format!("{}.test", "a".repeat(64));
    let plan = Plan { allow_hosts: vec![name.clone()], ..plan(&format!("http://{name}/")) };
    let copy = one(plan).await;
    assert_eq!(copy.outcome, CopyOutcome::NotSent);
    assert!(copy.error.unwrap().contains("could not be resolved"));
}

#[tokio::test]
async fn a_reset_or_a_close_before_the_status_is_unknown() {
    for answer in [
        Answer::Reset,
        Answer::Bytes(b""),
        Answer::Bytes(b"HTTP/1."),
        Answer::Bytes(b"SSH-2.0-x\r\n\r\n"),
    ] {
        let copy = answered_with(answer).await;
        assert_eq!((copy.outcome, copy.status), (CopyOutcome::Unknown, None), "{copy:?}");
        assert!(copy.error.unwrap().ends_with('.'));
        assert!(copy.released_us.is_some());
    }
}

#[tokio::test]
async fn an_answer_that_breaks_http_is_judged_by_its_status() {
    let broken: [(&'static [u8], u16, &str); 6] = [
        (b"HTTP/1.1 204 No Content\r\n\r\nhello", 204, "a 204 has no body"),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", 204, "a 204 has no body"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", 200, "more bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", 200, "cut short"),
        (
            b"HTTP/1.1 500 Oops\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            500,
            "breaks HTTP",
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 200, "cut short"),
    ];
    for (bytes, status, word) in broken {
        for answer in [Answer::Bytes(bytes), Answer::KeepOpen(bytes)] {
            if word == "cut short" && matches!(answer, Answer::KeepOpen(_)) {
                continue;
            }
            let copy = answered_with(answer).await;
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!(
                (copy.outcome, copy.status),
                (CopyOutcome::Answered, Some(status)),
                "{shown}: {copy:?}"
            );
            assert!(warns(&copy, word), "{shown}: {copy:?}");
            assert_eq!(copy.error, None);
        }
    }
}

#[tokio::test]
async fn a_body_after_a_204_is_found_in_a_packet_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        read_body(&mut socket, plan("").body.len()).await;
        socket.write_all(b"HTTP/1.0 204 No Content\r\n\r\n").await.unwrap();
        socket.write_all(b"hello").await.unwrap();
    });
    let copy = one(plan(&url)).await;
    assert!(warns(&copy, "a 204 has no body"), "{copy:?}");
    serving.await.unwrap();
}

#[tokio::test]
async fn a_right_answer_has_no_warnings() {
    let right: [&'static [u8]; 5] = [
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
    ];
    for bytes in right {
        let copy = answered_with(Answer::Bytes(bytes)).await;
        assert_eq!((copy.outcome, copy.warnings.len()), (CopyOutcome::Answered, 0), "{copy:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_shown_and_not_followed() {
    let answer = b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n";
    let handler = Handler::start(Answer::Bytes(answer)).await;
    let copy = one(plan(&handler.url)).await;
    assert_eq!((copy.status, copy.location.as_deref()), (Some(302), Some("/login")));
    assert!(warns(&copy, "not followed"));
    assert_eq!((handler.seen().len(), *handler.opened.borrow()), (1, 1));
}

#[tokio::test]
async fn a_long_answer_is_shown_by_its_start_and_read_to_its_bound() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        read_body(&mut socket, plan("").body.len()).await;
        socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        // Until nobody reads any more.
        while socket.write_all(&[b'a'; 65536]).await.is_ok() {}
    });
    let copy = one(plan(&url)).await;
    assert_eq!(copy.status, Some(200));
    assert_eq!(copy.response_body, "a".repeat(4096));
    assert!(warns(&copy, "16 MiB"), "{copy:?}");
    serving.await.unwrap();
}

#[tokio::test]
async fn an_answer_before_the_request_was_whole_is_an_answer() {
    for copies in [1, 2] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let mut kept = Vec::new();
            for _ in 0..copies {
                let (mut socket, _) = listener.accept().await.unwrap();
                read_body(&mut socket, 1).await;
                socket
                    .write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
                    .await
                    .unwrap();
                kept.push(socket);
            }
            for mut socket in kept {
                let _ = socket.read_to_end(&mut Vec::new()).await;
            }
        });
        let plan = Plan { copies, body: Bytes::from(vec![b'x'; 30_000_000]), ..plan(&url) };
        let (reports, summary) = fire(plan).await.unwrap();
        assert_eq!(summary.statuses.get(&413), Some(&copies), "{reports:?}");
        assert!(warns(&reports[0], "before"), "{reports:?}");
        serving.await.unwrap();
    }
}

#[tokio::test]
async fn a_refusal_of_a_held_copy_is_read_though_its_connection_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    // More than the sockets' buffers hold: the second copy keeps the first held until it is read.
    let size = 12_000_000;
    let firing =
        tokio::spawn(fire(Plan { copies: 2, body: Bytes::from(vec![b'x'; size]), ..plan(&url) }));
    let (mut refused, _) = listener.accept().await.unwrap();
    let (mut slow, _) = listener.accept().await.unwrap();
    read_body(&mut refused, size - 1).await;
    refused.write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    drop(refused);
    read_body(&mut slow, size).await;
    slow.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    let (copies, summary) = firing.await.unwrap().unwrap();
    assert_eq!(
        (summary.statuses.get(&401), summary.statuses.get(&204)),
        (Some(&1), Some(&1)),
        "{copies:?}"
    );
    let refused = copies.iter().find(|copy| copy.status == Some(401)).unwrap();
    assert!(warns(refused, "before its last byte"), "{refused:?}");
}

/// Reads a head and so many bytes after it.
async fn read_body(socket: &mut tokio::net::TcpStream, size: usize) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.unwrap());
    }
    socket.read_exact(&mut vec![0; size]).await.unwrap();
}

#[tokio::test]
async fn a_host_that_is_allowed_is_fired_at() {
    // 0.0.0.0 is not loopback by its number, and reaches this machine.
    let handler = Handler::on("127.0.0.1:0", OK).await;
    let url = format!("http://0.0.0.0:{}/", handler.address.port());
    assert!(fire(plan(&url)).await.is_err());
    let copy = one(Plan { allow_hosts: vec!["0.0.0.0:1".into()], ..plan(&url) }).await;
    assert_eq!(copy.status, Some(200), "{copy:?}");
}

#[test]
fn c89_proxy_variables_are_not_read() {
    let dead = "http://127.0.0.1:9";
    let names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"];
    let environment = names.map(|name| (name, dead));
    if !in_child("outcomes::c89_proxy_variables_are_not_read", &environment) {
        return;
    }
    assert_eq!(std::env::var("HTTP_PROXY").as_deref(), Ok(dead));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let handler = Handler::start(OK).await;
        for host in ["127.0.0.1", "localhost"] {
            for release in [Release::Together, Release::Sequential] {
                let url = format!("http://{host}:{}/", handler.address.port());
                let plan = Plan { copies: 2, release, protocol: Protocol::Http1, ..plan(&url) };
                let (copies, summary) = fire(plan).await.unwrap();
                assert_eq!(summary.statuses.get(&200), Some(&2), "{copies:?}");
            }
        }
    });
}
