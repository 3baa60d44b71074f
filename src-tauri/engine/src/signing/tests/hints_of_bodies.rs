//! What is said of a body that was encoded, decoded or exchanged after signing (C10, C11, C23), and of time and size.

use super::*;
use super::{delivery::*, hints::hint};
use base64::Engine as _;
use bytes::Bytes;
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use std::{
    io::Write as _,
    time::{Duration, Instant},
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Signed over one body, received with another, through every scheme; with the header that names the coding.
#[track_caller]
fn said(signed: &[u8], came: &[u8], coding: Option<&str>, due: &str) {
    for name in names() {
        let secret: &[u8] = if name == "standard-webhooks" { b"dGVzdA==" } else { b"test-secret" };
        let mut sent = Delivery::signed(&plain(name), secret, signed).body(came);
        if let Some(coding) = coding {
            sent = sent.and("Content-Encoding", coding);
        }
        let hint = hint(&sent.judge());
        assert!(hint.starts_with(due), "{name}: {hint}");
    }
}

#[test]
fn c10_a_compressed_body_is_proven_by_what_it_decodes_to() {
    let due = "wire bytes do not match, the decoded bytes do";
    for coding in [Some("gzip"), Some("GZIP"), Some("x-gzip"), Some("identity, gzip"), None] {
        said(ROW_1, &gzip(ROW_1), coding, due);
    }
    said(ROW_1, &zlib(ROW_1), Some("deflate"), due);
    said(ROW_1, &deflate(ROW_1), Some("deflate"), due);
    // Two members are one body.
    said(ROW_1, &[gzip(&ROW_1[..4]), gzip(&ROW_1[4..])].concat(), Some("gzip"), due);
    // What was signed as it came is valid, and nothing is decoded before the digest.
    let sent =
        Delivery::signed(&plain("github"), b"k", &gzip(ROW_1)).and("Content-Encoding", "gzip");
    assert_eq!(sent.state(), SignatureState::Valid);
}

#[test]
fn c10_what_is_no_gzip_or_breaks_is_invalid_and_nothing_worse() {
    let whole = gzip(ROW_1);
    let broken = [&whole[..whole.len() - 3], b"\x1f\x8b", b"\x1f\x8b\x08\x00", ROW_1, b""];
    for came in broken {
        for coding in ["gzip", "deflate", "br", ""] {
            let sent = Delivery::signed(&plain("sume"), b"k", b"other").body(came);
            let report = sent.and("Content-Encoding", coding).judge();
            assert_eq!((report.state, report.hints), (SignatureState::Invalid, vec![]));
        }
    }
}

#[test]
fn c10_a_bomb_is_cut_at_the_limit_and_said() {
    let bomb = gzip(&vec![0; 64 * 1024 * 1024]);
    assert!(bomb.len() < 128 * 1024);
    let report = Delivery::signed(&plain("sume"), b"k", ROW_1).body(bomb).judge();
    assert_eq!((report.state, &report.hints[..]), (SignatureState::Invalid, &[][..]));
    let reason = report.reason.unwrap();
    assert!(reason.contains("decodes to more than 16 MiB"), "{reason}");
    // Right at the limit it is still looked at.
    let most = vec![b'a'; 16 * 1024 * 1024];
    let report = Delivery::signed(&plain("sume"), b"k", &most).body(gzip(&most)).judge();
    assert!(hint(&report).starts_with("wire bytes do not match"));
}

#[test]
fn c11_a_form_and_the_json_in_it_are_told_apart() {
    let form = b"payload=%7B%22job_id%22%3A%22a1%22%7D";
    said(form, ROW_1, None, "the signature covers the form text");
    said(ROW_1, form, None, "matches over the value of the form's `payload` alone");
    let more = b"a=1&payload=%7B%22job_id%22%3A%22a1%22%7D&b=2";
    said(ROW_1, more, None, "matches over the value of the form's `payload` alone");
    said(br#"{"a":"b c"}"#, b"payload=%7B%22a%22%3A%22b+c%22%7D", None, "matches over the value");
    assert_eq!(Delivery::signed(&plain("sume"), b"k", form).state(), SignatureState::Valid);
}

#[test]
fn c23_an_encoded_body_is_proven_by_decoding_it() {
    let base64 = base64::engine::general_purpose::STANDARD;
    let due = "matches after base64-decoding the body";
    let text = base64.encode(ROW_1);
    said(ROW_1, text.as_bytes(), None, due);
    said(ROW_1, format!("{text}\n").as_bytes(), None, due);
    said(ROW_1, text.trim_end_matches('=').as_bytes(), None, due);
    let url_safe = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(b"\xfb\xff\xfe~~");
    said(b"\xfb\xff\xfe~~", url_safe.as_bytes(), None, due);
    let due = "matches after percent-decoding the body";
    said(ROW_1, b"%7B%22job_id%22%3A%22a1%22%7d", None, due);
}

#[test]
fn white_space_and_json_are_explained_through_every_scheme() {
    let end = [ROW_1, b"\n"].concat();
    said(ROW_1, &end, None, "would match without the trailing newline");
    said(&end, ROW_1, None, "would match with a trailing newline");
    said(ROW_1, ROW_2, None, "would match re-serialised compactly");
}

#[test]
fn the_body_of_another_delivery_is_named_last_and_read_one_by_one() {
    let other = br#"{"job_id":"a1","status":"done"}"#;
    let bodies = [(3, ROW_1), (5, ROW_1), (7, other), (9, ROW_2)];
    for name in ["sume", "stripe", "github", "slack"] {
        let sent = Delivery::signed(&plain(name), SECRET.as_bytes(), other).body(ROW_1);
        let mut read = 0;
        let siblings = bodies.iter().map(|(seq, body)| {
            read += 1;
            Sibling { seq: *seq, body: Bytes::from_static(body) }
        });
        let hint = hint(&sent.judge_with(&[], siblings));
        assert_eq!(hint, "the signature belongs to delivery #7 of this job, whose body is another");
        assert_eq!(read, 3, "what follows the match is not read");
    }
    // Neither a valid signature nor one that is explained otherwise reads any.
    let none = || std::iter::from_fn(|| -> Option<Sibling> { panic!("a body was read") });
    let valid = Delivery::signed(&plain("sume"), SECRET.as_bytes(), ROW_1);
    assert!(valid.judge_with(&[], none()).hints.is_empty());
    let spaced = valid.body(ROW_2);
    assert!(hint(&spaced.judge_with(&[], none())).starts_with("would match re-serialised"));
}

#[test]
fn very_many_and_very_large_siblings_are_bounded_and_said() {
    let sent = Delivery::signed(&plain("sume"), SECRET.as_bytes(), b"signed").body(ROW_1);
    let large = Bytes::from(vec![b'x'; 10 * 1024 * 1024]);
    let small = Bytes::from_static(b"another");
    for (body, most) in [(large, 4), (small, 501)] {
        let mut read = 0;
        let endless = (1..).map(|seq| {
            read += 1;
            Sibling { seq, body: body.clone() }
        });
        let report = sent.judge_with(&[], endless);
        assert!(report.reason.unwrap().contains("not tried: the bodies of other deliveries"));
        assert_eq!(read, most);
    }
}

#[test]
fn a_body_of_10_mib_is_answered_within_a_second_and_says_where_it_stopped() {
    let filler =
        format!("{{\"job_id\": \"a1\",\r\n\"text\":\"{}\"}}\n", "é/ab".repeat(2 * 1024 * 1024));
    let sizes = [filler.into_bytes(), vec![b'a'; 10 * 1024 * 1024], vec![b'%'; 10 * 1024 * 1024]];
    for body in sizes {
        let sent = Delivery::signed(&plain("sume"), SECRET.as_bytes(), ROW_1).body(body);
        let start = Instant::now();
        let report = sent.judge();
        let took = start.elapsed();
        assert_eq!((report.state, report.hints), (SignatureState::Invalid, vec![]));
        let reason = report.reason.unwrap();
        assert!(reason.contains("not tried: "), "{reason}");
        // Without optimisation the rewriting alone takes many times as long as in a release.
        let most = if cfg!(debug_assertions) { 20 } else { 1 };
        assert!(took < Duration::from_secs(most), "{took:?}");
    }
}

#[test]
fn a_body_of_512_kib_is_tried_in_every_way() {
    let text = format!("{{\"job_id\": \"a1\",\r\n\"text\":\"{}\"}}\n", "é/ab".repeat(100 * 1024));
    let report = Delivery::signed(&plain("sume"), SECRET.as_bytes(), ROW_1).body(text).judge();
    assert_eq!(
        report.reason.as_deref(),
        Some("the signature does not match the body, the timestamp and the secret")
    );
}
