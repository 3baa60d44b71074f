//! The signed time: its text, its unit and how far it may be off.

use super::*;

#[test]
fn c17_milliseconds_are_named_and_the_text_is_what_was_signed() {
    for case in cases().into_iter().filter(|case| case.time != Time::None) {
        let sent = case.sent_at("1700000000000");
        for now in [T, T * 1000 / 10] {
            let reason = sent.clone().now(now).reason(SignatureState::Stale);
            assert!(reason.contains("looks like milliseconds"), "{}: {reason}", case.name);
        }
        assert_eq!(case.sent_at("1700000000").state(), SignatureState::Valid, "{}", case.name);
        // The same second in another text is another signed text.
        assert_eq!(case.sent_at("01700000000").state(), SignatureState::Valid, "{}", case.name);
    }
}

#[test]
fn c18_the_tolerance_is_both_ways_with_its_ends_where_there_is_a_time() {
    for case in cases() {
        let sent = case.sent(ROW_1);
        for off in [0, 299, -299, 300, -300] {
            let state = sent.clone().now(T + off).state();
            assert_eq!(state, SignatureState::Valid, "{}: {off}", case.name);
        }
        for (off, said) in [(301, "late"), (-301, "early"), (86_400, "late"), (-86_400, "early")] {
            let sent = sent.clone().now(T + off);
            if case.time == Time::None {
                assert_eq!(sent.state(), SignatureState::Valid, "{}", case.name);
                continue;
            }
            let reason = sent.reason(SignatureState::Stale);
            assert!(reason.contains(said), "{}: {off}: {reason}", case.name);
            assert!(reason.contains(&format!("{} s", off.abs())), "{}: {reason}", case.name);
            // A digest that does not match is never only stale.
            assert_eq!(sent.body("x").state(), SignatureState::Invalid, "{}", case.name);
        }
    }
}

#[test]
fn c19_a_timestamp_is_digits_only_though_its_digest_matches() {
    let texts = [
        "1700000000abc",
        "NaN",
        " 1700000000",
        "+1700000000",
        "-1700000000",
        "1.7e9",
        "1700000000.0",
        "1_700_000_000",
        "",
        "0x6553f100",
        "99999999999999999999",
        "1700000000=",
        "2023-11-14T22:13:20Z",
        "１７０００００００００",
    ];
    for case in cases().into_iter().filter(|case| case.time != Time::None) {
        for text in texts {
            let reason = case.sent_at(text).reason(SignatureState::Invalid);
            let due = reason.starts_with("malformed timestamp");
            assert!(due && reason.is_ascii(), "{}: {text}: {reason}", case.name);
        }
        // Where it stands beside the signature, what follows it is no part of it.
        for text in ["1700000000 ", "1700000000,1700000000", "1700000000;1"] {
            assert_eq!(case.sent_at(text).state(), SignatureState::Invalid, "{}", case.name);
        }
        let stamp = T.to_string();
        let twice = match case.time {
            Time::Beside => case
                .sent(ROW_1)
                .lines(&[format!("t={stamp}"), format!("{}{}", case.lead(), case.good())]),
            _ => case.sent(ROW_1).and(case.scheme.timestamp_header().unwrap(), stamp),
        };
        let reason = twice.reason(SignatureState::Invalid);
        assert!(reason.contains("ambiguous"), "{}: {reason}", case.name);
    }
}
