//! Standard Webhooks, and Svix that it comes from: `webhook-signature: v1,<base64> v1,…` over the id, a dot, the
//! timestamp, a dot and the raw body. The headers may begin with `svix-` as well; those of one signature are taken
//! together, never one of each.
//!
//! A secret is `whsec_` and the base64 of the key, or that base64 alone; what is no base64 is refused, since a lenient reader
//! would make a short or an empty key of it (C14). Signatures with a public key (`v1a`) are not read.
//! Source: the specification at standardwebhooks.com.

use super::{
    Digest, Entry, Form, Scheme, SchemeError, SignedRequest, SignedText, Stamp, StampFault,
};
use crate::{head::RawHeader, secrets::Secret};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

const ID: &str = "webhook-id";
const TIMESTAMP: &str = "webhook-timestamp";
const SIGNATURE: &str = "webhook-signature";
/// The same under their first name.
const SVIX_ID: &str = "svix-id";
const SVIX_TIMESTAMP: &str = "svix-timestamp";
const SVIX_SIGNATURE: &str = "svix-signature";
const PREFIX: &[u8] = b"whsec_";
static FORM: Form = Form::base64("v1,");
/// Padding may be left out, as some dashboards do; anything else that is odd is refused.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The scheme of Standard Webhooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandardWebhooks;

impl Scheme for StandardWebhooks {
    fn name(&self) -> &'static str {
        "standard-webhooks"
    }

    fn signature_header(&self) -> &str {
        SIGNATURE
    }

    fn timestamp_header(&self) -> Option<&str> {
        Some(TIMESTAMP)
    }

    fn event_id_header(&self) -> Option<&str> {
        Some(ID)
    }

    fn form(&self) -> &Form {
        &FORM
    }

    fn key(&self, secret: &Secret) -> Result<Secret, SchemeError> {
        let given = secret.expose();
        if given.is_empty() {
            return Err(SchemeError::EmptySecret);
        }
        let text = given.strip_prefix(PREFIX).unwrap_or(given);
        let key = BASE64.decode(text).map_err(|_| {
            SchemeError::Secret(
                "the secret is not base64 behind `whsec_`, as those of Standard Webhooks are; copy it whole",
            )
        })?;
        if key.is_empty() {
            return Err(SchemeError::Secret(
                "the secret has nothing behind `whsec_`, and anybody can sign with an empty key; copy it whole",
            ));
        }
        Ok(Secret::new(key))
    }

    fn lines<'a>(&self, request: &SignedRequest<'a>) -> Vec<&'a [u8]> {
        let lines: Vec<&[u8]> = request.values(SIGNATURE).collect();
        if lines.is_empty() { request.values(SVIX_SIGNATURE).collect() } else { lines }
    }

    fn stamp<'a>(&self, request: &SignedRequest<'a>) -> Result<Option<Stamp<'a>>, StampFault> {
        let (id, timestamp) =
            if is_svix(request) { (SVIX_ID, SVIX_TIMESTAMP) } else { (ID, TIMESTAMP) };
        Stamp::require(request, id)?;
        Stamp::from_header(request, timestamp).map(Some)
    }

    fn entries(&self, request: &SignedRequest<'_>) -> Vec<Entry> {
        self.lines(request)
            .into_iter()
            .flat_map(|line| line.split(|byte| *byte == b' '))
            .filter(|part| !part.is_empty() && !part.starts_with(b"v1a,"))
            .map(|part| Entry::read(part, &FORM))
            .collect()
    }

    fn event_id<'a>(&self, request: &SignedRequest<'a>) -> &'a [u8] {
        let named = |name| request.values(name).next();
        let id = if is_svix(request) {
            named(SVIX_ID)
        } else if named(SIGNATURE).is_some() {
            named(ID)
        } else {
            // Not signed at all; its event is named all the same.
            named(ID).or_else(|| named(SVIX_ID))
        };
        id.unwrap_or_default()
    }

    fn text(&self, stamp: &[u8], event_id: &[u8], _request: &SignedRequest<'_>) -> SignedText {
        SignedText::before([event_id, b".", stamp, b"."].concat())
    }

    fn write(&self, stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader> {
        vec![
            RawHeader::new(ID, event_id),
            RawHeader::new(TIMESTAMP, stamp),
            RawHeader::new(SIGNATURE, FORM.write(digest)),
        ]
    }
}

/// Whether the signature came under Svix's name alone, so that the id and the time are Svix's too.
fn is_svix(request: &SignedRequest<'_>) -> bool {
    request.values(SIGNATURE).next().is_none() && request.values(SVIX_SIGNATURE).next().is_some()
}
