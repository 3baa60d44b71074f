//! Signatures that are wrong in one way each, written as the scheme writes its own. All of them keep the other headers as
//! they are.

use super::{bench::Bench, error::CheckError, job::Job};
use crate::{
    head::RawHeader,
    secrets::Secret,
    signing::{Entry, Form, Scheme, SignedRequest, Signer},
};
use bytes::Bytes;

/// A wrong signature, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Forgery {
    pub(super) what: &'static str,
    pub(super) headers: Vec<RawHeader>,
}

/// Every kind of wrong signature for a job's body; each for a job of its own.
pub(super) const KINDS: usize = 14;

/// The forgery of that number.
pub(super) fn forge(bench: &Bench, job: &Job, kind: usize) -> Result<Forgery, CheckError> {
    let body = job.body();
    let second = job.next_second();
    let right = bench.sign(job, second, &body);
    let Some((what, change)) = CHANGES.get(kind) else {
        let other = Signer { scheme: bench.signer.scheme.clone(), secret: other_secret()? };
        let headers = other.sign_request(second, &job.event_id, &bench.request(&body))?;
        return Ok(Forgery { what: "made with another secret", headers });
    };
    Ok(Forgery { what, headers: changed(&*bench.signer.scheme, &right, *change) })
}

/// A signature's line in three: what stands before the digest, the digest as it is written, and its bytes.
#[derive(Debug)]
struct Line<'a> {
    form: &'a Form,
    before: &'a [u8],
    text: &'a [u8],
    digest: Vec<u8>,
}

impl<'a> Line<'a> {
    /// Of a line that we signed: the digest is its end.
    fn new(form: &'a Form, line: &'a [u8], digest: Vec<u8>) -> Self {
        let start = line.len().saturating_sub(form.encode(&digest).len());
        Self { form, before: &line[..start], text: &line[start..], digest }
    }

    /// With another text for the digest.
    fn text(&self, text: &[u8]) -> Vec<u8> {
        [self.before, text].concat()
    }

    /// With other bytes for the digest. Some readers of base64 pass over what is wrong with its text, so what is to be
    /// another digest has to have other bytes.
    fn bytes(&self, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut digest = self.digest.clone();
        change(&mut digest);
        self.text(self.form.encode(&digest).as_bytes())
    }

    /// The digest's text without what only fills it up.
    fn digits(&self) -> &'a [u8] {
        let end = self.text.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
        &self.text[..end]
    }

    /// Without its last digit, and that which fills it up.
    fn without_last(&self) -> &'a [u8] {
        self.digits().split_last().map_or(&[], |(_, rest)| rest)
    }
}

type Change = fn(&Line<'_>) -> Vec<u8>;

const CHANGES: [(&str, Change); KINDS - 1] = [
    ("its last digit changed", |line| {
        line.bytes(|digest| digest.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1))
    }),
    ("its first digit changed", |line| {
        line.bytes(|digest| digest.iter_mut().take(1).for_each(|byte| *byte ^= 0x10))
    }),
    ("a digit in its middle changed", |line| {
        line.bytes(|digest| {
            let middle = digest.len() / 2;
            digest.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x10);
        })
    }),
    ("every digit after the first eight changed", |line| {
        // As many whole bytes as stand in eight digits; the pattern has a bit in each digit of hex and of base64.
        let kept = 8 * line.digest.len() / line.digits().len().max(1);
        line.bytes(|digest| digest.iter_mut().skip(kept).for_each(|byte| *byte ^= 0x11))
    }),
    ("all zeros", |line| line.bytes(|digest| digest.fill(0))),
    ("cut to half", |line| line.text(&line.text[..line.text.len() / 2])),
    ("cut to its first eight digits", |line| line.text(&line.text[..line.text.len().min(8)])),
    ("without its last digit", |line| line.text(line.without_last())),
    ("its tag alone", |line| line.text(b"")),
    ("empty", |_| Vec::new()),
    ("right, and a byte more", |line| line.bytes(|digest| digest.push(0))),
    ("right, and two hundred bytes more", |line| {
        line.bytes(|digest| digest.extend_from_slice(&[0; 200]))
    }),
    ("a letter outside of ASCII in it", |line| {
        let filler = &line.text[line.digits().len()..];
        line.text(&[line.without_last(), "é".as_bytes(), filler].concat())
    }),
];

/// Signed with the right secret over another body.
pub(super) fn for_another_body(bench: &Bench, job: &Job, other: &Bytes) -> Vec<RawHeader> {
    bench.sign(job, job.next_second(), other)
}

/// Without the header whose absence means that nothing was signed.
pub(super) fn without_signature(bench: &Bench, headers: Vec<RawHeader>) -> Vec<RawHeader> {
    let name = bench.signer.scheme.signature_header().to_owned();
    headers.into_iter().filter(|header| !header.is(&name)).collect()
}

fn other_secret() -> Result<Secret, CheckError> {
    Secret::throwaway().map_err(|error| CheckError::Machine(format!("{error}.")))
}

