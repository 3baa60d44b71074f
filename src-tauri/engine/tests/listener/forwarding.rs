//! Deliveries that go on to a handler: what reaches it, what comes back, and what is kept.

use crate::{
    support::{Reply, Rig, Setup, post, shown, signature, signed},
    target::{Does, Target, answer},
};
use hooktwice_engine::model::{
    ClaimReason, ClaimState, CopyOutcome, Ended, ForwardReport, Responder, SignatureState,
};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

async fn rig(url: &str) -> Rig {
    rig_with(url, |_| {}).await
}

async fn rig_with(url: &str, change: impl FnOnce(&mut Setup)) -> Rig {
    Rig::with(|setup| {
        setup.settings.responder = Responder::Forward;
        setup.settings.forward.url = url.to_owned();
        change(setup);
    })
    .await
}

/// What was kept of a forward.
async fn report(rig: &Rig, seq: i64) -> ForwardReport {
    rig.store.flush().await.unwrap();
    rig.detail(seq).forward.expect("it went on")
}

/// One delivery to a handler that answers these bytes.
async fn passed(bytes: Vec<u8>) -> Reply {
    let target = Target::new(Does::Answers(bytes)).await;
    let mut rig = rig(&target.url()).await;
    rig.deliver(&signed("/h", BODY)).await.0
}

/// The `Via` line that was added, which is another one in each run.
fn without_via(head: &str) -> String {
    let (via, rest): (Vec<_>, Vec<_>) =
        head.split_inclusive("\r\n").partition(|line| line.starts_with("Via: 1.1 hooktwice-"));
    assert_eq!(via.len(), 1, "{head}");
    rest.concat()
}

#[tokio::test]
async fn the_request_goes_on_byte_by_byte() {
    let target = Target::new(Does::Answers(answer("202 Accepted", "", b""))).await;
    let mut rig = rig(&target.url()).await;
    let body = b"\x00\xff{\"job_id\": \"a\xcc\x81\"}\r\n\r\n";
    let headers = "x-a: 1\r\nX-B:  two  \r\nX-A: 2\r\nx-B: é\r\nAccept-Encoding: gzip\r\nVia: 1.0 fred\r\n\
                   Connection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 1\r\nTE: trailers\r\nExpect: 100-continue\r\n\
                   Proxy-Authorization: no\r\nUpgrade: h2c\r\n";
    let request = post("/a/../b%2f//c?x=%20&x=<\"'>&y?", headers, body);
    let mut sender = rig.connect().await;
    sender.send(&request).await;
    let reply = sender.rest().await;
    assert!(String::from_utf8_lossy(&reply).contains("\r\n\r\nHTTP/1.1 202 Accepted\r\n"));
    let (head, came) = target.only();
    assert_eq!(came, body);
    let address = target.address;
    let length = body.len();
    assert_eq!(
        without_via(&head),
        format!(
            "POST /a/../b%2f//c?x=%20&x=<\"'>&y? HTTP/1.1\r\nHost: {address}\r\nx-a: 1\r\nX-B: two\r\nX-A: 2\r\nx-B: é\r\n\
             Accept-Encoding: gzip\r\nVia: 1.0 fred\r\nContent-Length: {length}\r\n\r\n"
        )
    );
    let row = rig.ended().await;
    assert_eq!((row.status, row.ended), (Some(202), Some(Ended::Answered)));
    let report = report(&rig, row.seq).await;
    assert_eq!(report.url, format!("http://{address}/a/../b%2f//c?x=%20&x=<\"'>&y?"));
    assert_eq!((report.copies.len(), report.problem), (1, None));
    let copy = &report.copies[0];
    assert_eq!((copy.status, copy.outcome), (Some(202), CopyOutcome::Answered));
    assert!(copy.total_ms.is_some_and(|ms| ms > 0.0));
}

#[tokio::test]
async fn a_header_keeps_bytes_that_are_no_text() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&target.url()).await;
    let mut request = post("/h", "X-Odd: @@\r\n", BODY);
    let at = request.windows(2).position(|two| two == b"@@").unwrap();
    request[at..at + 2].copy_from_slice(b"\xff\xe9");
    assert_eq!(rig.deliver(&request).await.0.status, 200);
    let seen = target.seen().remove(0);
    assert!(seen.windows(11).any(|bytes| bytes == b"X-Odd: \xff\xe9\r\n"));
}

