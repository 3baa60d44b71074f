//! How deliveries read in a terminal: columns, and nothing that a sender could use to write on the screen.

use bytesize::ByteSize;
use hooktwice_engine::model::{ClaimState, Delivery, HeaderValue};
use jiff::{Timestamp, tz::TimeZone};
use std::fmt::Write as _;

/// Text from outside, with every control character written out, so that it can neither move the cursor nor hide.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// As [`clean`], but lines stay lines.
pub(crate) fn clean_lines(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| clean(line.trim_end_matches('\r'))).collect();
    lines.join("\n")
}

/// `87 B`, `1.5 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    ByteSize(bytes).display().iec().to_string()
}

/// The local time of day of an RFC 3339 text, with milliseconds.
pub(crate) fn time_of_day(rfc3339: &str) -> String {
    rfc3339.parse::<Timestamp>().map_or_else(
        |_| clean(rfc3339),
        |time| time.to_zoned(TimeZone::system()).strftime("%H:%M:%S%.3f").to_string(),
    )
}

/// Seconds or milliseconds, whichever reads better.
pub(crate) fn millis(ms: f64) -> String {
    if ms >= 1000.0 { format!("{:.2} s", ms / 1000.0) } else { format!("{ms:.1} ms") }
}

/// A header's value as text; bytes that are not UTF-8 as their base64.
pub(crate) fn header_value(value: &HeaderValue) -> String {
    match value {
        HeaderValue::Text(text) => clean(text),
        HeaderValue::Bytes { base64 } => format!("(base64) {base64}"),
    }
}

/// `won`, `duplicate of #1`, or why nothing was claimed.
pub(crate) fn claim(delivery: &Delivery) -> String {
    match (delivery.claim, delivery.duplicate_of, delivery.claim_reason) {
        (ClaimState::Duplicate, Some(winner), _) if delivery.body_differs => {
            format!("duplicate of #{winner}, body differs")
        }
        (ClaimState::Duplicate, Some(winner), _) => format!("duplicate of #{winner}"),
        (ClaimState::None, _, Some(reason)) => reason.as_str().replace('-', " "),
        (claim, ..) => claim.as_str().to_owned(),
    }
}

/// One line for a delivery, and beneath it whatever is odd about it.
pub(crate) fn delivery(delivery: &Delivery) -> String {
    let target = match delivery.query.as_str() {
        "" => clean(&delivery.path),
        query => clean(&format!("{}?{query}", delivery.path)),
    };
    let number = format!("#{}", delivery.seq);
    let status = delivery.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
    let mut text = format!(
        "{number:<6} {time} {method:<6} {target:<20} {size:>9}  {event:<15} {job:<20} {signature:<9} {claim:<17} {status:>3}",
        time = time_of_day(&delivery.received_at),
        method = clean(&delivery.method),
        size = size(delivery.size),
        event = delivery.event.as_deref().map_or_else(|| "-".to_owned(), clean),
        job = delivery.job_id.as_deref().map_or_else(|| "-".to_owned(), clean),
        signature = delivery.signature.state.as_str(),
        claim = claim(delivery),
    );
    if let Some(ms) = delivery.duration_ms {
        let _ = write!(text, " {:>8}", millis(ms));
    }
    match delivery.ended {
        None => text.push_str("  (being answered)"),
        Some(ended) if ended.as_str() != "answered" => {
            let _ = write!(text, "  {}", ended.as_str().replace('-', " "));
        }
        Some(_) => {}
    }
    let signature = &delivery.signature;
    let odd = signature.reason.iter().chain(&signature.hints).chain(&delivery.notes);
    for line in odd {
        let _ = write!(text, "\n       {}", clean(line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_cannot_write_on_the_screen() {
        assert_eq!(clean("/a\u{1b}[2J\u{9b}é"), "/a\\u{1b}[2J\\u{9b}é");
        assert_eq!(clean_lines("a\r\nb\u{7}"), "a\nb\\u{7}");
    }

    #[test]
    fn sizes_and_times_are_short() {
        assert_eq!(size(87), "87 B");
        assert_eq!(size(10 * 1024 * 1024), "10.0 MiB");
        assert_eq!(millis(0.84), "0.8 ms");
        assert_eq!(millis(1500.0), "1.50 s");
    }
}
