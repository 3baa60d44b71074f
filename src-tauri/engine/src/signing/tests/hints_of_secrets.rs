//! What is said of a secret that is not read as the sender reads it (C12 to C15, C20, C21).

use super::*;
use super::{delivery::*, hints::hint};

/// `test-secret` in base64.
const BASE64: &str = "dGVzdC1zZWNyZXQ=";
/// The schemes that use a secret as its text.
const AS_TEXT: [&str; 6] = ["sume", "stripe", "github", "shopify", "slack", "custom"];

/// What is said where the sender has one secret and we have another, through every scheme of those.
#[track_caller]
fn said(schemes: &[&str], senders: &[u8], ours: &[u8], due: &str) {
    for name in schemes {
        let sent = Delivery::signed(&plain(name), senders, ROW_1).secret(ours);
        let hint = hint(&sent.judge());
        assert!(hint.starts_with(due), "{name}: {hint}");
    }
}

#[test]
fn c12_white_space_quotes_and_marks_are_named_through_every_scheme() {
    let secret = SECRET.as_bytes();
    for (ours, due) in [
        ("test-secret\n", "secret ends in whitespace"),
        ("\ttest-secret", "secret begins with whitespace"),
        (" test-secret ", "secret has whitespace at both ends"),
        ("\"test-secret\"", "secret is wrapped in quotes"),
        ("'test-secret'", "secret is wrapped in quotes"),
        ("\u{feff}test-secret", "secret begins with a byte order mark"),
    ] {
        said(&AS_TEXT, secret, ours.as_bytes(), due);
    }
    said(&AS_TEXT, b"test-secret\n", secret, "would match with a newline at the end of the secret");
    said(&AS_TEXT, b"test-secret\r\n", secret, "would match with CR LF at the end of the secret");
}

#[test]
fn c13_a_secret_with_its_prefix_is_named() {
    let versioned = format!("v1,whsec_{BASE64}");
    let plainly = format!("whsec_{BASE64}");
    let decoded = "secret is one of Standard Webhooks: the signature matches with what its base64";
    for ours in [&versioned, &plainly] {
        said(&AS_TEXT, SECRET.as_bytes(), ours.as_bytes(), decoded);
    }
    let (ours, whole) = (versioned.as_bytes(), plainly.as_bytes());
    said(&AS_TEXT, whole, ours, "secret begins with `v1,`; without it");
    said(&AS_TEXT, BASE64.as_bytes(), ours, "secret begins with `v1,whsec_`; without it");
    said(&AS_TEXT, BASE64.as_bytes(), whole, "secret begins with `whsec_`; without it");
}

#[test]
fn c13_a_secret_that_cannot_be_used_is_unchecked_and_put_right() {
    let standard = plain("standard-webhooks");
    let sent = Delivery::signed(&standard, format!("whsec_{BASE64}").as_bytes(), ROW_1);
    for (ours, due) in [
        (format!("v1,whsec_{BASE64}"), "secret begins with `v1,`; without it"),
        (format!("whsec_{BASE64}\n"), "secret ends in whitespace"),
        (format!("\"whsec_{BASE64}\""), "secret is wrapped in quotes"),
        (SECRET.to_owned(), "secret is used as text by the sender"),
    ] {
        let report = sent.clone().secret(ours.as_str()).judge();
        assert_eq!(report.state, SignatureState::Unchecked, "{ours}");
        assert!(report.reason.is_some_and(|reason| reason.contains("is not base64")));
        assert_eq!(report.hints.len(), 1, "{ours}");
        assert!(report.hints[0].starts_with(due), "{ours}: {:?}", report.hints);
    }
    let other = sent.secret("another-secret!").judge();
    assert_eq!((other.state, other.hints), (SignatureState::Unchecked, vec![]));
}

#[test]
fn c14_no_explanation_makes_an_empty_key() {
    let nobody = "v1=".to_owned() + &digest_of(b"", "1700000000", ROW_1);
    for ours in ["whsec_", "v1,whsec_", "whsec_=", "whsec_====", "\"\"", " ", "v1,", "whsec_xyz!"] {
        let report = Sent::row_1().signed(nobody.clone()).secret(ours).judge();
        assert_eq!(report.state, SignatureState::Invalid, "{ours}");
        assert!(report.hints.is_empty(), "{ours}: {:?}", report.hints);
    }
    let standard = plain("standard-webhooks");
    let sent = Delivery::signed(&standard, format!("whsec_{BASE64}").as_bytes(), ROW_1);
    for ours in ["whsec_", "whsec_xyz!", ""] {
        let report = sent.clone().secret(ours).judge();
        assert_eq!((report.state, report.hints), (SignatureState::Unchecked, vec![]), "{ours}");
    }
    // Without padding it is the same secret, and no hint is due.
    let unpadded = sent.secret(format!("whsec_{}", BASE64.trim_end_matches('='))).judge();
    assert_eq!((unpadded.state, unpadded.hints), (SignatureState::Valid, vec![]));
}

