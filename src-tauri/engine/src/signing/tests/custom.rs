//! The custom scheme: every placeholder, every choice, every refusal, and every other scheme written as a custom one.
//! The digests are computed with Python's `hmac`, over the text that stands beside each.

use super::{delivery::*, *};
use crate::model::{CustomAlgorithm, CustomEncoding, CustomForm, CustomSecret, CustomTimestamp};

mod random;
mod refusals;

fn form(change: impl FnOnce(&mut CustomForm)) -> CustomForm {
    let mut form = CustomForm::default();
    change(&mut form);
    form
}

fn custom(change: impl FnOnce(&mut CustomForm)) -> Arc<dyn Scheme> {
    let settings = SchemeSettings { custom: form(change), ..SchemeSettings::default() };
    scheme("custom", &settings).unwrap()
}

fn at_time(name: &str) -> CustomTimestamp {
    CustomTimestamp::Header { name: name.into() }
}

fn beside(name: &str) -> CustomTimestamp {
    CustomTimestamp::Parameter { name: name.into() }
}

#[test]
fn as_it_is_by_default_the_vectors_of_the_field_match() {
    for (name, body, digest) in VECTORS {
        let headers = [("X-Timestamp", "1700000000"), ("X-Signature", digest)];
        let sent = Delivery::came(&plain("custom"), SECRET.as_bytes(), &headers, body);
        assert_eq!(sent.state(), SignatureState::Valid, "{name}");
    }
}

#[test]
fn every_placeholder_is_in_the_text_where_it_stands() {
    let scheme = custom(|custom| {
        custom.signed =
            "{timestamp}.{method}.{path}.{query}.{header:Content-Type}.{id}.{body}.end".into();
        custom.id_header = "X-Id".into();
    });
    // 1700000000.POST./hook/a%20b.x=1&y=%2F.application/json.evt_1.{"job_id":"a1"}.end
    let digest = "dabc5daee4ebe3e5d9321a1e5b1697fc2da0d6f3f6b66f776c29cd113289bc41";
    let sent = Delivery::came(
        &scheme,
        SECRET.as_bytes(),
        &[
            ("X-Timestamp", "1700000000"),
            ("X-Signature", digest),
            ("X-Id", "evt_1"),
            ("content-type", "application/json"),
        ],
        ROW_1,
    )
    .target("POST", "/hook/a%20b", "x=1&y=%2F");
    assert_eq!(sent.state(), SignatureState::Valid);
    // Each is signed: with another, it does not match.
    for near in [
        sent.clone().target("PUT", "/hook/a%20b", "x=1&y=%2F"),
        sent.clone().target("POST", "/hook/a b", "x=1&y=%2F"),
        sent.clone().target("POST", "/hook/a%20b", "x=1&y=%2f"),
        sent.clone().target("POST", "/hook/a%20b", ""),
        sent.clone().with("X-Id", "evt_2"),
        sent.clone().with("Content-Type", "application/json; charset=utf-8"),
        sent.clone().without("Content-Type"),
        sent.clone().with("X-Timestamp", "1700000001"),
        sent.clone().body(ROW_2),
    ] {
        assert_eq!(near.state(), SignatureState::Invalid, "{:?}", near.headers());
    }
    // Other headers are not.
    assert_eq!(sent.clone().and("X-Other", "1").state(), SignatureState::Valid);
    // What we sign is the same.
    let signer = Signer { scheme, secret: Secret::new(SECRET.into()) };
    let signed = signer.sign_request(T, "evt_1", &sent.request()).unwrap();
    let due = [("X-Timestamp", "1700000000"), ("X-Signature", digest), ("X-Id", "evt_1")];
    assert_eq!(values(&signed), due);
}

