//! What is said where another scheme's signature came.

use super::*;
use super::{delivery::*, hints::hint};

/// Signed with one scheme and judged by another.
fn crossed(came: &str, expected: &str) -> Delivery {
    let mut sent = Delivery::signed(&plain(came), b"dGVzdC1zZWNyZXQ=", ROW_1);
    sent.scheme = plain(expected);
    sent
}

#[test]
fn another_schemes_header_is_a_fact_and_proven_where_our_secret_fits() {
    for came in names() {
        for expected in names().into_iter().filter(|expected| *expected != came) {
            let report = crossed(came, expected).judge();
            assert_eq!(report.state, SignatureState::Unsigned, "{came} as {expected}");
            let reason = report.reason.clone().unwrap();
            let header = plain(came).signature_header().to_owned();
            let fact = format!("is missing; {header} came, which is {came}'s");
            assert!(reason.ends_with(&fact), "{reason}");
            assert_eq!(report.hints, [format!("valid as {came}: set the scheme to {came}")]);
            // With another secret the fact stays, and nothing is proven.
            let other = crossed(came, expected).secret("b3RoZXI=").judge();
            assert_eq!((other.reason.unwrap(), other.hints), (reason, vec![]));
        }
    }
}

#[test]
fn a_header_under_its_other_name_is_called_as_it_came() {
    let sent = crossed("standard-webhooks", "sume");
    let renamed = sent
        .headers()
        .into_iter()
        .map(|(name, value)| RawHeader::new(name.replace("webhook-", "Svix-"), value));
    let headers = renamed.collect();
    let report = sent.clone().with_headers(headers).judge();
    let reason = report.reason.clone().unwrap();
    assert!(reason.ends_with("; Svix-signature came, which is standard-webhooks's"), "{reason}");
    assert!(hint_of_any(&report).starts_with("valid as standard-webhooks"));
}

#[test]
fn an_old_delivery_of_another_scheme_is_not_called_valid() {
    let report = crossed("stripe", "sume").now(T + 400).judge();
    let hint = hint_of_any(&report);
    assert!(hint.starts_with("matches as stripe: set the scheme to stripe (but "), "{hint}");
    assert!(hint.contains("400 s"), "{hint}");
}

#[test]
fn a_scheme_beside_the_expected_one_is_tried_where_that_does_not_match() {
    let sent = crossed("github", "sume");
    let both = sent
        .and("X-Sume-Timestamp", T.to_string())
        .and("X-Sume-Signature", format!("v1={}", "0".repeat(64)));
    assert_eq!(hint(&both.judge()), "valid as github: set the scheme to github");
    let no_time = both.without("X-Sume-Timestamp").judge();
    assert_eq!(hint(&no_time), "valid as github: set the scheme to github");
    // Where the expected one matches, nothing is said of the other.
    let good = Delivery::signed(&plain("sume"), SECRET.as_bytes(), ROW_1)
        .and("X-Hub-Signature-256", format!("sha256={}", "0".repeat(64)));
    assert_eq!((good.judge().state, good.judge().hints), (SignatureState::Valid, vec![]));
}

#[test]
fn without_a_secret_the_fact_is_said_and_nothing_is_judged() {
    let sent = crossed("slack", "sume");
    let report = verify(&*sent.scheme, &[], &sent.request(), at(T), TOLERANCE);
    assert_eq!((report.state, report.hints), (SignatureState::Unchecked, vec![]));
    assert!(report.reason.unwrap().ends_with("; X-Slack-Signature came, which is slack's"));
}

#[test]
fn a_custom_scheme_is_suggested_as_it_is_set_and_never_where_it_is_wrong() {
    use crate::model::{CustomForm, CustomTimestamp};
    let judged = |signed: &str| {
        let custom = CustomForm {
            signed: signed.into(),
            signature_header: "X-Acme".into(),
            timestamp: CustomTimestamp::None,
            ..CustomForm::default()
        };
        let schemes = SchemeSettings { custom, ..SchemeSettings::default() };
        let digest = |text: &[u8]| {
            let text = SignedText::before(text.to_vec());
            text.digest(Algorithm::Sha256, &Secret::new(SECRET.into()), b"")
        };
        let covered = if signed == "{body}" { ROW_1 } else { &b"fixed"[..] };
        let headers = [RawHeader::new("x-acme", hex::encode(digest(covered).bytes()))];
        let request =
            SignedRequest { method: "POST", path: "/", query: "", headers: &headers, body: ROW_1 };
        let verifier = Verifier {
            scheme: &*sume(),
            secrets: &in_use(SECRET.as_ref()),
            tolerance_s: TOLERANCE,
            schemes: &schemes,
            known: &[],
            seen: &[],
        };
        verifier.verify(&request, at(T))
    };
    let report = judged("{body}");
    assert_eq!(report.hints, ["valid as custom: set the scheme to custom"]);
    assert!(report.reason.unwrap().ends_with("; x-acme came, which is custom's"));
    // It signs no body, so that anybody could change it.
    let report = judged("fixed");
    assert_eq!((report.state, report.hints), (SignatureState::Unsigned, vec![]));
    assert!(!report.reason.unwrap().contains("came"));
}

fn hint_of_any(report: &SignatureReport) -> String {
    assert_eq!(report.hints.len(), 1, "{report:?}");
    report.hints[0].clone()
}
