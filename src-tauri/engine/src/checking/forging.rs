//! Signatures that are wrong in one way each. All of them keep the other headers as they are.

use super::{bench::Bench, error::CheckError, job::Job};
use crate::{head::RawHeader, secrets::Secret, signing::Signer};
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
    let other = Signer { scheme: bench.signer.scheme.clone(), secret: other_secret()? };
    let change = |what, change: &dyn Fn(&[u8]) -> Vec<u8>| Forgery {
        what,
        headers: changed(bench, &right, change),
    };
    Ok(match kind {
        0 => change("its last digit changed", &|value| flipped(value, value.len() - 1)),
        1 => change("its first digit changed", &|value| flipped(value, digest_start(value))),
        2 => change("a digit in its middle changed", &|value| {
            flipped(value, (digest_start(value) + value.len()) / 2)
        }),
        3 => change("every digit after the first eight changed", &|value| {
            let from = (digest_start(value) + 8).min(value.len());
            (from..value.len()).fold(value.to_vec(), |value, at| flipped(&value, at))
        }),
        4 => change("all zeros", &|value| {
            let start = digest_start(value);
            [&value[..start], &vec![b'0'; value.len() - start]].concat()
        }),
        5 => change("cut to half", &|value| {
            let start = digest_start(value);
            value[..start + (value.len() - start) / 2].to_vec()
        }),
        6 => change("cut to its first eight digits", &|value| {
            value[..(digest_start(value) + 8).min(value.len())].to_vec()
        }),
        7 => change("without its last digit", &|value| value[..value.len() - 1].to_vec()),
        8 => change("its tag alone", &|value| value[..digest_start(value)].to_vec()),
        9 => change("empty", &|_| Vec::new()),
        10 => change("right, and two digits more", &|value| [value, b"00"].concat()),
        11 => change("right, and four hundred digits more", &|value| {
            [value, &b"00".repeat(200)].concat()
        }),
        12 => change("a letter outside of ASCII in it", &|value| {
            [&value[..value.len() - 1], "é".as_bytes()].concat()
        }),
        _ => Forgery {
            what: "made with another secret",
            headers: other.sign(second, &job.event_id, &body)?,
        },
    })
}

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

fn changed(
    bench: &Bench,
    right: &[RawHeader],
    change: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Vec<RawHeader> {
    let name = bench.signer.scheme.signature_header();
    let header = |header: &RawHeader| {
        if header.is(name) && !header.value.is_empty() {
            RawHeader { name: header.name.clone(), value: Bytes::from(change(&header.value)) }
        } else {
            header.clone()
        }
    };
    right.iter().map(header).collect()
}

/// Where the digest begins: after the last of the signs that part a tag from it, a padding's `=` aside.
fn digest_start(value: &[u8]) -> usize {
    let end = value.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    value[..end].iter().rposition(|byte| matches!(byte, b'=' | b',' | b' ')).map_or(0, |at| at + 1)
}

/// Another digit in a place.
fn flipped(value: &[u8], at: usize) -> Vec<u8> {
    let mut value = value.to_vec();
    if let Some(byte) = value.get_mut(at) {
        *byte = if *byte == b'0' { b'1' } else { b'0' };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_found_behind_its_tag() {
        assert_eq!(digest_start(b"v1=abc"), 3);
        assert_eq!(digest_start(b"t=1,v1=abc"), 7);
        assert_eq!(digest_start(b"v1,YWJj=="), 3);
        assert_eq!(digest_start(b"abc="), 0);
        assert_eq!(flipped(b"v1=a0", 4), b"v1=a1");
        assert_eq!(flipped(b"v1=a0", 3), b"v1=00");
    }
}