#[test]
fn c15_hex_and_base64_are_read_both_ways() {
    let bytes = [0x00, 0xff, 0x10, 0xab];
    for ours in ["00ff10ab", "00FF10AB"] {
        said(&AS_TEXT, &bytes, ours.as_bytes(), "secret is hex: the signature matches");
        let sent = Delivery::signed(&plain("sume"), ours.as_bytes(), ROW_1);
        assert_eq!(sent.state(), SignatureState::Valid);
    }
    for ours in ["AP8Qqw==", "AP8Qqw"] {
        said(&AS_TEXT, &bytes, ours.as_bytes(), "secret is base64: the signature matches");
    }
    let url_safe = [0xfb, 0xff, 0xfe];
    said(&AS_TEXT, &url_safe, b"-__-", "secret is base64: the signature matches");
    let once_more = "would match with the base64 text of the secret";
    said(&AS_TEXT, BASE64.as_bytes(), SECRET.as_bytes(), once_more);
    let once_more = "would match with the hex text of the secret";
    said(&AS_TEXT, hex::encode(SECRET).as_bytes(), SECRET.as_bytes(), once_more);
}

#[test]
fn a_scheme_that_decodes_its_secret_names_a_sender_that_does_not() {
    use crate::model::{CustomForm, CustomSecret};
    let custom = |secret| {
        let custom = CustomForm { secret, ..CustomForm::default() };
        scheme("custom", &SchemeSettings { custom, ..SchemeSettings::default() }).unwrap()
    };
    let text = custom(CustomSecret::Text);
    for (secret, ours) in [(CustomSecret::Base64, BASE64), (CustomSecret::Hex, "00ff10ab")] {
        let mut sent = Delivery::signed(&text, ours.as_bytes(), ROW_1);
        sent.scheme = custom(secret);
        let hint = hint(&sent.judge());
        assert!(hint.starts_with("secret is used as text by the sender"), "{hint}");
    }
}

#[test]
fn c20_c21_another_known_secret_is_named_and_makes_nothing_valid() {
    let known = by_name;
    let names = ["", "whsec_", "test-secret-2", "another"];
    for name in AS_TEXT {
        let scheme = plain(name);
        let twin = Delivery::signed(&scheme, b"test-secret-2", ROW_1).secret(SECRET);
        let report = twin.judge_with(&known(&names), std::iter::empty());
        assert_eq!(hint(&report), "another known secret matches: test-secret-2", "{name}");
        // What the first secret signed is valid, and nothing is said of the others.
        let first = Delivery::signed(&scheme, SECRET.as_bytes(), ROW_1);
        let report = first.judge_with(&known(&names), std::iter::empty());
        assert_eq!((report.state, report.hints), (SignatureState::Valid, vec![]));
        let none = twin.judge_with(&known(&["another"]), std::iter::empty());
        assert!(none.hints.is_empty());
    }
}

/// Secrets whose bytes are their names.
fn by_name(names: &[&str]) -> Vec<NamedSecret> {
    let one =
        |name: &&str| NamedSecret::new(*name, Secret::new(name.as_bytes().to_vec()), "memory");
    names.iter().map(one).collect()
}

#[test]
fn c20_c21_each_of_several_secrets_verifies_and_the_one_that_matched_is_named() {
    let secrets = by_name(&["new-secret", "test-secret-2", "test-secret"]);
    for name in AS_TEXT {
        let scheme = plain(name);
        for signed_with in &secrets {
            let sent = Delivery::signed(&scheme, signed_with.name.as_bytes(), ROW_1);
            let report = sent.judge_by(&secrets, &[], std::iter::empty());
            assert_eq!(report.state, SignatureState::Valid, "{name}");
            assert_eq!(report.secret.as_deref(), Some(&*signed_with.name));
            assert_eq!((report.hints, report.reason), (vec![], None));
        }
        let strange = Delivery::signed(&scheme, b"another", ROW_1);
        let report = strange.judge_by(&secrets, &by_name(&["another"]), std::iter::empty());
        assert_eq!((report.state, report.secret.clone()), (SignatureState::Invalid, None));
        assert_eq!(hint(&report), "another known secret matches: another", "{name}");
    }
}

#[test]
fn c12_of_several_secrets_the_one_with_white_space_is_named() {
    let secrets = by_name(&["fine", "test-secret\n"]);
    let sent = Delivery::signed(&plain("sume"), b"test-secret", ROW_1);
    let report = sent.judge_by(&secrets, &[], std::iter::empty());
    assert_eq!(
        hint(&report),
        "secret ends in whitespace; without it the signature matches (with the secret test-secret\n)"
    );
}

#[test]
fn a_secret_that_cannot_be_one_of_the_scheme_does_not_stand_in_the_way_of_another() {
    let scheme = plain("standard-webhooks");
    let mut secrets = by_name(&["whsec_xyz!", "whsec_dGVzdC1zZWNyZXQ="]);
    let sent = Delivery::signed(&scheme, b"whsec_dGVzdC1zZWNyZXQ=", ROW_1);
    let report = sent.judge_by(&secrets, &[], std::iter::empty());
    assert_eq!(report.state, SignatureState::Valid);
    assert_eq!(report.secret.as_deref(), Some("whsec_dGVzdC1zZWNyZXQ="));
    secrets.truncate(1);
    let report = sent.judge_by(&secrets, &[], std::iter::empty());
    assert_eq!(report.state, SignatureState::Unchecked);
}

#[test]
fn more_secrets_than_may_be_tried_are_not() {
    let names: Vec<String> = (0..40).map(|n| format!("secret {n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let secrets = by_name(&names);
    let judged = |name: &str| {
        let sent = Delivery::signed(&plain("github"), name.as_bytes(), ROW_1);
        sent.judge_by(&secrets, &[], std::iter::empty()).state
    };
    assert_eq!(judged("secret 15"), SignatureState::Valid);
    assert_eq!(judged("secret 16"), SignatureState::Invalid);
}
