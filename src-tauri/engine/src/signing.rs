//! How a provider signs: one file a scheme; verifying and explaining are the same for all.
//!
//! A scheme says which headers it reads and writes, what text is signed, and how a secret is read. A new one is a
//! file beside `github.rs`, with its `mod` line and its line in [`registry`]; `custom.rs` is one that is described by settings.

mod custom;
mod digest;
mod entry;
mod explain;
mod github;
mod restyle;
mod shopify;
mod skew;
mod slack;
mod standard_webhooks;
mod stripe;
mod sume;
mod timestamp;
mod verify;

use crate::{
    head::RawHeader,
    model::{SchemeSettings, SignatureDetail},
    secrets::Secret,
};
use jiff::Timestamp;
use std::sync::Arc;

pub use custom::check as check_custom;
pub use digest::{Algorithm, Digest, SignedText};
pub use entry::{Entry, Form};
pub use explain::Sibling;
pub use skew::Sighting;
pub use timestamp::{Stamp, StampFault};
pub use verify::{Verifier, note, verify};

/// The most signatures that one request is judged by. One over it is refused whatever its order, so that a verdict
/// never hangs on which of them stand first (C20, C65).
pub const MAX_SIGNATURES: usize = 100;

/// Every scheme, in the order in which they are offered.
fn registry(settings: &SchemeSettings) -> [Arc<dyn Scheme>; 7] {
    [
        Arc::new(sume::Sume::new(&settings.sume)),
        Arc::new(standard_webhooks::StandardWebhooks),
        Arc::new(stripe::Stripe),
        Arc::new(github::GitHub),
        Arc::new(shopify::Shopify),
        Arc::new(slack::Slack),
        Arc::new(custom::Custom::new(&settings.custom)),
    ]
}

/// How one provider signs.
///
/// The methods with a body fit a provider whose time and signatures stand in headers of their own; one that puts
/// both into one header (Stripe) or has no time (GitHub) overrides [`Scheme::stamp`] and [`Scheme::entries`].
pub trait Scheme: Send + Sync + std::fmt::Debug {
    /// As in `--scheme`.
    fn name(&self) -> &'static str;

    /// The header whose absence means `unsigned`.
    fn signature_header(&self) -> &str;

    /// The header of the signed time, where it has one of its own.
    fn timestamp_header(&self) -> Option<&str>;

    /// The header that names the event, the same over all of its deliveries.
    fn event_id_header(&self) -> Option<&str>;

    /// The header that says what kind of event it is, where the body does not.
    fn event_header(&self) -> Option<&str> {
        None
    }

    /// Which HMAC.
    fn algorithm(&self) -> Algorithm {
        Algorithm::Sha256
    }

    /// How a signature is written.
    fn form(&self) -> &Form;

    /// The key of the digest: the secret's bytes as they are, unless the provider encodes its secrets.
    ///
    /// # Errors
    /// When the secret cannot be one of this scheme.
    fn key(&self, secret: &Secret) -> Result<Secret, SchemeError> {
        if secret.is_empty() {
            return Err(SchemeError::EmptySecret);
        }
        Ok(secret.clone())
    }

    /// The lines of the signature's header as they came, whatever name it came under.
    fn lines<'a>(&self, request: &SignedRequest<'a>) -> Vec<&'a [u8]> {
        request.values(self.signature_header()).collect()
    }

    /// The signed time as it came, never read as a number first: the digest covers its text.
    ///
    /// # Errors
    /// When it is missing, ambiguous or no time.
    fn stamp<'a>(&self, request: &SignedRequest<'a>) -> Result<Option<Stamp<'a>>, StampFault> {
        self.timestamp_header().map(|name| Stamp::from_header(request, name)).transpose()
    }

    /// Every signature that came, over all header lines, each with its form.
    fn entries(&self, request: &SignedRequest<'_>) -> Vec<Entry> {
        let lines = self.lines(request).into_iter();
        lines.flat_map(|line| Entry::split(line, b',', self.form())).collect()
    }

    /// The provider's id of the event as it came; empty where there is none.
    fn event_id<'a>(&self, request: &SignedRequest<'a>) -> &'a [u8] {
        request.first(self.event_id_header())
    }

    /// What is signed besides the body. `stamp` is the time's text as it came, empty where there is none.
    fn text(&self, stamp: &[u8], event_id: &[u8], request: &SignedRequest<'_>) -> SignedText;

    /// The headers that carry a signature.
    fn write(&self, stamp: &str, event_id: &str, digest: &Digest) -> Vec<RawHeader>;
}

/// A scheme that does not exist, or cannot sign with what it was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemeError {
    /// There is no such scheme.
    #[error("there is no scheme `{name}`; use one of: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A digest without a key would be anybody's (C14).
    #[error(
        "the secret is empty, and anybody can sign with an empty secret; give one that has bytes"
    )]
    EmptySecret,
    /// A time that no receiver would read.
    #[error("{0} is before 1970 and cannot be signed; give Unix seconds, for example 1700000000")]
    Time(i64),
    /// The secret is not what this scheme's secrets are (C14).
    #[error("{0}")]
    Secret(&'static str),
    /// The custom scheme's settings do not fit together.
    #[error("the custom scheme cannot be used: {0}")]
    Custom(String),
    /// It would break out of its header, or not arrive as it was signed: white space around a value is no part of it.
    #[error(
        "the event id holds a line break or another control character, or white space at its ends, and cannot be a header; leave it out"
    )]
    EventId,
    /// It is part of what is signed.
    #[error("the event id is empty, and this scheme signs it; give one")]
    NoEventId,
}

