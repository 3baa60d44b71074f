//! The signed time: digits only, and how far it is from the receipt.

use super::SignedRequest;
use jiff::Timestamp;

/// From here on (the year 5138 in seconds) a number is milliseconds: 1e11 ms was in 1973.
const LOOKS_LIKE_MILLISECONDS: i64 = 100_000_000_000;

/// A signed time as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp<'a> {
    text: &'a [u8],
    seconds: i64,
}

/// Why there is no signed time, or another header that is signed. The digest of such a request may match; it is refused
/// all the same (C19).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StampFault {
    /// The header did not come.
    #[error("the header {0} is missing, and its value is part of what is signed")]
    Missing(String),
    /// Which of them was signed cannot be told.
    #[error(
        "ambiguous timestamp: {header} came {count} times, and which one was signed cannot be told"
    )]
    Several {
        /// The header.
        header: String,
        /// How many came.
        count: usize,
    },
    /// As for the time, of another header that is signed.
    #[error("ambiguous {header}: it came {count} times, and which one was signed cannot be told")]
    Repeated {
        /// The header.
        header: String,
        /// How many came.
        count: usize,
    },
    /// Anything but digits, or more of them than a time has.
    #[error("malformed timestamp: {header} is {shown}, and must be Unix seconds in digits only")]
    Malformed {
        /// The header.
        header: String,
        /// Its value, made safe to show.
        shown: String,
    },
}

impl<'a> Stamp<'a> {
    /// From the header of that name, which must come once.
    ///
    /// # Errors
    /// When it is missing, comes twice, or is not digits only.
    pub fn from_header(request: &SignedRequest<'a>, name: &str) -> Result<Self, StampFault> {
        let mut values = request.values(name);
        let text = values.next().ok_or_else(|| StampFault::Missing(name.to_owned()))?;
        match values.count() {
            0 => Self::parse(text, name),
            more => Err(StampFault::Several { header: name.to_owned(), count: more + 1 }),
        }
    }

    /// Looks that a header that is signed came, once and not empty: a digest over no id is not one of any event.
    ///
    /// # Errors
    /// When it did not.
    pub(super) fn require(request: &SignedRequest<'_>, name: &str) -> Result<(), StampFault> {
        match request.values(name).count() {
            0 => Err(StampFault::Missing(name.to_owned())),
            1 if request.first(Some(name)).is_empty() => Err(StampFault::Missing(name.to_owned())),
            1 => Ok(()),
            count => Err(StampFault::Repeated { header: name.to_owned(), count }),
        }
    }

    /// From its text; `name` is the header for the message.
    ///
    /// # Errors
    /// When it is not digits only: no sign, no space, no fraction, nothing after (C19).
    pub fn parse(text: &'a [u8], name: &str) -> Result<Self, StampFault> {
        let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let seconds =
            std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok());
        let malformed = || StampFault::Malformed { header: name.to_owned(), shown: shown(text) };
        Ok(Self { text, seconds: seconds.ok_or_else(malformed)? })
    }

    /// As it came; this is what the digest covers.
    pub fn text(self) -> &'a [u8] {
        self.text
    }

    /// Read as Unix seconds.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Seconds from the signed time to the receipt; below zero is ahead.
    pub fn age_s(self, received_at: Timestamp) -> f64 {
        received_at.as_duration().as_secs_f64() - self.seconds as f64
    }

    /// Whether it can only be milliseconds (C17).
    pub fn looks_like_milliseconds(self) -> bool {
        self.seconds >= LOOKS_LIKE_MILLISECONDS
    }

    /// Why it is outside the tolerance, as a sentence; `None` where it is within. Both ways, the ends included
    /// (C18), in whole seconds as the sender's clock gives them.
    pub(super) fn outside(self, received_at: Timestamp, tolerance_s: u32) -> Option<String> {
        let age = received_at.as_second().saturating_sub(self.seconds);
        if age.unsigned_abs() <= u64::from(tolerance_s) {
            return None;
        }
        let by = age.unsigned_abs();
        Some(if self.looks_like_milliseconds() {
            format!(
                "the timestamp looks like milliseconds ({}); this scheme sends Unix seconds",
                self.seconds
            )
        } else if age > 0 {
            format!(
                "the timestamp is too late: it is {by} s old, and the tolerance is {tolerance_s} s (an old delivery, or a clock that is wrong)"
            )
        } else {
            format!(
                "the timestamp is too early: it is {by} s ahead of this clock, and the tolerance is {tolerance_s} s (one of the clocks is wrong)"
            )
        })
    }
}

/// A value that came from outside, short and without anything that could upset a terminal.
fn shown(value: &[u8]) -> String {
    const MOST: usize = 40;
    if value.is_empty() {
        return "empty".to_owned();
    }
    let head = &value[..value.len().min(MOST)];
    let more =
        if value.len() > MOST { format!("… ({} bytes)", value.len()) } else { String::new() };
    format!("`{}`{more}", head.escape_ascii())
}
