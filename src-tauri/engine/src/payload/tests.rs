use super::*;
use crate::model::{ClaimReason, JobIdType};
use proptest::prelude::*;
use serde_json::json;

/// What a body gives under the default pointer: id, type, reason.
fn id_of(body: impl AsRef<[u8]>) -> (Option<String>, JobIdType, Option<ClaimReason>) {
    let payload = read(body.as_ref(), "/job_id");
    (payload.job_id, payload.job_id_type, payload.reason)
}

fn string(id: &str) -> (Option<String>, JobIdType, Option<ClaimReason>) {
    (Some(id.to_owned()), JobIdType::String, None)
}

fn number(id: &str) -> (Option<String>, JobIdType, Option<ClaimReason>) {
    (Some(id.to_owned()), JobIdType::Number, None)
}

fn note(body: impl AsRef<[u8]>) -> String {
    let notes = read(body.as_ref(), "/job_id").notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    notes.into_iter().next().unwrap()
}

#[test]
fn the_event_is_read_beside_the_id() {
    let payload = read(br#"{"event":"job.completed","job_id":"job_1"}"#, "/job_id");
    assert_eq!(payload.event.as_deref(), Some("job.completed"));
    assert_eq!((payload.reason, payload.notes), (None, vec![]));
    assert_eq!(read(br#"{"event":7,"job_id":"a"}"#, "/job_id").event, None);
    assert_eq!(read(br#"{"event":{"event":"x"},"job_id":"a"}"#, "/job_id").event, None);
}

#[test]
fn c02_an_escaped_slash_is_a_slash_in_the_id() {
    assert_eq!(id_of(r#"{"job_id":"a\/1"}"#), string("a/1"));
}

#[test]
fn c04_c05_raw_and_escaped_emoji_are_one_id() {
    assert_eq!(id_of("{\"job_id\":\"\u{1f600}\"}"), string("\u{1f600}"));
    assert_eq!(id_of(r#"{"job_id":"\ud83d\ude00"}"#), string("\u{1f600}"));
}

#[test]
fn an_escaped_key_is_the_key() {
    assert_eq!(id_of(r#"{"job\u005fid":"a"}"#), string("a"));
    assert_eq!(id_of(r#"{"job\u005fi":"a"}"#).2, Some(ClaimReason::MissingId));
}

#[test]
fn c06_c07_white_space_around_the_parts_is_passed_over() {
    assert_eq!(id_of("{\"job_id\":\"a1\"}\n"), string("a1"));
    assert_eq!(id_of("{\"job_id\":\"a1\"}\r\n"), string("a1"));
    assert_eq!(id_of("{\r\n\"job_id\" : \t\"a1\"\r\n}"), string("a1"));
}

#[test]
fn c09_a_byte_order_mark_is_passed_over_once_and_only_at_the_start() {
    assert_eq!(id_of("\u{feff}{\"job_id\":\"a1\"}"), string("a1"));
    assert_eq!(read("\u{feff}{\"job_id\":\"a1\"}".as_bytes(), "/job_id").id_span, Some(13..17));
    assert!(note("\u{feff}\u{feff}{}").contains("byte 3"));
}

#[test]
fn c11_a_form_is_named() {
    let body = "payload=%7B%22job_id%22%3A%22a1%22%7D";
    assert_eq!(id_of(body), (None, JobIdType::Missing, Some(ClaimReason::NotJson)));
    assert!(note(body).contains("the body is a form (`payload=…`)"), "{}", note(body));
    assert!(note(format!("\u{feff}{body}")).contains("`payload=…`"));
    assert!(!note("{\"a\"=1}").contains("form"));
}

#[test]
fn c24_c33_c62_an_empty_body_has_no_id() {
    assert_eq!(id_of(""), (None, JobIdType::Missing, Some(ClaimReason::NoBody)));
    assert_eq!(note(""), "no body, no job_id");
    assert_eq!(id_of("{}").2, Some(ClaimReason::MissingId));
    assert_eq!(id_of(" ").2, Some(ClaimReason::NotJson));
}

#[test]
fn c25_bytes_that_are_no_utf8_give_no_id() {
    let body = b"{\"job_id\":\"a\xff1\"}";
    assert_eq!(id_of(body), (None, JobIdType::Missing, Some(ClaimReason::NotJson)));
    assert_eq!(note(body), "not UTF-8 at byte 12, id not read");
    let elsewhere = b"{\"job_id\":\"a1\",\"x\":\"\xe9\"}";
    assert_eq!(id_of(elsewhere).0, None);
    // An overlong slash, a surrogate in UTF-8, and a character that ends early.
    for bytes in [&b"\"\xc0\xaf\""[..], b"\"\xed\xa0\x80\"", b"\"\xf0\x9f\x98\""] {
        assert!(json_error(bytes).unwrap().starts_with("not UTF-8 at byte 1"));
    }
}

#[test]
fn c31_null_id_claims_nothing() {
    assert_eq!(id_of(r#"{"job_id":null}"#), (None, JobIdType::Null, Some(ClaimReason::NullId)));
    assert_eq!(note(r#"{"job_id":null}"#), "no job_id (null)");
    assert_eq!(id_of(r#"{"job_id":"null"}"#), string("null"));
}

#[test]
fn c32_a_blank_id_is_unusable() {
    for blank in ["", "   ", r"\t\n", "\u{a0}\u{3000}"] {
        let body = format!("{{\"job_id\":\"{blank}\"}}");
        let (_, kind, reason) = id_of(&body);
        assert_eq!((kind, reason), (JobIdType::String, Some(ClaimReason::EmptyId)), "{body}");
        assert!(note(&body).starts_with("unusable id"));
    }
    assert_eq!(id_of(r#"{"job_id":" a "}"#), string(" a "));
}

#[test]
fn c35_zero_is_an_id_and_false_is_not() {
    assert_eq!(id_of(r#"{"job_id":0}"#), number("0"));
    assert_eq!(id_of(r#"{"job_id":-0}"#), number("-0"));
    for other in ["true", "false", "{}", "[]", r#"{"a":[1]}"#] {
        let body = format!("{{\"job_id\":{other}}}");
        assert_eq!(id_of(&body), (None, JobIdType::Other, Some(ClaimReason::IdType)), "{body}");
    }
}

#[test]
fn c36_a_number_keeps_its_text_and_its_type() {
    for text in ["123", "123.0", "1.23e2", "1E+2", "1152921506151679042", "1e999", "0.10"] {
        assert_eq!(id_of(format!("{{\"job_id\":{text}}}")), number(text));
    }
    assert_eq!(id_of(r#"{"job_id":"123"}"#), string("123"));
}

#[test]
fn c41_the_span_is_the_value_as_it_stands() {
    let span = |body: &'static str| {
        let span = read(body.as_bytes(), "/job_id").id_span;
        span.map(|span| &body[span])
    };
    assert_eq!(span(r#"{ "a": 1, "job_id" : "x\/1" }"#), Some(r#""x\/1""#));
    assert_eq!(span(r#"{"job_id":12e1,"a":1}"#), Some("12e1"));
    assert_eq!(span(r#"{"job_id":{"a":[{}]},"a":1}"#), Some(r#"{"a":[{}]}"#));
    assert_eq!(span(r#"{"a":1}"#), None);
    assert_eq!(span(r#"{"job_id":1,"job_id":1}"#), None);
}

#[test]
fn c42_an_event_without_an_id() {
    let payload = read(br#"{"event":"x"}"#, "/job_id");
    assert_eq!((payload.event.as_deref(), payload.job_id), (Some("x"), None));
    assert_eq!(payload.reason, Some(ClaimReason::MissingId));
    assert_eq!(payload.notes, ["no job_id at the root"]);
}

#[test]
fn c43_long_ids_are_whole_or_refused() {
    let body = |id: &str| format!("{{\"job_id\":\"{id}\"}}");
    for length in [64, 255, 2048, MAX_ID_BYTES] {
        let (one, other) = ("a".repeat(length), format!("{}b", "a".repeat(length - 1)));
        assert_eq!(id_of(body(&one)), string(&one));
        assert_eq!(id_of(body(&other)), string(&other));
    }
    for length in [MAX_ID_BYTES + 1, 1024 * 1024] {
        let long = body(&"a".repeat(length));
        assert_eq!(id_of(&long), (None, JobIdType::String, Some(ClaimReason::IdTooLong)));
        assert!(note(&long).contains(&length.to_string()));
    }
    // Decoded bytes count: an escape of six characters is one.
    let escaped = body(&r"\u0061".repeat(MAX_ID_BYTES));
    assert_eq!(id_of(escaped), string(&"a".repeat(MAX_ID_BYTES)));
    let digits = format!("{{\"job_id\":{}}}", "1".repeat(MAX_ID_BYTES + 1));
    assert_eq!(id_of(digits), (None, JobIdType::Number, Some(ClaimReason::IdTooLong)));
}

#[test]
fn c46_a_batch_is_named() {
    let body = r#"[{"job_id":"a"},{"job_id":"a"},{"job_id":"b"}]"#;
    assert_eq!(id_of(body), (None, JobIdType::Missing, Some(ClaimReason::MissingId)));
    assert_eq!(note(body), "root is an array of 3; no job_id is read from a batch");
    assert_eq!(read(body.as_bytes(), "/2/job_id").job_id.as_deref(), Some("b"));
    assert!(note("[[1,2],[]]").starts_with("root is an array of 2;"));
}

#[test]
fn c47_an_id_elsewhere_is_named_and_not_taken() {
    let nested = r#"{"data":{"job_id":"a1"}}"#;
    assert_eq!(id_of(nested), (None, JobIdType::Missing, Some(ClaimReason::MissingId)));
    assert_eq!(note(nested), "no job_id at the root; found at /data/job_id");
    assert_eq!(read(nested.as_bytes(), "/data/job_id").job_id.as_deref(), Some("a1"));
    assert_eq!(
        note(r#"{"a":[0,{"b/c":{"job_id":1}}]}"#),
        "no job_id at the root; found at /a/1/b~1c/job_id"
    );

    let envelope = r#"{"Message":"{\"job_id\":\"a1\"}"}"#;
    assert_eq!(note(envelope), "no job_id at the root; found in the JSON text at /Message");
    assert_eq!(note(r#"{"Message":"{\"job\":\"a1\"}"}"#), "no job_id at the root");
    assert_eq!(note(r#"{"Message":"{\"job_id\":"}"#), "no job_id at the root");
}

#[test]
fn c72_nan_and_infinity_break_at_their_byte() {
    let body = r#"{"job_id":"a","v":NaN}"#;
    assert_eq!(id_of(body), (None, JobIdType::Missing, Some(ClaimReason::NotJson)));
    assert!(note(body).starts_with("not valid JSON at byte 18: NaN"), "{}", note(body));
    assert!(note(r#"{"v":Infinity}"#).starts_with("not valid JSON at byte 5: "));
    assert!(note(r#"{"v":-Infinity}"#).starts_with("not valid JSON at byte 6: "));
}

#[test]
fn c73_nesting_is_read_to_the_limit_and_named_beyond_it() {
    let body = |depth: usize| {
        format!("{{\"job_id\":\"a\",\"d\":{}{}}}", "[".repeat(depth), "]".repeat(depth))
    };
    assert_eq!(id_of(body(126)), string("a"));
    assert_eq!(id_of(body(127)), (None, JobIdType::Missing, Some(ClaimReason::NotJson)));
    assert!(note(body(127)).starts_with("too deep at byte 144"), "{}", note(body(127)));
    assert!(note("[".repeat(1_000_000)).starts_with("too deep at byte 127"));
    assert!(note("{\"a\":".repeat(1_000_000)).starts_with("too deep"));
    // The limit is of what is open at once, not of how often.
    assert_eq!(json_error(format!("[{}[]]", "[],".repeat(10_000)).as_bytes()), None);
}

#[test]
fn a_key_that_stands_twice_is_ambiguous() {
    for body in [r#"{"job_id":"a","job_id":"b"}"#, r#"{"job_id":"a","x":1,"job\u005fid":"a"}"#] {
        let payload = read(body.as_bytes(), "/job_id");
        assert_eq!(
            (payload.reason, payload.job_id),
            (Some(ClaimReason::AmbiguousId), None),
            "{body}"
        );
        assert!(payload.notes[0].contains("stands twice"));
    }
    let way = r#"{"data":{"job_id":"a"},"data":{}}"#;
    assert_eq!(read(way.as_bytes(), "/data/job_id").reason, Some(ClaimReason::AmbiguousId));
    // Twice in two objects is not twice in one.
    assert_eq!(id_of(r#"{"job_id":"a","x":{"job_id":"b"}}"#), string("a"));
    assert_eq!(read(br#"[{"job_id":1},{"job_id":2}]"#, "/0/job_id").job_id.as_deref(), Some("1"));
    assert_eq!(id_of(r#"{"x":{"a":1,"a":2},"job_id":"a","x":0}"#), string("a"));
}

#[test]
fn half_a_surrogate_pair_is_valid_json_and_no_id() {
    for half in [r"\ud83d", r"\ude00", r"\ud83d\u0041", r"\ud83dx", r"\ude00\ud83d"] {
        let body = format!("{{\"job_id\":\"{half}\"}}");
        assert_eq!(id_of(&body), (None, JobIdType::String, Some(ClaimReason::IdType)), "{body}");
        assert!(note(&body).contains("surrogate"));
        assert_eq!(
            id_of(format!("{{\"a\":\"{half}\",\"{half}\":1,\"job_id\":\"b\"}}")),
            string("b")
        );
    }
}

#[test]
fn the_way_of_a_pointer_goes_through_arrays_and_odd_names() {
    let body = json!({"a/b": [0, {"m~n": {"": "here"}}], "": "root"}).to_string();
    let at = |pointer| read(body.as_bytes(), pointer).job_id;
    assert_eq!(at("/a~1b/1/m~0n/").as_deref(), Some("here"));
    assert_eq!(at("/").as_deref(), Some("root"));
    for nothing in ["/a~1b/01/m~0n/", "/a~1b/-/m~0n/", "/a~1b/2", "/a~1b/1/m~0n//x", "/a~1b/+1"] {
        assert_eq!(at(nothing), None, "{nothing}");
    }
    assert_eq!(read(b"\"x\"", "").job_id.as_deref(), Some("x"));
    assert!(read(body.as_bytes(), "job_id").notes[0].contains("RFC 6901"));
    assert!(check_pointer("/job_id").is_ok());
}

#[test]
fn a_break_is_named_at_its_byte() {
    let at = |body: &str| {
        json_error(body.as_bytes()).and_then(|text| {
            let rest = text.strip_prefix("not valid JSON at byte ")?;
            rest.split_once(':')?.0.parse::<usize>().ok()
        })
    };
    for (body, byte) in [
        ("{", 1),
        ("{\"a\"", 4),
        ("{\"a\" 1}", 5),
        ("{\"a\":1,}", 7),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("[,1]", 1),
        ("{a:1}", 1),
        ("{'a':1}", 1),
        ("['a']", 1),
        ("[1}", 2),
        ("{\"a\":1]", 6),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("1.e1", 2),
        ("1e", 2),
        ("+1", 0),
        (".5", 0),
        ("tru", 3),
        ("trux", 3),
        ("nul", 3),
        ("{} {}", 3),
        ("]", 0),
        ("\"a\u{1}\"", 2),
        ("\"a\nb\"", 2),
        ("\"\\x\"", 2),
        ("\"\\u12g4\"", 5),
        ("\"a", 2),
        ("\"a\\", 3),
        ("// x\n1", 0),
        ("[1]\u{0}", 3),
        ("\u{a0}1", 0),
    ] {
        assert_eq!(at(body), Some(byte), "{body:?}: {:?}", json_error(body.as_bytes()));
    }
    for valid in ["0", "-0.0e-0", "\"\u{7f}\"", " [ ] ", "{\"\":{}}", "1e400", "\t\r\n null"] {
        assert_eq!(json_error(valid.as_bytes()), None, "{valid:?}");
    }
}

/// A value as some sender may write it: odd spaces, escapes, repeated keys.
fn any_json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
        "\"([ -!#-\\[\\]-~é😀]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-cA-C][0-9a-fA-F]{3})*\"",
    ];
    let key = "\"(job_id|event|[a-c]|j\\\\u006fb_id)\"";
    scalar.prop_recursive(6, 64, 6, move |inner| {
        let space = "[ \t\r\n]{0,2}";
        prop_oneof![
            (proptest::collection::vec(inner.clone(), 0..6), space).prop_map(
                |(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))
            ),
            (proptest::collection::vec((key, inner), 0..6), space).prop_map(|(members, space)| {
                let members: Vec<_> =
                    members.iter().map(|(key, value)| format!("{key}{space}:{value}")).collect();
                format!("{{{space}{}{space}}}", members.join(&format!(",{space}")))
            }),
        ]
    })
}

/// serde_json's verdict on the grammar alone, where its limits are ours: it does not count levels when it skips, and
/// does not look at the UTF-8 of what it skips.
fn serde_takes(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    std::str::from_utf8(body).is_ok()
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

proptest! {
    #[test]
    fn valid_json_is_read_and_the_id_is_serde_jsons(body in any_json()) {
        prop_assert_eq!(json_error(body.as_bytes()), None);
        let payload = read(body.as_bytes(), "/job_id");
        if let Some(span) = payload.id_span.clone() {
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            let at_span: serde_json::Value = serde_json::from_str(&body[span]).unwrap();
            prop_assert_eq!(&value["job_id"], &at_span);
            if payload.job_id_type == JobIdType::String {
                prop_assert_eq!(value["job_id"].as_str(), payload.job_id.as_deref());
            }
        } else if payload.reason == Some(ClaimReason::MissingId) {
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            prop_assert!(value.get("job_id").is_none());
        }
    }

    #[test]
    fn a_changed_byte_is_judged_as_serde_json_does(body in any_json(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = body.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        prop_assert_eq!(json_error(&bytes).is_none(), serde_takes(&bytes), "{}", bytes.escape_ascii());
        let _ = read(&bytes, "/job_id");
    }

    #[test]
    fn a_cut_text_is_judged_as_serde_json_does(body in any_json(), at in any::<prop::sample::Index>()) {
        let bytes = &body.as_bytes()[..at.index(body.len())];
        prop_assert_eq!(json_error(bytes).is_none(), serde_takes(bytes));
    }

    #[test]
    fn json_like_bytes_are_judged_as_serde_json_does(bytes in "[\\[\\]{}:,\"\\\\u0-9.eE+\\- truefalsn]{0,40}") {
        prop_assert_eq!(json_error(bytes.as_bytes()).is_none(), serde_takes(bytes.as_bytes()), "{}", bytes);
    }

    #[test]
    fn any_bytes_under_any_pointer_do_no_harm(bytes: Vec<u8>, pointer in "(/[a-c~01/]{0,4}){0,3}") {
        prop_assert_eq!(json_error(&bytes).is_none(), serde_takes(&bytes));
        let payload = read(&bytes, &pointer);
        prop_assert_eq!(payload.reason.is_some(), !payload.notes.is_empty());
    }
}
