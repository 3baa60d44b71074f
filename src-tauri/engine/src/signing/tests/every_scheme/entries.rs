//! The signatures of a request: how they are written, and how many came.

use super::*;

#[test]
fn c16_the_case_of_hex_does_not_matter_and_that_of_base64_does() {
    for case in cases() {
        let tag = &case.scheme.form().tag;
        let (upper, lower) = (case.digest().to_uppercase(), case.digest().to_lowercase());
        let due = if case.is_hex() { SignatureState::Valid } else { SignatureState::Invalid };
        for digest in [upper, lower] {
            assert_eq!(case.with(&[&format!("{tag}{digest}")]).state(), due, "{}", case.name);
        }
    }
}

#[test]
fn c16_other_dresses_are_invalid_and_named() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    for case in cases() {
        let (tag, digest) = (case.scheme.form().tag.clone(), case.digest());
        let (other, called) = if case.is_hex() {
            (STANDARD.encode(hex::decode(&digest).unwrap()), "looks like base64")
        } else {
            (hex::encode(STANDARD.decode(&digest).unwrap()), "looks like hex")
        };
        let mut lines = vec![
            (other.clone(), called),
            (format!("{tag}{other}"), called),
            (format!("other={digest}"), "another tag"),
        ];
        if !tag.is_empty() {
            lines.push((digest.clone(), "without its tag"));
            if case.separator != " " {
                lines.push((format!("{tag} {digest}"), "white space"));
            }
        }
        for (line, said) in lines {
            let report = case.with(&[&line]).judge();
            assert_eq!(report.state, SignatureState::Invalid, "{}: {line}", case.name);
            let reason = report.reason.unwrap();
            assert!(reason.contains(said), "{}: {line}: {reason}", case.name);
            assert!(reason.contains(&case.scheme.form().describe()), "{}: {reason}", case.name);
            let told = report.hints.iter().any(|hint| hint.contains("only its form differs"));
            assert!(told, "{}: {line}", case.name);
        }
    }
}

#[test]
fn c20_the_count_is_bounded_and_the_order_does_not_matter() {
    for case in cases().into_iter().filter(|case| !case.separator.is_empty()) {
        let (good, bad) = (case.good(), case.bad());
        for (count, state) in [
            (1, SignatureState::Valid),
            (2, SignatureState::Valid),
            (50, SignatureState::Valid),
            (100, SignatureState::Valid),
            (101, SignatureState::Invalid),
        ] {
            for place in [0, count / 2, count - 1] {
                let mut entries = vec![bad.as_str(); count];
                entries[place] = &good;
                let got = case.with(&entries).state();
                assert_eq!(got, state, "{}: {count} at {place}", case.name);
            }
        }
        let too_many = case.with(&vec![good.as_str(); 101]).reason(SignatureState::Invalid);
        assert!(too_many.contains("101 signatures"), "{}: {too_many}", case.name);
    }
}

#[test]
fn c65_one_match_is_enough_in_whatever_order_and_line() {
    for case in cases() {
        let (good, bad, lead) = (case.good(), case.bad(), case.lead());
        let lines = |entries: [&str; 2]| {
            case.sent(ROW_1).lines(&[format!("{lead}{}", entries[0]), entries[1].to_owned()])
        };
        let mut sent = vec![
            lines([&good, &bad]),
            lines([&bad, &good]),
            lines([&good, &good]),
            lines(["nonsense", &good]),
            lines([&good, "nonsense"]),
        ];
        if !case.separator.is_empty() {
            sent.push(case.with(&[&good, &bad]));
            sent.push(case.with(&[&bad, &good]));
            sent.push(case.with(&[&bad, "", &good, ""]));
            sent.push(case.with(&["nonsense", &good]));
        }
        for sent in sent {
            assert_eq!(sent.state(), SignatureState::Valid, "{}: {:?}", case.name, sent.headers());
        }
        let reasons = [lines([&bad, "abcd"]), lines(["abcd", &bad])]
            .map(|sent| sent.reason(SignatureState::Invalid));
        assert_eq!(reasons[0], reasons[1], "{}", case.name);
        assert!(note(&*case.scheme, &lines([&good, &bad]).request()).unwrap().contains("2 "));
    }
}

#[test]
fn c22_odd_lengths_and_bytes_are_invalid_and_nothing_worse() {
    for case in cases() {
        let (good, tag) = (case.good().into_bytes(), case.scheme.form().tag.clone());
        let cut = &good[..good.len() - 1];
        let lines: Vec<Vec<u8>> = vec![
            "".into(),
            tag.as_bytes().to_vec(),
            "sha256=".into(),
            "sha256=abcd".into(),
            ",,,".into(),
            "   ".into(),
            ";; ;".into(),
            "=".into(),
            cut.to_vec(),
            good[..good.len() - 2].to_vec(),
            [&good, &b"0"[..]].concat(),
            [&good, &b"="[..]].concat(),
            [&good, &good[..]].concat(),
            [cut, "é".as_bytes()].concat(),
            [cut, b"\xe9"].concat(),
            [b"\xe9", &good[..]].concat(),
            [&good[..], b"\0"].concat(),
            b"\xff\xfe".to_vec(),
            vec![b'a'; 60_000],
            vec![b'='; 60_000],
        ];
        for line in lines {
            let whole = [case.lead().as_bytes(), &line].concat();
            let report = case.sent(ROW_1).lines(&[whole]).judge();
            let shown = format!("{}: {}", case.name, line[..line.len().min(99)].escape_ascii());
            assert_eq!(report.state, SignatureState::Invalid, "{shown}");
            let reason = report.reason.unwrap();
            assert!(reason.is_ascii() && !reason.contains(" 0 signatures"), "{shown}: {reason}");
        }
    }
}
