//! The verdict over one request, from its raw bytes.
//!
//! A request with several signatures, in one header line or in several, is valid when any of them matches: only who
//! holds the secret can make one that does, so it does not matter what stands beside it or before it (C65).

use super::{
    Entry, MAX_SIGNATURES, Scheme, SchemeError, SignedRequest, Stamp, StampFault,
    digest::count_equal,
    explain::{self, Explained, Foreign, KnownSecret, Proof, Received, Sibling},
};
use crate::{
    model::{SchemeSettings, SignatureReport, SignatureState},
    secrets::Secret,
};
use jiff::Timestamp;

/// What a request is judged by, and what else is known where its signature has to be explained.
#[derive(Debug, Clone, Copy)]
pub struct Verifier<'a> {
    /// How it is to be signed.
    pub scheme: &'a dyn Scheme,
    /// With what; `None` verifies nothing.
    pub secret: Option<&'a Secret>,
    /// How far the signed time may be off, either way, in seconds.
    pub tolerance_s: u32,
    /// The schemes as they are set, for a signature that is another scheme's.
    pub schemes: &'a SchemeSettings,
    /// Other secrets, for a signature that was made with one of them.
    pub known: &'a [KnownSecret],
}

/// Judges a request over its raw bytes where nothing else is known; see [`Verifier::verify`].
pub fn verify(
    scheme: &dyn Scheme,
    secret: Option<&Secret>,
    request: &SignedRequest<'_>,
    received_at: Timestamp,
    tolerance_s: u32,
) -> SignatureReport {
    let schemes = &SchemeSettings::default();
    Verifier { scheme, secret, tolerance_s, schemes, known: &[] }.verify(request, received_at)
}

impl Verifier<'_> {
    /// Judges a request over its raw bytes, in constant time, at the time of receipt.
    ///
    /// Without a secret (or with one that the scheme cannot use) the state is `unchecked`, whatever came; else
    /// `unsigned` without the signature's header. A timestamp that is not one is `invalid` though its digest may match
    /// (C19); a digest that matches at a time outside the tolerance is `stale` (C18).
    pub fn verify(&self, request: &SignedRequest<'_>, received_at: Timestamp) -> SignatureReport {
        self.verify_among(request, received_at, std::iter::empty())
    }

    /// As [`Verifier::verify`]; the bodies of other deliveries of the same job are read one after another where nothing
    /// else explains a signature that does not match.
    pub fn verify_among(
        &self,
        request: &SignedRequest<'_>,
        received_at: Timestamp,
        siblings: impl Iterator<Item = Sibling>,
    ) -> SignatureReport {
        let finding = self.find(self.scheme, request, received_at);
        let Some(state) = finding.state() else {
            return self.report(SignatureState::Valid, None, None);
        };
        if let Finding::Stale(reason) = finding {
            return self.report(state, Some(reason), None);
        }
        let foreign = self.foreign(request, received_at);
        let explained = self.explain(&finding, request, &foreign, siblings);
        let mut reason = finding.reason(self.scheme, request);
        let missing = self.scheme.lines(request).is_empty();
        for other in foreign.iter().filter(|_| missing) {
            reason = format!("{reason}; {}", other.came());
        }
        if explained.cut_off {
            let most = explain::LARGEST / (1024 * 1024);
            reason = format!(
                "{reason} (the body decodes to more than {most} MiB and was not looked at decoded)"
            );
        }
        if !explained.untried.is_empty() {
            let untried = explained.untried.join(", ");
            reason = format!(
                "{reason} (the body is too large to try every explanation; not tried: {untried})"
            );
        }
        self.report(state, Some(reason), explained.hint)
    }

    fn report(
        &self,
        state: SignatureState,
        reason: Option<String>,
        hint: Option<String>,
    ) -> SignatureReport {
        let hints = hint.into_iter().collect();
        SignatureReport { state, scheme: self.scheme.name().to_owned(), reason, hints }
    }

    fn find<'a>(
        &self,
        scheme: &dyn Scheme,
        request: &SignedRequest<'a>,
        received_at: Timestamp,
    ) -> Finding<'a> {
        let Some(secret) = self.secret else { return Finding::NoSecret };
        let key = match scheme.key(secret) {
            Ok(key) => key,
            Err(error) => return Finding::UnusableSecret(error),
        };
        if scheme.lines(request).is_empty() {
            return Finding::Unsigned;
        }
        let entries = scheme.entries(request);
        if entries.len() > MAX_SIGNATURES {
            return Finding::TooMany(entries.len());
        }
        let stamp = match scheme.stamp(request) {
            Ok(stamp) => stamp,
            Err(fault) => return Finding::NoTime(fault),
        };
        let text = stamp.map(Stamp::text).unwrap_or_default();
        let expected = scheme.text(text, scheme.event_id(request), request).digest(
            scheme.algorithm(),
            &key,
            request.body,
        );
        if count_equal(&expected, entries.iter().filter_map(Entry::digest)) == 0 {
            return Finding::Mismatch { key, entries, stamp: text };
        }
        match stamp.and_then(|stamp| stamp.outside(received_at, self.tolerance_s)) {
            Some(reason) => Finding::Stale(reason),
            None => Finding::Valid,
        }
    }

    /// The other schemes whose signature came.
    fn foreign(&self, request: &SignedRequest<'_>, received_at: Timestamp) -> Vec<Foreign> {
        explain::foreign(self.scheme, self.schemes, request, |scheme| {
            match self.find(scheme, request, received_at) {
                Finding::Valid => Proof::Valid,
                Finding::Stale(reason) => Proof::Stale(reason),
                _ => Proof::None,
            }
        })
    }

    fn explain(
        &self,
        finding: &Finding<'_>,
        request: &SignedRequest<'_>,
        foreign: &[Foreign],
        mut siblings: impl Iterator<Item = Sibling>,
    ) -> Explained {
        let as_another =
            || Explained { hint: foreign.iter().find_map(Foreign::hint), ..Explained::default() };
        let Some(secret) = self.secret else { return Explained::default() };
        let scheme = self.scheme;
        let event_id = scheme.event_id(request);
        match finding {
            Finding::Mismatch { key, entries, stamp } => {
                let key = Some(key);
                let received = Received { scheme, secret, key, request, entries, stamp, event_id };
                explain::explain(&received, self.known, foreign, &mut siblings)
            }
            // Nothing can be made of the secret as it is; one that is put right may match all the same (C13).
            Finding::UnusableSecret(_) => {
                let entries = scheme.entries(request);
                match scheme.stamp(request) {
                    Ok(stamp) if entries.len() <= MAX_SIGNATURES => {
                        let stamp = stamp.map(Stamp::text).unwrap_or_default();
                        let entries = &entries;
                        let received = Received {
                            scheme,
                            secret,
                            key: None,
                            request,
                            entries,
                            stamp,
                            event_id,
                        };
                        explain::explain(&received, self.known, foreign, &mut siblings)
                    }
                    _ => as_another(),
                }
            }
            _ => as_another(),
        }
    }
}

