//! The claim table: a key is taken by the first insert, and by nothing else.

use super::NewDelivery;
use crate::{
    clock::rfc3339,
    model::{ClaimRow, ClaimSelector, JobIdType, JobKey},
};
use jiff::Timestamp;
use rusqlite::{
    Connection, OptionalExtension as _, Result, Row, params, params_from_iter, types::Value,
};

/// A claim's key, borrowed. The type is a part of it: `123` and `"123"` are two jobs (C36).
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a> {
    pub(super) path: &'a str,
    pub(super) job_id: &'a str,
    pub(super) job_id_type: JobIdType,
}

impl<'a> From<&'a JobKey> for Key<'a> {
    fn from(key: &'a JobKey) -> Self {
        Self { path: &key.path, job_id: &key.job_id, job_id_type: key.job_id_type }
    }
}

/// The delivery that holds a claim.
#[derive(Debug)]
pub(super) struct Winner {
    pub(super) seq: i64,
    pub(super) body_sha256: [u8; 32],
}

/// Tries to take a key. Whether it was taken is read from this statement's own count of changed rows, never from the
/// last row id, which keeps its old value after an insert that was ignored (C30).
pub(super) fn insert(
    connection: &Connection,
    key: Key<'_>,
    seq: i64,
    new: &NewDelivery,
) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO claims (job_id, job_id_type, path, first_delivery, claimed_us, deliveries, body_sha256)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6) ON CONFLICT DO NOTHING",
    )?;
    let changed = statement.execute(params![
        key.job_id,
        key.job_id_type.as_str(),
        key.path,
        seq,
        new.received_at.as_microsecond(),
        new.body_sha256,
    ])?;
    Ok(changed == 1)
}

/// Counts one more delivery of a key that is taken, and says who took it.
pub(super) fn count_duplicate(connection: &Connection, key: Key<'_>) -> Result<Winner> {
    let mut statement = connection.prepare_cached(
        "UPDATE claims SET deliveries = deliveries + 1 WHERE job_id = ?1 AND job_id_type = ?2 AND path = ?3
         RETURNING first_delivery, body_sha256",
    )?;
    statement.query_row(params![key.job_id, key.job_id_type.as_str(), key.path], |row| {
        Ok(Winner { seq: row.get(0)?, body_sha256: row.get(1)? })
    })
}

/// The delivery that holds a key's claim.
pub(super) fn winner(connection: &Connection, key: Key<'_>) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT first_delivery FROM claims WHERE job_id = ?1 AND job_id_type = ?2 AND path = ?3",
    )?;
    statement
        .query_row(params![key.job_id, key.job_id_type.as_str(), key.path], |row| row.get(0))
        .optional()
}

/// The earliest delivery that the naive responder let win under a key.
pub(super) fn naive_winner(connection: &Connection, key: Key<'_>) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT min(seq) FROM deliveries WHERE naive_win AND job_id = ?1 AND job_id_type = ?2 AND path = ?3",
    )?;
    statement.query_row(params![key.job_id, key.job_id_type.as_str(), key.path], |row| row.get(0))
}

/// How many deliveries of a key won, claimed or naive.
pub(super) fn wins(connection: &Connection, key: Key<'_>) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM deliveries WHERE claim = 'won' AND job_id = ?1 AND job_id_type = ?2 AND path = ?3",
    )?;
    let count: i64 = statement
        .query_row(params![key.job_id, key.job_id_type.as_str(), key.path], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Claims, newest first, and how many there are; a limit of 0 is none.
pub(super) fn list(
    connection: &Connection,
    limit: u32,
    offset: u32,
) -> Result<(Vec<ClaimRow>, u64)> {
    let total = count(connection)?;
    let limit = if limit == 0 { -1 } else { i64::from(limit) };
    let mut statement = connection.prepare_cached(
        "SELECT path, job_id, job_id_type, first_delivery, claimed_us, deliveries FROM claims
         ORDER BY first_delivery DESC LIMIT ?1 OFFSET ?2",
    )?;
    let rows = statement.query_map(params![limit, offset], from_row)?.collect::<Result<_>>()?;
    Ok((rows, total))
}

/// How many there are.
pub(super) fn count(connection: &Connection) -> Result<u64> {
    let count: i64 = connection.query_row("SELECT count(*) FROM claims", [], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

fn from_row(row: &Row<'_>) -> Result<ClaimRow> {
    let job_id_type: String = row.get(2)?;
    let claimed = Timestamp::from_microsecond(row.get(4)?).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(ClaimRow {
        path: row.get(0)?,
        job_id: row.get(1)?,
        job_id_type: JobIdType::parse(&job_id_type).unwrap_or(JobIdType::Other),
        first_delivery: row.get(3)?,
        claimed_at: rfc3339(claimed),
        deliveries: row.get::<_, i64>(5)?.unsigned_abs(),
    })
}

/// What a selector chooses, as the `WHERE` of a statement over `claims` with its values. Every claim without one: then
/// there is no `WHERE`, and a `DELETE` drops the table's pages whole.
pub(super) fn chosen(which: Option<&ClaimSelector>) -> (&'static str, Vec<Value>) {
    match which {
        Some(ClaimSelector { job_id, job_id_type, path }) => (
            "WHERE job_id = ?1 AND job_id_type = ?2 AND path = coalesce(?3, path)",
            vec![
                job_id.clone().into(),
                job_id_type.as_str().to_owned().into(),
                path.clone().into(),
            ],
        ),
        None => ("", Vec::new()),
    }
}

/// Gives claims back, every one without a selector. Says how many.
pub(super) fn release(connection: &Connection, which: Option<&ClaimSelector>) -> Result<u64> {
    let (chosen, values) = chosen(which);
    let sql = format!("DELETE FROM claims {chosen}");
    Ok(connection.execute(&sql, params_from_iter(values))? as u64)
}
