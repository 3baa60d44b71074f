//! Valid, stale, invalid, unsigned, unchecked.

use super::*;

#[test]
fn unsigned_and_unchecked_are_never_invalid() {
    let mut sent = Sent::row_1();
    sent.signatures.clear();
    assert!(sent.reason(SignatureState::Unsigned).contains("X-Sume-Signature is missing"));
    sent.timestamps.clear();
    assert_eq!(sent.state(), SignatureState::Unsigned);

    let request = SignedRequest { method: "POST", path: "/", query: "", headers: &[], body: b"" };
    let report = verify(&*sume(), &[], &request, at(T), TOLERANCE);
    assert_eq!(report.state, SignatureState::Unchecked);
    assert!(report.reason.unwrap().contains("no secret is set"));
    let empty = Sent::row_1().secret("");
    assert!(empty.reason(SignatureState::Unchecked).contains("empty"));
}

#[test]
fn c16_upper_case_is_hex_and_other_dresses_are_named() {
    let upper = ROW_1_DIGEST.to_uppercase();
    assert_eq!(Sent::new(ROW_1, &upper).state(), SignatureState::Valid);
    let base64 = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        hex::decode(ROW_1_DIGEST).unwrap(),
    );
    for (line, said) in [
        (base64.clone(), "looks like base64"),
        (format!("v1={base64}"), "looks like base64"),
        (ROW_1_DIGEST.to_owned(), "without its tag"),
        (format!("sha256={ROW_1_DIGEST}"), "another tag"),
        (format!("V1={ROW_1_DIGEST}"), "another tag"),
        (format!("v2={ROW_1_DIGEST}"), "another tag"),
        (format!("sha256= {ROW_1_DIGEST}"), "white space"),
        (format!("v1= {ROW_1_DIGEST}"), "white space"),
    ] {
        let sent = Sent::row_1().signed(line.clone());
        let reason = sent.reason(SignatureState::Invalid);
        assert!(reason.contains(said) && reason.contains("v1=<64 hex digits>"), "{line}: {reason}");
        assert!(sent.hint().contains("only its form differs"), "{line}");
    }
    let wrong = Sent::row_1().signed(format!("sha256={}", "0".repeat(64)));
    assert!(wrong.judge().hints.is_empty());
}

#[test]
fn c17_milliseconds_are_named_and_the_text_is_what_was_signed() {
    let milliseconds = "9475b70be6b2669d5f4e85ae30424e77dd17a830f07a4c68c436c13821e75efa";
    let sent = Sent::new(ROW_1, milliseconds).stamped("1700000000000");
    let reason = sent.reason(SignatureState::Stale);
    assert!(reason.contains("looks like milliseconds"), "{reason}");
    let hint = Sent::row_1().stamped("1700000000000").hint();
    assert!(hint.contains("signed in seconds"), "{hint}");
    let hint = Sent::new(ROW_1, milliseconds).hint();
    assert!(hint.contains("signed in milliseconds"), "{hint}");
    // The same second in another text is another signed text.
    let zeros = digest_of(SECRET.as_bytes(), "01700000000", ROW_1);
    assert_eq!(Sent::new(ROW_1, &zeros).stamped("01700000000").state(), SignatureState::Valid);
    assert_eq!(Sent::row_1().stamped("01700000000").state(), SignatureState::Invalid);
}

#[test]
fn c18_the_tolerance_is_both_ways_with_its_ends() {
    for off in [0, 299, -299, 300, -300] {
        assert_eq!(Sent::row_1().now(T + off).state(), SignatureState::Valid, "{off}");
    }
    let late = Sent::row_1().now(T + 301).reason(SignatureState::Stale);
    assert!(late.contains("late") && late.contains("301 s") && late.contains("300 s"), "{late}");
    let early = Sent::row_1().now(T - 301).reason(SignatureState::Stale);
    assert!(early.contains("early") && early.contains("301 s"), "{early}");
    // A digest that does not match is never only stale.
    let forged = Sent::new(ROW_1, &"0".repeat(64)).now(T + 301);
    assert_eq!(forged.state(), SignatureState::Invalid);
}

