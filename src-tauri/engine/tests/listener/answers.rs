//! What is answered.

use crate::support::{Rig, Setup, next_delivery, post, signed};
use hooktwice_engine::model::{ClaimReason, ClaimState, Ended, Responder, SignatureState};
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test]
async fn c24_c62_an_empty_body_is_signed_kept_and_acknowledged() {
    let mut rig = Rig::start().await;
    let empty = post(
        "/h",
        &format!("Content-Type: application/json\r\n{}", crate::support::signature(b"")),
        b"",
    );
    let (reply, row) = rig.deliver(&empty).await;
    assert_eq!((reply.status, row.signature.state), (204, SignatureState::Valid));
    assert_eq!(
        (row.claim, row.claim_reason, row.size),
        (ClaimState::None, Some(ClaimReason::NoBody), 0)
    );
    let get = format!("GET /h HTTP/1.1\r\nHost: here\r\n{}\r\n", crate::support::signature(b""));
    let (reply, row) = rig.deliver(get.as_bytes()).await;
    assert_eq!((reply.status, row.signature.state), (200, SignatureState::Valid));
    assert_eq!((row.claim, row.claim_reason), (ClaimState::None, Some(ClaimReason::Method)));
}

#[tokio::test]
async fn c68_c69_probes_are_answered_and_claim_nothing() {
    let mut rig = Rig::start().await;
    let mut lengths = Vec::new();
    for method in ["GET", "HEAD", "OPTIONS"] {
        let mut sender = rig.connect().await;
        let origin = "WebHook-Request-Origin: e.example\r\n";
        sender.send(format!("{method} /h HTTP/1.1\r\nHost: here\r\n{origin}\r\n").as_bytes()).await;
        let reply = sender.answer_to(method).await.unwrap();
        assert_eq!(reply.status, 200, "{method}");
        lengths.push(reply.header("content-length").map(str::to_owned));
        // The next answer on the same connection shows that no byte of a body came after a HEAD.
        sender.send(&signed("/h", b"{}")).await;
        assert_eq!(sender.answer().await.unwrap().status, 204);
        let row = rig.ended().await;
        assert_eq!(
            (row.method.as_str(), row.claim, row.claim_reason),
            (method, ClaimState::None, Some(ClaimReason::Method))
        );
        assert!(row.notes.iter().any(|note| note.starts_with("probe")), "{:?}", row.notes);
        assert!(
            crate::support::shown(&rig.detail(row.seq).headers)
                .contains(&("WebHook-Request-Origin", "e.example"))
        );
        rig.ended().await;
    }
    assert!(
        lengths[0].is_some() && lengths.iter().all(|length| *length == lengths[0]),
        "{lengths:?}"
    );
}

