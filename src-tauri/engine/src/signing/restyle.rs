//! Writes a JSON text again as other programs would, for the explanation of a signature that does not match (C01,
//! C02, C05). Works on the text alone: keys keep their order, and numbers every digit.

use std::borrow::Cow;

/// How a JSON text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    space: Space,
    slash: Slash,
    beyond_ascii: Characters,
}

/// White space between the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// As it came.
    Kept,
    /// None.
    None,
    /// One after each comma and colon.
    One,
}

/// How `/` is written in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    /// As it came.
    Kept,
    /// `\/`.
    Escaped,
    /// `/`.
    Plain,
}

/// How a character beyond ASCII is written in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Characters {
    /// As it came.
    Kept,
    /// `\u…`, in lower-case hex.
    Escaped,
    /// Itself.
    Plain,
}

const fn style(space: Space, slash: Slash, beyond_ascii: Characters) -> Style {
    Style { space, slash, beyond_ascii }
}

pub(super) const COMPACT: Style = style(Space::None, Slash::Kept, Characters::Kept);
pub(super) const SPACED: Style = style(Space::One, Slash::Kept, Characters::Kept);
pub(super) const SLASHES_ESCAPED: Style = style(Space::Kept, Slash::Escaped, Characters::Kept);
pub(super) const SLASHES_PLAIN: Style = style(Space::Kept, Slash::Plain, Characters::Kept);
pub(super) const ASCII: Style = style(Space::Kept, Slash::Kept, Characters::Escaped);
pub(super) const RAW: Style = style(Space::Kept, Slash::Kept, Characters::Plain);
pub(super) const JAVASCRIPT: Style = style(Space::None, Slash::Plain, Characters::Plain);
pub(super) const PYTHON: Style = style(Space::One, Slash::Plain, Characters::Escaped);
pub(super) const PHP: Style = style(Space::None, Slash::Escaped, Characters::Escaped);

/// Whether it begins as an object or an array does.
pub(super) fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start(), [b'{' | b'[', ..])
}

/// The text in that style; `None` where it is no JSON object or array, or is in that style already.
///
/// A text that only looks like JSON is rewritten as far as it goes: the digest decides whether that was it.
pub(super) fn restyle(body: &[u8], style: Style) -> Option<Cow<'_, [u8]>> {
    let text = std::str::from_utf8(body).ok().filter(|_| looks_like_json(body))?;
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if next == '"' {
            rest = string(rest, style, &mut out);
            continue;
        }
        match next {
            ' ' | '\t' | '\r' | '\n' if style.space != Space::Kept => {}
            ',' | ':' if style.space == Space::One => out.extend([next, ' ']),
            _ => out.push(next),
        }
        rest = &rest[next.len_utf8()..];
    }
    (out != text).then(|| out.into_bytes().into())
}

/// Writes the string that the text begins with, and returns what follows it.
fn string<'a>(text: &'a str, style: Style, out: &mut String) -> &'a str {
    out.push('"');
    let mut rest = &text[1..];
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' => {
                out.push('"');
                return &rest[1..];
            }
            '\\' => escape(rest, style, out),
            '/' => {
                slash(false, style.slash, out);
                1
            }
            _ => {
                character(next, style.beyond_ascii, out);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    rest
}

/// Writes the escape that the text begins with, and returns its length.
fn escape(text: &str, style: Style, out: &mut String) -> usize {
    if text.starts_with("\\/") {
        slash(true, style.slash, out);
        return 2;
    }
    if style.beyond_ascii == Characters::Plain
        && let Some((decoded, length)) = unicode_escape(text)
        && decoded >= ' '
        && !matches!(decoded, '"' | '\\')
    {
        out.push(decoded);
        return length;
    }
    // The character after the backslash goes with it, whatever it is.
    let length = text.chars().take(2).map(char::len_utf8).sum();
    out.push_str(&text[..length]);
    length
}

/// The character of a `\u` escape, or of a pair of them, and how long it is as written.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(0)?;
    if let Some(decoded) = char::from_u32(u32::from(first)) {
        return Some((decoded, 6));
    }
    let decoded = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((decoded, 12))
}

fn slash(escaped: bool, style: Slash, out: &mut String) {
    let escaped = match style {
        Slash::Kept => escaped,
        Slash::Escaped => true,
        Slash::Plain => false,
    };
    out.push_str(if escaped { "\\/" } else { "/" });
}

fn character(character: char, style: Characters, out: &mut String) {
    use std::fmt::Write as _;
    if character.is_ascii() || style != Characters::Escaped {
        out.push(character);
        return;
    }
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str, style: Style) -> Option<String> {
        restyle(text.as_bytes(), style).map(|bytes| String::from_utf8(bytes.into_owned()).unwrap())
    }

    #[test]
    fn digits_order_and_repeated_keys_stay() {
        let text = r#"{ "b" : 1.0, "10": 1152921506151679042, "b":1e2 }"#;
        assert_eq!(write(text, COMPACT).unwrap(), r#"{"b":1.0,"10":1152921506151679042,"b":1e2}"#);
    }

    #[test]
    fn white_space_inside_strings_stays() {
        assert_eq!(
            write("{\"a\": \" b\\\" , c\\\\\" }", COMPACT).unwrap(),
            "{\"a\":\" b\\\" , c\\\\\"}"
        );
        assert_eq!(
            write(r#"{"a":"b:c,d","e":[1,2]}"#, SPACED).unwrap(),
            r#"{"a": "b:c,d", "e": [1, 2]}"#
        );
    }

    #[test]
    fn escapes_and_characters_change_into_each_other() {
        let raw = r#"{"a":"😀é/"}"#;
        let escaped = r#"{"a":"\ud83d\ude00\u00e9\/"}"#;
        assert_eq!(write(raw, PHP).unwrap(), escaped);
        assert_eq!(write(escaped, JAVASCRIPT).unwrap(), raw);
    }

    #[test]
    fn what_must_stay_escaped_does() {
        let text = r#"{"a":"\u0022\u005c\u000a\ud800\uZZZZ\n"}"#;
        assert_eq!(write(text, RAW), None);
    }

    #[test]
    fn broken_texts_do_no_harm() {
        for text in ["", "{\"", "{\"\\", "{\"\\u", "[\"\\ud83d\\u", "{\"a\\é"] {
            for style in [COMPACT, SPACED, JAVASCRIPT, PYTHON, PHP] {
                let _ = write(text, style);
            }
        }
    }
}