#[test]
fn a_signed_header_that_came_twice_or_a_missing_id_is_named() {
    let scheme = custom(|custom| {
        custom.signed = "{id}{header:X-Part}{body}".into();
        custom.id_header = "X-Id".into();
        custom.timestamp = CustomTimestamp::None;
    });
    let sent = Delivery::signed(&scheme, SECRET.as_bytes(), ROW_1);
    // One that did not come is signed as nothing, and an empty one the same.
    assert_eq!(sent.state(), SignatureState::Valid);
    assert_eq!(sent.clone().and("X-Part", "").state(), SignatureState::Valid);
    assert_eq!(sent.clone().and("X-Part", "a").state(), SignatureState::Invalid);
    let twice = sent.clone().and("X-Part", "").and("X-Part", "a");
    let reason = twice.reason(SignatureState::Invalid);
    assert!(reason.contains("ambiguous X-Part"), "{reason}");
    let reason = sent.clone().without("X-Id").reason(SignatureState::Invalid);
    assert!(reason.contains("X-Id is missing"), "{reason}");
    let reason = sent.and("X-Id", "evt_1").reason(SignatureState::Invalid);
    assert!(reason.contains("ambiguous X-Id"), "{reason}");
}

#[test]
fn every_algorithm_in_either_encoding() {
    use CustomAlgorithm::{Sha1, Sha256, Sha512};
    // 1700000000.{"job_id":"a1"}
    let vectors = [
        (Sha1, "5fc61e115f612d0d4192e6957145a0e0772c5213", "X8YeEV9hLQ1BkuaVcUWg4HcsUhM="),
        (Sha256, ROW_1_DIGEST, "+ulYTUndqm3LEpGk27UeXsExJl5Z4fwmUyom5SwxiIs="),
        (
            Sha512,
            "50e035d6bcfe8b2c4e58ee9517c36cbcea86bf7be5e471a3fdd9ddffdf1b1d52e06d53b3d0bcf4df024d5232c8a0e58981165e96621ec1c3ba8690da3d15096c",
            "UOA11rz+iyxOWO6VF8NsvOqGv3vl5HGj/dnd/98bHVLgbVOz0Lz03wJNUjLIoOWJgRZelmIewcO6hpDaPRUJbA==",
        ),
    ];
    for (algorithm, hex, base64) in vectors {
        for (encoding, own, other) in
            [(CustomEncoding::Hex, hex, base64), (CustomEncoding::Base64, base64, hex)]
        {
            let scheme = custom(|custom| {
                custom.algorithm = algorithm;
                custom.encoding = encoding;
                custom.prefix = "sig ".into();
            });
            let sent = Delivery::signed(&scheme, SECRET.as_bytes(), ROW_1);
            let line = format!("sig {own}");
            assert!(sent.headers().contains(&("X-Signature", &line)), "{algorithm:?} {encoding:?}");
            assert_eq!(sent.state(), SignatureState::Valid);
            for near in [other, &own[..own.len() - 4], own] {
                assert_eq!(sent.clone().lines(&[near]).state(), SignatureState::Invalid, "{near}");
            }
            // Another algorithm's digest is not even of the length.
            for (_, hex, base64) in vectors.iter().filter(|vector| vector.0 != algorithm) {
                let own = if encoding == CustomEncoding::Hex { hex } else { base64 };
                let reason = sent.clone().lines(&[format!("sig {own}")]);
                let reason = reason.reason(SignatureState::Invalid);
                assert!(reason.contains("wrong length"), "{algorithm:?}: {reason}");
            }
        }
    }
}