#[tokio::test]
async fn a_path_in_the_url_is_the_place_of_every_delivery() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&format!("{}/api/hook", target.url())).await;
    rig.deliver(&signed("/other?a=1", BODY)).await;
    let (head, _) = target.only();
    assert!(head.starts_with("POST /api/hook?a=1 HTTP/1.1\r\n"), "{head}");
    assert_eq!(rig.rows()[0].path, "/other", "what came is kept as it came");
}

#[tokio::test]
async fn a_chunked_body_is_framed_anew() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&target.url()).await;
    let head = format!(
        "POST /h HTTP/1.1\r\nHost: here\r\n{}Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n",
        signature(BODY)
    );
    let chunks = b"5\r\n{\"job\r\nA\r\n_id\":\"a1\"}\r\n0\r\nX-T: 1\r\n\r\n";
    let (_, row) = rig.deliver(&[head.as_bytes(), chunks].concat()).await;
    assert_eq!((row.claim, row.signature.state), (ClaimState::Won, SignatureState::Valid));
    let (head, body) = target.only();
    assert_eq!(body, BODY);
    assert!(head.contains("Content-Length: 15\r\n"), "{head}");
    assert!(!head.to_lowercase().contains("transfer-encoding") && !head.contains("X-T"), "{head}");
    assert!(row.notes.iter().any(|note| note.contains("trailers")), "{:?}", row.notes);
}

#[tokio::test]
async fn the_answer_goes_back_with_its_headers() {
    let headers = "Set-Cookie: a=1\r\nX-One: 1\r\nSet-Cookie: b=2\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\
                   Keep-Alive: timeout=5\r\nContent-Encoding: br\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n";
    let reply = passed(answer("422 Not That One", headers, b"no")).await;
    assert_eq!((reply.status, reply.body.as_str()), (422, "no"));
    assert!(reply.head.starts_with("HTTP/1.1 422 Not That One\r\n"), "{}", reply.head);
    let lines: Vec<_> = reply.head.lines().skip(1).filter(|line| !line.is_empty()).collect();
    let cookies: Vec<_> = lines.iter().filter(|line| line.starts_with("set-cookie")).collect();
    assert_eq!(cookies, [&"set-cookie: a=1", &"set-cookie: b=2"]);
    assert_eq!(reply.header("x-one"), Some("1"));
    assert_eq!(reply.header("content-encoding"), Some("br"));
    assert_eq!(reply.header("date"), Some("Thu, 01 Jan 1970 00:00:00 GMT"), "the handler's own");
    assert_eq!(reply.header("content-length"), Some("2"));
    for hop in ["x-hop", "keep-alive", "connection"] {
        assert_eq!(reply.header(hop), None, "{hop}");
    }
}

#[tokio::test]
async fn what_was_answered_is_kept_as_it_went_back() {
    let target = Target::new(Does::Answers(answer("201 Created", "X-A: 1\r\n", b"made"))).await;
    let mut rig = rig(&target.url()).await;
    let (_, row) = rig.deliver(&signed("/h", BODY)).await;
    rig.store.flush().await.unwrap();
    let detail = rig.detail(row.seq);
    assert_eq!(detail.response_body, "made");
    assert!(shown(&detail.response_headers).contains(&("x-a", "1")));
    assert_eq!(row.notes, Vec::<String>::new());
    assert_eq!(report(&rig, row.seq).await.copies[0].response_body, "made");
}

#[tokio::test]
async fn redirects_go_back_and_are_not_followed() {
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"] {
        let other = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
        let location = format!("Location: {}/login\r\n", other.url());
        let reply = passed(answer(status, &location, b"")).await;
        assert_eq!(reply.status.to_string(), status[..3]);
        assert_eq!(reply.header("location"), Some(&*format!("{}/login", other.url())));
        assert!(other.seen().is_empty());
    }
}

#[tokio::test]
async fn answers_without_a_body_have_none() {
    let bytes: [&[u8]; 5] = [
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: \"e\"\r\n\r\n",
        b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ];
    for (bytes, status) in bytes.into_iter().zip([204, 204, 304, 205, 200]) {
        let target = Target::new(Does::Answers(bytes.to_vec())).await;
        let mut rig = rig(&target.url()).await;
        let mut sender = rig.connect().await;
        // The second answer on the same connection shows that nothing came after the first.
        for _ in 0..2 {
            sender.send(&signed("/h", BODY)).await;
            let reply = sender.answer_to("HEAD").await.unwrap();
            assert_eq!(reply.status, status, "{}", reply.head);
            assert_eq!(rig.ended().await.status, Some(status));
        }
    }
}

