//! Shopify: `X-Shopify-Hmac-Sha256: <base64>` over the raw body alone. Its times stand in headers that are not signed.
//!
//! Source: Shopify's documentation, "Verify webhook deliveries".

use super::{Digest, Form, Scheme, SignedRequest, SignedText};
use crate::head::RawHeader;

const SIGNATURE: &str = "X-Shopify-Hmac-Sha256";
const EVENT_ID: &str = "X-Shopify-Event-Id";
static FORM: Form = Form::base64("");

/// The scheme of Shopify's webhooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shopify;

impl Scheme for Shopify {
    fn name(&self) -> &'static str {
        "shopify"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        None
    }

    fn event_id_header(&self) -> Option<&str> {
        Some(EVENT_ID)
    }

    fn event_header(&self) -> Option<&str> {
        Some("X-Shopify-Topic")
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn text(&self, _stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::default()
    }

    fn write(&self, _stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![RawHeader::new(SIGNATURE, FORM.write(digest)), RawHeader::new(EVENT_ID, event_id)]
    }
}
