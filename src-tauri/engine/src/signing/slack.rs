//! Slack: `X-Slack-Signature: v0=<hex>` over `v0:`, the timestamp header's text, a colon and the raw body.
//!
//! Source: Slack's documentation, "Verifying requests from Slack".

use super::{Digest, Form, Scheme, SignedRequest, SignedText};
use crate::head::RawHeader;

const TIMESTAMP: &str = "X-Slack-Request-Timestamp";
const SIGNATURE: &str = "X-Slack-Signature";
static FORM: Form = Form::hex("v0=");

/// The scheme of Slack's requests. It names no event in a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slack;

impl Scheme for Slack {
    fn name(&self) -> &'static str {
        "slack"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        Some(TIMESTAMP)
    }

    fn event_id_header(&self) -> Option<&str> {
        None
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn text(&self, stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::before([b"v0:", stamp, b":"].concat())
    }

    fn write(&self, stamp: &str, _event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![RawHeader::new(TIMESTAMP, stamp), RawHeader::new(SIGNATURE, FORM.write(digest))]
    }
}
