//! Stripe: one header, `Stripe-Signature: t=<Unix seconds>,v1=<hex>[,v1=…][,v0=…]`, over the time, a dot and the raw body.
//!
//! The secret is used as its text, `whsec_` included. Entries of other versions (`v0` is a test's) count for nothing.
//! Source: Stripe's documentation, "Verify webhook signatures manually".

use super::{Digest, Entry, Form, Scheme, SignedRequest, SignedText, Stamp, StampFault};
use crate::head::RawHeader;

const SIGNATURE: &str = "Stripe-Signature";
static FORM: Form = Form::hex("v1=");

/// The scheme of Stripe's webhooks. It names no event in a header; the body does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stripe;

impl Scheme for Stripe {
    fn name(&self) -> &'static str {
        "stripe"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        None
    }

    fn event_id_header(&self) -> Option<&str> {
        None
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn stamp<'a>(&self, request: &SignedRequest<'a>) -> Result<Option<Stamp<'a>>, StampFault> {
        let name = "t in Stripe-Signature";
        let mut times = parts(request).filter_map(|part| part.strip_prefix(b"t="));
        let text = times.next().ok_or_else(|| StampFault::Missing(name.to_owned()))?;
        match times.count() {
            0 => Stamp::parse(text, name).map(Some),
            more => Err(StampFault::Several { header: name.to_owned(), count: more + 1 }),
        }
    }

    fn entries(&self, request: &SignedRequest<'_>) -> Vec<Entry> {
        let counts = |part: &&[u8]| !part.starts_with(b"t=") && !is_other_version(part);
        parts(request).filter(counts).map(|part| Entry::read(part, &FORM)).collect()
    }

    fn text(&self, stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::before([stamp, b"."].concat())
    }

    fn write(&self, stamp: &str, _event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![RawHeader::new(SIGNATURE, format!("t={stamp},{}", FORM.write(digest)))]
    }
}

fn parts<'a>(request: &SignedRequest<'a>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    let lines: Vec<&[u8]> = request.values(SIGNATURE).collect();
    lines.into_iter().flat_map(|line| line.split(|byte| *byte == b',')).map(<[u8]>::trim_ascii)
}

/// `v0=…` and the like: a version that is known not to be this one.
fn is_other_version(part: &[u8]) -> bool {
    matches!(part, [b'v', version, b'=', ..] if version.is_ascii_digit() && *version != b'1')
}
