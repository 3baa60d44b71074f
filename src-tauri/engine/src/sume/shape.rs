//! What Sume's API answers, read leniently: the state of a job wherever it stands and however it is written, and what an
//! error says of itself.

use crate::model::JobState;
use serde_json::Value;
use std::time::Duration;

/// Where a job's state may stand, the most particular place first: an envelope has a `status` of its own at times.
const STATES: [&str; 6] =
    ["/data/job/status", "/job/status", "/data/status", "/status", "/data/state", "/state"];
/// Where an error's code may stand.
const CODES: [&str; 6] =
    ["/error/code", "/error/type", "/errors/0/code", "/code", "/data/error/code", "/error"];
/// Where its words may stand.
const MESSAGES: [&str; 8] = [
    "/error/message",
    "/errors/0/message",
    "/message",
    "/detail",
    "/detail/0/msg",
    "/data/error/message",
    "/error_description",
    "/title",
];
/// Where the request's id may stand, besides a header.
const REQUEST_IDS: [&str; 6] = [
    "/request_id",
    "/requestId",
    "/error/request_id",
    "/error/requestId",
    "/meta/request_id",
    "/data/request_id",
];
/// How much of a text of the API's goes into a sentence, in characters.
const LONGEST: usize = 300;
/// The longest word that is taken for a state.
const LONGEST_WORD: usize = 64;

/// The state of a job and the word for it; the word is empty where there was none. A known word is believed before one
/// that is not, wherever they stand.
pub(super) fn state(answer: &Value) -> (JobState, String) {
    let words = || STATES.iter().filter_map(|place| text(answer, place));
    let known = words().find_map(|word| {
        Some((word_state(&word), word)).filter(|(state, _)| *state != JobState::Unknown)
    });
    known.unwrap_or_else(|| (JobState::Unknown, words().next().unwrap_or_default()))
}

/// What a word comes to, in any case.
fn word_state(word: &str) -> JobState {
    let word = word.to_ascii_lowercase().replace(['-', ' '], "_");
    match word.as_str() {
        "queued" | "pending" | "created" | "submitted" | "accepted" | "scheduled" | "starting"
        | "started" | "processing" | "running" | "rendering" | "in_progress" | "in_queue"
        | "waiting" | "open" => JobState::Open,
        "completed" | "complete" | "succeeded" | "finished" | "done" => JobState::Completed,
        "failed" | "failure" | "error" | "errored" | "timed_out" | "timeout" | "expired"
        | "rejected" => JobState::Failed,
        "cancelled" | "canceled" | "aborted" => JobState::Cancelled,
        _ => JobState::Unknown,
    }
}

/// The API's own code of an error.
pub(super) fn code(answer: &Value) -> Option<String> {
    let found = first(answer, &CODES)?;
    // Some put their words where others put the code.
    (!found.contains(' ')).then_some(found)
}

/// The API's own words.
pub(super) fn message(answer: &Value) -> Option<String> {
    first(answer, &MESSAGES).or_else(|| text(answer, "/error").filter(|text| text.contains(' ')))
}

/// The request's id.
pub(super) fn request_id(answer: &Value) -> Option<String> {
    first(answer, &REQUEST_IDS)
}

fn first(answer: &Value, places: &[&str]) -> Option<String> {
    places.iter().find_map(|place| text(answer, place))
}

/// A text or a number at a place, short enough for a sentence and without what could break it.
fn text(answer: &Value, place: &str) -> Option<String> {
    let longest = if STATES.contains(&place) { LONGEST_WORD } else { LONGEST };
    match answer.pointer(place)? {
        Value::String(text) => clip(text, longest),
        Value::Number(number) if !STATES.contains(&place) => Some(number.to_string()),
        _ => None,
    }
}

/// A text of the other side's for a sentence; `None` where nothing is left of it.
pub(super) fn clip(text: &str, longest: usize) -> Option<String> {
    let clean: String =
        text.trim().chars().map(|found| if found.is_control() { ' ' } else { found }).collect();
    let mut clipped: String = clean.chars().take(longest).collect();
    if clipped.len() < clean.len() {
        clipped.push('…');
    }
    (!clipped.is_empty()).then_some(clipped)
}

