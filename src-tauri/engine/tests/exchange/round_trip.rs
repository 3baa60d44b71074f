//! Out and in again.

use super::support::{FORMATS, Kept, now, only, read};
use bytes::Bytes;
use hooktwice_engine::{
    head::Head,
    ids,
    model::{ClaimReason, ClaimState, Ended, JobIdType, SignatureReport, SignatureState},
    store::{ClaimRequest, Finish, Import, NewDelivery},
};
use proptest::{collection::vec, prelude::*};
use sha2::{Digest as _, Sha256};

/// What arrived: any bytes that can.
#[derive(Debug, Clone)]
struct Sent {
    head: Bytes,
    trailers: Bytes,
    body: Bytes,
}

impl Sent {
    fn new(head: &[u8], body: &[u8]) -> Self {
        Self {
            head: Bytes::copy_from_slice(head),
            trailers: Bytes::new(),
            body: Bytes::copy_from_slice(body),
        }
    }

    /// As the listener stores it.
    fn arrived(&self) -> Import {
        let (head, _) = Head::parse(&self.head).unwrap();
        let (path, query) = head.path_and_query();
        let new = NewDelivery {
            id: ids::new_id(),
            received_at: now(),
            received_mono_us: 7,
            head: self.head.clone(),
            method: head.method,
            path,
            query,
            body: self.body.clone(),
            body_sha256: Sha256::digest(&self.body).into(),
            trailers: self.trailers.clone(),
            peer: ([127, 0, 0, 1], 4711).into(),
            signature: SignatureReport {
                state: SignatureState::Valid,
                scheme: "stripe".into(),
                reason: None,
                hints: Vec::new(),
                secret: Some("mine".into()),
                age_s: Some(0.5),
            },
            event: None,
            job_id: None,
            job_id_type: JobIdType::Missing,
            claim: ClaimRequest::None(None),
            notes: Vec::new(),
            expected_size: None,
            ended: None,
        };
        let finish = Finish {
            ended: Ended::Answered,
            status: Some(204),
            duration_ms: Some(1.5),
            response_head: Bytes::from_static(b"HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n"),
            response_body: Bytes::from_static(b"fine"),
            notes: Vec::new(),
        };
        Import { new, finish, forward: None }
    }
}

/// Sends it out and reads it in again, in both formats; the request is the same each time.
fn there_and_back(kept: &Kept, sent: &Sent) {
    let first = kept.import(vec![sent.arrived()]);
    for format in FORMATS {
        let file = kept.export(&first, format);
        let import = only(file.as_bytes());
        let new = &import.new;
        let (came, _) = Head::parse(&new.head).unwrap();
        let (was, _) = Head::parse(&sent.head).unwrap();
        assert_eq!((came, &new.body), (was, &sent.body), "{file}");
        assert_eq!(new.trailers, sent.trailers, "{file}");
        assert_eq!(new.received_at, now());
        assert_eq!(
            (new.signature.state, &*new.signature.scheme),
            (SignatureState::Unchecked, "stripe")
        );
        assert_eq!(new.claim, ClaimRequest::None(Some(ClaimReason::Imported)));
        assert_eq!(import.finish.status, Some(204));
        // What is imported is exported as it was.
        let second = kept.import(vec![import]);
        let again = only(kept.export(&second, format).as_bytes());
        assert_eq!(again.new.body, sent.body);
        // White space around a value is no part of it.
        assert_eq!(Head::parse(&again.new.head).unwrap().0, Head::parse(&sent.head).unwrap().0);
        let (old, new) = (
            kept.store.show(first[0]).unwrap().unwrap(),
            kept.store.show(second[0]).unwrap().unwrap(),
        );
        assert_eq!(new.headers, old.headers);
        assert_eq!(new.trailers, old.trailers);
        assert_eq!((new.peer, new.http_version), (old.peer, old.http_version));
        assert_eq!(new.body_sha256, old.body_sha256);
        assert_eq!(new.response_headers, old.response_headers);
        assert_eq!(new.response_body, old.response_body);
        assert_eq!(new.delivery.duration_ms, old.delivery.duration_ms);
        assert_eq!(new.delivery.claim, ClaimState::None);
    }
}

