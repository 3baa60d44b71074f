//! GitHub. The digests are computed with Python: `hmac.new(b"test-secret", body, "sha256").hexdigest()`.

use super::{delivery::*, *};

const DIGESTS: [&str; 10] = [
    "6919c1c5162ffdb88631f6c848fda7ed31b5fdc84ce23d4fffe8f9d2f149ed1e",
    "79c9cb8aeece02b93124ed66c903e38fc0acff5aad045c1466176a0f6f8daad1",
    "a8f5d91ec1affd49bbcb93e0675dcc1b007fb177dd80f94732563ff55ab3b43f",
    "9536bf00959585fb35b06c3ebfdb07707598ce18d99d1e5f862a359a6b94cef4",
    "2d77264bd510221890388a43475adb990136bc85c22eb6bbe180bccd2592195b",
    "fdb8cce129f0a5fe1f54818f3d96fae87b8e8a5153d7ef38a62a49bc1ecb365c",
    "5b80dc434a5685384b3947cb4ffa20ca2909c3fa3a0e77b4a3a104ac232388d8",
    "55a14298621938613b93c1221c63da3b83b0cbe81e48a11143326cb66931d3fc",
    "a41bc6d81d6413576ae0994995e0ad89a416ec97389515c3604f47722122eeeb",
    "7bc369863679628004d3a5fdabb93189fe81dfcbc26b04cc5c18693e6d2b90c1",
];

fn row_1() -> Delivery {
    Delivery::signed(&plain("github"), b"test-secret", ROW_1)
}

#[test]
fn the_vector_of_its_documentation_matches() {
    let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let sent = Delivery::came(
        &plain("github"),
        b"It's a Secret to Everybody",
        &[("x-hub-signature-256", signature)],
        b"Hello, World!",
    );
    assert_eq!(sent.state(), SignatureState::Valid);
    assert_eq!(sent.clone().body("Hello, World").state(), SignatureState::Invalid);
    assert_eq!(sent.secret("It's a secret to everybody").state(), SignatureState::Invalid);
}

#[test]
fn the_bodies_of_the_field_match_their_digests_alone() {
    only_its_own("github", "test-secret", DIGESTS, |digest| {
        vec![("X-Hub-Signature-256", format!("sha256={digest}"))]
    });
}

#[test]
fn it_has_no_time_so_that_a_recorded_delivery_stays_valid() {
    for now in [0, T - 1_000_000, T + 1_000_000_000] {
        assert_eq!(row_1().now(now).state(), SignatureState::Valid);
    }
    let shown = detail(&*plain("github"), &row_1().request(), at(T), 300);
    assert_eq!((shown.signed_prefix.as_deref(), shown.age_s), (Some(""), None));
}

#[test]
fn its_other_headers_name_the_event_and_are_not_signed() {
    let sent = row_1().with("X-GitHub-Delivery", "other").and("X-GitHub-Event", "push");
    assert_eq!(sent.state(), SignatureState::Valid);
    let headers: Vec<_> =
        sent.headers().into_iter().map(|(name, value)| RawHeader::new(name, value)).collect();
    assert_eq!(event_id(&*sent.scheme, &headers).as_deref(), Some("other"));
    assert_eq!(event_name(&*sent.scheme, &headers).as_deref(), Some("push"));
}

#[test]
fn the_older_header_does_not_count_and_its_digest_is_of_another_length() {
    // hmac.new(b"test-secret", b'{"job_id":"a1"}', "sha1").hexdigest()
    let sha1 = "d7e8047ed6539812f98b3009d4c5d486279d1c4b";
    let older =
        row_1().without("X-Hub-Signature-256").and("X-Hub-Signature", format!("sha1={sha1}"));
    assert_eq!(older.state(), SignatureState::Unsigned);
    for tag in ["sha1=", "sha256=", ""] {
        let reason = row_1().lines(&[format!("{tag}{sha1}")]).reason(SignatureState::Invalid);
        assert!(reason.contains("wrong length"), "{tag}: {reason}");
    }
}