/// The scheme of that name, as it is set.
///
/// # Errors
/// When there is none.
pub fn scheme(name: &str, settings: &SchemeSettings) -> Result<Arc<dyn Scheme>, SchemeError> {
    if name == custom::NAME {
        check_custom(&settings.custom)?;
    }
    registry(settings)
        .into_iter()
        .find(|scheme| scheme.name() == name)
        .ok_or_else(|| SchemeError::Unknown { name: name.to_owned(), known: names().join(", ") })
}

/// The names of all schemes, in the order in which they are offered.
pub fn names() -> Vec<&'static str> {
    registry(&SchemeSettings::default()).iter().map(|scheme| scheme.name()).collect()
}

/// What a signature may cover.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// As sent.
    pub method: &'a str,
    /// As sent, up to the first `?`.
    pub path: &'a str,
    /// As sent, after it.
    pub query: &'a str,
    /// As sent.
    pub headers: &'a [RawHeader],
    /// As sent.
    pub body: &'a [u8],
}

impl<'a> SignedRequest<'a> {
    /// The values of every header of that name, in order.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |header| header.is(name))
            .map(|header| header.value.as_ref())
    }

    /// The first value of the header of that name; empty where there is none.
    fn first(&self, name: Option<&str>) -> &'a [u8] {
        name.and_then(|name| self.values(name).next()).unwrap_or_default()
    }
}

/// The provider's id of the event, where its header came. It is the same over all copies of an event, so it tells a
/// repeat from a new event whose job is the same.
pub fn event_id(scheme: &dyn Scheme, headers: &[RawHeader]) -> Option<String> {
    let request = SignedRequest { method: "", path: "", query: "", headers, body: b"" };
    let id = std::str::from_utf8(scheme.event_id(&request)).ok()?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// The kind of event that a header names, for providers whose bodies do not.
pub fn event_name(scheme: &dyn Scheme, headers: &[RawHeader]) -> Option<String> {
    text_of(scheme.event_header()?, headers)
}

fn text_of(name: &str, headers: &[RawHeader]) -> Option<String> {
    let header = headers.iter().find(|header| header.is(name))?;
    std::str::from_utf8(&header.value).ok().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What a person needs to see of a signature beside its verdict: what was signed before the body, what came, and how
/// old it is. Says nothing of the digest that was expected.
pub fn detail(
    scheme: &dyn Scheme,
    request: &SignedRequest<'_>,
    received_at: Timestamp,
    tolerance_s: u32,
) -> SignatureDetail {
    let read = scheme.stamp(request).ok();
    let stamp = read.flatten();
    let event_id = scheme.event_id(request);
    let signed = |stamp: Option<Stamp<'_>>| {
        scheme.text(stamp.map(Stamp::text).unwrap_or_default(), event_id, request)
    };
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = read.map(signed);
    SignatureDetail {
        signed_prefix: text.as_ref().map(|text| shown(&text.before)),
        signed_suffix: text.map(|text| shown(&text.after)).unwrap_or_default(),
        received: scheme.lines(request).into_iter().map(shown).collect(),
        age_s: stamp.map(|stamp| stamp.age_s(received_at)),
        tolerance_s,
        again: None,
    }
}

/// A scheme with the secret to sign with.
#[derive(Debug, Clone)]
pub struct Signer {
    /// How.
    pub scheme: Arc<dyn Scheme>,
    /// With what.
    pub secret: Secret,
}

impl Signer {
    /// The headers that sign a body at a Unix second. `event_id` is the provider's id of the event.
    ///
    /// # Errors
    /// When the secret cannot be used by this scheme.
    pub fn sign(
        &self,
        unix: i64,
        event_id: &str,
        body: &[u8],
    ) -> Result<Vec<RawHeader>, SchemeError> {
        let request = SignedRequest { method: "POST", path: "/", query: "", headers: &[], body };
        self.sign_request(unix, event_id, &request)
    }

    /// As [`Signer::sign`], for a scheme that also covers the method, the target or other headers.
    ///
    /// # Errors
    /// When the secret, the time or the event id cannot be used by this scheme.
    pub fn sign_request(
        &self,
        unix: i64,
        event_id: &str,
        request: &SignedRequest<'_>,
    ) -> Result<Vec<RawHeader>, SchemeError> {
        if unix < 0 {
            return Err(SchemeError::Time(unix));
        }
        if event_id.chars().any(char::is_control) || event_id.trim_ascii() != event_id {
            return Err(SchemeError::EventId);
        }
        let key = self.scheme.key(&self.secret)?;
        let stamp = unix.to_string();
        let text = self.scheme.text(stamp.as_bytes(), event_id.as_bytes(), request);
        let digest = text.digest(self.scheme.algorithm(), &key, request.body);
        let headers = self.scheme.write(&stamp, event_id, &digest);
        let read = self.scheme.stamp(&SignedRequest { headers: &headers, ..*request });
        if event_id.is_empty() && read.is_err() {
            return Err(SchemeError::NoEventId);
        }
        Ok(headers)
    }
}

#[cfg(test)]
mod tests;
