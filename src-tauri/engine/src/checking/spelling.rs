//! A body's JSON written in other ways that mean the same: plain RFC 8259, and no two of the same bytes.

use bytes::Bytes;

/// The way for which the id itself is written in escapes before.
pub(super) const ESCAPED_ID: &str = "an id written in escapes";

/// A way to write a body, by name.
pub(super) type Way = (&'static str, fn(&[u8]) -> Bytes);

/// Every way.
pub(super) const WAYS: &[Way] = &[
    ("a space after each sign", |body| spaced(body, b" ")),
    ("line ends and tabs between", |body| spaced(body, b"\r\n\t")),
    ("a newline at its end", |body| Bytes::from([body, b"\n"].concat())),
    ("white space around it", |body| Bytes::from([b" \n", body, b"\r\n\r\n"].concat())),
    ("escaped slashes", slashes),
    ("an emoji and umlauts as they are", |body| with_member(body, "\"note\":\"🎬 größer – ok\"")),
    ("an emoji in escapes", |body| with_member(body, r#""note":"\ud83c\udfac gr\u00F6\u00dfer""#)),
    ("numbers in unusual spellings", |body| {
        with_member(body, r#""n":[1.0,1E+2,-0,0.10,12345678901234567890,1e-7]"#)
    }),
    (ESCAPED_ID, Bytes::copy_from_slice),
];

/// With white space after every structural sign. What is in strings stays.
fn spaced(body: &[u8], space: &[u8]) -> Bytes {
    outside_strings(body, |byte, out| {
        out.push(byte);
        if matches!(byte, b'{' | b'[' | b',' | b':') {
            out.extend_from_slice(space);
        }
    })
}

fn slashes(body: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(body.len() + 16);
    let mut escaped = false;
    for byte in body {
        // A slash stands in strings only, and behind a backslash it is escaped already.
        if *byte == b'/' && !escaped {
            out.push(b'\\');
        }
        escaped = *byte == b'\\' && !escaped;
        out.push(*byte);
    }
    out.into()
}

/// With one member more, where the body is an object that has some.
fn with_member(body: &[u8], member: &str) -> Bytes {
    let start = body.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    if body.get(start) != Some(&b'{') {
        return Bytes::copy_from_slice(body);
    }
    let (head, rest) = body.split_at(start + 1);
    Bytes::from([head, member.as_bytes(), b",", rest].concat())
}

/// With white space inside, up to so many bytes.
pub(super) fn padded(body: &[u8], size: usize) -> Bytes {
    let filler = "x".repeat(size.saturating_sub(body.len() + 12));
    with_member(body, &format!("\"filler\":\"{filler}\""))
}

fn outside_strings(body: &[u8], mut write: impl FnMut(u8, &mut Vec<u8>)) -> Bytes {
    let mut out = Vec::with_capacity(body.len() * 2);
    let (mut inside, mut escaped) = (false, false);
    for byte in body {
        if inside {
            out.push(*byte);
            inside = *byte != b'"' || escaped;
            escaped = *byte == b'\\' && !escaped;
        } else {
            inside = *byte == b'"';
            write(*byte, &mut out);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_way_is_another_spelling_of_the_same() {
        let body = br#"{"event":"a:b,\"{","job_id":"job_1","artifacts":[{"url":"http://h/a"}]}"#;
        let plain: Value = serde_json::from_slice(body).unwrap();
        for (name, way) in WAYS {
            let other = way(body);
            let read: Value =
                serde_json::from_slice(&other).unwrap_or_else(|error| panic!("{name}: {error}"));
            for key in ["event", "job_id", "artifacts"] {
                assert_eq!(read[key], plain[key], "{name}");
            }
            assert!(*name == ESCAPED_ID || other != body[..], "{name}");
            assert!(std::str::from_utf8(&other).is_ok());
        }
    }

    #[test]
    fn a_padded_body_has_its_size_and_its_id() {
        let padded = padded(br#"{"job_id":"a"}"#, 1000);
        assert_eq!(padded.len(), 1000);
        assert_eq!(serde_json::from_slice::<Value>(&padded).unwrap()["job_id"], "a");
    }
}
