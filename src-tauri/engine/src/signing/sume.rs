//! Sume: `X-Sume-Signature: v1=<hex>` over the timestamp header's text, a dot and the raw body.
//!
//! This is what Sume has published for its earlier API; header names and tag are settings.

use super::{Algorithm, Digest, Form, Scheme, SignedRequest, SignedText, entry::Encoding};
use crate::{head::RawHeader, model::SumeForm};

/// The scheme of Sume's webhooks.
#[derive(Debug, Clone)]
pub(super) struct Sume {
    names: SumeForm,
    form: Form,
}

impl Sume {
    /// With the names that are set.
    pub(super) fn new(names: &SumeForm) -> Self {
        let form = Form::new(names.tag.clone(), Encoding::Hex, Algorithm::Sha256);
        Self { names: names.clone(), form }
    }
}

impl Scheme for Sume {
    fn name(&self) -> &'static str {
        "sume"
    }

    fn signature_header(&self) -> &str {
        &self.names.signature_header
    }

    fn timestamp_header(&self) -> Option<&str> {
        Some(&self.names.timestamp_header)
    }

    fn event_id_header(&self) -> Option<&str> {
        Some(&self.names.event_id_header)
    }

    fn form(&self) -> &Form {
        &self.form
    }

    fn text(&self, stamp: &[u8], _event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::before([stamp, b"."].concat())
    }

    fn write(&self, stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        let header = |name: &str, value: String| RawHeader::new(name.to_owned(), value);
        vec![
            header(&self.names.timestamp_header, stamp.to_owned()),
            header(&self.names.signature_header, self.form.write(digest)),
            header(&self.names.event_id_header, event_id.to_owned()),
        ]
    }
}
