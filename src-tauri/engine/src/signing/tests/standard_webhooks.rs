//! Standard Webhooks. The digests are computed with Python:
//! `base64.b64encode(hmac.new(b"test-secret", b"evt_1.1700000000." + body, "sha256").digest())`.

use super::{delivery::*, *};

/// `whsec_` and the base64 of `test-secret`.
const WHSEC: &str = "whsec_dGVzdC1zZWNyZXQ=";
const DIGESTS: [&str; 10] = [
    "XogqXNCFXSn4ESxO/yVLLLf3ELB9FYo04BoOKPxIdSE=",
    "ssnJa5f2TSp48sMJa61m/gEZThAXC4ehUkMikBd7UWc=",
    "5B7ZQ09PO8pEjeJuFuuvDtvtG/k0hq+GWOByAoXmXho=",
    "rNiNom1uPBMgtI0BFMVcMJK+5U7J7H2/UK9t8ajk8mA=",
    "8VVdnOr3YedUPOXEv+oa1ocZ9FMEGYS8ONA6fhKCSkA=",
    "Zj/tTU9Jm5cuJkG1wLSikY1UdTQHKIJTNESBbzdqvA8=",
    "WYTAQhvrKVuAvYGXiNFDEGTM+gFgEugnwtIuM/KLNCY=",
    "JJ/+08Kk7jJzbUVOgP/h8rSrWkHB3gt2fxuASzXMEQk=",
    "dfXMx+wzsl4QiX820uAO6h5omHVxco4Xu3nI6MZ8geA=",
    "n3F4RmjqZa1jqcjXB5549BUn99ys5jmaxTE+9IDks+s=",
];

fn row_1() -> Delivery {
    Delivery::signed(&plain("standard-webhooks"), WHSEC.as_bytes(), ROW_1)
}

/// The same with Svix's names.
fn svix() -> Delivery {
    named("svix")
}

fn named(begin: &str) -> Delivery {
    let signature = format!("v1,{}", DIGESTS[0]);
    let headers = [("id", "evt_1"), ("timestamp", "1700000000"), ("signature", &signature)];
    let sent = Delivery::came(&plain("standard-webhooks"), WHSEC.as_bytes(), &[], ROW_1);
    headers.iter().fold(sent, |sent, (end, value)| sent.and(&format!("{begin}-{end}"), *value))
}

