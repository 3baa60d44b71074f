//! No hint is ever said whose change, made again, does not make the signature match.

use super::*;
use super::{
    super::explain::{CANDIDATES, Received, Trial},
    delivery::plain,
};
use proptest::sample::select;

/// What came: a scheme, a secret, a time, a body.
#[derive(Debug, Clone)]
struct Came {
    scheme: Arc<dyn Scheme>,
    secret: Vec<u8>,
    stamp: String,
    body: Vec<u8>,
}

/// What a hint's change is made to.
fn received<'a>(
    came: &'a Came,
    trials: &'a [Trial<'a>],
    request: &'a SignedRequest<'a>,
) -> Received<'a> {
    let timed = !came.scheme.text(b"1", b"", request).eq(&came.scheme.text(b"2", b"", request));
    Received {
        scheme: &*came.scheme,
        trials,
        request,
        entries: &[],
        stamp: if timed { came.stamp.as_bytes() } else { b"" },
        event_id: came.scheme.event_id(request),
    }
}

impl Came {
    /// The headers of a signature that was made after the candidate's change; `None` where it does not apply.
    fn signed_after(&self, index: usize) -> Option<Vec<RawHeader>> {
        let digest = self.after(index)?;
        Some(self.scheme.write(&self.stamp, "evt_1", &digest))
    }

    fn after(&self, index: usize) -> Option<Digest> {
        let named = &in_use(&self.secret)[0];
        let key = self.scheme.key(&named.secret).ok();
        let trial = Trial { named, key: key.as_ref() };
        let id = RawHeader::new(self.scheme.event_id_header().unwrap_or("X-None"), "evt_1");
        let headers = [id];
        let request = self.request(&headers);
        let trials = [trial];
        let received = received(self, &trials, &request);
        let changed = received.after(&CANDIDATES[index].change, &trials[0]).ok()??;
        assert!(!changed.key.is_empty());
        let text = self.scheme.text(&changed.stamp, received.event_id, &request);
        Some(text.digest(self.scheme.algorithm(), &changed.key, &changed.body))
    }

    fn request<'a>(&'a self, headers: &'a [RawHeader]) -> SignedRequest<'a> {
        SignedRequest { method: "POST", path: "/", query: "", headers, body: &self.body }
    }

    fn judge(&self, headers: &[RawHeader]) -> SignatureReport {
        let now = at(T);
        verify(&*self.scheme, &in_use(&self.secret), &self.request(headers), now, TOLERANCE)
    }

    /// Whether some change that this hint stands for makes the signature match.
    fn proves(&self, hint: &str, headers: &[RawHeader]) -> bool {
        let entries = self.scheme.entries(&self.request(headers));
        let candidates = CANDIDATES.iter().enumerate();
        candidates.filter(|(_, candidate)| candidate.hint == hint).any(|(index, _)| {
            let digest = self.after(index);
            digest.is_some_and(|digest| entries.iter().any(|entry| entry.digest() == Some(&digest)))
        })
    }
}

fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let text = "[a-z /é\\\\\"%=+\n]{0,12}";
    prop_oneof![
        any::<Vec<u8>>(),
        (text, any::<i64>(), select(vec!["", " ", "\n", "\r\n", "\u{feff}"])).prop_map(
            |(text, number, end)| {
                let text = serde_json::to_string(&text).unwrap();
                let start = if end == "\u{feff}" { end } else { "" };
                let end = end.trim_start_matches('\u{feff}');
                format!("{start}{{\"job_id\": {text},{end}\"n\":{number}}}{end}").into_bytes()
            }
        ),
        "[A-Za-z0-9+/]{4}([A-Za-z0-9+/]{4}){0,6}".prop_map(String::into_bytes),
        "payload=(%7B|[a-z+]|%22){0,12}".prop_map(String::into_bytes),
    ]
}

fn secrets() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..40),
        "[ \"']?(v1,)?(whsec_)?[A-Za-z0-9+/]{8}([A-Za-z0-9_-]{4})?=?[ \"'\n]?"
            .prop_map(String::into_bytes),
        "([0-9a-f]{2}){1,16}\n?".prop_map(String::into_bytes),
    ]
}

fn came() -> impl Strategy<Value = Came> {
    let stamps = select(vec!["1700000000", "1700000000000", "1700000300"]);
    (select(names()), secrets(), stamps, bodies()).prop_map(|(name, secret, stamp, body)| Came {
        scheme: plain(name),
        secret,
        stamp: stamp.to_owned(),
        body,
    })
}

proptest! {
    #[test]
    fn every_change_is_found_and_every_hint_is_proven(came in came(), index in 0..CANDIDATES.len()) {
        let Some(headers) = came.signed_after(index) else { return Ok(()) };
        let report = came.judge(&headers);
        // What came may be what was signed after all: a change can come to the same digest.
        if matches!(report.state, SignatureState::Valid | SignatureState::Stale) {
            prop_assert!(report.hints.is_empty());
            return Ok(());
        }
        prop_assert_eq!(report.hints.len(), 1, "{:?}: {:?}", CANDIDATES[index].hint, report);
        prop_assert!(came.proves(&report.hints[0], &headers), "{report:?}");
        let before = CANDIDATES.iter().position(|candidate| candidate.hint == report.hints[0]);
        prop_assert!(before.is_some_and(|before| before <= index), "{report:?}");
    }

    #[test]
    fn what_nothing_explains_has_no_hint(came in came(), forged: [u8; 32]) {
        let length = came.scheme.algorithm().length();
        let headers = came.scheme.write(&came.stamp, "evt_1", &Digest::new(&forged[..length]).unwrap());
        let report = came.judge(&headers);
        prop_assert!(report.hints.is_empty(), "{report:?}");
        prop_assert!(report.reason.is_some());
    }

    #[test]
    fn a_hint_of_two_unlike_deliveries_is_proven_too(sent in came(), other in came(), mix: [bool; 2]) {
        let named = &in_use(&sent.secret)[0];
        let Ok(key) = sent.scheme.key(&named.secret) else { return Ok(()) };
        let id = [RawHeader::new(sent.scheme.event_id_header().unwrap_or("X-None"), "evt_1")];
        let request = sent.request(&id);
        let trials = [Trial { named, key: Some(&key) }];
        let stamp = received(&sent, &trials, &request).stamp;
        let text = sent.scheme.text(stamp, sent.scheme.event_id(&request), &request);
        let digest = text.digest(sent.scheme.algorithm(), &key, &sent.body);
        let headers = sent.scheme.write(&sent.stamp, "evt_1", &digest);
        let mut came = sent.clone();
        if mix[0] { came.body = other.body; }
        if mix[1] { came.secret = other.secret; }
        for hint in came.judge(&headers).hints {
            prop_assert!(came.proves(&hint, &headers), "{hint}");
        }
    }
}
