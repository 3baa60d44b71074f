//! The function that bare words of a filter are searched with.

use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

/// Adds `holds(text or bytes, lower-case needle)` to a connection: whether the bytes hold the needle, letters of
/// ASCII in either case. SQLite's own `LIKE` stops at a NUL and reads a body as text; this reads bytes.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("holds", 2, flags, |context: &Context<'_>| {
        Ok(match (context.get_raw(0), context.get_raw(1)) {
            (
                ValueRef::Text(hay) | ValueRef::Blob(hay),
                ValueRef::Text(needle) | ValueRef::Blob(needle),
            ) => holds(hay, needle),
            _ => false,
        })
    })
}

fn holds(hay: &[u8], needle: &[u8]) -> bool {
    let Some((&first, rest)) = needle.split_first() else { return true };
    let starts = memchr::memchr2_iter(first, first.to_ascii_uppercase(), hay);
    starts
        .map(|start| &hay[start + 1..])
        .any(|tail| tail.get(..rest.len()).is_some_and(|part| part.eq_ignore_ascii_case(rest)))
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn ascii_case_is_folded_and_other_bytes_are_not() {
        assert!(holds(b"\x00\xffJob.Completed", b"job.c"));
        assert!(holds(b"aab", b"ab"));
        assert!(holds(b"x", b""));
        assert!(!holds(b"ab", b"abc"));
        assert!(holds("Grüße".as_bytes(), "grüße".as_bytes()));
        assert!(!holds("GRÜSSE".as_bytes(), "grü".as_bytes()));
    }
}