/// Whatever is odd about the signatures of a request, valid or not, as a sentence for its notes.
pub fn note(scheme: &dyn Scheme, request: &SignedRequest<'_>) -> Option<String> {
    let lines = scheme.lines(request).len();
    let entries = scheme.entries(request).len();
    match (lines, entries) {
        (2.., _) => Some(format!(
            "{lines} {} headers came with {entries} signatures; any one that matches is enough",
            scheme.signature_header()
        )),
        (_, 2..) => Some(format!("{entries} signatures came; any one that matches is enough")),
        _ => None,
    }
}

/// What judging by one scheme comes to, before anything is explained.
enum Finding<'a> {
    Valid,
    /// The digest matches, and the time is outside the tolerance, for this reason.
    Stale(String),
    NoSecret,
    UnusableSecret(SchemeError),
    Unsigned,
    TooMany(usize),
    NoTime(StampFault),
    Mismatch {
        key: Secret,
        entries: Vec<Entry>,
        stamp: &'a [u8],
    },
}

impl Finding<'_> {
    /// `None` where it is valid.
    fn state(&self) -> Option<SignatureState> {
        match self {
            Self::Valid => None,
            Self::Stale(_) => Some(SignatureState::Stale),
            Self::NoSecret | Self::UnusableSecret(_) => Some(SignatureState::Unchecked),
            Self::Unsigned => Some(SignatureState::Unsigned),
            Self::TooMany(_) | Self::NoTime(_) | Self::Mismatch { .. } => {
                Some(SignatureState::Invalid)
            }
        }
    }

    fn reason(&self, scheme: &dyn Scheme, request: &SignedRequest<'_>) -> String {
        let header = scheme.signature_header();
        match self {
            Self::Valid => String::new(),
            Self::Stale(reason) => reason.clone(),
            Self::NoSecret if scheme.lines(request).is_empty() => format!(
                "no secret is set, so nothing was checked (the header {header} is missing too)"
            ),
            Self::NoSecret => "no secret is set, so nothing was checked".to_owned(),
            Self::UnusableSecret(error) => error.to_string(),
            Self::Unsigned => format!("the header {header} is missing"),
            Self::TooMany(count) => {
                format!("{count} signatures came, and at most {MAX_SIGNATURES} are tried")
            }
            Self::NoTime(fault) => fault.to_string(),
            Self::Mismatch { entries, .. } => mismatch(scheme, entries),
        }
    }
}

/// Why no signature matched; the same sentence in whatever order they came.
fn mismatch(scheme: &dyn Scheme, entries: &[Entry]) -> String {
    let odd = entries.iter().filter_map(|entry| match entry {
        Entry::Digest(_) => None,
        Entry::Other(dress, _) => Some(*dress),
    });
    let form = scheme.form().describe();
    let well_formed = entries.iter().filter_map(Entry::digest).count();
    match (well_formed, entries.len(), odd.min()) {
        // The header came with nothing of this version in it: Stripe's `v0`, Standard Webhooks' `v1a`.
        (_, 0, _) => format!("no signature came that could count; {form} is due"),
        (0, 1, Some(dress)) => format!("the signature {}; {form} is due", dress.describe()),
        (0, many, Some(dress)) => {
            format!("none of {many} signatures is {form}: one {}", dress.describe())
        }
        (_, 1, _) => {
            "the signature does not match the body, the timestamp and the secret".to_owned()
        }
        (_, many, None) => format!("none of {many} signatures matches"),
        (_, many, Some(dress)) => {
            format!(
                "none of {many} signatures matches, and one is not {form}: it {}",
                dress.describe()
            )
        }
    }
}
