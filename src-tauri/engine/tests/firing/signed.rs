//! How copies are signed.

use crate::support::{Handler, OK, Seen, fire, plan};
use hooktwice_engine::{
    error::ErrorCode,
    firing::Plan,
    head::RawHeader,
    model::{Release, SchemeSettings, SignatureState, Signing},
    secrets::{NamedSecret, Secret},
    signing::{self, SignedRequest, Signer},
};
use std::collections::HashSet;

fn signer() -> Signer {
    Signer {
        scheme: signing::scheme("sume", &SchemeSettings::default()).unwrap(),
        secret: Secret::new(b"test secret".to_vec()),
    }
}

/// What a stored delivery was signed with, and a header of its own.
fn stored() -> Vec<RawHeader> {
    [
        ("x-sume-timestamp", "1600000000"),
        ("X-Mine", "1"),
        ("X-SUME-SIGNATURE", "v1=00"),
        ("X-Sume-Event-Id", "evt_old"),
    ]
    .map(|(name, value)| RawHeader::new(name, value))
    .to_vec()
}

fn state(seen: &Seen) -> SignatureState {
    let (path, query) = seen.head.path_and_query();
    let request = SignedRequest {
        method: &seen.head.method,
        path: &path,
        query: &query,
        headers: &seen.head.headers,
        body: &seen.body,
    };
    let signer = signer();
    signing::verify(
        signer.scheme.as_ref(),
        &[NamedSecret::new("test", signer.secret.clone(), "memory")],
        &request,
        jiff::Timestamp::now(),
        300,
    )
    .state
}

async fn fired(signing: Signing, release: Release) -> Vec<Seen> {
    let handler = Handler::start(OK).await;
    let signer = (signing != Signing::Verbatim).then(signer);
    let plan =
        Plan { copies: 4, release, headers: stored(), signing, signer, ..plan(&handler.url) };
    let (_, summary) = fire(plan).await.unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&4));
    handler.seen()
}

fn values<'a>(seen: &'a Seen, name: &'a str) -> Vec<&'a [u8]> {
    seen.head.values(name).map(|value| &value[..]).collect()
}

#[tokio::test]
async fn each_copy_is_signed_in_the_place_of_the_stored_signature() {
    for release in [Release::Together, Release::Sequential, Release::Gap { ms: 1.0 }] {
        for seen in fired(Signing::Each, release).await {
            assert_eq!(state(&seen), SignatureState::Valid, "{seen:?}");
            assert_eq!(values(&seen, "x-sume-event-id"), [b"evt_1"]);
            assert_eq!(values(&seen, "x-mine"), [b"1"]);
            assert_eq!(values(&seen, "x-sume-timestamp").len(), 1);
        }
    }
}

#[tokio::test]
async fn each_has_the_time_when_it_was_sent() {
    let seen = fired(Signing::Each, Release::Gap { ms: 700.0 }).await;
    let times: HashSet<_> =
        seen.iter().map(|seen| values(seen, "x-sume-timestamp").concat()).collect();
    assert!(times.len() > 1, "over 2.1 s all copies had one timestamp");
}

#[tokio::test]
async fn once_is_one_signature_for_all() {
    let seen = fired(Signing::Once, Release::Gap { ms: 400.0 }).await;
    let signatures: HashSet<_> =
        seen.iter().map(|seen| values(seen, "x-sume-signature").concat()).collect();
    assert_eq!(signatures.len(), 1);
    assert!(seen.iter().all(|seen| state(seen) == SignatureState::Valid));
}

#[tokio::test]
async fn verbatim_leaves_the_headers_alone() {
    for seen in fired(Signing::Verbatim, Release::Together).await {
        assert_eq!(seen.head.headers[1..5], stored());
    }
}

#[tokio::test]
async fn without_a_secret_nothing_is_signed_or_sent() {
    let handler = Handler::start(OK).await;
    let error = fire(Plan { signing: Signing::Each, ..plan(&handler.url) }).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoSecret);
    assert_eq!(*handler.opened.borrow(), 0);
}
