//! Files that cannot be read, or not all of them.

use super::support::{FORMATS, Kept, only, read, read_up_to};
use hooktwice_engine::import::{ImportError, LARGEST};
use serde_json::{Value, json};

fn har(entries: &[Value]) -> Vec<u8> {
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string().into_bytes()
}

fn entry() -> Value {
    json!({
        "startedDateTime": "2026-11-29T11:00:00Z", "time": 1,
        "request": {
            "method": "POST", "url": "http://h/a", "httpVersion": "HTTP/1.1",
            "headers": [{ "name": "Host", "value": "h" }],
            "postData": { "mimeType": "text/plain", "text": "hello" },
        },
        "response": { "status": 200, "headers": [], "content": {} },
    })
}

/// The entry with another value at a place.
fn with(pointer: &str, value: Value) -> Value {
    let mut entry = entry();
    *entry.pointer_mut(pointer).unwrap() = value;
    entry
}

fn refused(file: &[u8]) -> String {
    match read("bad", file) {
        Err(error) => error.to_string(),
        Ok(contents) => panic!("it was read: {contents:?}"),
    }
}

#[test]
fn a_bad_file_is_refused_whole_and_the_place_is_named() {
    for (file, says) in [
        (&b""[..], "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\x89PNG\r\n", "not UTF-8 text (byte 0)"),
        (b"hello", "neither a HAR"),
        (b"[1,2]", "neither a HAR"),
        (b"{\"job_id\":\"a1\"}", "neither a HAR"),
        (b"{\"log\":{\"entries\":[", "not whole JSON: EOF"),
        (b"{\"log\":{}}", "missing field `entries`"),
        (b"{\"log\":{\"entries\":{}}}", "the HAR's log does not fit"),
        (b"{\"log\":{\"entries\":[]}} x", "something follows"),
    ] {
        let said = refused(file);
        assert!(said.contains(says), "{said}");
    }
    for (pointer, value, says) in [
        ("/request/method", json!(7), "entry 2 does not fit: request.method: invalid type"),
        ("/request", json!({}), "entry 2 does not fit: request: missing field"),
        ("/request/headers/0/value", json!(null), "request.headers[0].value: invalid type: null"),
        (
            "/startedDateTime",
            json!("yesterday"),
            "startedDateTime: \"yesterday\" is no ISO 8601 time",
        ),
        (
            "/request/postData",
            json!({ "text": "!", "encoding": "base64" }),
            "request.postData.text is not base64",
        ),
    ] {
        let said = refused(&har(&[entry(), with(pointer, value)]));
        assert!(said.contains(says), "{said}");
        assert!(said.contains("nothing was imported"), "{said}");
    }
}

#[test]
fn a_line_of_our_own_that_breaks_is_named() {
    let kept = Kept::new();
    let seqs = kept.import(vec![only(&har(&[entry()])), only(&har(&[entry()]))]);
    let file = kept.export(&seqs, FORMATS[0]);
    let cut = &file[..file.len() - 20];
    assert!(
        refused(cut.as_bytes()).contains("not whole JSON: EOF while parsing a string at line 2")
    );
    let broken = file.replace("\"body_base64\":\"", "\"body_base64\":\"!");
    assert!(refused(broken.as_bytes()).contains("entry 1 does not fit: body_base64 is not base64"));
    let other =
        format!("{file}{{\"type\":\"listening\",\"url\":\"x\"}}\n{{\"type\":\"delivery\"}}\n");
    let contents = read("a", other.as_bytes()).unwrap();
    assert_eq!(contents.deliveries.len(), 2);
    assert!(contents.skipped[0].why.contains("of type listening"));
    assert!(contents.skipped[1].why.contains("no body_base64"));
}

#[test]
fn a_body_that_was_changed_in_the_file_is_said() {
    let kept = Kept::new();
    let seqs = kept.import(vec![only(&har(&[entry()]))]);
    let file = kept.export(&seqs, FORMATS[0]).replace("aGVsbG8=", "aGVsbG9v");
    let import = only(file.as_bytes());
    assert_eq!(import.new.body, "helloo");
    assert!(
        import.new.notes.iter().any(|note| note.contains("body_sha256")),
        "{:?}",
        import.new.notes
    );
}

#[test]
fn what_cannot_be_a_delivery_is_left_out_with_its_reason() {
    let splits = json!([{ "name": "X", "value": "a\r\nInjected: b" }]);
    let file = har(&[
        with("/request/url", json!("ws://h/socket")),
        with("/request/headers", splits),
        with("/request/method", json!("PO ST")),
        with("/request/postData/text", json!("longer than ten bytes")),
        entry(),
    ]);
    let contents = read_up_to(10, "a", &file).unwrap();
    assert_eq!(contents.deliveries.len(), 1);
    let whys: Vec<_> =
        contents.skipped.iter().map(|skipped| (skipped.entry, &*skipped.why)).collect();
    assert_eq!(whys.iter().map(|(entry, _)| *entry).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(whys[0].1.contains("no http:// or https:// URL (ws:…)"), "{whys:?}");
    assert!(whys[1].1.contains("HTTP/1.1"), "{whys:?}");
    assert!(whys[2].1.contains("HTTP/1.1"), "{whys:?}");
    assert!(whys[3].1.contains("21 bytes, and at most 10"), "{whys:?}");
}

#[test]
fn doubts_are_noted() {
    let length = json!([{ "name": "Content-Length", "value": "9" }, { "name": "Cookie", "value": "[masked]" }]);
    let mut odd = with("/request/headers", length);
    odd.as_object_mut().unwrap().remove("startedDateTime");
    let import = only(&har(&[odd]));
    let notes = import.new.notes.join("\n");
    for said in ["has 5 bytes and its Content-Length says 9", "are masked", "does not say when"] {
        assert!(notes.contains(said), "{notes}");
    }
}

#[test]
fn a_byte_order_mark_and_white_space_are_passed_over() {
    let file = [b"\xef\xbb\xbf\n ", &har(&[entry()])[..], b"\n"].concat();
    assert_eq!(only(&file).new.body, "hello");
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let file = vec![b' '; usize::try_from(LARGEST).unwrap() + 1];
    assert!(matches!(read("a", &file), Err(ImportError::TooLarge { .. })));
}

#[test]
fn what_is_nested_deeply_stalls_nothing() {
    let mut odd = entry();
    odd["_initiator"] = json!(null);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let file = String::from_utf8(har(&[odd])).unwrap().replace("null", &deep);
    assert_eq!(only(file.as_bytes()).new.body, "hello");
}