#[tokio::test]
async fn a_chunked_answer_and_one_that_ends_with_its_connection_are_whole() {
    for bytes in [
        &b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"[..],
        b"HTTP/1.0 200 OK\r\n\r\nabcde",
    ] {
        let reply = passed(bytes.to_vec()).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, "abcde"));
        assert_eq!(reply.header("content-length"), Some("5"));
    }
}

#[tokio::test]
async fn a_large_answer_goes_back_whole_and_a_larger_one_up_to_the_limit() {
    const MIB: usize = 1024 * 1024;
    for (size, goes_back) in [(2 * MIB, 2 * MIB), (11 * MIB, 10 * MIB)] {
        let body = "x".repeat(size);
        let target = Target::new(Does::Answers(answer("200 OK", "", body.as_bytes()))).await;
        let mut rig = rig(&target.url()).await;
        let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
        assert!(reply.body == body[..goes_back], "{} bytes came back", reply.body.len());
        rig.store.flush().await.unwrap();
        assert_eq!(rig.detail(row.seq).response_body.len(), 64 * 1024, "only its start is kept");
        let told = row.notes.iter().any(|note| note.contains("longer than 10 MiB"));
        assert_eq!(told, size > goes_back, "{:?}", row.notes);
        assert!(row.notes.iter().any(|note| note.contains("are kept")), "{:?}", row.notes);
    }
}

#[tokio::test]
async fn c68_c69_probes_go_on_and_claim_nothing() {
    for (method, bytes, length) in [
        ("GET", answer("200 OK", "", b"here"), Some("4")),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n".to_vec(), Some("1234")),
        ("HEAD", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(), None),
        ("OPTIONS", answer("200 OK", "WebHook-Allowed-Origin: *\r\n", b""), Some("0")),
    ] {
        let target = Target::new(Does::Answers(bytes)).await;
        let mut rig = rig(&target.url()).await;
        let mut sender = rig.connect().await;
        let origin = "WebHook-Request-Origin: e.example\r\n";
        for _ in 0..2 {
            sender
                .send(format!("{method} /h?a HTTP/1.1\r\nHost: here\r\n{origin}\r\n").as_bytes())
                .await;
            let reply = sender.answer_to(method).await.unwrap();
            assert_eq!((reply.status, reply.header("content-length")), (200, length), "{method}");
            let row = rig.ended().await;
            assert_eq!(
                (row.claim, row.claim_reason),
                (ClaimState::None, Some(ClaimReason::Method))
            );
        }
        let head = String::from_utf8(target.seen().remove(0)).unwrap();
        assert!(head.starts_with(&format!("{method} /h?a HTTP/1.1\r\n")), "{head}");
        assert!(head.contains(origin) && !head.contains("Content-Length"), "{head}");
    }
}

#[tokio::test]
async fn c70_a_challenge_that_is_answered_here_does_not_go_on() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b"handler"))).await;
    let slack = br#"{"type":"url_verification","challenge":"c1"}"#;
    let mut rig_on = rig_with(&target.url(), |setup| setup.settings.answer_challenges = true).await;
    assert_eq!(rig_on.deliver(&signed("/h", slack)).await.0.body, "c1");
    assert!(target.seen().is_empty());
    let mut rig_off = rig(&target.url()).await;
    assert_eq!(rig_off.deliver(&signed("/h", slack)).await.0.body, "handler");
    assert_eq!(target.seen().len(), 1);
}

#[tokio::test]
async fn connect_goes_nowhere() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&target.url()).await;
    let (reply, row) = rig.deliver(b"CONNECT e.example:443 HTTP/1.1\r\nHost: e\r\n\r\n").await;
    assert_eq!((reply.status, row.claim), (405, ClaimState::None));
    assert!(target.seen().is_empty());
}

