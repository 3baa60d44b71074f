//! Handlers that are down, slow or wrong, providers that leave, and deliveries that go round in a circle.

use crate::{
    support::{PATIENCE, Rig, Sender, next_delivery, post, signed},
    target::{Does, Target, answer},
};
use hooktwice_engine::model::{ClaimState, CopyOutcome, Delivery, Ended, ForwardReport, Responder};
use std::time::Duration;
use tokio::{net::TcpListener, time::timeout};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

async fn rig(url: &str, copies: u32, timeout_ms: u32) -> Rig {
    Rig::with(|setup| {
        setup.settings.responder = Responder::Forward;
        setup.settings.forward.url = url.to_owned();
        setup.settings.forward.copies = copies;
        setup.settings.forward.timeout_ms = timeout_ms;
    })
    .await
}

/// A status that was answered in the handler's place: the record says why, and where, and the provider does not learn it.
async fn fault(rig: &mut Rig, url: &str) -> (u16, Delivery, ForwardReport) {
    let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
    assert_eq!((row.status, row.ended), (Some(reply.status), Some(Ended::Answered)));
    assert!(reply.body.starts_with("the handler behind this listener "), "{}", reply.body);
    assert!(!reply.body.contains("127.0.0.1"), "{}", reply.body);
    assert_eq!(row.claim, ClaimState::Won, "it was kept and claimed before it went on");
    // The first copy is what the provider waits for; the record is whole when the last one is back.
    rig.stop().await;
    let report = rig.detail(row.seq).forward.expect("a report");
    let problem = report.problem.clone().expect("a problem");
    assert!(problem.starts_with(&format!("The handler at {url}/h ")), "{problem}");
    let note = row.notes.last().expect("a note");
    assert!(note.contains(problem.trim_end_matches('.')), "{note}");
    (reply.status, row, report)
}

#[tokio::test]
async fn a_handler_that_is_down_is_502() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for copies in [1, 3] {
        let url = format!("http://{address}");
        let mut rig = rig(&url, copies, 5_000).await;
        let (status, row, report) = fault(&mut rig, &url).await;
        assert_eq!(status, 502);
        assert!(row.notes[0].contains("could not be reached"), "{:?}", row.notes);
        assert_eq!(report.copies.len(), copies as usize);
        assert!(report.copies.iter().all(|copy| copy.outcome == CopyOutcome::NotSent));
    }
    // C75: every address that was tried is named.
    let url = format!("http://localhost:{}", address.port());
    let mut rig = rig(&url, 1, 5_000).await;
    let (status, row, _) = fault(&mut rig, &url).await;
    assert_eq!(status, 502);
    assert!(row.notes[0].contains("[::1]") && row.notes[0].contains("127.0.0.1"), "{row:?}");
}

#[tokio::test]
async fn a_handler_that_is_slow_is_504() {
    for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"] {
        // It writes nothing, or a part, and then waits for its caller to leave.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let handler = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut socket, bytes).await.unwrap();
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut Vec::new()).await;
        });
        let mut rig = rig(&url, 1, 1_000).await;
        let (status, row, report) = fault(&mut rig, &url).await;
        assert_eq!(status, 504);
        assert!(row.duration_ms.unwrap() >= 1_000.0);
        assert_eq!(report.copies[0].status, (!bytes.is_empty()).then_some(200));
        timeout(PATIENCE, handler).await.expect("the copy is given up").unwrap();
    }
}

#[tokio::test]
async fn what_is_no_answer_is_502() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.6\r\n"[..],
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut here",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
        b"",
    ] {
        let target = Target::new(Does::Answers(bytes.to_vec())).await;
        let mut rig = rig(&target.url(), 1, 5_000).await;
        let (status, row, _) = fault(&mut rig, &target.url()).await;
        assert_eq!(status, 502, "{}", bytes.escape_ascii());
        assert!(row.notes[0].contains("no answer that can be passed on"), "{:?}", row.notes);
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_sent_to_is_told() {
    // Settings are checked before they get here; the listener does not lean on that.
    let mut rig = rig("nonsense", 1, 5_000).await;
    let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
    assert_eq!((reply.status, row.status), (502, Some(502)));
    rig.store.flush().await.unwrap();
    let report = rig.detail(row.seq).forward.unwrap();
    assert!(report.copies.is_empty() && report.problem.unwrap().contains("nonsense"));
}

#[tokio::test]
async fn every_copy_reaches_the_handler_at_once_and_the_first_is_answered() {
    let target = Target::new(Does::AnswersWhenWhole(10, answer("200 OK", "", b"ok"))).await;
    let mut rig = rig(&target.url(), 10, 10_000).await;
    let (reply, row) = rig.deliver(&signed("/h", BODY)).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "ok"));
    rig.stop().await;
    let report = rig.detail(row.seq).forward.unwrap();
    assert_eq!(report.copies.iter().map(|copy| copy.n).collect::<Vec<_>>(), Vec::from_iter(1..=10));
    assert!(report.copies.iter().all(|copy| copy.status == Some(200)), "{:?}", report.copies);
    let seen = target.seen();
    assert_eq!(seen.len(), 10);
    assert!(seen.iter().all(|request| *request == seen[0]), "all are alike");
}

