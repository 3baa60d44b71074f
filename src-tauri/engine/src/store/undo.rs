//! What was deleted or released a moment ago, kept as it was, so that it can be put back.
//!
//! It is in memory only: what a person deleted is on the disk no more. The writer owns it, and changes it with the
//! transaction that a change belongs to.

use super::{
    Store, StoreError, claims, group,
    record::Late,
    retention::{self, PARTS},
};
use crate::model::{ClaimSelector, RestoredClaims};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params_from_iter, types::Value};
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// How long it is kept.
const KEPT: Duration = Duration::from_secs(30);
/// No more is kept at once, in bytes; what does not fit is not deleted.
const MOST: usize = 64 * 1024 * 1024;
/// What a row costs beside its texts and bytes, about, in bytes.
const ROW: usize = 512;

/// The values of a row, in the table's order.
type Values = Vec<Value>;

/// A delivery that was deleted.
#[derive(Debug)]
struct Deleted {
    until: Instant,
    bytes: usize,
    rows: Vec<(&'static str, Values)>,
    /// What became known of it since: its answer may still have been on its way.
    late: Vec<Late>,
}

/// Claims that were released together.
#[derive(Debug)]
struct Released {
    until: Instant,
    bytes: usize,
    rows: Vec<Values>,
}

/// What can still be put back.
#[derive(Debug, Default)]
pub(super) struct Undo {
    deliveries: HashMap<i64, Deleted>,
    claims: HashMap<u64, Released>,
    /// The number of the last release.
    last: u64,
}

impl Undo {
    /// What all of it costs.
    fn bytes(&self) -> usize {
        let deliveries: usize = self.deliveries.values().map(|one| one.bytes).sum();
        deliveries + self.claims.values().map(|one| one.bytes).sum::<usize>()
    }

    /// How many more bytes can be kept.
    fn room(&self) -> usize {
        MOST.saturating_sub(self.bytes())
    }

    /// How long it is until something is forgotten; `None` where nothing is kept.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        let deliveries = self.deliveries.values().map(|one| one.until);
        let next = deliveries.chain(self.claims.values().map(|one| one.until)).min()?;
        Some(next.saturating_duration_since(now))
    }

    /// Forgets what was kept for long enough.
    pub(super) fn forget(&mut self, now: Instant) {
        self.deliveries.retain(|_, one| one.until > now);
        self.claims.retain(|_, one| one.until > now);
    }

    /// Takes what became known of a delivery that is stored no more, where it is kept here.
    pub(super) fn late(&mut self, seq: i64, late: Late) {
        if let Some(deleted) = self.deliveries.get_mut(&seq) {
            deleted.bytes += late.stored_bytes();
            deleted.late.push(late);
        }
    }

    fn keep_claims(&mut self, released: Released) -> u64 {
        self.last += 1;
        self.claims.insert(self.last, released);
        self.last
    }

    fn drop_deliveries(&mut self, seqs: &[i64]) {
        for seq in seqs {
            self.deliveries.remove(seq);
        }
    }
}

impl Store {
    /// Deletes deliveries, pinned or not, and keeps them for half a minute, so that they can be restored. Says how many
    /// there were; `None` where they are too large together to be kept: then nothing was deleted.
    ///
    /// # Errors
    /// When the database cannot be written; nothing was deleted then.
    pub async fn discard(&self, seqs: Vec<i64>) -> Result<Option<u64>, StoreError> {
        self.change_and(
            move |connection, undo| {
                take_deliveries(connection, seqs, undo.room(), Instant::now() + KEPT)
            },
            |taken, undo| {
                taken.map(|rows| {
                    let count = rows.len() as u64;
                    undo.deliveries.extend(rows);
                    count
                })
            },
        )
        .await
    }

    /// Puts discarded deliveries back as they were. Says how many.
    ///
    /// # Errors
    /// When one of them is not kept any more, or the database cannot be written; none was put back then.
    pub async fn restore(&self, mut seqs: Vec<i64>) -> Result<u64, StoreError> {
        let restored = self.change_and(
            move |connection, undo| {
                seqs.sort_unstable();
                seqs.dedup();
                let put = put_deliveries(connection, undo, &seqs)?;
                Ok(put.map(|()| seqs))
            },
            |put, undo| {
                put.map(|seqs| {
                    undo.drop_deliveries(&seqs);
                    seqs.len() as u64
                })
            },
        );
        restored.await?.map_err(|seq| StoreError::TooLate { what: format!("delivery #{seq}") })
    }

    /// Gives claims back, all of them without a selector, and keeps them for half a minute, so that they can be
    /// restored. Says how many there were and under which number they are kept; `None` where they are too many: then
    /// nothing was given back.
    ///
    /// # Errors
    /// When the database cannot be written; nothing was given back then.
    pub async fn discard_claims(
        &self,
        which: Option<ClaimSelector>,
    ) -> Result<Option<(u64, u64)>, StoreError> {
        self.change_and(
            move |connection, undo| {
                take_claims(connection, which.as_ref(), undo.room(), Instant::now() + KEPT)
            },
            |taken, undo| {
                taken.map(|released| (released.rows.len() as u64, undo.keep_claims(released)))
            },
        )
        .await
    }

