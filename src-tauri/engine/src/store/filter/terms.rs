//! Taking a filter's text apart.

/// One term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// As it was typed, to be named in an error.
    pub(super) typed: String,
    /// A `-` stood before it.
    pub(super) negated: bool,
    /// What it asks for.
    pub(super) token: Token,
}

/// What a term asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A bare word.
    Word(String),
    /// `#12`
    Number(i64),
    /// `key:value`, `key>=value` and so on; the key in lower case.
    Pair { key: String, operator: &'static str, value: String },
}

/// Longer ones first.
const OPERATORS: [&str; 6] = [">=", "<=", ":", "=", ">", "<"];

/// Takes a text apart.
///
/// # Errors
/// The term whose quotation mark is not closed, as typed.
pub(super) fn split(text: &str) -> Result<Vec<Term>, String> {
    let mut terms = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = end_of_term(rest).ok_or(rest)?;
        let (typed, after) = rest.split_at(end);
        terms.push(term(typed));
        rest = after.trim_start();
    }
    Ok(terms)
}

/// Where the first white space outside quotation marks is; `None` when a mark is not closed.
fn end_of_term(text: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (place, char) in text.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if char.is_whitespace() && !quoted => return Some(place),
            _ => {}
        }
    }
    (!quoted).then_some(text.len())
}

fn term(typed: &str) -> Term {
    let (negated, text) = match typed.strip_prefix('-') {
        Some(text) if !text.is_empty() => (true, text),
        _ => (false, typed),
    };
    Term { typed: typed.into(), negated, token: token(text) }
}

fn token(text: &str) -> Token {
    if let Some(seq) = text.strip_prefix('#').and_then(|digits| digits.parse().ok()) {
        return Token::Number(seq);
    }
    let key_ends = text.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(text.len());
    let (key, rest) = text.split_at(key_ends);
    let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator));
    match operator {
        Some(operator) if !key.is_empty() => {
            let (key, value) = (key.to_ascii_lowercase(), unquote(&rest[operator.len()..]));
            Token::Pair { key, operator, value }
        }
        _ => Token::Word(unquote(text)),
    }
}

/// Without its quotation marks, and with what they escape.
fn unquote(text: &str) -> String {
    let (mut plain, mut quoted, mut escaped) = (String::with_capacity(text.len()), false, false);
    for char in text.chars() {
        match char {
            _ if escaped => {
                plain.push(char);
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => plain.push(char),
        }
    }
    plain
}

/// A number and the unit after it.
fn amount(text: &str) -> Option<(f64, String)> {
    let unit = text.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let number: f64 =
        number.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
    Some((number, unit.to_ascii_lowercase()))
}

/// `500`, `10KiB`, `1.5MB`, in bytes.
pub(super) fn size(text: &str) -> Option<i64> {
    let (number, unit) = amount(text)?;
    let factor = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "kib" => 1024.0,
        "m" | "mb" => 1e6,
        "mib" => 1024.0 * 1024.0,
        "g" | "gb" => 1e9,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    // A cast from a float stops at the ends of its range.
    Some((number * factor).round() as i64)
}

/// `150ms`, `2s`, `1m`, and a bare number of milliseconds.
pub(super) fn duration_ms(text: &str) -> Option<f64> {
    let (number, unit) = amount(text)?;
    let factor = match unit.as_str() {
        "" | "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        _ => return None,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(key: &str, operator: &'static str, value: &str) -> Token {
        Token::Pair { key: key.into(), operator, value: value.into() }
    }

    fn tokens(text: &str) -> Vec<(bool, Token)> {
        split(text).unwrap().into_iter().map(|term| (term.negated, term.token)).collect()
    }

    #[test]
    fn terms_are_words_numbers_and_pairs() {
        let found = tokens("  job:job_1 -status>=400\tSize<=10KiB #12 plain ");
        let expected = [
            (false, pair("job", ":", "job_1")),
            (true, pair("status", ">=", "400")),
            (false, pair("size", "<=", "10KiB")),
            (false, Token::Number(12)),
            (false, Token::Word("plain".into())),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn quotation_marks_keep_spaces_and_make_words() {
        let found = tokens(r#"event:"two words" "a:b" -"say \"hi\" \\" -"#);
        let expected = [
            (false, pair("event", ":", "two words")),
            (false, Token::Word("a:b".into())),
            (true, Token::Word(r#"say "hi" \"#.into())),
            (false, Token::Word("-".into())),
        ];
        assert_eq!(found, expected);
        assert_eq!(split(r#"ok "open ended"#).unwrap_err(), r#""open ended"#);
    }

    #[test]
    fn sizes_and_durations_have_units() {
        assert_eq!(size("10KiB"), Some(10_240));
        assert_eq!(size("1.5mb"), Some(1_500_000));
        assert_eq!(size("500"), Some(500));
        assert_eq!([size("-1"), size("10 parsecs"), size("KiB"), size("nan")], [None; 4]);
        assert_eq!(duration_ms("2s"), Some(2000.0));
        assert_eq!(duration_ms("2h"), None);
    }
}