#[test]
fn c19_a_timestamp_is_digits_only_though_its_digest_matches() {
    for text in [
        "1700000000abc",
        "NaN",
        " 1700000000",
        "1700000000 ",
        "+1700000000",
        "-1700000000",
        "1.7e9",
        "1700000000.0",
        "",
        "0x6553f100",
        "1700000000,1700000000",
        "99999999999999999999",
        "１７０００００００００",
    ] {
        let digest = digest_of(SECRET.as_bytes(), text, ROW_1);
        let reason = Sent::new(ROW_1, &digest).stamped(text).reason(SignatureState::Invalid);
        assert!(reason.starts_with("malformed timestamp"), "{text}: {reason}");
        assert!(reason.is_ascii(), "{reason}");
    }
    let mut none = Sent::row_1();
    none.timestamps.clear();
    assert!(none.reason(SignatureState::Invalid).contains("X-Sume-Timestamp is missing"));
    let mut two = Sent::row_1();
    two.timestamps.push(T.to_string().into());
    assert!(two.reason(SignatureState::Invalid).contains("ambiguous"));
}

#[test]
fn c22_odd_lengths_and_bytes_are_invalid_and_nothing_worse() {
    let hex = ROW_1_DIGEST;
    let lines: Vec<Vec<u8>> = vec![
        "".into(),
        "v1=".into(),
        "sha256=".into(),
        "sha256=abcd".into(),
        ",,,".into(),
        "=".into(),
        format!("v1={}", &hex[..63]).into(),
        format!("v1={hex}0").into(),
        format!("v1={}é", &hex[..63]).into(),
        format!("v1={}é", &hex[..62]).into(),
        [b"v1=", &hex.as_bytes()[..63], b"\xe9"].concat(),
        b"\xe9".to_vec(),
        vec![b'a'; 60_000],
    ];
    for line in lines {
        let report = Sent::row_1().signed(line.clone()).judge();
        assert_eq!(report.state, SignatureState::Invalid, "{}", line.escape_ascii());
        assert!(report.reason.is_some_and(|reason| reason.is_ascii()));
    }
    let length = Sent::row_1().signed(format!("v1={hex}0")).reason(SignatureState::Invalid);
    assert!(length.contains("wrong length"), "{length}");
}

#[test]
fn c65_one_match_is_enough_in_whatever_order_and_line() {
    let (good, bad) = (format!("v1={ROW_1_DIGEST}"), format!("v1={}", "0".repeat(64)));
    let lines = |lines: &[&str]| {
        let mut sent = Sent::row_1();
        sent.signatures = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        sent
    };
    for sent in [
        lines(&[&good, &bad]),
        lines(&[&bad, &good]),
        lines(&[&format!("{good},{bad}")]),
        lines(&[&format!("{bad} , {good}")]),
        lines(&["nonsense", &format!(",{bad},{good}")]),
        lines(&[&good, &good]),
    ] {
        assert_eq!(sent.state(), SignatureState::Valid);
    }
    let reasons: Vec<_> =
        [lines(&[&bad, "abcd"]), lines(&["abcd", &bad]), lines(&[&format!("abcd,{bad}")])]
            .map(|sent| sent.reason(SignatureState::Invalid))
            .into();
    assert!(reasons.windows(2).all(|pair| pair[0] == pair[1]), "{reasons:?}");
}

#[test]
fn c20_the_count_is_bounded_and_the_order_still_does_not_matter() {
    let (good, bad) = (format!("v1={ROW_1_DIGEST}"), format!("v1={}", "0".repeat(64)));
    for (count, state) in
        [(50, SignatureState::Valid), (100, SignatureState::Valid), (101, SignatureState::Invalid)]
    {
        for place in [0, count - 1] {
            let mut entries = vec![bad.as_str(); count];
            entries[place] = &good;
            assert_eq!(
                Sent::row_1().signed(entries.join(",")).state(),
                state,
                "{count} at {place}"
            );
        }
    }
}

#[test]
fn several_signatures_are_noted() {
    let headers = |lines: &[&str]| -> Vec<RawHeader> {
        lines.iter().map(|line| RawHeader::new("X-Sume-Signature", *line)).collect()
    };
    let said = |headers: &[RawHeader]| {
        note(&*sume(), &SignedRequest { method: "POST", path: "/", query: "", headers, body: b"" })
    };
    assert_eq!(said(&headers(&["v1=a"])), None);
    assert!(said(&headers(&["v1=a,v1=b"])).unwrap().starts_with("2 signatures came"));
    assert!(
        said(&headers(&["v1=a", "v1=b"])).unwrap().starts_with("2 X-Sume-Signature headers came")
    );
}
