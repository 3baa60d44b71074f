//! GitHub: `X-Hub-Signature-256: sha256=<hex>` over the raw body alone. Nothing of it has a time, so a recorded delivery
//! verifies for ever.
//!
//! Source: GitHub's documentation, "Validating webhook deliveries".

use super::{Digest, Form, Scheme, SignedRequest, SignedText};
use crate::head::RawHeader;

const SIGNATURE: &str = "X-Hub-Signature-256";
const DELIVERY: &str = "X-GitHub-Delivery";
static FORM: Form = Form::hex("sha256=");

/// The scheme of GitHub's webhooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct GitHub;

impl Scheme for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        None
    }

    fn event_id_header(&self) -> Option<&str> {
        Some(DELIVERY)
    }

    fn event_header(&self) -> Option<&str> {
        Some("X-GitHub-Event")
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn text(&self, _stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::default()
    }

    fn write(&self, _stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![RawHeader::new(SIGNATURE, FORM.write(digest)), RawHeader::new(DELIVERY, event_id)]
    }
}