#[test]
fn c15_a_secret_is_read_as_it_is_set_to_be() {
    // 1700000000.{"job_id":"a1"} with the four bytes 00 ff 10 ab, and with the eight characters `00ff10ab`.
    let (bytes, text) = (
        "e9a6a73757d6223302e6554df72380f67558e84687a53889090b7c72fcf531ba",
        "55f9f492c0aba1bdeba1844bba6253dafde2ce6bb248c2f61b19b78652beec42",
    );
    let sent = |kind, secret: &str, digest: &str| {
        let headers = [("X-Timestamp", "1700000000"), ("X-Signature", digest)];
        let scheme = custom(|custom| custom.secret = kind);
        Delivery::came(&scheme, secret.as_bytes(), &headers, ROW_1)
    };
    use CustomSecret::{Base64, Hex, Text};
    for (kind, secret, digest, state) in [
        (Text, "00ff10ab", text, SignatureState::Valid),
        (Text, "00ff10ab", bytes, SignatureState::Invalid),
        (Text, "00FF10AB", text, SignatureState::Invalid),
        (Hex, "00ff10ab", bytes, SignatureState::Valid),
        (Hex, "00FF10AB", bytes, SignatureState::Valid),
        (Hex, "00ff10ab", text, SignatureState::Invalid),
        (Base64, "AP8Qqw==", bytes, SignatureState::Valid),
        (Base64, "MDBmZjEwYWI=", text, SignatureState::Valid),
    ] {
        assert_eq!(sent(kind, secret, digest).state(), state, "{kind:?} {secret}");
    }
    for (kind, secret, said) in [
        (Hex, "0ff10ab", "not hex"),
        (Hex, "00ff10ag", "not hex"),
        (Hex, "0x00ff10ab", "not hex"),
        (Hex, " 00ff10ab", "not hex"),
        (Base64, "AP8Qqw", "not base64"),
        (Base64, "AP8Qqw==\n", "not base64"),
        (Base64, "xyz!", "not base64"),
        (Base64, "whsec_AP8Qqw==", "not base64"),
        (Text, "", "empty"),
        (Hex, "", "empty"),
        (Base64, "", "empty"),
    ] {
        let reason = sent(kind, secret, bytes).reason(SignatureState::Unchecked);
        assert!(reason.contains(said), "{kind:?} {secret}: {reason}");
    }
}

#[test]
fn every_place_of_a_time() {
    let none = custom(|custom| {
        custom.signed = "{body}".into();
        custom.timestamp = CustomTimestamp::None;
    });
    let sent = Delivery::signed(&none, SECRET.as_bytes(), ROW_1);
    assert_eq!(sent.headers().len(), 1);
    assert_eq!(sent.now(T + 1_000_000).state(), SignatureState::Valid);

    let header = custom(|custom| custom.timestamp = at_time("Date-Unix"));
    let sent = Delivery::signed(&header, SECRET.as_bytes(), ROW_1);
    assert_eq!(sent.headers(), [("Date-Unix", "1700000000"), ("X-Signature", ROW_1_DIGEST)]);
    assert_eq!(sent.clone().now(T + 301).state(), SignatureState::Stale);
    let reason = sent.without("Date-Unix").reason(SignatureState::Invalid);
    assert!(reason.contains("Date-Unix is missing"), "{reason}");

    let parameter = custom(|custom| {
        custom.timestamp = beside("ts");
        custom.prefix = "sig=".into();
        custom.separator = ";".into();
    });
    let sent = Delivery::signed(&parameter, SECRET.as_bytes(), ROW_1);
    let line = format!("ts=1700000000;sig={ROW_1_DIGEST}");
    assert_eq!(sent.headers(), [("X-Signature", line.as_str())]);
    assert_eq!(sent.clone().now(T - 301).state(), SignatureState::Stale);
    for (line, state) in [
        (format!("sig={ROW_1_DIGEST};ts=1700000000"), SignatureState::Valid),
        (format!(" ts=1700000000 ; sig={ROW_1_DIGEST} ;"), SignatureState::Valid),
        (format!("ts=1700000001;sig={ROW_1_DIGEST}"), SignatureState::Invalid),
        (format!("ts=1700000000,sig={ROW_1_DIGEST}"), SignatureState::Invalid),
        (format!("t=1700000000;sig={ROW_1_DIGEST}"), SignatureState::Invalid),
        (format!("ts=1700000000;ts=1700000000;sig={ROW_1_DIGEST}"), SignatureState::Invalid),
        ("ts=1700000000".into(), SignatureState::Invalid),
    ] {
        assert_eq!(sent.clone().lines(&[&line]).state(), state, "{line}");
    }
}

