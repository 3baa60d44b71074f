//! The watch list, and whether a delivery of a job is here.

use crate::{
    clock::rfc3339,
    model::{WatchState, WatchedJob},
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};

/// How many jobs are kept on the list; the oldest of those that need no more looks go first.
const KEPT: u32 = 500;

/// A job on the watch list, with what the next look needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchEntry {
    /// The job.
    pub job_id: String,
    /// When it was put on the list.
    pub added: Timestamp,
    /// When its webhook is expected.
    pub expected: Timestamp,
    /// What is known.
    pub state: WatchState,
    /// Sume's own word at the last look.
    pub word: Option<String>,
    /// When it was first seen to be finished.
    pub finished: Option<Timestamp>,
    /// How many looks there were.
    pub looks: u32,
    /// The last look.
    pub checked: Option<Timestamp>,
    /// The next look; `None` when none is needed.
    pub next: Option<Timestamp>,
    /// The first delivery of it that is here.
    pub delivery: Option<i64>,
    /// What went wrong at the last look.
    pub problem: Option<String>,
}

impl WatchEntry {
    /// As it is shown.
    pub fn to_model(&self) -> WatchedJob {
        WatchedJob {
            job_id: self.job_id.clone(),
            added_at: rfc3339(self.added),
            expected_at: rfc3339(self.expected),
            state: self.state,
            word: self.word.clone(),
            checked_at: self.checked.map(rfc3339),
            next_at: self.next.map(rfc3339),
            delivery: self.delivery,
            problem: self.problem.clone(),
        }
    }
}

const COLUMNS: &str = "job_id, added_us, expected_us, state, word, finished_us, looks, checked_us, next_us, delivery, problem";

/// The list, the newest first.
pub(super) fn list(connection: &Connection) -> Result<Vec<WatchEntry>> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM watched ORDER BY added_us DESC, job_id"))?;
    statement.query_map([], from_row)?.collect()
}

/// Puts a job on the list, in the place of an earlier entry of it.
pub(super) fn add(connection: &Connection, entry: &WatchEntry) -> Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO watched ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            entry.job_id,
            entry.added.as_microsecond(),
            entry.expected.as_microsecond(),
            word(entry.state),
            entry.word,
            entry.finished.map(Timestamp::as_microsecond),
            entry.looks,
            entry.checked.map(Timestamp::as_microsecond),
            entry.next.map(Timestamp::as_microsecond),
            entry.delivery,
            entry.problem,
        ])?;
    connection.execute(
        "DELETE FROM watched WHERE next_us IS NULL AND job_id NOT IN
             (SELECT job_id FROM watched ORDER BY next_us IS NULL, added_us DESC LIMIT ?1)",
        [KEPT],
    )?;
    Ok(())
}

/// Brings an entry up to date; says whether it is there still. One that was added anew meanwhile is left as it is.
pub(super) fn update(connection: &Connection, entry: &WatchEntry) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "UPDATE watched SET state = ?3, word = ?4, finished_us = ?5, looks = ?6, checked_us = ?7, next_us = ?8,
             delivery = ?9, problem = ?10 WHERE job_id = ?1 AND added_us = ?2",
    )?;
    let changed = statement.execute(params![
        entry.job_id,
        entry.added.as_microsecond(),
        word(entry.state),
        entry.word,
        entry.finished.map(Timestamp::as_microsecond),
        entry.looks,
        entry.checked.map(Timestamp::as_microsecond),
        entry.next.map(Timestamp::as_microsecond),
        entry.delivery,
        entry.problem,
    ])?;
    Ok(changed > 0)
}

/// Takes a job off the list; says whether it was on it.
pub(super) fn remove(connection: &Connection, job_id: &str) -> Result<bool> {
    Ok(connection.execute("DELETE FROM watched WHERE job_id = ?1", [job_id])? > 0)
}

/// The first delivery of a job that is no forgery: the one that claimed it, or that the naive responder let win.
pub(super) fn delivery_at_hand(connection: &Connection, job_id: &str) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT min(seq) FROM (
             SELECT first_delivery AS seq FROM claims WHERE job_id = ?1 AND job_id_type IN ('string', 'number')
             UNION ALL
             SELECT seq FROM deliveries WHERE naive_win AND job_id = ?1)",
    )?;
    statement.query_row([job_id], |row| row.get(0))
}

/// As [`delivery_at_hand`], also where its claim was released. Reads every delivery: for a moment that matters.
pub(super) fn delivery_at_all(connection: &Connection, job_id: &str) -> Result<Option<i64>> {
    if let Some(seq) = delivery_at_hand(connection, job_id)? {
        return Ok(Some(seq));
    }
    let mut statement = connection.prepare_cached(
        "SELECT seq FROM deliveries WHERE job_id = ?1 AND signature IN ('valid', 'unchecked') AND method = 'POST'
         AND job_id_type IN ('string', 'number') AND expected_size IS NULL AND claim_reason IS NOT 'imported'
         ORDER BY seq LIMIT 1",
    )?;
    statement.query_row([job_id], |row| row.get(0)).optional()
}

fn from_row(row: &Row<'_>) -> Result<WatchEntry> {
    let time = |us: i64| Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH);
    let state: String = row.get(3)?;
    Ok(WatchEntry {
        job_id: row.get(0)?,
        added: time(row.get(1)?),
        expected: time(row.get(2)?),
        state: parse(&state),
        word: row.get(4)?,
        finished: row.get::<_, Option<i64>>(5)?.map(time),
        looks: row.get(6)?,
        checked: row.get::<_, Option<i64>>(7)?.map(time),
        next: row.get::<_, Option<i64>>(8)?.map(time),
        delivery: row.get(9)?,
        problem: row.get(10)?,
    })
}

fn word(state: WatchState) -> &'static str {
    match state {
        WatchState::Missed => "missed",
        WatchState::Late => "late",
        WatchState::Waiting => "waiting",
        WatchState::Delivered => "delivered",
        WatchState::Unknown => "unknown",
    }
}

fn parse(word: &str) -> WatchState {
    match word {
        "missed" => WatchState::Missed,
        "late" => WatchState::Late,
        "waiting" => WatchState::Waiting,
        "delivered" => WatchState::Delivered,
        _ => WatchState::Unknown,
    }
}