    /// Puts released claims back as they were, but for those that were claimed anew meanwhile: a lock that is held is
    /// never overwritten.
    ///
    /// # Errors
    /// When they are not kept any more, or the database cannot be written; none was put back then.
    pub async fn restore_claims(&self, number: u64) -> Result<RestoredClaims, StoreError> {
        let restored = self.change_and(
            move |connection, undo| {
                let Some(released) = undo.claims.get(&number) else { return Ok(None) };
                put_claims(connection, &released.rows).map(Some)
            },
            move |put, undo| put.inspect(|_| drop(undo.claims.remove(&number))),
        );
        let too_late = || StoreError::TooLate { what: "what was released".into() };
        restored.await?.ok_or_else(too_late)
    }
}

/// Reads and deletes these deliveries, unless they are more than can be kept.
fn take_deliveries(
    connection: &Connection,
    mut seqs: Vec<i64>,
    room: usize,
    until: Instant,
) -> Result<Option<Vec<(i64, Deleted)>>> {
    if seqs.len() > retention::STEP as usize {
        return Ok(None);
    }
    seqs.sort_unstable();
    seqs.dedup();
    let (mut taken, mut bytes) = (Vec::new(), 0);
    for seq in &seqs {
        let Some(stored) = stored_bytes(connection, *seq)? else { continue };
        bytes += stored;
        // Before the bytes are read: there may be very many.
        if bytes > room {
            return Ok(None);
        }
        let rows = std::iter::once("deliveries")
            .chain(PARTS)
            .filter_map(|table| {
                read_row(connection, table, *seq).transpose().map(|row| Ok((table, row?)))
            })
            .collect::<Result<_>>()?;
        taken.push((*seq, Deleted { until, bytes: stored, rows, late: Vec::new() }));
    }
    retention::delete(connection, &seqs)?;
    Ok(Some(taken))
}

/// What it costs to keep a delivery.
fn stored_bytes(connection: &Connection, seq: i64) -> Result<Option<usize>> {
    let mut statement =
        connection.prepare_cached("SELECT stored FROM deliveries WHERE seq = ?1")?;
    let stored: Option<i64> = statement.query_row([seq], |row| row.get(0)).optional()?;
    Ok(stored.map(|stored| usize::try_from(stored).unwrap_or(usize::MAX).saturating_add(4 * ROW)))
}

fn read_row(connection: &Connection, table: &str, seq: i64) -> Result<Option<Values>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT * FROM {table} WHERE seq = ?1"))?;
    statement.query_row([seq], values).optional()
}

fn values(row: &Row<'_>) -> Result<Values> {
    (0..row.as_ref().column_count()).map(|column| row.get(column)).collect()
}

fn insert_row(connection: &Connection, table: &str, row: &Values, or: &str) -> Result<usize> {
    let places = vec!["?"; row.len()].join(", ");
    let sql = format!("INSERT INTO {table} VALUES ({places}) {or}");
    connection.prepare_cached(&sql)?.execute(params_from_iter(row))
}

/// Writes deliveries again as they were; the number of one that is not kept, where there is such a one.
fn put_deliveries(
    connection: &Connection,
    undo: &Undo,
    seqs: &[i64],
) -> Result<std::result::Result<(), i64>> {
    if let Some(gone) = seqs.iter().find(|seq| !undo.deliveries.contains_key(seq)) {
        return Ok(Err(*gone));
    }
    for (seq, deleted) in seqs.iter().filter_map(|seq| Some((seq, undo.deliveries.get(seq)?))) {
        for (table, row) in &deleted.rows {
            insert_row(connection, table, row, "")?;
        }
        for late in &deleted.late {
            group::insert_late(connection, *seq, late)?;
        }
    }
    super::grams::restored(connection, seqs)?;
    Ok(Ok(()))
}

/// Reads and deletes claims, unless they are more than can be kept.
fn take_claims(
    connection: &Connection,
    which: Option<&ClaimSelector>,
    room: usize,
    until: Instant,
) -> Result<Option<Released>> {
    let (chosen, given) = claims::chosen(which);
    let bytes: i64 = connection.query_row(
        &format!(
            "SELECT coalesce(sum(length(CAST(job_id AS BLOB)) + length(CAST(path AS BLOB)) + {ROW}), 0)
             FROM claims {chosen}"
        ),
        params_from_iter(&given),
        |row| row.get(0),
    )?;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    if bytes > room {
        return Ok(None);
    }
    let mut statement = connection.prepare(&format!("SELECT * FROM claims {chosen}"))?;
    let rows = statement.query_map(params_from_iter(&given), values)?.collect::<Result<_>>()?;
    claims::release(connection, which)?;
    Ok(Some(Released { until, bytes, rows }))
}

/// Writes claims again as they were, where nobody has taken them meanwhile.
fn put_claims(connection: &Connection, rows: &[Values]) -> Result<RestoredClaims> {
    let mut restored = 0;
    for row in rows {
        restored += insert_row(connection, "claims", row, "ON CONFLICT DO NOTHING")? as u64;
    }
    Ok(RestoredClaims { restored, taken: rows.len() as u64 - restored })
}

#[cfg(test)]
mod tests;