#[tokio::test]
async fn a_delivery_is_shown_while_its_handler_works() {
    let target = Target::new(Does::AnswersLate(answer("200 OK", "", b"late"))).await;
    let mut rig = rig(&target.url(), 1, 10_000).await;
    let mut events = rig.events.subscribe(None);
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", BODY)).await;
    let pending = next_delivery(&mut events).await;
    assert_eq!((pending.ended, pending.claim), (None, ClaimState::Won));
    target.go();
    assert_eq!(sender.answer().await.unwrap().body, "late");
    assert_eq!(rig.ended().await.status, Some(200));
    assert_eq!(next_delivery(&mut events).await.ended, Some(Ended::Answered));
}

#[tokio::test]
async fn the_provider_waits_for_the_first_copy_and_for_no_other() {
    // Which copy the handler takes first is its affair; where it is the first one, the answer comes before the others'.
    let was_first = async || {
        let target = Target::new(Does::AnswersFirstThenLate(answer("200 OK", "", b"ok"))).await;
        let mut rig = rig(&target.url(), 2, 10_000).await;
        let mut events = rig.events.subscribe(None);
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", BODY)).await;
        target.came(2).await;
        let Ok(reply) = timeout(Duration::from_millis(500), sender.answer()).await else {
            return false;
        };
        assert_eq!(reply.unwrap().body, "ok");
        let row = rig.ended().await;
        rig.store.flush().await.unwrap();
        assert_eq!(rig.detail(row.seq).forward, None, "the other one is on its way");
        while next_delivery(&mut events).await.ended.is_none() {}
        target.go();
        let again = next_delivery(&mut events).await;
        assert_eq!(again, row, "it is told once more, and there is more to be seen");
        let report = rig.detail(row.seq).forward.unwrap();
        assert_eq!(report.copies.len(), 2);
        assert!(report.copies.iter().all(|copy| copy.status == Some(200)), "{:?}", report.copies);
        true
    };
    for _ in 0..20 {
        if was_first().await {
            return;
        }
    }
    panic!("the first copy was never the first");
}

#[tokio::test]
async fn a_provider_that_leaves_takes_nothing_from_the_handler() {
    let reset = |sender: Sender| {
        let stream = socket2::SockRef::from(&sender.stream);
        stream.set_linger(Some(Duration::ZERO)).unwrap();
        drop(sender);
    };
    for leave in [drop::<Sender> as fn(Sender), reset] {
        let target = Target::new(Does::AnswersLate(answer("200 OK", "", b"done"))).await;
        let mut rig = rig(&target.url(), 2, 10_000).await;
        let mut sender = rig.connect().await;
        sender.send(&signed("/h", BODY)).await;
        target.came(2).await;
        leave(sender);
        target.go();
        let row = rig.ended().await;
        assert_eq!((row.ended, row.status), (Some(Ended::SenderLeft), None), "{:?}", row.notes);
        assert_eq!(row.claim, ClaimState::Won);
        assert!(row.notes.iter().any(|note| note.contains("(200)")), "{:?}", row.notes);
        rig.stop().await;
        let report = rig.detail(row.seq).forward.unwrap();
        assert!(report.copies.iter().all(|copy| copy.status == Some(200)), "{:?}", report.copies);
        assert_eq!(report.copies[0].response_body, "done");
    }
}

#[tokio::test]
async fn a_stop_waits_for_the_handlers_answer() {
    let target = Target::new(Does::AnswersLate(answer("200 OK", "", b"done"))).await;
    let mut rig = rig(&target.url(), 2, 10_000).await;
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", BODY)).await;
    target.came(2).await;
    rig.shutdown.cancel();
    target.go();
    assert_eq!(sender.answer().await.unwrap().body, "done");
    rig.stop().await;
    assert_eq!(rig.detail(1).forward.unwrap().copies.len(), 2);
}

#[tokio::test]
async fn a_circle_is_noticed() {
    // Two listeners that forward to each other, as through a tunnel: neither address is its own.
    let first = Rig::with(|setup| setup.settings.responder = Responder::Forward).await;
    let mut second = rig(&format!("http://{}", first.address), 1, 10_000).await;
    let mut setup = crate::support::Setup::default();
    setup.settings.responder = Responder::Forward;
    setup.settings.forward.url = format!("http://{}", second.address);
    first.config.send_replace(setup.config());
    let mut first = first;
    let reply = first.fire(&signed("/h", BODY)).await;
    assert_eq!(reply.status, 508);
    let inner = first.ended().await;
    let outer = first.ended().await;
    assert_eq!((inner.status, inner.claim), (Some(508), ClaimState::None));
    assert!(inner.notes.iter().any(|note| note.contains("circle")), "{:?}", inner.notes);
    assert_eq!((outer.seq, outer.status, outer.claim), (1, Some(508), ClaimState::Won));
    assert_eq!(second.ended().await.status, Some(508));
    assert_eq!(first.rows().len(), 2, "it went round once");

    // Somebody else's name is no circle.
    let target = Target::new(Does::Answers(answer("200 OK", "", b""))).await;
    let mut rig = rig(&target.url(), 1, 10_000).await;
    let others = "Via: 1.1 hooktwice-0123, HTTP/2 proxy.example (hooktwice)\r\n";
    assert_eq!(rig.deliver(&post("/h", others, BODY)).await.0.status, 200);
}