/// Headers that we signed, with another line for the signature.
fn changed(scheme: &dyn Scheme, right: &[RawHeader], change: Change) -> Vec<RawHeader> {
    let name = scheme.signature_header();
    let signed = SignedRequest { method: "POST", path: "/", query: "", headers: right, body: b"" };
    let digest = scheme.entries(&signed).into_iter().find_map(|entry| match entry {
        Entry::Digest(digest) => Some(digest.bytes().to_vec()),
        Entry::Other(..) => None,
    });
    let digest = digest.unwrap_or_default();
    let header = |header: &RawHeader| {
        if header.is(name) {
            let line = Line::new(scheme.form(), &header.value, digest.clone());
            RawHeader { name: header.name.clone(), value: Bytes::from(change(&line)) }
        } else {
            header.clone()
        }
    };
    right.iter().map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{SchemeSettings, SignatureState},
        secrets::NamedSecret,
        signing,
    };
    use std::collections::HashSet;

    const UNIX: i64 = 1_700_000_000;
    const BODY: &[u8] = br#"{"job_id":"a1"}"#;

    /// One that every scheme takes.
    fn secret() -> Secret {
        Secret::new(b"dGVzdC1zZWNyZXQ=".to_vec())
    }

    fn every_scheme() -> Vec<std::sync::Arc<dyn Scheme>> {
        let settings = SchemeSettings::default();
        signing::names().iter().map(|name| signing::scheme(name, &settings).unwrap()).collect()
    }

    #[test]
    fn no_forgery_is_valid_in_any_scheme_and_no_two_are_the_same() {
        for scheme in every_scheme() {
            let signer = Signer { scheme: scheme.clone(), secret: secret() };
            let right = signer.sign(UNIX, "evt_1", BODY).unwrap();
            let state = |headers: &[RawHeader]| {
                let request =
                    SignedRequest { method: "POST", path: "/", query: "", headers, body: BODY };
                let now = jiff::Timestamp::from_second(UNIX).unwrap();
                let secrets = [NamedSecret::new("test", secret(), "memory")];
                signing::verify(&*scheme, &secrets, &request, now, 300).state
            };
            assert_eq!(state(&right), SignatureState::Valid);
            let value = |headers: &[RawHeader]| {
                let name = scheme.signature_header();
                headers.iter().find(|header| header.is(name)).unwrap().value.clone()
            };
            let mut values = HashSet::from([value(&right)]);
            for (what, change) in CHANGES {
                let forged = changed(&*scheme, &right, change);
                assert_eq!(state(&forged), SignatureState::Invalid, "{}: {what}", scheme.name());
                // Without a tag (Shopify) "its tag alone" is empty as well.
                let new = values.insert(value(&forged));
                let untagged = scheme.form().tag.is_empty() && what == "empty";
                assert!(new || untagged, "{}: {what}", scheme.name());
                assert_eq!(forged.len(), right.len());
            }
        }
    }

    /// As base64 is read where nobody looks for what is wrong with it (Node's, Python's): up to the first `=`, without
    /// what is not of the alphabet, and without bits that are left over.
    fn lenient(text: &[u8]) -> Vec<u8> {
        let alphabet = |byte: u8| match byte {
            b'A'..=b'Z' => Some(byte - b'A'),
            b'a'..=b'z' => Some(byte - b'a' + 26),
            b'0'..=b'9' => Some(byte - b'0' + 52),
            b'+' => Some(62),
            b'/' => Some(63),
            _ => None,
        };
        let digits =
            text.iter().take_while(|byte| **byte != b'=').filter_map(|byte| alphabet(*byte));
        let bits: Vec<bool> =
            digits.flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks_exact(8).map(byte).collect()
    }

    #[test]
    fn a_lenient_reader_of_base64_finds_another_digest_in_every_forgery() {
        let mut looked_at = 0;
        for scheme in every_scheme() {
            let signer = Signer { scheme: scheme.clone(), secret: secret() };
            // Whatever the last digit happens to be.
            for unix in UNIX..UNIX + 40 {
                let body = format!("{{\"job_id\":\"a{unix}\"}}");
                let right = signer.sign(unix, "evt_1", body.as_bytes()).unwrap();
                let digest_of = |headers: &[RawHeader]| {
                    let name = scheme.signature_header();
                    let line = &headers.iter().find(|header| header.is(name)).unwrap().value;
                    let tag = scheme.form().tag.as_bytes();
                    lenient(line.strip_prefix(tag).unwrap_or(line))
                };
                let due = digest_of(&right);
                if due.len() != scheme.form().length {
                    continue;
                }
                looked_at += 1;
                for (what, change) in CHANGES {
                    let forged = digest_of(&changed(&*scheme, &right, change));
                    assert_ne!(forged, due, "{}: {what}", scheme.name());
                }
            }
        }
        assert!(looked_at >= 80, "Standard Webhooks and Shopify write base64: {looked_at}");
    }
}
