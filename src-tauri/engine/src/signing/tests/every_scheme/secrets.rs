//! What is missing, what cannot be signed with, and what is never shown.

use super::*;

#[test]
fn what_is_missing_is_named_and_is_never_invalid_for_it() {
    for case in cases() {
        let name = case.scheme.signature_header();
        let unsigned = case.sent(ROW_1).without(name).reason(SignatureState::Unsigned);
        assert!(unsigned.contains(&format!("{name} is missing")), "{}: {unsigned}", case.name);
        let sent = case.sent(ROW_1);
        let empty = sent.clone().secret("").reason(SignatureState::Unchecked);
        assert!(empty.contains("empty"), "{}: {empty}", case.name);
        let timeless = match case.time {
            Time::None => continue,
            Time::Header => sent.without(case.scheme.timestamp_header().unwrap()),
            Time::Beside => sent.lines(&[case.good()]),
        };
        let reason = timeless.reason(SignatureState::Invalid);
        assert!(reason.contains("is missing"), "{}: {reason}", case.name);
    }
}

#[test]
fn c12_a_secret_is_used_as_it_is_and_white_space_is_named() {
    for case in cases() {
        assert_eq!(case.sent(ROW_1).secret(case.other_secret).state(), SignatureState::Invalid);
        let spaced = [case.secret, b"\n"].concat();
        let report = case.sent(ROW_1).secret(spaced.clone()).judge();
        match report.state {
            SignatureState::Invalid => {
                assert!(report.hints[0].contains("whitespace"), "{}: {report:?}", case.name);
                // One that truly ends so works.
                let own = Delivery::signed(&case.scheme, &spaced, ROW_1);
                assert_eq!(own.state(), SignatureState::Valid, "{}", case.name);
            }
            // A secret that is decoded cannot be read with it.
            state => assert_eq!(state, SignatureState::Unchecked, "{}", case.name),
        }
    }
}

#[test]
fn what_cannot_be_signed_says_why() {
    for case in cases() {
        let signer =
            Signer { scheme: case.scheme.clone(), secret: Secret::new(case.secret.to_vec()) };
        assert_eq!(signer.sign(-1, "e", b"").unwrap_err(), SchemeError::Time(-1));
        for id in ["e\r\nX-Other: 1", "e\0", "\u{7f}", " e", "e ", " "] {
            assert_eq!(signer.sign(T, id, b"").unwrap_err(), SchemeError::EventId, "{}", case.name);
        }
        // No event is fine where its id is not signed, and a delivery of none is one of nobody's where it is.
        let signs_id = matches!(case.name, "standard-webhooks" | "custom, beside");
        match signer.sign(T, "", ROW_1) {
            Ok(headers) => {
                let sent = case.sent(ROW_1).with_headers(headers);
                assert!(!signs_id && sent.state() == SignatureState::Valid, "{}", case.name);
            }
            Err(error) => {
                assert_eq!((error, signs_id), (SchemeError::NoEventId, true), "{}", case.name);
            }
        }
        let empty = Signer { secret: Secret::new(vec![]), ..signer };
        assert_eq!(empty.sign(T, "e", b"").unwrap_err(), SchemeError::EmptySecret);
    }
}

#[test]
fn neither_the_secret_nor_the_expected_digest_is_ever_printed() {
    for case in cases() {
        let mut texts = vec![format!("{:?}", case.scheme)];
        for sent in [
            case.with(&[&case.bad()]),
            case.sent(ROW_1).body("other").lines(&[case.bad()]),
            case.with(&["abcd"]),
        ] {
            texts.push(format!("{:?}", sent.judge()));
            texts.push(format!("{:?}", sent.clone().secret([case.secret, b" "].concat()).judge()));
        }
        let secret = std::str::from_utf8(case.secret).unwrap();
        for text in texts {
            assert!(!text.contains(secret) && !text.contains(&case.digest()), "{text}");
        }
    }
}