#[test]
fn without_a_separator_a_line_is_one_signature() {
    let scheme = custom(|custom| custom.separator.clear());
    let sent = Delivery::signed(&scheme, SECRET.as_bytes(), ROW_1);
    assert_eq!(sent.state(), SignatureState::Valid);
    let two = format!("{ROW_1_DIGEST},{ROW_1_DIGEST}");
    assert_eq!(sent.clone().lines(&[two]).state(), SignatureState::Invalid);
    assert_eq!(sent.lines(&["abcd", ROW_1_DIGEST]).state(), SignatureState::Valid);
}

#[test]
fn braces_that_close_nothing_are_text() {
    let scheme = custom(|custom| custom.signed = "}é{timestamp}}}{body}\n}".into());
    let text = scheme.text(b"7", b"", &Delivery::signed(&scheme, b"k", b"B").request());
    assert_eq!((&text.before[..], &text.after[..]), ("}é7}}".as_bytes(), &b"\n}"[..]));
}

#[test]
fn each_other_scheme_can_be_written_as_a_custom_one() {
    type Change = fn(&mut CustomForm);
    let cases: [(&str, &str, Change); 6] = [
        ("sume", "test-secret", |c| {
            c.signature_header = "X-Sume-Signature".into();
            c.timestamp = at_time("X-Sume-Timestamp");
            c.id_header = "X-Sume-Event-Id".into();
            c.prefix = "v1=".into();
        }),
        ("standard-webhooks", "dGVzdC1zZWNyZXQ=", |c| {
            c.signed = "{id}.{timestamp}.{body}".into();
            c.signature_header = "webhook-signature".into();
            c.timestamp = at_time("webhook-timestamp");
            c.id_header = "webhook-id".into();
            c.prefix = "v1,".into();
            c.encoding = CustomEncoding::Base64;
            c.separator = " ".into();
            c.secret = CustomSecret::Base64;
        }),
        ("stripe", "whsec_dGVzdC1zZWNyZXQ=", |c| {
            c.signature_header = "Stripe-Signature".into();
            c.timestamp = beside("t");
            c.prefix = "v1=".into();
        }),
        ("github", "test-secret", |c| {
            c.signed = "{body}".into();
            c.signature_header = "X-Hub-Signature-256".into();
            c.timestamp = CustomTimestamp::None;
            c.id_header = "X-GitHub-Delivery".into();
            c.prefix = "sha256=".into();
        }),
        ("shopify", "test-secret", |c| {
            c.signed = "{body}".into();
            c.signature_header = "X-Shopify-Hmac-Sha256".into();
            c.timestamp = CustomTimestamp::None;
            c.id_header = "X-Shopify-Event-Id".into();
            c.encoding = CustomEncoding::Base64;
        }),
        ("slack", "test-secret", |c| {
            c.signed = "v0:{timestamp}:{body}".into();
            c.signature_header = "X-Slack-Signature".into();
            c.timestamp = at_time("X-Slack-Request-Timestamp");
            c.prefix = "v0=".into();
        }),
    ];
    let written: Vec<_> = cases.iter().map(|case| case.0).collect();
    assert!(names().iter().filter(|name| **name != "custom").all(|name| written.contains(name)));
    for (name, secret, change) in cases {
        let (own, written) = (plain(name), custom(change));
        for (_, body, _) in VECTORS {
            let signed = Delivery::signed(&own, secret.as_bytes(), body);
            let again = Delivery::signed(&written, secret.as_bytes(), body);
            let sorted = |sent: &Delivery| {
                let mut headers: Vec<_> = sent
                    .headers()
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect();
                headers.sort();
                headers
            };
            assert_eq!(sorted(&signed), sorted(&again), "{name}");
            // And each reads what the other wrote.
            let own_headers = headers_of(&signed);
            let crossed = again.clone().with_headers(own_headers);
            assert_eq!(crossed.state(), SignatureState::Valid, "{name}");
            let crossed = signed.with_headers(headers_of(&again));
            assert_eq!(crossed.state(), SignatureState::Valid, "{name}");
        }
    }
}

fn headers_of(sent: &Delivery) -> Vec<RawHeader> {
    sent.request().headers.to_vec()
}
