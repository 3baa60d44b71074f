//! What is claimed, what is a duplicate, and what neither.

use crate::support::{Rig, post, signature, signed};
use hooktwice_engine::model::{
    ClaimReason, ClaimState, Ended, JobIdType, Responder, SignatureState,
};
use std::collections::HashSet;

#[tokio::test]
async fn a_first_delivery_wins_and_its_copy_is_a_duplicate() {
    let mut rig = Rig::start().await;
    let request = signed("/hook?x=1", br#"{"event":"job.completed","job_id":"a1"}"#);
    let (reply, first) = rig.deliver(&request).await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    assert_eq!(
        (first.claim, first.job_id.as_deref(), first.status),
        (ClaimState::Won, Some("a1"), Some(204))
    );
    assert_eq!((first.path.as_str(), first.query.as_str()), ("/hook", "x=1"));
    assert_eq!(
        (first.event.as_deref(), first.ended),
        (Some("job.completed"), Some(Ended::Answered))
    );
    assert!(first.duration_ms.is_some_and(|ms| ms > 0.0));
    let (reply, second) = rig.deliver(&request).await;
    assert_eq!(reply.status, 204);
    assert_eq!(
        (second.claim, second.duplicate_of, second.body_differs),
        (ClaimState::Duplicate, Some(first.seq), false)
    );
}

#[tokio::test]
async fn c33_no_id_is_no_duplicate_and_is_noted_softly() {
    let mut rig = Rig::start().await;
    for body in ["", "{}"] {
        let (_, first) = rig.deliver(&signed("/h", body.as_bytes())).await;
        let (_, second) = rig.deliver(&signed("/h", body.as_bytes())).await;
        assert_eq!(
            (first.claim, second.claim, second.duplicate_of),
            (ClaimState::None, ClaimState::None, None)
        );
        let note = format!("the same body as #{}, no id", first.seq);
        assert!(second.notes.contains(&note) && !first.notes.contains(&note), "{:?}", second.notes);
    }
}

#[tokio::test]
async fn c35_zero_is_an_id_and_false_is_none() {
    let mut rig = Rig::start().await;
    let zero = signed("/h", br#"{"job_id":0}"#);
    let (_, first) = rig.deliver(&zero).await;
    let (_, second) = rig.deliver(&zero).await;
    assert_eq!(
        (first.claim, second.claim, second.duplicate_of),
        (ClaimState::Won, ClaimState::Duplicate, Some(first.seq))
    );
    let (reply, other) = rig.deliver(&signed("/h", br#"{"job_id":false}"#)).await;
    assert_eq!((reply.status, other.claim_reason), (204, Some(ClaimReason::IdType)));
}

#[tokio::test]
async fn c37_a_forged_delivery_takes_no_id() {
    let mut rig = Rig::start().await;
    let body = br#"{"job_id":"a1"}"#;
    let forged = post("/h", &signature(b"another body"), body);
    let (reply, row) = rig.deliver(&forged).await;
    assert_eq!((reply.status, row.signature.state), (401, SignatureState::Invalid));
    assert_eq!((row.claim, row.claim_reason), (ClaimState::None, Some(ClaimReason::NotVerified)));
    assert_eq!(row.job_id.as_deref(), Some("a1"), "it is shown all the same");
    assert!(!reply.body.is_empty(), "the sender is told why");
    let (_, real) = rig.deliver(&signed("/h", body)).await;
    assert_eq!(real.claim, ClaimState::Won);
    let (_, again) = rig.deliver(&forged).await;
    assert!(
        again.notes.contains(&format!("same job as #{}, but that body was signed", real.seq)),
        "{:?}",
        again.notes
    );
}

#[tokio::test]
async fn c40_another_body_of_the_job_is_told() {
    let mut rig = Rig::start().await;
    let (_, paid) = rig.deliver(&signed("/h", br#"{"job_id":"A1","type":"paid"}"#)).await;
    let (_, shipped) = rig.deliver(&signed("/h", br#"{"job_id":"A1","type":"shipped"}"#)).await;
    assert_eq!((shipped.duplicate_of, shipped.body_differs), (Some(paid.seq), true));
}

#[tokio::test]
async fn c41_bodies_that_differ_in_their_id_only_are_told() {
    let mut rig = Rig::start().await;
    let (_, first) = rig.deliver(&signed("/h", br#"{"job_id":"x1","total":3}"#)).await;
    let (_, second) = rig.deliver(&signed("/h", br#"{"job_id":"x2","total":3}"#)).await;
    assert_eq!((first.claim, second.claim), (ClaimState::Won, ClaimState::Won));
    assert!(
        second.notes.contains(&format!("equal to #{} apart from its job_id", first.seq)),
        "{:?}",
        second.notes
    );
    let (_, third) = rig.deliver(&signed("/h", br#"{"job_id":"x3","total":4}"#)).await;
    assert!(third.notes.is_empty(), "{:?}", third.notes);
}

#[tokio::test]
async fn c42_events_without_an_id_are_kept_and_claim_nothing() {
    let mut rig = Rig::start().await;
    for round in 0..2 {
        let (_, with) = rig.deliver(&signed("/h", br#"{"job_id":"a"}"#)).await;
        assert_eq!(with.claim == ClaimState::Won, round == 0);
        let (reply, without) = rig.deliver(&signed("/h", br#"{"event":"x"}"#)).await;
        assert_eq!((reply.status, without.claim_reason), (204, Some(ClaimReason::MissingId)));
        assert_eq!((without.job_id, without.job_id_type), (None, JobIdType::Missing));
    }
    assert_eq!(rig.store.claims(0, 0).unwrap().1, 1);
}

#[tokio::test]
async fn c44_two_paths_are_two_scopes() {
    let mut rig = Rig::start().await;
    let body = br#"{"job_id":"1"}"#;
    let (_, a) = rig.deliver(&signed("/a", body)).await;
    let (_, b) = rig.deliver(&signed("/b?c", body)).await;
    let (_, again) = rig.deliver(&signed("/a?other=query", body)).await;
    assert_eq!(
        (a.claim, b.claim, again.duplicate_of),
        (ClaimState::Won, ClaimState::Won, Some(a.seq))
    );
}

#[tokio::test]
async fn c46_c47_arrays_and_envelopes_are_named() {
    let mut rig = Rig::start().await;
    for (body, word) in [
        (r#"[{"job_id":"a"},{"job_id":"a"}]"#, "array"),
        (r#"{"data":{"job_id":"a1"}}"#, "data"),
        (r#"{"Message":"{\"job_id\":\"a1\"}"}"#, "Message"),
    ] {
        let (reply, row) = rig.deliver(&signed("/h", body.as_bytes())).await;
        assert_eq!((reply.status, row.claim), (204, ClaimState::None), "{body}");
        assert!(row.notes.iter().any(|note| note.contains(word)), "{body}: {:?}", row.notes);
    }
}

#[tokio::test]
async fn an_unsigned_and_a_stale_delivery_are_refused() {
    let mut rig = Rig::start().await;
    let body = br#"{"job_id":"a1"}"#;
    let (reply, row) = rig.deliver(&post("/h", "", body)).await;
    assert_eq!((reply.status, row.signature.state), (401, SignatureState::Unsigned));
    let mut setup = crate::support::Setup::default();
    setup.settings.tolerance_s = 5;
    rig.config.send_replace(setup.config());
    let old = signed_at(crate::support::NOW - 6, "/h", body);
    let (reply, row) = rig.deliver(&old).await;
    assert_eq!((reply.status, row.signature.state), (401, SignatureState::Stale));
    assert_eq!(rig.store.claims(0, 0).unwrap().1, 0);
}

#[tokio::test]
async fn without_a_secret_nothing_is_checked_and_claims_are_made() {
    let mut rig = Rig::with(|setup| setup.secret = false).await;
    let (reply, row) = rig.deliver(&post("/h", "", br#"{"job_id":"a1"}"#)).await;
    assert_eq!(
        (reply.status, row.signature.state, row.claim),
        (204, SignatureState::Unchecked, ClaimState::Won)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c26_two_hundred_copies_at_once_have_one_winner() {
    let mut rig = Rig::start().await;
    let request = signed("/h", br#"{"job_id":"a1"}"#);
    let mut senders = Vec::new();
    for _ in 0..200 {
        let mut sender = rig.connect().await;
        sender.send(&request[..request.len() - 1]).await;
        senders.push(sender);
    }
    for sender in &mut senders {
        sender.send(&request[request.len() - 1..]).await;
    }
    for sender in &mut senders {
        assert_eq!(sender.answer().await.unwrap().status, 204);
    }
    let mut rows = Vec::new();
    for _ in 0..200 {
        rows.push(rig.ended().await);
    }
    let winners: Vec<_> = rows.iter().filter(|row| row.claim == ClaimState::Won).collect();
    assert_eq!(winners.len(), 1);
    let winner = winners[0].seq;
    let named: HashSet<_> = rows.iter().filter_map(|row| row.duplicate_of).collect();
    assert_eq!(named, HashSet::from([winner]));
    assert_eq!(rig.effects("/h", "a1"), 1);
}

#[tokio::test]
async fn the_naive_responder_doubles_the_effect() {
    let mut rig =
        Rig::with(|setup| setup.settings.responder = Responder::Naive { pause_ms: 150 }).await;
    let request = signed("/h", br#"{"job_id":"a1"}"#);
    let (first, second) = tokio::join!(rig.fire(&request), rig.fire(&request));
    assert_eq!((first.status, second.status), (204, 204));
    for _ in 0..2 {
        assert_eq!(rig.ended().await.claim, ClaimState::Won);
    }
    assert_eq!(rig.effects("/h", "a1"), 2);
    let (_, third) = rig.deliver(&request).await;
    assert_eq!(
        (third.claim, third.duplicate_of),
        (ClaimState::Duplicate, Some(1)),
        "later it sees the first"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c82_fifty_parallel_deliveries_meet_no_lock() {
    let mut rig = Rig::start().await;
    let requests: Vec<_> =
        (0..50).map(|n| signed("/h", format!(r#"{{"job_id":"j{n}"}}"#).as_bytes())).collect();
    let mut senders = Vec::new();
    for request in &requests {
        let mut sender = rig.connect().await;
        sender.send(request).await;
        senders.push(sender);
    }
    for sender in &mut senders {
        assert_eq!(sender.answer().await.unwrap().status, 204);
    }
    for _ in 0..50 {
        assert_eq!(rig.ended().await.claim, ClaimState::Won);
    }
}

/// A request that was signed at a Unix second.
fn signed_at(second: i64, path: &str, body: &[u8]) -> Vec<u8> {
    let signed = crate::support::signer().sign(second, "evt", body).unwrap();
    let lines: String = signed
        .iter()
        .map(|header| {
            let (name, value) = (&header.name, &header.value);
            format!("{}: {}\r\n", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
        })
        .collect();
    post(path, &lines, body)
}

#[tokio::test]
async fn c18_a_clock_that_is_off_is_named_when_many_deliveries_bear_it_out() {
    let mut rig = Rig::start().await;
    let now = crate::support::NOW;
    let mut hints = Vec::new();
    for late in 0..5 {
        let (_, row) = rig.deliver(&signed_at(now - 400 - late, "/h", b"{}")).await;
        assert_eq!(row.signature.state, SignatureState::Stale);
        assert_eq!(row.signature.age_s, Some(400.0 + late as f64));
        hints.push(row.signature.hints);
    }
    assert!(hints[..4].iter().all(Vec::is_empty), "{hints:?}");
    assert!(hints[4][0].contains("were all about 404 s old"), "{hints:?}");
    // One that is in time says that the clocks agree.
    let (_, row) = rig.deliver(&signed_at(now, "/h", b"{}")).await;
    assert_eq!(
        (row.signature.state, row.signature.secret.as_deref()),
        (SignatureState::Valid, Some("test"))
    );
    let (_, row) = rig.deliver(&signed_at(now - 405, "/h", b"{}")).await;
    assert_eq!(row.signature.hints, Vec::<String>::new());
}
