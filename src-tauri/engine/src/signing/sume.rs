//! Sume: `X-Sume-Signature: v1=<hex>` over the timestamp header's text, a dot and the raw body.
//!
//! This is what Sume has published for its earlier API.

use super::{Digest, Form, Scheme, SignedRequest, SignedText};
use crate::head::RawHeader;

const TIMESTAMP: &str = "X-Sume-Timestamp";
const SIGNATURE: &str = "X-Sume-Signature";
const EVENT_ID: &str = "X-Sume-Event-Id";
static FORM: Form = Form::hex("v1=");

/// The scheme of Sume's webhooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sume;

impl Scheme for Sume {
    fn name(&self) -> &'static str {
        "sume"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        Some(TIMESTAMP)
    }

    fn event_id_header(&self) -> Option<&str> {
        Some(EVENT_ID)
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn text(&self, stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText { before: [stamp, b"."].concat(), after: Vec::new() }
    }

    fn write(&self, stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![
            RawHeader::new(TIMESTAMP, stamp),
            RawHeader::new(SIGNATURE, FORM.write(digest)),
            RawHeader::new(EVENT_ID, event_id),
        ]
    }
}