/// As [`clip`], at the length of a sentence's part.
pub(super) fn short(text: &str) -> Option<String> {
    clip(text, LONGEST)
}

/// `Retry-After`: seconds, or a date (RFC 9110), which is measured from the answer's own `Date` where there is one: the
/// two clocks may differ.
pub(super) fn retry_after(value: &str, now: jiff::Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has are a very long time.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let wait = http_date(value)?.duration_since(now);
    Some(Duration::try_from(wait).unwrap_or_default())
}

/// A date as HTTP writes it.
pub(super) fn http_date(value: &str) -> Option<jiff::Timestamp> {
    static PARSER: jiff::fmt::rfc2822::DateTimeParser = jiff::fmt::rfc2822::DateTimeParser::new();
    PARSER.parse_timestamp(value.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_state_is_found_in_each_place_and_any_case() {
        for answer in [
            json!({ "status": "completed" }),
            json!({ "status": "COMPLETED" }),
            json!({ "data": { "status": "Completed" } }),
            json!({ "data": { "job": { "status": "completed " } } }),
            json!({ "status": "success", "data": { "status": "completed" } }),
            json!({ "status": "ok", "data": { "job": { "status": "Completed" } } }),
            json!({ "status": 200, "data": { "job": { "status": "completed" } } }),
            json!({ "data": { "status": null }, "status": "completed" }),
            json!({ "data": { "status": "ok" }, "status": "completed" }),
        ] {
            assert_eq!(state(&answer).0, JobState::Completed, "{answer}");
        }
        for (word, is) in [
            ("In-Progress", JobState::Open),
            ("in progress", JobState::Open),
            ("QUEUED", JobState::Open),
            ("failed", JobState::Failed),
            ("canceled", JobState::Cancelled),
            ("CANCELLED", JobState::Cancelled),
        ] {
            assert_eq!(state(&json!({ "status": word })), (is, word.to_owned()));
        }
    }

    #[test]
    fn an_unknown_word_is_said_as_it_came() {
        let said = |answer| state(&answer);
        assert_eq!(said(json!({ "status": "Archived" })), (JobState::Unknown, "Archived".into()));
        for answer in
            [json!({}), json!([]), json!(null), json!({ "status": 3 }), json!("completed")]
        {
            assert_eq!(said(answer), (JobState::Unknown, String::new()));
        }
        let long = "x".repeat(1000);
        assert_eq!(said(json!({ "status": long })).1.chars().count(), LONGEST_WORD + 1);
    }

    #[test]
    fn an_error_says_its_code_words_and_request() {
        let answer = json!({ "error": { "code": "not_found", "message": "No such\njob." }, "request_id": "req_1" });
        assert_eq!(code(&answer).as_deref(), Some("not_found"));
        assert_eq!(message(&answer).as_deref(), Some("No such job."));
        assert_eq!(request_id(&answer).as_deref(), Some("req_1"));

        let answer = json!({ "error": "This job does not exist" });
        assert_eq!(code(&answer), None);
        assert_eq!(message(&answer).as_deref(), Some("This job does not exist"));
        assert_eq!(code(&json!({ "error": "not_found" })).as_deref(), Some("not_found"));
        assert_eq!(
            message(&json!({ "detail": [{ "msg": "field required" }] })).as_deref(),
            Some("field required")
        );
        assert_eq!(code(&json!({ "code": 1042 })).as_deref(), Some("1042"));
        assert_eq!(message(&json!("text")), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: jiff::Timestamp = "1994-11-06T08:49:30Z".parse().unwrap();
        let wait = |value| retry_after(value, now);
        assert_eq!(wait("120"), Some(Duration::from_secs(120)));
        assert_eq!(wait(" 0 "), Some(Duration::ZERO));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(Duration::ZERO), "it is over");
        assert!(wait("99999999999999999999999").unwrap() > Duration::from_secs(86_400));
        for value in ["", "soon", "-1", "1.5"] {
            assert_eq!(wait(value), None, "{value}");
        }
    }
}
