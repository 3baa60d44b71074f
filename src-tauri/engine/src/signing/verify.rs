//! The verdict over one request, from its raw bytes.
//!
//! A request with several signatures, in one header line or in several, is valid when any of them matches: only who
//! holds the secret can make one that does, so it does not matter what stands beside it or before it (C65).

use super::{
    Entry, MAX_SIGNATURES, Scheme, SignedRequest, Stamp,
    digest::count_equal,
    entry::Dress,
    explain::{Received, explain},
};
use crate::{
    model::{SignatureReport, SignatureState},
    secrets::Secret,
};
use jiff::Timestamp;

/// Judges a request over its raw bytes, in constant time, at the time of receipt.
///
/// Without a secret (or with one that the scheme cannot use) the state is `unchecked`, whatever came; else `unsigned`
/// without the signature's header. A timestamp that is not one is `invalid` though its digest may match (C19); a
/// digest that matches at a time outside the tolerance is `stale` (C18).
pub fn verify(
    scheme: &dyn Scheme,
    secret: Option<&Secret>,
    request: &SignedRequest<'_>,
    received_at: Timestamp,
    tolerance_s: u32,
) -> SignatureReport {
    let verdict = judge(scheme, secret, request, received_at, tolerance_s);
    let (state, reason, hints) = match verdict {
        Verdict::Valid => (SignatureState::Valid, None, Vec::new()),
        Verdict::Other(state, reason) => (state, Some(reason), Vec::new()),
        Verdict::Mismatch(reason, hints) => (SignatureState::Invalid, Some(reason), hints),
    };
    SignatureReport { state, scheme: scheme.name().to_owned(), reason, hints }
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

enum Verdict {
    Valid,
    Other(SignatureState, String),
    Mismatch(String, Vec<String>),
}

fn judge(
    scheme: &dyn Scheme,
    secret: Option<&Secret>,
    request: &SignedRequest<'_>,
    received_at: Timestamp,
    tolerance_s: u32,
) -> Verdict {
    let header = scheme.signature_header();
    let missing = scheme.lines(request).is_empty();
    let Some(secret) = secret else {
        let also =
            if missing { format!(" (the header {header} is missing too)") } else { String::new() };
        return Verdict::Other(
            SignatureState::Unchecked,
            format!("no secret is set, so nothing was checked{also}"),
        );
    };
    let key = match scheme.key(secret) {
        Ok(key) => key,
        Err(error) => return Verdict::Other(SignatureState::Unchecked, error.to_string()),
    };
    if missing {
        return Verdict::Other(SignatureState::Unsigned, format!("the header {header} is missing"));
    }
    let entries = scheme.entries(request);
    if entries.len() > MAX_SIGNATURES {
        let reason =
            format!("{} signatures came, and at most {MAX_SIGNATURES} are tried", entries.len());
        return Verdict::Other(SignatureState::Invalid, reason);
    }
    let stamp = match scheme.stamp(request) {
        Ok(stamp) => stamp,
        Err(fault) => return Verdict::Other(SignatureState::Invalid, fault.to_string()),
    };
    let event_id = scheme.event_id(request);
    let stamp_text = stamp.map(Stamp::text).unwrap_or_default();
    let expected =
        scheme.text(stamp_text, event_id, request).digest(scheme.algorithm(), &key, request.body);
    if count_equal(&expected, entries.iter().filter_map(Entry::digest)) == 0 {
        let received =
            Received { scheme, secret, request, entries: &entries, stamp: stamp_text, event_id };
        let (hints, all) = explain(&received, &expected);
        return Verdict::Mismatch(mismatch(scheme, &entries, all), hints);
    }
    match stamp.and_then(|stamp| stamp.outside(received_at, tolerance_s)) {
        Some(reason) => Verdict::Other(SignatureState::Stale, reason),
        None => Verdict::Valid,
    }
}

/// Why no signature matched; the same sentence in whatever order they came.
fn mismatch(scheme: &dyn Scheme, entries: &[Entry], all_tried: bool) -> String {
    let odd = entries.iter().filter_map(|entry| match entry {
        Entry::Digest(_) => None,
        Entry::Other(dress, _) => Some(*dress),
    });
    let form = scheme.form().describe();
    let well_formed = entries.iter().filter_map(Entry::digest).count();
    let reason = match (well_formed, entries.len(), odd.min()) {
        (0, 1, Some(dress)) => not_of_the_form(dress, &form),
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
    };
    if all_tried {
        reason
    } else {
        format!("{reason} (the body is too large to try every explanation)")
    }
}

fn not_of_the_form(dress: Dress, form: &str) -> String {
    format!("the signature {}; {form} is due", dress.describe())
}
