//! Shopify. The digests are computed with Python: `base64.b64encode(hmac.new(b"test-secret", body, "sha256").digest())`.

use super::{delivery::*, *};

const DIGESTS: [&str; 10] = [
    "aRnBxRYv/biGMfbISP2n7TG1/chM4j1P/+j50vFJ7R4=",
    "ecnLiu7OArkxJO1myQPjj8Cs/1qtBFwUZhdqD2+NqtE=",
    "qPXZHsGv/Um7y5PgZ13MGwB/sXfdgPlHMlY/9VqztD8=",
    "lTa/AJWVhfs1sGw+v9sHcHWYzhjZnR5fhio1mmuUzvQ=",
    "LXcmS9UQIhiQOIpDR1rbmQE2vIXCLra74YC8zSWSGVs=",
    "/bjM4Snwpf4fVIGPPZb66HuOilFT1+84pipJvB7LNlw=",
    "W4DcQ0pWhThLOUfLT/ogyikJw/o6Dne0o6EErCMjiNg=",
    "VaFCmGIZOGE7k8EiHGPaO4Owy+geSKERQzJstmkx0/w=",
    "pBvG2B1kE1dq4JlJleCtiaQW7Jc4lRXDYE9HciEi7us=",
    "e8NphjZ5YoAE06X9q7kxif6B38vCawTMXBhpPm0rkME=",
];

fn row_1() -> Delivery {
    Delivery::signed(&plain("shopify"), b"test-secret", ROW_1)
}

#[test]
fn the_bodies_of_the_field_match_their_digests_alone() {
    only_its_own("shopify", "test-secret", DIGESTS, |digest| {
        vec![("X-Shopify-Hmac-Sha256", digest.to_owned())]
    });
}

#[test]
fn it_has_no_time_and_its_other_headers_are_not_signed() {
    let sent = row_1()
        .with("X-Shopify-Event-Id", "other")
        .and("X-Shopify-Triggered-At", "1970-01-01T00:00:00Z")
        .and("X-Shopify-Topic", "orders/create");
    for now in [0, T + 1_000_000_000] {
        assert_eq!(sent.clone().now(now).state(), SignatureState::Valid);
    }
    let headers: Vec<_> =
        sent.headers().into_iter().map(|(name, value)| RawHeader::new(name, value)).collect();
    assert_eq!(event_id(&*sent.scheme, &headers).as_deref(), Some("other"));
    assert_eq!(event_name(&*sent.scheme, &headers).as_deref(), Some("orders/create"));
}

#[test]
fn its_secret_is_text_though_it_looks_like_hex() {
    // Shopify's secrets are 32 bytes in hex, and the key is those 64 characters (C15).
    let secret = b"00ff10ab";
    let sent = Delivery::signed(&plain("shopify"), secret, ROW_1);
    assert_eq!(sent.state(), SignatureState::Valid);
    assert_eq!(sent.secret(hex::decode(secret).unwrap()).state(), SignatureState::Invalid);
}

#[test]
fn base64_is_read_as_it_is_written_and_not_otherwise() {
    let own = DIGESTS[0];
    assert_eq!(row_1().lines(&[own]).state(), SignatureState::Valid);
    let near = [
        own.trim_end_matches('=').to_owned(),
        format!("{own}="),
        own.replace('/', "_").replace('+', "-"),
        own.to_lowercase(),
        own.to_uppercase(),
        // The same bytes, with bits behind the last one that must be zero.
        own.replace("7R4=", "7R5="),
        format!("{} {}", &own[..20], &own[20..]),
        format!("{}\n{}", &own[..20], &own[20..]),
        format!("sha256={own}"),
        hex::encode(own),
    ];
    for line in near {
        assert_ne!(line, own);
        assert_eq!(row_1().lines(&[&line]).state(), SignatureState::Invalid, "{line}");
    }
    let named = [
        (own.trim_end_matches('=').to_owned(), "padding"),
        (own.replace('/', "_").replace('+', "-"), "URL-safe"),
        (
            "6919c1c5162ffdb88631f6c848fda7ed31b5fdc84ce23d4fffe8f9d2f149ed1e".into(),
            "looks like hex",
        ),
    ];
    for (line, said) in named {
        let report = row_1().lines(&[&line]).judge();
        let reason = report.reason.unwrap();
        assert!(reason.contains(said) && reason.contains("<base64 of 32 bytes>"), "{reason}");
        assert!(report.hints.iter().any(|hint| hint.contains("only its form differs")), "{line}");
    }
}
