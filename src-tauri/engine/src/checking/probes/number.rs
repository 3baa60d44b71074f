//! A number of effects, read from what a probe was given. What is none is described: `the text "abc"`, `-1`.

/// How much of a text is shown, in characters.
const SHOWN: usize = 80;

/// A whole number.
pub(super) fn integer(value: i64) -> Result<u32, String> {
    u64::try_from(value).map(clamped).map_err(|_| value.to_string())
}

/// A number with a point, as long as nothing but zeros is behind it.
pub(super) fn real(value: f64) -> Result<u32, String> {
    if !value.is_finite() || value < 0.0 || value.fract() != 0.0 {
        return Err(value.to_string());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and not negative; a cast of what is too large gives the largest number"
    )]
    Ok(value as u32)
}

/// A text of digits.
pub(super) fn text(text: &str) -> Result<u32, String> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(if text.is_empty() {
            "an empty text".to_owned()
        } else {
            format!("the text {:?}", clip(text))
        });
    }
    // Digits alone can only be too many.
    Ok(text.parse().unwrap_or(u32::MAX))
}

/// A count that may be larger than one is kept.
pub(super) fn clamped(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The beginning of a text that may be long.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_counts_and_too_large_ones_are_clamped() {
        assert_eq!(integer(0), Ok(0));
        assert_eq!(integer(i64::MAX), Ok(u32::MAX));
        assert_eq!(real(3.0), Ok(3));
        assert_eq!(real(1e300), Ok(u32::MAX));
        assert_eq!(text(" 007\n"), Ok(7));
        assert_eq!(text("99999999999999999999999999"), Ok(u32::MAX));
    }

    #[test]
    fn what_is_no_count_is_described() {
        assert_eq!(integer(-1), Err("-1".into()));
        assert_eq!(real(2.5), Err("2.5".into()));
        assert_eq!(real(-1.0), Err("-1".into()));
        assert_eq!(real(f64::NAN), Err("NaN".into()));
        assert_eq!(text(" "), Err("an empty text".into()));
        for no_digits in ["-1", "+1", "1.0", "1 2", "1e3", "٣"] {
            assert_eq!(text(no_digits), Err(format!("the text {no_digits:?}")));
        }
        let long = text(&"é".repeat(200)).unwrap_err();
        assert!(long.chars().count() < 100 && long.ends_with("…\""), "{long}");
    }
}