#[test]
fn c60_a_binary_body_comes_back_byte_for_byte() {
    let kept = Kept::new();
    for body in [
        &b"\x00\xff\r\n\r\nGET /"[..],
        b"",
        b"\xef\xbb\xbf{\"job_id\":\"a1\"}\r\n",
        b"\xed\xa0\x80",
        "\u{0}\u{1f600}\u{2028}\\\"".as_bytes(),
    ] {
        let head =
            format!("POST /hook HTTP/1.1\r\nHost: here\r\nContent-Length: {}\r\n\r\n", body.len());
        there_and_back(&kept, &Sent::new(head.as_bytes(), body));
    }
}

#[test]
fn odd_targets_and_old_versions_come_back() {
    let kept = Kept::new();
    for line in [
        &b"POST /a? HTTP/1.1"[..],
        b"POST /a?b?c=%20#frag HTTP/1.1",
        "POST /\u{e9}?\u{1f600} HTTP/1.1".as_bytes(),
        b"POST http://there/x?y HTTP/1.1",
        b"OPTIONS * HTTP/1.0",
        b"X-ODD! / HTTP/1.1",
    ] {
        let head = [line, b"\r\nX-A: 1\r\nx-a:  2\t\r\nX-A:\r\nX-Raw: \xe9\xff\r\n\r\n"].concat();
        there_and_back(&kept, &Sent::new(&head, b"x"));
    }
}

#[test]
fn a_delivery_that_did_not_come_whole_comes_back_as_far_as_it_came() {
    let kept = Kept::new();
    let sent = Sent::new(b"POST /hook HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n", b"");
    let mut arrived = sent.arrived();
    arrived.new.expected_size = Some(10);
    arrived.finish = Finish {
        ended: Ended::Incomplete,
        status: None,
        response_head: Bytes::new(),
        response_body: Bytes::new(),
        ..arrived.finish
    };
    let first = kept.import(vec![arrived]);
    for format in FORMATS {
        let import = only(kept.export(&first, format).as_bytes());
        assert_eq!((import.finish.ended, import.finish.status), (Ended::Incomplete, None));
        assert_eq!(import.new.expected_size, Some(10));
    }
}

#[test]
fn what_was_no_http_is_left_out() {
    let kept = Kept::new();
    let sent = Sent::new(b"POST /hook HTTP/1.1\r\nHost: h\r\n\r\n", b"");
    let mut arrived = sent.arrived();
    arrived.new.head = Bytes::from_static(b"NOT HTTP AT ALL\r\n\r\n");
    let seqs = kept.import(vec![arrived, sent.arrived()]);
    for format in FORMATS {
        let contents = read("a", kept.export(&seqs, format).as_bytes()).unwrap();
        assert_eq!(contents.deliveries.len(), 1);
        assert_eq!(contents.skipped[0].entry, 1);
        assert!(contents.skipped[0].why.contains("no whole HTTP request"));
    }
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(b'\t'), 0x20..=0x7e_u8, 0x80..=0xff_u8], 0..12)
}

fn header() -> impl Strategy<Value = Vec<u8>> {
    // Few names, so that they repeat.
    let name = prop_oneof!["[Xx]-[AaBb]", "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}"];
    (name, value()).prop_map(|(name, value)| [name.as_bytes(), b": ", &value, b"\r\n"].concat())
}

fn sent() -> impl Strategy<Value = Sent> {
    // Bytes that are not UTF-8 are no target to the parser.
    let target = "[!-~\u{e9}\u{1f600}]{0,12}";
    let parts = ("[A-Z]{1,7}", target, 0..=1_u8, vec(header(), 0..8), vec(any::<u8>(), 0..64));
    let request = parts.prop_map(|(method, target, minor, headers, body)| {
        let line = [method.as_bytes(), b" /", target.as_bytes()].concat();
        let end = format!(" HTTP/1.{minor}\r\n");
        Sent::new(&[line, end.into_bytes(), headers.concat(), b"\r\n".to_vec()].concat(), &body)
    });
    request.prop_filter("is no head", |sent| Head::parse(&sent.head).is_ok())
}

#[test]
fn any_request_comes_back_byte_for_byte() {
    let kept = Kept::new();
    proptest!(ProptestConfig::with_cases(96), |(sent in sent())| {
        there_and_back(&kept, &sent);
    });
}

#[test]
fn trailers_come_back() {
    let kept = Kept::new();
    let head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let trailers = Bytes::from_static(b"X-Sum: abc\r\nX-Raw: \xff\r\n");
    there_and_back(&kept, &Sent { trailers, ..Sent::new(head, b"body") });
}
