//! Text from outside (ids, answers, the handler's output), made fit to be read in a document: nothing acts on the page
//! or the terminal that shows it, and no password goes along.

use regex::{Captures, Regex};
use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};

/// What stands where a password was. Bare letters, so that a command with it in can still be pasted and mended.
const MASK: &str = "MASKED";

/// Colours, cursor moves and titles of a terminal.
static TERMINAL: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^_`a-~])")
});

/// Places where a password is known to be one: a URL's user part, a URL's parameters, a variable that is set for a
/// command. The first group is what is kept.
static PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
    constant(concat!(
        r#"([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'"\\]*:)[^\s/@'"\\]+@"#,
        r#"|([?&](?i:password|passwd|pwd|secret|token|access_token|api_?key)=)[^\s&#'"\\]+"#,
        r#"|(\b[A-Z0-9_]*(?:SECRET|PASSWORD|PASSWD|TOKEN|API_?KEY)[A-Z0-9_]*=)(?:\\?"[^"\\]*\\?"|'[^'\\]*'|[^\s'"\\]+)"#,
    ))
});

#[expect(
    clippy::expect_used,
    reason = "the patterns stand above, and every test here compiles them"
)]
fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Lines as they can be shown: terminal colours are left out, every other control character and every one that turns the
/// direction of writing is shown as a sign, line ends are `\n`.
pub(super) fn plain(text: &str) -> String {
    let text = masked(text);
    let text = TERMINAL.replace_all(&text, "");
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' => {
                characters.next_if_eq(&'\n');
                shown.push('\n');
            }
            '\0'..='\x1f' => {
                // The block of control pictures has them in the same order.
                shown.extend(char::from_u32(0x2400 + u32::from(character)));
            }
            '\x7f' => shown.push('␡'),
            unseen if is_unseen(unseen) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(unseen));
            }
            other => shown.push(other),
        }
    }
    shown
}

/// The same as one line: white space of any length is one space.
pub(super) fn line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same text without the passwords that can be told to be some.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    PASSWORD.replace_all(text, |found: &Captures<'_>| {
        let group = |n| found.get(n).map(|kept| kept.as_str());
        match (group(1), group(2).or(group(3))) {
            (Some(user), _) => format!("{user}{MASK}@"),
            (None, kept) => format!("{}{MASK}", kept.unwrap_or_default()),
        }
    })
}

/// The beginning of a text, up to so many characters, and how much is left out.
pub(super) fn beginning(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            Cow::Owned(format!("{}… ({left_out} more characters)", &text[..end]))
        }
    }
}

/// The last lines of a text, up to so many characters, and how much is left out.
pub(super) fn end(text: &str, characters: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= characters {
        return Cow::Borrowed(text);
    }
    let from = text.char_indices().nth(count - characters).map_or(0, |(at, _)| at);
    let from = text[from..].find('\n').map_or(from, |line_end| from + line_end + 1);
    let left_out = text[..from].chars().count();
    Cow::Owned(format!("… ({left_out} characters before this)\n{}", &text[from..]))
}

/// How many columns of a monospaced face a text takes: wide letters and emoji take two, joined marks none.
pub(super) fn columns(text: &str) -> usize {
    let width = |character: char| match u32::from(character) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f000..=0x3ffff => 2,
        _ => 1,
    };
    text.chars().map(width).sum()
}

/// Cut to so many columns, with an ellipsis as the last of them.
pub(super) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if columns(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += columns(character.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    Cow::Owned(kept)
}

/// Characters that no one sees and that change what is seen, or that no document may hold.
fn is_unseen(character: char) -> bool {
    matches!(u32::from(character),
        0x80..=0x9f
        | 0x61c
        | 0x200b
        | 0x200e..=0x200f
        | 0x2028..=0x202e
        | 0x2060..=0x2069
        | 0xfdd0..=0xfdef
        | 0xfeff
        | 0xfff9..=0xfffb)
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_seen_and_do_nothing() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}a\0b\u{8}\u{7f}"), "red a␀b␈␡");
        assert_eq!(plain("one\r\ntwo\rthree\tfour"), "one\ntwo\nthree\tfour");
        assert_eq!(
            plain("abc\u{202e}gpj.\u{feff}\u{9b}\u{fffe}"),
            "abc\\u{202e}gpj.\\u{feff}\\u{9b}\\u{fffe}"
        );
        assert_eq!(plain("jób_日本 👩‍💻 é"), "jób_日本 👩‍💻 é");
        assert_eq!(plain("\u{1b}"), "␛");
        assert_eq!(line("  a\n\n b\t c "), "a b c");
    }

    #[test]
    fn passwords_do_not_go_along() {
        for (text, shown) in [
            ("postgres://app:s3cr:et@db:5432/x", "postgres://app:MASKED@db:5432/x"),
            ("\"postgres://:pw@db/x\"", "\"postgres://:MASKED@db/x\""),
            ("/effects?token=abc&job=1", "/effects?token=MASKED&job=1"),
            ("WEBHOOK_SECRET=abc node a.mjs", "WEBHOOK_SECRET=MASKED node a.mjs"),
            ("A=1 DB_PASSWORD='a b' x", "A=1 DB_PASSWORD=MASKED x"),
            (r#"{"c":"API_KEY=\"a b\" x"}"#, r#"{"c":"API_KEY=MASKED x"}"#),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn what_is_no_password_stays() {
        for text in [
            "hooktwice check --url http://127.0.0.1:3000/hook?job=1 --secret-env NAME",
            "at 12:00:01 mail@example.dev",
            "http://[::1]:3000/a@b",
            "select count(*) from effects where job_id = :job_id",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(beginning("日本語", 2), "日本… (1 more characters)");
        assert_eq!(beginning("日本", 2), "日本");
        assert_eq!(end("one\ntwo\nthree", 7), "… (8 characters before this)\nthree");
        assert_eq!(end("onetwothree", 5), "… (6 characters before this)\nthree");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
