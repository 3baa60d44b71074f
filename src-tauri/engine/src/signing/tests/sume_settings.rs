//! Sume under other names than it has published.

use super::{delivery::*, *};
use crate::model::SumeForm;

fn named(change: impl FnOnce(&mut SumeForm)) -> Arc<dyn Scheme> {
    let mut settings = SchemeSettings::default();
    change(&mut settings.sume);
    scheme("sume", &settings).unwrap()
}

fn other_names() -> Arc<dyn Scheme> {
    named(|sume| {
        sume.timestamp_header = "X-Timestamp".into();
        sume.signature_header = "X-Signature".into();
        sume.event_id_header = "X-Event".into();
        sume.tag = "v7=".into();
    })
}

#[test]
fn the_vectors_match_under_other_names_and_not_under_those_of_the_default() {
    for (name, body, digest) in VECTORS {
        let signature = format!("v7={digest}");
        let headers = [("x-timestamp", "1700000000"), ("x-signature", signature.as_str())];
        let sent = Delivery::came(&other_names(), SECRET.as_bytes(), &headers, body);
        assert_eq!(sent.state(), SignatureState::Valid, "{name}");
        let signed = Delivery::signed(&other_names(), SECRET.as_bytes(), body);
        let due =
            [("X-Timestamp", "1700000000"), ("X-Signature", &signature), ("X-Event", "evt_1")];
        assert_eq!(signed.headers(), due);
    }
    let sume = Delivery::signed(&sume(), SECRET.as_bytes(), ROW_1);
    let headers: Vec<_> =
        sume.headers().into_iter().map(|(name, value)| RawHeader::new(name, value)).collect();
    let other = Delivery::came(&other_names(), SECRET.as_bytes(), &[], ROW_1).with_headers(headers);
    let reason = other.reason(SignatureState::Unsigned);
    assert!(reason.contains("X-Signature is missing"), "{reason}");
}

#[test]
fn the_reasons_name_the_headers_and_the_form_as_they_are_set() {
    let sent = Delivery::signed(&other_names(), SECRET.as_bytes(), ROW_1);
    let missing = sent.clone().without("X-Timestamp").reason(SignatureState::Invalid);
    assert!(missing.contains("X-Timestamp is missing"), "{missing}");
    let published = format!("v1={ROW_1_DIGEST}");
    let reason = sent.lines(&[published]).reason(SignatureState::Invalid);
    assert!(reason.contains("another tag") && reason.contains("v7=<64 hex digits>"), "{reason}");
}

#[test]
fn a_tag_may_be_empty() {
    let bare = named(|sume| sume.tag.clear());
    let sent = Delivery::signed(&bare, SECRET.as_bytes(), ROW_1);
    assert!(sent.headers().contains(&("X-Sume-Signature", ROW_1_DIGEST)));
    assert_eq!(sent.state(), SignatureState::Valid);
    let upper = ROW_1_DIGEST.to_uppercase();
    assert_eq!(sent.clone().lines(&[upper]).state(), SignatureState::Valid);
    let tagged = sent.lines(&[format!("v1={ROW_1_DIGEST}")]).reason(SignatureState::Invalid);
    assert!(tagged.contains("another tag"), "{tagged}");
}

#[test]
fn the_event_is_not_signed_and_its_header_is_the_set_one() {
    let sent = Delivery::signed(&other_names(), SECRET.as_bytes(), ROW_1).with("X-Event", "evt_2");
    assert_eq!(sent.state(), SignatureState::Valid);
    assert_eq!(sent.scheme.event_id(&sent.request()), b"evt_2");
    assert_eq!(sent.without("X-Event").state(), SignatureState::Valid);
}