#[test]
fn the_vector_of_its_documentation_matches_under_both_names() {
    for begin in ["webhook", "svix", "Webhook", "SVIX"] {
        let sent = Delivery::came(
            &plain("standard-webhooks"),
            b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            &[],
            br#"{"test": 2432232314}"#,
        )
        .and(&format!("{begin}-id"), "msg_p5jXN8AQM9LWM0D4loKWxJek")
        .and(&format!("{begin}-timestamp"), "1614265330")
        .and(&format!("{begin}-signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        .now(1_614_265_330);
        assert_eq!(sent.state(), SignatureState::Valid, "{begin}");
        assert_eq!(sent.clone().now(T).state(), SignatureState::Stale);
        assert_eq!(sent.body(r#"{"test":2432232314}"#).state(), SignatureState::Invalid);
    }
}

#[test]
fn the_bodies_of_the_field_match_their_digests_alone() {
    only_its_own("standard-webhooks", WHSEC, DIGESTS, |digest| {
        vec![
            ("webhook-id", "evt_1".into()),
            ("webhook-timestamp", "1700000000".into()),
            ("webhook-signature", format!("v1,{digest}")),
        ]
    });
}

#[test]
fn the_names_are_those_of_the_signature_and_are_not_mixed() {
    assert_eq!(svix().state(), SignatureState::Valid);
    assert_eq!(named("webhook").state(), SignatureState::Valid);
    // Both, as some send them.
    let both = named("webhook");
    let both = svix().headers().into_iter().fold(both, |sent, (name, value)| sent.and(name, value));
    assert_eq!(both.state(), SignatureState::Valid);
    // A `webhook-id` that is another program's does not take the place of Svix's.
    let other = svix().and("webhook-id", "another").and("webhook-timestamp", "1");
    assert_eq!(other.state(), SignatureState::Valid);
    // And what one of them lacks is not taken from the other.
    let mixed = named("webhook").without("webhook-timestamp").and("svix-timestamp", "1700000000");
    assert!(mixed.reason(SignatureState::Invalid).contains("webhook-timestamp is missing"));
    let lacks = svix().without("svix-timestamp").reason(SignatureState::Invalid);
    assert!(lacks.contains("svix-timestamp is missing"), "{lacks}");
}

#[test]
fn the_id_is_signed_and_must_come_once() {
    for (sent, name) in [(row_1(), "webhook-id"), (svix(), "svix-id")] {
        assert_eq!(sent.clone().with(name, "evt_2").state(), SignatureState::Invalid);
        assert_eq!(sent.clone().with(name, "EVT_1").state(), SignatureState::Invalid);
        let missing = sent.clone().without(name).reason(SignatureState::Invalid);
        assert!(missing.contains(&format!("{name} is missing")), "{missing}");
        let twice = sent.clone().and(name, "evt_1").reason(SignatureState::Invalid);
        assert!(twice.contains("ambiguous") && twice.contains(name), "{twice}");
    }
    // Nor is a digest over no id at all one of this scheme.
    let scheme = plain("standard-webhooks");
    let key = Secret::new(b"test-secret".to_vec());
    let text = scheme.text(b"1700000000", b"", &row_1().request());
    let digest = text.digest(Algorithm::Sha256, &key, ROW_1);
    let nameless = row_1().lines(&[scheme.form().write(&digest)]);
    assert_eq!(nameless.clone().without("webhook-id").state(), SignatureState::Invalid);
    assert_eq!(nameless.with("webhook-id", "").state(), SignatureState::Invalid);
}

#[test]
fn an_unsigned_delivery_still_names_its_event() {
    for name in ["webhook-id", "svix-id"] {
        let scheme = plain("standard-webhooks");
        assert_eq!(event_id(&*scheme, &[RawHeader::new(name, "evt_1")]).as_deref(), Some("evt_1"));
    }
}

#[test]
fn several_signatures_are_parted_by_spaces_and_other_versions_do_not_count() {
    let (own, zero) = (format!("v1,{}", DIGESTS[0]), format!("v1,{}=", "A".repeat(43)));
    let public = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";
    for line in [
        format!("{own} {zero}"),
        format!("{zero} {own}"),
        format!("{public} {own}"),
        format!("{own} {public}"),
        format!("v2,{} {own}", "A".repeat(44)),
        format!("  {own}  {own} "),
    ] {
        assert_eq!(row_1().lines(&[&line]).state(), SignatureState::Valid, "{line}");
    }
    for line in [
        public.to_owned(),
        format!("v1a,{}", DIGESTS[0]),
        format!("v2,{}", DIGESTS[0]),
        format!("V1,{}", DIGESTS[0]),
        format!("v1={}", DIGESTS[0]),
        format!("v1, {}", DIGESTS[0]),
        format!("v1,{}", DIGESTS[0].trim_end_matches('=')),
        format!("v1,{}", DIGESTS[0].replace('/', "_").replace('+', "-")),
        format!("v1,{}", DIGESTS[0].to_lowercase()),
        format!("{zero},{own}"),
        DIGESTS[0].to_owned(),
        "v1,".into(),
        "v1".into(),
        " ".into(),
    ] {
        let report = row_1().lines(&[&line]).judge();
        assert_eq!(report.state, SignatureState::Invalid, "{line}");
        assert!(!report.reason.unwrap().contains(" 0 signatures"), "{line}");
    }
}

#[test]
fn c13_c14_a_secret_is_base64_behind_its_prefix_or_it_is_refused() {
    for secret in [WHSEC, "dGVzdC1zZWNyZXQ=", "whsec_dGVzdC1zZWNyZXQ", "dGVzdC1zZWNyZXQ"] {
        assert_eq!(row_1().secret(secret).state(), SignatureState::Valid, "{secret}");
    }
    for secret in [
        "v1,whsec_dGVzdC1zZWNyZXQ=",
        "whsec_xyz!",
        "whsec_",
        "",
        "whsec_ dGVzdC1zZWNyZXQ=",
        "whsec_dGVzdC1zZWNyZXQ=\n",
        "WHSEC_dGVzdC1zZWNyZXQ=",
        "whsec_dGVzdC1zZWNyZXQ==",
        "whsec_A",
        "test-secret",
        "wh\u{e9}",
    ] {
        // Never invalid for want of a key, and never a short or an empty one.
        let reason = row_1().secret(secret).reason(SignatureState::Unchecked);
        assert!(reason.contains("secret"), "{secret}: {reason}");
        let scheme = plain("standard-webhooks");
        let signer = Signer { scheme, secret: Secret::new(secret.into()) };
        assert!(signer.sign(T, "evt_1", ROW_1).is_err(), "{secret}");
    }
    assert_eq!(row_1().secret("whsec_dGVzdC1zZWNyZXQy").state(), SignatureState::Invalid);
}