#[tokio::test]
async fn a_duplicate_is_flagged_and_goes_on_too() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&target.url()).await;
    let (_, first) = rig.deliver(&signed("/h", BODY)).await;
    let (_, second) = rig.deliver(&signed("/h", BODY)).await;
    assert_eq!((first.claim, second.duplicate_of), (ClaimState::Won, Some(first.seq)));
    assert_eq!(target.seen().len(), 2, "that it runs once is the handler's to show");
    // What goes with a delivery goes with it.
    assert_eq!(rig.store.delete(vec![first.seq]).await.unwrap(), 1);
    assert!(rig.store.show(first.seq).unwrap().is_none());
    rig.store.clear().await.unwrap();
    let database = rusqlite::Connection::open(rig.folder.path().join("hooktwice.db")).unwrap();
    let left: i64 =
        database.query_row("SELECT count(*) FROM forwards", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn what_is_not_valid_goes_on_unless_only_the_valid_do() {
    let target = Target::new(Does::Answers(answer("403 Forbidden", "", b""))).await;
    let unsigned = post("/h", "", BODY);
    let wrong = post("/h", &signature(b"another"), BODY);
    let mut all = rig(&target.url()).await;
    for request in [&unsigned, &wrong] {
        let (reply, row) = all.deliver(request).await;
        assert_eq!((reply.status, row.claim), (403, ClaimState::None), "the handler refuses it");
        assert_eq!(row.claim_reason, Some(ClaimReason::NotVerified));
    }
    assert_eq!(target.seen().len(), 2);

    let mut some = rig_with(&target.url(), |setup| setup.settings.forward.valid_only = true).await;
    for request in [&unsigned, &wrong] {
        let (reply, row) = some.deliver(request).await;
        assert_eq!((reply.status, row.claim), (401, ClaimState::None));
        assert!(row.notes.iter().any(|note| note.starts_with("not forwarded")), "{:?}", row.notes);
        assert_eq!(some.detail(row.seq).forward, None);
    }
    let (reply, _) = some.deliver(b"GET /admin HTTP/1.1\r\nHost: here\r\n\r\n").await;
    assert_eq!(reply.status, 200, "a probe is told that somebody is here");
    assert_eq!(target.seen().len(), 2, "and goes no further");
    assert_eq!(some.deliver(&signed("/h", BODY)).await.0.status, 403);
    assert_eq!(target.seen().len(), 3);
}

#[tokio::test]
async fn what_the_handler_would_not_get_anyway_is_not_sent() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig_with(&target.url(), |setup| setup.settings.fail_first = 2).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
        let is_told = row.notes.iter().any(|note| {
            note.contains("answered 500 on purpose") && note.ends_with("the handler did not get it")
        });
        statuses.push((reply.status, is_told));
    }
    assert_eq!(statuses, [(500, true), (500, true), (200, false)]);
    assert_eq!(target.seen().len(), 1);
    assert_eq!(rig.deliver(&post("/h", "", BODY)).await.0.status, 200, "it is not of the job");
}

#[tokio::test]
async fn an_answer_is_dropped_or_delayed_after_the_handler_gave_it() {
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig_with(&target.url(), |setup| setup.settings.drop = true).await;
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", BODY)).await;
    assert_eq!(sender.answer().await, None);
    let row = rig.ended().await;
    assert_eq!((row.status, row.ended), (None, Some(Ended::Refused)));
    assert_eq!(report(&rig, row.seq).await.copies[0].status, Some(200));

    let mut rig = rig_with(&target.url(), |setup| setup.settings.delay_ms = 300).await;
    let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
    assert_eq!(reply.status, 200);
    let copy = report(&rig, row.seq).await.copies.remove(0);
    assert!(row.duration_ms.unwrap() >= 300.0 + copy.total_ms.unwrap(), "{row:?}");
}

#[tokio::test]
async fn c75_localhost_is_a_handler_of_either_family() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let target = Target::on(address, Does::Answers(answer("200 OK", "", b""))).await;
        let mut rig = rig(&format!("http://localhost:{}", target.address.port())).await;
        assert_eq!(rig.deliver(&signed("/h", BODY)).await.0.status, 200, "{address}");
        let (head, _) = target.only();
        assert!(head.contains(&format!("\r\nHost: localhost:{}\r\n", target.address.port())));
    }
}

#[tokio::test]
async fn c57_a_burst_reaches_the_handler_whole() {
    const BURST: usize = 300;
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig_with(&target.url(), |setup| setup.settings.forward.copies = 2).await;
    let mut senders = Vec::new();
    for n in 0..BURST {
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", format!(r#"{{"job_id":"j{n}"}}"#).as_bytes())).await;
        senders.push(sender);
    }
    for sender in &mut senders {
        assert_eq!(sender.answer().await.unwrap().status, 200);
    }
    rig.stop().await;
    assert_eq!((rig.rows().len(), target.seen().len()), (BURST, 2 * BURST));
    assert!(rig.rows().iter().all(|row| row.ended == Some(Ended::Answered)));
}
