//! Why a signature does not match: changes to what came, tried one after another until one makes it match.
//!
//! A hint is said only when its digest was computed and is one of those that came; nothing is guessed. What is tried
//! is in a fixed order: what costs nothing, other secrets that are known, other schemes that came, the changes of
//! [`CANDIDATES`], and last the stored bodies of the same job. A new explanation is one more entry there.

mod body;
mod candidates;
mod decode;
mod others;
mod secret;

use super::{Digest, Entry, Scheme, SignedRequest, digest::count_equal, restyle};
use crate::secrets::{NamedSecret, Secret};
use bytes::Bytes;
use std::borrow::Cow;

pub(super) use candidates::{CANDIDATES, Candidate, Change};
pub(super) use decode::LARGEST;
pub(super) use others::{Foreign, Proof, foreign};

/// The work that the explanation of one request may take, in bytes hashed; what is rewritten counts by its effort. A forged
/// body of the largest size is answered well within a second, and every entry is tried for bodies up to 512 KiB.
const BUDGET: usize = 64 * 1024 * 1024;
/// The same for the bodies of other deliveries, so that neither starves the other.
const BUDGET_OF_SIBLINGS: usize = 32 * 1024 * 1024;
/// The most bodies of other deliveries that are read.
const MAX_SIBLINGS: usize = 500;
/// The most other secrets that are tried.
const MAX_KNOWN: usize = 100;

/// The body of another delivery of the same job.
#[derive(Debug, Clone)]
pub struct Sibling {
    /// The delivery's number.
    pub seq: i64,
    /// Its bytes as they came.
    pub body: Bytes,
}

/// A secret that is in use, and what the scheme makes of it; `None` where it can make nothing of it.
pub(super) struct Trial<'a> {
    pub named: &'a NamedSecret,
    pub key: Option<&'a Secret>,
}

/// What came, and is to be explained.
pub(super) struct Received<'a> {
    pub scheme: &'a dyn Scheme,
    pub trials: &'a [Trial<'a>],
    pub request: &'a SignedRequest<'a>,
    pub entries: &'a [Entry],
    /// The signed time's text; empty where the scheme has none.
    pub stamp: &'a [u8],
    pub event_id: &'a [u8],
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Explained {
    /// The hint, proven.
    pub hint: Option<String>,
    /// What was not tried, because it would have taken too long; in words.
    pub untried: Vec<&'static str>,
    /// A compressed body was not decoded whole.
    pub cut_off: bool,
}

impl Explained {
    fn proven(hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::default() }
    }
}

/// What is left of the work that may be done.
struct Meter(usize);

impl Meter {
    /// Takes so much; `false` where that is more than is left.
    fn take(&mut self, cost: usize) -> bool {
        let left = self.0.checked_sub(cost);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Why no signature of a request matches, from what came, what else is known, and other schemes that came with it.
pub(super) fn explain(
    received: &Received<'_>,
    known: &[NamedSecret],
    foreign: &[Foreign],
    siblings: &mut dyn Iterator<Item = Sibling>,
) -> Explained {
    let loose: Vec<Digest> = received.entries.iter().filter_map(any_digest).collect();
    let mut meter = Meter(BUDGET);
    let mut explained = Explained::default();
    if received.only_the_form_differs(&loose) {
        let form = received.scheme.form().describe();
        return Explained::proven(format!(
            "the digest matches and only its form differs: {form} is due"
        ));
    }
    if !loose.is_empty()
        && let Some(hint) = received.another_secret(known, &loose, &mut meter, &mut explained)
    {
        return Explained::proven(hint);
    }
    if let Some(hint) = foreign.iter().find_map(Foreign::hint) {
        return Explained::proven(hint);
    }
    if loose.is_empty() {
        return explained;
    }
    for candidate in CANDIDATES {
        for trial in received.trials {
            match received.try_one(candidate, trial, &loose, &mut meter) {
                Tried::Matches => return Explained::proven(received.said_of(candidate, trial)),
                Tried::TooDear => explained.leave_out(candidate.what),
                Tried::CutOff => explained.cut_off = true,
                Tried::Not => {}
            }
        }
    }
    if let Some(hint) = received.another_body(siblings, &loose, &mut explained) {
        return Explained::proven(hint);
    }
    explained
}

/// What became of one explanation.
enum Tried {
    Matches,
    Not,
    TooDear,
    CutOff,
}

/// What is hashed after a change.
pub(super) struct Changed<'a> {
    pub key: Secret,
    pub stamp: Cow<'a, [u8]>,
    pub body: Cow<'a, [u8]>,
}

impl Received<'_> {
    fn only_the_form_differs(&self, loose: &[Digest]) -> bool {
        let odd = self.entries.iter().any(|entry| matches!(entry, Entry::Other(_, Some(_))));
        let body = self.request.body;
        odd && self.keys().any(|key| self.matches(key, self.stamp, body, loose))
    }

    fn keys(&self) -> impl Iterator<Item = &Secret> {
        self.trials.iter().filter_map(|trial| trial.key)
    }

