//! Deleting: what retention lets go, and what a person does. In steps, so that no answer waits for long.

use super::grams;
use crate::model::Retention;
use rusqlite::{Connection, OptionalExtension as _, Result, params};

/// How many deliveries go in one step.
pub(super) const STEP: u32 = 1_000;
/// No more go in one step once they are so large together.
const STEP_BYTES: u64 = 32 * 1024 * 1024;
/// How many free pages are given back in one step.
const PAGES: u32 = 512;
/// Free pages that are kept for what comes next.
const PAGES_KEPT: u32 = 256;
/// Whatever else is kept of a delivery, by its number.
pub(super) const PARTS: [&str; 3] = ["contents", "answers", "forwards"];

/// How much is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) deliveries: u64,
    pub(super) bytes: u64,
}

impl Totals {
    /// Counts everything.
    pub(super) fn count(connection: &Connection) -> Result<Self> {
        connection.query_row(
            "SELECT count(*), coalesce(sum(stored), 0) FROM deliveries",
            [],
            |row| {
                Ok(Self {
                    deliveries: row.get::<_, i64>(0)?.unsigned_abs(),
                    bytes: row.get::<_, i64>(1)?.unsigned_abs(),
                })
            },
        )
    }

    /// With one more delivery.
    pub(super) fn add(&mut self, bytes: usize) {
        self.deliveries += 1;
        self.bytes += bytes as u64;
    }

    /// With more of the ones that there are.
    pub(super) fn grow(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    /// Whether more is stored than is to be kept, by more than a share of `1 / slack` of it.
    pub(super) fn exceed(self, retention: Retention, slack: u64) -> bool {
        let over = |stored: u64, limit: u64| limit != 0 && stored > limit + limit / slack;
        over(self.deliveries, retention.deliveries) || over(self.bytes, retention.bytes)
    }
}

/// Deletes the oldest deliveries that are not pinned until the rest fits, a step at most. Says how much is left, and
/// whether there is more to do.
pub(super) fn step(
    connection: &Connection,
    retention: Retention,
    mut totals: Totals,
) -> Result<(Totals, bool)> {
    let mut cut = None;
    for (seq, stored) in oldest(connection, i64::MAX)? {
        // Without slack: the step goes down to the limit itself.
        if !totals.exceed(retention, u64::MAX) {
            break;
        }
        cut = Some(seq);
        totals.deliveries = totals.deliveries.saturating_sub(1);
        totals.bytes = totals.bytes.saturating_sub(stored);
    }
    match cut {
        Some(cut) => delete_up_to(connection, cut)?,
        None => return Ok((totals, false)),
    };
    Ok((totals, totals.exceed(retention, u64::MAX)))
}

/// A step of the oldest deliveries that are not pinned, with their bytes; one at least, where there is one.
fn oldest(connection: &Connection, last: i64) -> Result<Vec<(i64, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, stored FROM deliveries WHERE NOT pinned AND seq <= ?1 ORDER BY seq LIMIT ?2",
    )?;
    let mut rows = statement.query(params![last, STEP])?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while bytes < STEP_BYTES {
        let Some(row) = rows.next()? else { break };
        let stored = row.get::<_, i64>(1)?.unsigned_abs();
        bytes += stored;
        found.push((row.get(0)?, stored));
    }
    Ok(found)
}

/// Deletes what is not pinned, up to a number. Says how many there were.
fn delete_up_to(connection: &Connection, cut: i64) -> Result<u64> {
    remember_last(connection)?;
    let deleted = connection
        .prepare_cached("DELETE FROM deliveries WHERE seq <= ?1 AND NOT pinned")?
        .execute([cut])?;
    for table in PARTS {
        connection
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE seq <= ?1
                 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.seq = {table}.seq)"
            ))?
            .execute([cut])?;
    }
    grams::forget(connection, cut)?;
    Ok(deleted as u64)
}

/// Deletes these deliveries, pinned or not. Says how many there were.
pub(super) fn delete(connection: &Connection, seqs: &[i64]) -> Result<u64> {
    if seqs.is_empty() {
        return Ok(0);
    }
    remember_last(connection)?;
    let mut deleted = 0;
    for seq in seqs {
        deleted +=
            connection.prepare_cached("DELETE FROM deliveries WHERE seq = ?1")?.execute([seq])?;
        for table in PARTS {
            connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE seq = ?1"))?
                .execute([seq])?;
        }
    }
    Ok(deleted as u64)
}

/// Deletes up to a step of the deliveries up to `last` that are not pinned. Says how many.
pub(super) fn clear_step(connection: &Connection, last: i64) -> Result<u64> {
    match oldest(connection, last)?.last() {
        Some((cut, _)) => delete_up_to(connection, *cut),
        None => Ok(0),
    }
}

/// Pins or unpins. Says how many changed.
pub(super) fn pin(connection: &Connection, seq: i64, pinned: bool) -> Result<u64> {
    let sql = "UPDATE deliveries SET pinned = ?2 WHERE seq = ?1 AND pinned <> ?2";
    Ok(connection.execute(sql, params![seq, pinned])? as u64)
}

/// The highest number that was ever given; 0 where there was none.
pub(super) fn last_seq(connection: &Connection) -> Result<i64> {
    connection.query_row(
        "SELECT max(coalesce((SELECT max(seq) FROM deliveries), 0),
                    coalesce((SELECT value FROM marks WHERE name = 'last_seq'), 0))",
        [],
        |row| row.get(0),
    )
}

/// Writes the highest number down before its delivery is deleted, so that none is ever given twice: claims and
/// duplicates go on naming their winner by it.
fn remember_last(connection: &Connection) -> Result<()> {
    set_mark(connection, "last_seq", last_seq(connection)?)
}

fn set_mark(connection: &Connection, name: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO marks (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value";
    connection.prepare_cached(sql)?.execute(params![name, value])?;
    Ok(())
}

/// Gives some free pages back to the file system. Says whether there are more.
pub(super) fn give_back(connection: &Connection) -> Result<bool> {
    let free = |connection: &Connection| {
        connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0))
    };
    let before = free(connection)?;
    if before <= PAGES_KEPT {
        return Ok(false);
    }
    // Each row is a page that is given back; the statement must be read to its end.
    let mut statement = connection
        .prepare(&format!("PRAGMA incremental_vacuum({})", PAGES.min(before - PAGES_KEPT)))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(free(connection)? > PAGES_KEPT)
}

/// Up to this number every delivery is known to have its answer; 0 where nothing is known.
pub(super) fn answered_up_to(connection: &Connection) -> Result<i64> {
    let sql = "SELECT value FROM marks WHERE name = 'answered'";
    Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Writes that number down, so that the next start looks at what came after it and not at everything.
pub(super) fn set_answered_up_to(connection: &Connection, seq: i64) -> Result<()> {
    set_mark(connection, "answered", seq)
}

/// Marks what was being answered when the program was killed (C48). Says how many there were.
pub(super) fn mark_interrupted(connection: &Connection) -> Result<usize> {
    let after = answered_up_to(connection)?;
    let note = super::rows::json_list(&["the program ended before this was answered".to_owned()]);
    let open = "SELECT 1 FROM deliveries d LEFT JOIN answers a USING (seq) WHERE a.seq IS NULL AND d.seq > ?1 LIMIT 1";
    if connection.query_row(open, [after], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    connection.execute(
        "INSERT INTO answers (seq, ended, notes, head, body)
         SELECT d.seq, 'interrupted', ?1, x'', x'' FROM deliveries d LEFT JOIN answers a USING (seq)
         WHERE a.seq IS NULL AND d.seq > ?2",
        params![note, after],
    )
}
