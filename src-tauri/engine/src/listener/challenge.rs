//! URL verification: before it delivers to a new address, a provider asks it to say a value back (C70).
//!
//! Slack posts the value in a JSON body; Meta and the hubs of WebSub put it into the query of a GET. What is echoed came
//! from outside, so it is short, printable and never more than plain text.

use super::judge::{Case, Judged};
use crate::{
    model::{ClaimReason, JobIdType, SignatureState},
    payload::{self, MAX_ID_BYTES},
};
use url::form_urlencoded;

/// A handshake's body is small; a larger one is not looked through a second time.
const LARGEST_BODY: usize = 64 * 1024;

/// A request that asks for a value back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Challenge {
    /// Exactly this is answered.
    Echo(String),
    /// It cannot be answered, with why.
    Unusable(&'static str),
}

impl Challenge {
    /// What a delivery asks for; `None` where it is no handshake.
    ///
    /// A body whose id can claim is a job, whatever else stands in it. A signed challenge has to be valid like everything
    /// else that is posted; those that come by GET are never signed.
    pub(super) fn of(case: &Case, judged: &Judged, reason: Option<ClaimReason>) -> Option<Self> {
        let state = judged.signature.state;
        match case.head.method.as_str() {
            "POST" if state.may_claim() && reason.is_some() => in_body(&case.body),
            "GET" if state.may_claim() || state == SignatureState::Unsigned => {
                in_query(&case.query)
            }
            _ => None,
        }
    }

    /// As it stands in a delivery's notes.
    pub(super) fn note(&self) -> String {
        match self {
            Self::Echo(_) => "handshake: the challenge was echoed".into(),
            Self::Unusable(why) => format!("handshake: the challenge was not echoed, since {why}"),
        }
    }

    fn new(value: &str) -> Self {
        if value.is_empty() {
            Self::Unusable("it is empty")
        } else if value.len() > MAX_ID_BYTES {
            Self::Unusable("it has more than 4 KiB")
        } else if value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            Self::Echo(value.to_owned())
        } else {
            Self::Unusable("it is not printable ASCII")
        }
    }
}

/// A string under `challenge` at the root. It is read as an id is, so that one that stands twice is told.
fn in_body(body: &[u8]) -> Option<Challenge> {
    if body.len() > LARGEST_BODY {
        return None;
    }
    let found = payload::read(body, "/challenge");
    if found.job_id_type != JobIdType::String {
        return None;
    }
    Some(match (found.reason, found.job_id) {
        (Some(ClaimReason::AmbiguousId), _) => TWICE,
        (Some(ClaimReason::IdTooLong), _) => Challenge::Unusable("it has more than 4 KiB"),
        (_, Some(value)) => Challenge::new(&value),
        (_, None) => Challenge::Unusable("it is no text"),
    })
}

/// `hub.challenge`, where `hub.mode` is `subscribe`; decoded as a form is.
fn in_query(query: &str) -> Option<Challenge> {
    let all = |name: &'static str| {
        form_urlencoded::parse(query.as_bytes()).filter(move |(key, _)| key == name)
    };
    all("hub.mode").find(|(_, mode)| mode == "subscribe")?;
    let mut values = all("hub.challenge");
    let (_, value) = values.next()?;
    Some(if values.next().is_some() { TWICE } else { Challenge::new(&value) })
}

/// Which of them counts cannot be told.
const TWICE: Challenge = Challenge::Unusable("it stands twice");

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(value: &str) -> Option<Challenge> {
        Some(Challenge::Echo(value.into()))
    }

    #[test]
    fn c70_a_body_asks_with_a_string_at_its_root() {
        let slack = br#"{"token":"t","challenge":"3eZb\u0041 <b>","type":"url_verification"}"#;
        assert_eq!(in_body(slack), echo("3eZbA <b>"));
        for other in [
            &br#"{"challenge":7}"#[..],
            br#"{"challenge":null}"#,
            br#"{"challenge":["c1"]}"#,
            br#"{"data":{"challenge":"c1"}}"#,
            br#"[{"challenge":"c1"}]"#,
            br#""challenge""#,
            b"challenge=c1",
            b"",
        ] {
            assert_eq!(in_body(other), None, "{}", other.escape_ascii());
        }
    }

    #[test]
    fn c70_a_query_asks_with_its_decoded_value() {
        assert_eq!(
            in_query("hub.mode=subscribe&hub.challenge=2089&hub.verify_token=x"),
            echo("2089")
        );
        assert_eq!(in_query("hub%2Emode=subscribe&hub.challenge=a%2Bb+%22c%22"), echo("a+b \"c\""));
        for other in [
            "",
            "hub.challenge=1",
            "hub.mode=subscribe",
            "hub.mode=denied&hub.challenge=1",
            "hub.mode=subscribe&challenge=1",
        ] {
            assert_eq!(in_query(other), None, "{other}");
        }
    }

    #[test]
    fn what_could_be_more_than_plain_text_is_not_echoed() {
        let long = "x".repeat(MAX_ID_BYTES);
        assert_eq!(in_body(format!(r#"{{"challenge":"{long}"}}"#).as_bytes()), echo(&long));
        let body = |value: &str| in_body(format!(r#"{{"challenge":"{value}"}}"#).as_bytes());
        let query = |value: &str| in_query(&format!("hub.mode=subscribe&hub.challenge={value}"));
        for found in [
            body(&format!("{long}x")),
            body(""),
            body(r"a\nb"),
            body(r"a\u0000"),
            body("é"),
            body(r"\ud800"),
            body(r#"a","challenge":"b"#),
            query(&format!("{long}x")),
            query(""),
            query("a%0d%0aSet-Cookie:%20b"),
            query("%ff"),
            query("a&hub.challenge=b"),
        ] {
            assert!(matches!(found, Some(Challenge::Unusable(_))), "{found:?}");
        }
    }
}