#[tokio::test]
async fn c68_put_delete_and_patch_are_judged_like_post() {
    let mut rig = Rig::start().await;
    for (n, method) in ["PUT", "DELETE", "PATCH"].into_iter().enumerate() {
        let body = format!(r#"{{"job_id":"j{n}"}}"#);
        let request =
            String::from_utf8(signed("/h", body.as_bytes())).unwrap().replacen("POST", method, 1);
        let (reply, row) = rig.deliver(request.as_bytes()).await;
        assert_eq!((reply.status, row.claim, row.method.as_str()), (204, ClaimState::Won, method));
    }
}

#[tokio::test]
async fn connect_is_refused_and_kept() {
    let mut rig = Rig::start().await;
    let (reply, row) =
        rig.deliver(b"CONNECT e.example:443 HTTP/1.1\r\nHost: e.example:443\r\n\r\n").await;
    assert_eq!(
        (reply.status, row.path.as_str(), row.claim),
        (405, "e.example:443", ClaimState::None)
    );
}

#[tokio::test]
async fn c72_c73_what_is_not_json_is_kept_and_answered_400() {
    let mut rig = Rig::start().await;
    let nan = br#"{"job_id":"a","v":NaN}"#;
    let (reply, row) = rig.deliver(&signed("/h", nan)).await;
    assert_eq!((reply.status, row.signature.state), (400, SignatureState::Valid));
    assert_eq!((row.claim, row.claim_reason), (ClaimState::None, Some(ClaimReason::NotJson)));
    assert!(row.notes[0].contains("byte 18"), "{:?}", row.notes);
    assert!(reply.body.contains("byte 18"), "{}", reply.body);
    assert_eq!(rig.body(row.seq), nan);
    let deep = vec![b'['; 1_000_000];
    let (reply, row) = rig.deliver(&signed("/h", &deep)).await;
    assert_eq!((reply.status, row.claim_reason), (400, Some(ClaimReason::NotJson)));
    assert_eq!(
        rig.fire(&signed("/h", br#"{"job_id":"a"}"#)).await.status,
        204,
        "the next one is well"
    );
}

#[tokio::test]
async fn status_is_always_that_code_and_claims_are_still_made() {
    let mut rig =
        Rig::with(|setup| setup.settings.responder = Responder::Status { code: 503 }).await;
    let request = signed("/h", br#"{"job_id":"a1"}"#);
    let (reply, row) = rig.deliver(&request).await;
    assert_eq!((reply.status, row.status, row.claim), (503, Some(503), ClaimState::Won));
    let (reply, row) = rig.deliver(&post("/h", "", br#"{"job_id":"a2"}"#)).await;
    assert_eq!((reply.status, row.claim), (503, ClaimState::None));
}

#[tokio::test]
async fn the_first_deliveries_of_a_job_are_failed_on_purpose() {
    let mut rig = Rig::with(|setup| setup.settings.fail_first = 2).await;
    let request = signed("/h", br#"{"job_id":"a1"}"#);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (reply, row) = rig.deliver(&request).await;
        seen.push((reply.status, row.claim, row.notes.last().cloned()));
    }
    let note = |n| Some(format!("answered 500 on purpose ({n} of 2)"));
    assert_eq!(seen[0], (500, ClaimState::Won, note(1)), "the claim is made all the same");
    assert_eq!(seen[1], (500, ClaimState::Duplicate, note(2)));
    assert_eq!((seen[2].0, seen[2].1), (204, ClaimState::Duplicate));
    assert_eq!(rig.fire(&signed("/h", br#"{"job_id":"a2"}"#)).await.status, 500, "each job anew");
    assert_eq!(
        rig.fire(&post("/h", "", br#"{"job_id":"a3"}"#)).await.status,
        401,
        "what is refused anyway is"
    );
}

#[tokio::test]
async fn drop_takes_the_delivery_and_closes() {
    let mut rig = Rig::with(|setup| setup.settings.drop = true).await;
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(sender.answer().await, None);
    let row = rig.ended().await;
    assert_eq!((row.claim, row.status, row.ended), (ClaimState::Won, None, Some(Ended::Refused)));
    assert!(row.notes.iter().any(|note| note.contains("on purpose")), "{:?}", row.notes);
}

#[tokio::test]
async fn a_delayed_delivery_is_shown_before_it_is_answered() {
    let mut rig = Rig::with(|setup| setup.settings.delay_ms = 300).await;
    let mut events = rig.events.subscribe(None);
    let (reply, row) = rig.deliver(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(reply.status, 204);
    assert!(row.duration_ms.is_some_and(|ms| ms >= 300.0), "{:?}", row.duration_ms);
    let mut seen = Vec::new();
    while seen.len() < 2 {
        for event in events.next_batch().await.unwrap().events {
            if let hooktwice_engine::events::Event::Delivery { delivery } = event {
                seen.push(delivery.ended);
            }
        }
    }
    assert_eq!(seen, [None, Some(Ended::Answered)]);
}

#[tokio::test]
async fn an_ending_is_told_when_it_can_be_read() {
    let mut rig = Rig::with(|setup| setup.settings.delay_ms = 300).await;
    let mut events = rig.events.subscribe(None);
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(next_delivery(&mut events).await.ended, None, "it is stored, and waits");
    let blocker = rig.blocker();
    assert_eq!(sender.answer().await.unwrap().status, 204);
    // Long enough for an ending to be told that is not written yet.
    let release = tokio::spawn(async move {
        sleep(Duration::from_millis(200)).await;
        blocker.execute_batch("ROLLBACK").unwrap();
    });
    let row = rig.ended().await;
    assert_eq!(rig.rows(), std::slice::from_ref(&row), "whoever looks then finds it");
    assert_eq!(row.ended, Some(Ended::Answered));
    assert_eq!(next_delivery(&mut events).await, row);
    release.await.unwrap();
}

#[tokio::test]
async fn a_change_of_the_configuration_counts_from_the_next_request_on() {
    let mut rig = Rig::start().await;
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(sender.answer().await.unwrap().status, 204);
    let mut setup = Setup::default();
    setup.settings.responder = Responder::Status { code: 418 };
    setup.settings.id_pointer = "/data/id".into();
    rig.config.send_replace(setup.config());
    sender.send(&signed("/h", br#"{"data":{"id":"b1"}}"#)).await;
    assert_eq!(sender.answer().await.unwrap().status, 418, "on the same connection");
    rig.ended().await;
    assert_eq!(rig.ended().await.job_id.as_deref(), Some("b1"));
}

#[tokio::test]
async fn what_was_answered_is_kept_as_written() {
    let mut rig = Rig::start().await;
    let mut sender = rig.connect().await;
    sender.send(&post("/h", "", b"{}")).await;
    let reply = sender.answer().await.unwrap();
    let row = rig.ended().await;
    rig.store.flush().await.unwrap();
    let detail = rig.detail(row.seq);
    assert_eq!(detail.response_body, reply.body);
    let kept: Vec<_> = crate::support::shown(&detail.response_headers)
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let sent: Vec<_> =
        reply.head.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    assert_eq!(kept, sent);
}

#[cfg(unix)]
#[tokio::test]
async fn c81_what_cannot_be_kept_is_not_acknowledged() {
    let mut rig = Rig::start().await;
    assert_eq!(rig.deliver(&signed("/h", br#"{"job_id":"a1"}"#)).await.0.status, 204);
    let blocker = rig.blocker();
    let reply = rig.fire(&signed("/h", br#"{"job_id":"a2"}"#)).await;
    assert_eq!(reply.status, 500, "{}", reply.body);
    blocker.execute_batch("ROLLBACK").unwrap();
    drop(blocker);
    let (reply, row) = rig.deliver(&signed("/h", br#"{"job_id":"a2"}"#)).await;
    assert_eq!(
        (reply.status, row.claim),
        (204, ClaimState::Won),
        "nothing of the first try was kept"
    );
    assert_eq!(rig.rows().len(), 2);
}
