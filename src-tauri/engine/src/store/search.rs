//! Finding a bare word in bytes, and the functions that a filter's SQL calls.

use super::bits;
use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

/// Adds to a connection:
///
/// - `holds(text or bytes, lower-case needle)`: whether the bytes hold the needle, letters of ASCII in either case.
///   SQLite's own `LIKE` stops at a NUL and reads a body as text; this reads bytes.
/// - `marked(set, number)`: whether a set of [`bits::Bits`] has the number.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("holds", 2, flags, |context: &Context<'_>| {
        Ok(match (context.get_raw(0), context.get_raw(1)) {
            (
                ValueRef::Text(hay) | ValueRef::Blob(hay),
                ValueRef::Text(needle) | ValueRef::Blob(needle),
            ) => Needle::new(needle).is_in(hay),
            _ => false,
        })
    })?;
    connection.create_scalar_function("marked", 2, flags, |context: &Context<'_>| {
        Ok(match (context.get_raw(0), context.get_raw(1)) {
            (ValueRef::Blob(set), ValueRef::Integer(number)) => bits::marked(set, number),
            _ => false,
        })
    })
}

/// What is looked for, in lower case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needle<'a> {
    bytes: &'a [u8],
    /// Where its rarest byte stands: that one is looked for, so that there are few false starts.
    rarest: usize,
}

impl<'a> Needle<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let rarest =
            (0..bytes.len()).min_by_key(|at| FREQUENCY[usize::from(bytes[*at])]).unwrap_or(0);
        Self { bytes, rarest }
    }

    /// Whether these bytes hold it, letters of ASCII in either case.
    pub(super) fn is_in(self, hay: &[u8]) -> bool {
        let Some(&rare) = self.bytes.get(self.rarest) else { return true };
        // The rarest byte of a match can stand neither before nor after these.
        let Some(room) = hay.len().checked_sub(self.bytes.len()) else { return false };
        memchr::memchr2_iter(
            rare,
            rare.to_ascii_uppercase(),
            &hay[self.rarest..=self.rarest + room],
        )
        .any(|start| hay[start..start + self.bytes.len()].eq_ignore_ascii_case(self.bytes))
    }
}

/// How often a byte stands in JSON with English in it, roughly: a higher number is more often. A table, since a needle is
/// made for every row that a filter looks at.
const FREQUENCY: [u8; 256] = {
    const OFTEN: &[u8] = b"~|^`%$#@!;&*?+=<>()[]{}\\'zqjxkv9876543210_-/.,:wygbfmpuhdlcsrniaote \"";
    let mut table = [0; 256];
    let (mut place, mut rank) = (0, 1);
    while place < OFTEN.len() {
        table[OFTEN[place] as usize] = rank;
        (place, rank) = (place + 1, rank + 1);
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(hay: &[u8], needle: &[u8]) -> bool {
        Needle::new(needle).is_in(hay)
    }

    #[test]
    fn ascii_case_is_folded_and_other_bytes_are_not() {
        assert!(holds(b"\x00\xffJob.Completed", b"job.c"));
        assert!(holds(b"aab", b"ab"));
        assert!(holds(b"x", b""));
        assert!(holds(b"", b""));
        assert!(!holds(b"ab", b"abc"));
        assert!(holds("Grüße".as_bytes(), "grüße".as_bytes()));
        assert!(!holds("GRÜSSE".as_bytes(), "grü".as_bytes()));
    }

    #[test]
    fn a_match_is_found_wherever_it_stands() {
        for needle in ["zee", "eze", "eez", "q"] {
            for at in 0..20 {
                let mut hay = vec![b'e'; 20];
                hay.splice(at..at, needle.to_uppercase().into_bytes());
                assert!(holds(&hay, needle.as_bytes()), "{needle} at {at}");
            }
        }
        assert!(!holds(&[b'e'; 20], b"ez"));
    }
}
