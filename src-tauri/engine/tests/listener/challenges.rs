//! C70: a provider that verifies the address asks for a value back.

use crate::support::{Reply, Rig, post, signed};
use hooktwice_engine::model::{
    ClaimReason, ClaimState, Delivery, Ended, Responder, SignatureState,
};

const SLACK: &[u8] = br#"{"token":"t","challenge":"c1","type":"url_verification"}"#;
const META: &str = "/h?hub.mode=subscribe&hub.challenge=2089&hub.verify_token=x";

async fn answering() -> Rig {
    Rig::with(|setup| setup.settings.answer_challenges = true).await
}

fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: here\r\n\r\n").into_bytes()
}

fn is_handshake(row: &Delivery) -> bool {
    row.notes.iter().any(|note| note == "handshake: the challenge was echoed")
}

/// Exactly the value, as nothing but text.
fn assert_echoed((reply, row): &(Reply, Delivery), value: &str) {
    assert_eq!((reply.status, reply.body.as_str()), (200, value));
    assert_eq!(reply.header("content-length"), Some(value.len().to_string().as_str()));
    assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert!(is_handshake(row), "{:?}", row.notes);
    assert_eq!(
        (row.claim, row.status, row.ended),
        (ClaimState::None, Some(200), Some(Ended::Answered))
    );
}

#[tokio::test]
async fn c70_a_challenge_is_said_back_once_and_is_no_job() {
    let mut rig = answering().await;
    let mut sender = rig.connect().await;
    for (request, value, method, reason) in [
        (signed("/h", SLACK), "c1", "POST", ClaimReason::MissingId),
        (signed("/h", SLACK), "c1", "POST", ClaimReason::MissingId),
        (get(META), "2089", "GET", ClaimReason::Method),
        (get("/h?hub.challenge=a%2Bb+c&hub.mode=subscribe"), "a+b c", "GET", ClaimReason::Method),
    ] {
        // All on one connection: a byte too many would stand before the next answer.
        sender.send(&request).await;
        let answered = (sender.answer().await.unwrap(), rig.ended().await);
        assert_echoed(&answered, value);
        let row = answered.1;
        assert_eq!((row.method.as_str(), row.claim_reason), (method, Some(reason)));
        assert!(!row.notes.iter().any(|note| note.contains('#')), "like no other: {:?}", row.notes);
    }
    // The answer is kept as it was written.
    assert_eq!(rig.detail(1).response_body, "c1");
}

#[tokio::test]
async fn c70_it_is_off_unless_it_is_asked_for() {
    let mut rig = Rig::start().await;
    for (request, status) in [(signed("/h", SLACK), 204), (get(META), 200)] {
        let (reply, row) = rig.deliver(&request).await;
        assert_eq!(reply.status, status);
        assert!(!reply.body.contains("c1") && !reply.body.contains("2089"), "{}", reply.body);
        assert!(!row.notes.iter().any(|note| note.contains("handshake")), "{:?}", row.notes);
    }
}

#[tokio::test]
async fn c70_a_challenge_that_is_not_signed_rightly_is_refused() {
    let mut rig = answering().await;
    let forged = post("/h", &crate::support::signature(b"another body"), SLACK);
    for (request, state) in
        [(forged, SignatureState::Invalid), (post("/h", "", SLACK), SignatureState::Unsigned)]
    {
        let (reply, row) = rig.deliver(&request).await;
        assert_eq!((reply.status, row.signature.state), (401, state));
        assert_eq!(row.claim_reason, Some(ClaimReason::NotVerified));
        assert!(!reply.body.contains("c1") && !is_handshake(&row), "{reply:?}");
    }
    // Who asks by GET never signs; who signs all the same has to do it rightly.
    let lines = crate::support::signature(b"another body");
    let forged = format!("GET {META} HTTP/1.1\r\nHost: here\r\n{lines}\r\n");
    let (reply, row) = rig.deliver(forged.as_bytes()).await;
    assert_eq!((reply.status, row.signature.state), (200, SignatureState::Invalid));
    assert!(!reply.body.contains("2089") && !is_handshake(&row), "{reply:?}");
}

#[tokio::test]
async fn c70_without_a_secret_every_challenge_is_said_back() {
    let mut rig = Rig::with(|setup| {
        setup.settings.answer_challenges = true;
        setup.secret = false;
    })
    .await;
    assert_echoed(&rig.deliver(&post("/h", "", SLACK)).await, "c1");
    assert_echoed(&rig.deliver(&get(META)).await, "2089");
}

#[tokio::test]
async fn c70_a_job_stays_a_job_whatever_stands_beside_its_id() {
    let mut rig = answering().await;
    let request = signed("/h", br#"{"job_id":"a1","challenge":"c1"}"#);
    for claim in [ClaimState::Won, ClaimState::Duplicate] {
        let (reply, row) = rig.deliver(&request).await;
        assert_eq!((reply.status, row.claim), (204, claim));
        assert!(!is_handshake(&row), "{:?}", row.notes);
    }
}

#[tokio::test]
async fn c70_what_is_more_than_a_short_line_of_text_is_not_said_back() {
    let mut rig = answering().await;
    let long = format!(r#"{{"challenge":"{}"}}"#, "x".repeat(4097));
    for (request, status) in [
        (signed("/h", long.as_bytes()), 204),
        (signed("/h", br#"{"challenge":"a\r\nb"}"#), 204),
        (get("/h?hub.mode=subscribe&hub.challenge=a%0d%0aX:%20b"), 200),
    ] {
        let (reply, row) = rig.deliver(&request).await;
        assert_eq!((reply.status, reply.header("x-content-type-options")), (status, None));
        let told =
            row.notes.iter().any(|note| note.starts_with("handshake: the challenge was not"));
        assert!(told && !is_handshake(&row), "{:?}", row.notes);
    }
    let html = br#"{"challenge":"<script>alert(1)</script>"}"#;
    assert_echoed(&rig.deliver(&signed("/h", html)).await, "<script>alert(1)</script>");
}

#[tokio::test]
async fn c70_what_is_failed_on_purpose_are_deliveries_and_no_handshakes() {
    let mut rig = Rig::with(|setup| {
        setup.settings.answer_challenges = true;
        setup.settings.responder = Responder::Status { code: 503 };
        setup.settings.fail_first = 1;
        setup.settings.drop = true;
    })
    .await;
    assert_echoed(&rig.deliver(&signed("/h", SLACK)).await, "c1");
    let mut sender = rig.connect().await;
    sender.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(sender.answer().await, None);
    assert_eq!(rig.ended().await.claim, ClaimState::Won);
}
