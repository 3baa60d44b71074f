//! The verdict over one request, from its raw bytes.
//!
//! A request with several signatures, in one header line or in several, is valid when any of them matches: only who
//! holds the secret can make one that does, so it does not matter what stands beside it or before it (C65).

use super::{
    Entry, MAX_SIGNATURES, Scheme, SchemeError, SignedRequest, Stamp, StampFault,
    digest::count_equal,
    explain::{self, Explained, Foreign, Proof, Received, Sibling, Trial},
    skew::{self, Sighting},
};
use crate::{
    model::{SchemeSettings, SignatureReport, SignatureState},
    secrets::{MAX_SECRETS, NamedSecret, Secret},
};
use jiff::Timestamp;
use std::borrow::Cow;

/// What a request is judged by, and what else is known where its signature has to be explained.
#[derive(Debug, Clone, Copy)]
pub struct Verifier<'a> {
    /// How it is to be signed.
    pub scheme: &'a dyn Scheme,
    /// With what: any of them will do (rotation; C20, C21), [`MAX_SECRETS`] at most. None at all verifies nothing.
    pub secrets: &'a [NamedSecret],
    /// How far the signed time may be off, either way, in seconds.
    pub tolerance_s: u32,
    /// The schemes as they are set, for a signature that is another scheme's.
    pub schemes: &'a SchemeSettings,
    /// Other secrets, for a signature that was made with one of them.
    pub known: &'a [NamedSecret],
    /// The last deliveries whose digest matched, newest first, for a clock that is wrong.
    pub seen: &'a [Sighting],
}

/// Judges a request over its raw bytes where nothing else is known; see [`Verifier::verify`].
pub fn verify(
    scheme: &dyn Scheme,
    secrets: &[NamedSecret],
    request: &SignedRequest<'_>,
    received_at: Timestamp,
    tolerance_s: u32,
) -> SignatureReport {
    let schemes = &SchemeSettings::default();
    let verifier = Verifier { scheme, secrets, tolerance_s, schemes, known: &[], seen: &[] };
    verifier.verify(request, received_at)
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
        let age_s = self.age_s(request, received_at);
        let report = |reason, hint: Option<String>| SignatureReport {
            state: finding.state(),
            scheme: self.scheme.name().to_owned(),
            reason,
            hints: hint.into_iter().collect(),
            secret: finding.matched().map(|matched| self.secrets[matched].name.clone()),
            age_s,
        };
        match &finding {
            Finding::Valid(_) => return report(None, None),
            Finding::Stale(_, reason) => {
                let this = age_s.map(|age_s| Sighting { received_at, age_s });
                let seen = self.seen.iter().copied();
                let clock = this.and_then(|this| skew::hint(this, seen, self.tolerance_s));
                return report(Some(reason.clone()), clock);
            }
            _ => {}
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
        report(Some(reason), explained.hint)
    }

    /// Seconds, to the millisecond.
    fn age_s(&self, request: &SignedRequest<'_>, received_at: Timestamp) -> Option<f64> {
        let age_s = self.scheme.stamp(request).ok()??.age_s(received_at);
        Some((age_s * 1000.0).round() / 1000.0)
    }

    /// The secrets in use, and what a scheme makes of each.
    fn keys(&self, scheme: &dyn Scheme) -> Vec<Result<Secret, SchemeError>> {
        let used = self.secrets.iter().take(MAX_SECRETS);
        used.map(|named| scheme.key(&named.secret)).collect()
    }

    fn find<'a>(
        &self,
        scheme: &dyn Scheme,
        request: &SignedRequest<'a>,
        received_at: Timestamp,
    ) -> Finding<'a> {
        let keys = self.keys(scheme);
        if keys.iter().all(Result::is_err) {
            let first = keys.into_iter().find_map(Result::err);
            return first.map_or(Finding::NoSecret, Finding::UnusableSecret);
        }
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
        let signed = scheme.text(text, scheme.event_id(request), request);
        // Every secret is tried, whichever matches: the time says nothing of which one it is.
        let mut matched = None;
        for (at, key) in keys.iter().enumerate() {
            let Ok(key) = key else { continue };
            let expected = signed.digest(scheme.algorithm(), key, request.body);
            if count_equal(&expected, entries.iter().filter_map(Entry::digest)) > 0 {
                matched = matched.or(Some(at));
            }
        }
        let Some(matched) = matched else {
            return Finding::Mismatch { entries, stamp: text };
        };
        match stamp.and_then(|stamp| stamp.outside(received_at, self.tolerance_s)) {
            Some(reason) => Finding::Stale(matched, reason),
            None => Finding::Valid(matched),
        }
    }

    /// The other schemes whose signature came.
    fn foreign(&self, request: &SignedRequest<'_>, received_at: Timestamp) -> Vec<Foreign> {
        explain::foreign(self.scheme, self.schemes, request, |scheme| {
            match self.find(scheme, request, received_at) {
                Finding::Valid(_) => Proof::Valid,
                Finding::Stale(_, reason) => Proof::Stale(reason),
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
        let scheme = self.scheme;
        let (entries, stamp) = match finding {
            Finding::Mismatch { entries, stamp } => (Cow::Borrowed(entries), *stamp),
            // Nothing can be made of the secret as it is; one that is put right may match all the same (C13).
            Finding::UnusableSecret(_) => {
                let entries = scheme.entries(request);
                match scheme.stamp(request) {
                    Ok(stamp) if entries.len() <= MAX_SIGNATURES => {
                        (Cow::Owned(entries), stamp.map(Stamp::text).unwrap_or_default())
                    }
                    _ => return as_another(),
                }
            }
            _ => return as_another(),
        };
        let keys = self.keys(scheme);
        let trials: Vec<Trial<'_>> = self
            .secrets
            .iter()
            .zip(&keys)
            .map(|(named, key)| Trial { named, key: key.as_ref().ok() })
            .collect();
        let event_id = scheme.event_id(request);
        let received =
            Received { scheme, trials: &trials, request, entries: &entries, stamp, event_id };
        explain::explain(&received, self.known, foreign, &mut siblings)
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
    /// With the secret at this place.
    Valid(usize),
    /// The digest matches with the secret at this place, and the time is outside the tolerance, for this reason.
    Stale(usize, String),
    NoSecret,
    UnusableSecret(SchemeError),
    Unsigned,
    TooMany(usize),
    NoTime(StampFault),
    Mismatch {
        entries: Vec<Entry>,
        stamp: &'a [u8],
    },
}

impl Finding<'_> {
    fn state(&self) -> SignatureState {
        match self {
            Self::Valid(_) => SignatureState::Valid,
            Self::Stale(..) => SignatureState::Stale,
            Self::NoSecret | Self::UnusableSecret(_) => SignatureState::Unchecked,
            Self::Unsigned => SignatureState::Unsigned,
            Self::TooMany(_) | Self::NoTime(_) | Self::Mismatch { .. } => SignatureState::Invalid,
        }
    }

    /// The place of the secret that matched.
    fn matched(&self) -> Option<usize> {
        match self {
            Self::Valid(at) | Self::Stale(at, _) => Some(*at),
            _ => None,
        }
    }

    fn reason(&self, scheme: &dyn Scheme, request: &SignedRequest<'_>) -> String {
        let header = scheme.signature_header();
        match self {
            Self::Valid(_) => String::new(),
            Self::Stale(_, reason) => reason.clone(),
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
