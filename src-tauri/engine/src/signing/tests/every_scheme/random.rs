//! Random bodies, ids, times, secrets and headers.

use super::*;

/// A secret of a case's scheme with these bytes as its key.
fn secret_of(case: &Case, key: &[u8]) -> Vec<u8> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    match case.name {
        "standard-webhooks" => format!("whsec_{}", STANDARD.encode(key)).into(),
        "custom, beside" => hex::encode(key).into(),
        _ => key.to_vec(),
    }
}

proptest! {
    #[test]
    fn what_is_signed_is_valid_and_has_no_hint(
        key in proptest::collection::vec(any::<u8>(), 1..80),
        body: Vec<u8>,
        id in "[!-~]([ -~é😀]{0,30}[!-~])?",
        unix in 0..4_000_000_000_i64,
        off in -300..=300_i64,
    ) {
        for case in cases() {
            let secret = Secret::new(secret_of(&case, &key));
            let signer = Signer { scheme: case.scheme.clone(), secret };
            let headers = signer.sign(unix, &id, &body).unwrap();
            let sent = Delivery::came(&case.scheme, signer.secret.expose(), &[], &body);
            let sent = sent.with_headers(headers).now((unix + off).max(0));
            let report = sent.judge();
            prop_assert_eq!(report.state, SignatureState::Valid, "{}: {:?}", case.name, report);
            prop_assert!(report.hints.is_empty() && report.reason.is_none());
        }
    }

    #[test]
    fn one_changed_byte_is_never_valid(body: Vec<u8>, at: prop::sample::Index, flip in 1..=255_u8) {
        prop_assume!(!body.is_empty());
        let mut changed = body.clone();
        changed[at.index(body.len())] ^= flip;
        for case in cases() {
            let state = case.sent(&body).body(changed.clone()).state();
            prop_assert_eq!(state, SignatureState::Invalid, "{}", case.name);
        }
    }

    #[test]
    fn any_header_bytes_do_no_harm(
        lines in proptest::collection::vec(any::<Vec<u8>>(), 0..4),
        stamps in proptest::collection::vec(any::<Vec<u8>>(), 0..3),
        ids in proptest::collection::vec(any::<Vec<u8>>(), 0..3),
        body: Vec<u8>,
    ) {
        for case in cases() {
            let mut sent = Delivery::came(&case.scheme, case.secret, &[], &body).lines(&lines);
            for (name, values) in [
                (case.scheme.timestamp_header(), &stamps), (case.scheme.event_id_header(), &ids),
            ] {
                for value in values {
                    sent = name.into_iter().fold(sent, |sent, name| sent.and(name, value.clone()));
                }
            }
            let report = sent.judge();
            prop_assert!(report.state != SignatureState::Valid, "{}", case.name);
            prop_assert!(report.reason.is_some());
            let _ = note(&*case.scheme, &sent.request());
            let _ = detail(&*case.scheme, &sent.request(), at(T), TOLERANCE);
        }
    }

    #[test]
    fn anything_that_looks_like_a_signature_does_no_harm(
        line in "(t=[0-9]{0,12}[,; ])?((v[0-9]|sha256|sig|v1a|)[=,:]?[ ]?[A-Za-z0-9+/_=é-]{0,130}[,; ]?){0,4}",
        stamp in "[0-9 +.eE-]{0,14}",
    ) {
        for case in cases() {
            let mut sent = case.sent(ROW_1).lines(&[&line]);
            if let Some(name) = case.scheme.timestamp_header() {
                sent = sent.with(name, stamp.clone());
            }
            let report = sent.judge();
            prop_assert!(report.state == SignatureState::Invalid, "{}: {:?}", case.name, report);
            prop_assert!(report.reason.is_some_and(|reason| !reason.contains(char::is_control)));
        }
    }
}