    /// A hint; with the secret's name where it is not the only one.
    fn said_of(&self, candidate: &Candidate, trial: &Trial<'_>) -> String {
        if self.trials.len() < 2 {
            return candidate.hint.to_owned();
        }
        format!("{} (with the secret {})", candidate.hint, trial.named.name)
    }

    fn matches(&self, key: &Secret, stamp: &[u8], body: &[u8], loose: &[Digest]) -> bool {
        let text = self.scheme.text(stamp, self.event_id, self.request);
        count_equal(&text.digest(self.scheme.algorithm(), key, body), loose.iter()) > 0
    }

    fn another_secret(
        &self,
        known: &[NamedSecret],
        loose: &[Digest],
        meter: &mut Meter,
        explained: &mut Explained,
    ) -> Option<String> {
        for NamedSecret { name, secret, .. } in known.iter().take(MAX_KNOWN) {
            let Ok(key) = self.scheme.key(secret) else { continue };
            if !meter.take(self.request.body.len()) {
                explained.leave_out("other known secrets");
                return None;
            }
            if self.matches(&key, self.stamp, self.request.body, loose) {
                return Some(format!("another known secret matches: {name}"));
            }
        }
        None
    }

    fn try_one(
        &self,
        candidate: &Candidate,
        trial: &Trial<'_>,
        loose: &[Digest],
        meter: &mut Meter,
    ) -> Tried {
        let body = self.request.body.len();
        if trial.key.is_none() && !candidate.change.is_of_the_secret() {
            return Tried::Not;
        }
        let effort = candidate.change.effort();
        // Rewriting is dear in itself, and is not begun where it would not end.
        if matches!(candidate.change, Change::Restyled(_))
            && restyle::looks_like_json(self.request.body)
            && effort.saturating_mul(body) > meter.0
        {
            return Tried::TooDear;
        }
        let changed = match self.after(&candidate.change, trial) {
            Ok(Some(changed)) => changed,
            Ok(None) => return Tried::Not,
            Err(decode::TooLarge) => return Tried::CutOff,
        };
        if !meter.take(effort.saturating_mul(body).max(changed.body.len())) {
            return Tried::TooDear;
        }
        if self.matches(&changed.key, &changed.stamp, &changed.body, loose) {
            Tried::Matches
        } else {
            Tried::Not
        }
    }

    /// What would be hashed after a change; `None` where it does not apply or changes nothing.
    pub(super) fn after(
        &self,
        change: &Change,
        trial: &Trial<'_>,
    ) -> Result<Option<Changed<'_>>, decode::TooLarge> {
        Ok(self.changed(change, trial)?.filter(|changed| !changed.key.is_empty()))
    }

    fn changed(
        &self,
        change: &Change,
        trial: &Trial<'_>,
    ) -> Result<Option<Changed<'_>>, decode::TooLarge> {
        let (stamp, body) = (Cow::Borrowed(self.stamp), Cow::Borrowed(self.request.body));
        let given = trial.named.secret.expose();
        let other = |key: &Secret| trial.key.is_none_or(|own| own.expose() != key.expose());
        let with_key = |key: Option<Secret>| {
            key.filter(other).map(|key| Changed { key, stamp: stamp.clone(), body: body.clone() })
        };
        let own = |stamp, body| trial.key.map(|key| Changed { key: key.clone(), stamp, body });
        Ok(match change {
            Change::Secret(change) => with_key(
                change(given)
                    .and_then(|secret| self.scheme.key(&Secret::new(secret.into_owned())).ok()),
            ),
            Change::Key(change) => with_key(change(given).map(|key| Secret::new(key.into_owned()))),
            Change::Stamp(change) => change(self.stamp).and_then(|stamp| own(stamp, body)),
            Change::Body(change) => change(self.request.body).and_then(|body| own(stamp, body)),
            Change::Restyled(style) => {
                restyle::restyle(self.request.body, *style).and_then(|body| own(stamp, body))
            }
            Change::Decoded => decode::decoded(self.request)?.and_then(|body| own(stamp, body)),
        })
    }

    fn another_body(
        &self,
        siblings: &mut dyn Iterator<Item = Sibling>,
        loose: &[Digest],
        explained: &mut Explained,
    ) -> Option<String> {
        let mut meter = Meter(BUDGET_OF_SIBLINGS);
        let keys = self.keys().count();
        for (read, Sibling { seq, body }) in siblings.enumerate() {
            if body == self.request.body {
                continue;
            }
            if read >= MAX_SIBLINGS || !meter.take(body.len().saturating_mul(keys)) {
                explained.leave_out("the bodies of other deliveries");
                return None;
            }
            if self.keys().any(|key| self.matches(key, self.stamp, &body, loose)) {
                return Some(format!(
                    "the signature belongs to delivery #{seq} of this job, whose body is another"
                ));
            }
        }
        None
    }
}

impl Explained {
    fn leave_out(&mut self, what: &'static str) {
        if !self.untried.contains(&what) {
            self.untried.push(what);
        }
    }
}

fn any_digest(entry: &Entry) -> Option<Digest> {
    match entry {
        Entry::Digest(digest) => Some(*digest),
        Entry::Other(_, digest) => *digest,
    }
}
