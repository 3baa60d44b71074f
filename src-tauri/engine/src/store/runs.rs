//! The last runs with their copies.

use crate::model::{CopyReport, RunReport};
use rusqlite::{Connection, Error, OptionalExtension as _, Result, params, types::Type};
use serde::de::DeserializeOwned;

/// How many runs are kept.
const KEPT: u32 = 200;

/// Keeps a run; one that is there already is brought up to date. The oldest ones go.
pub(super) fn save(connection: &Connection, mut run: RunReport) -> Result<()> {
    let json = |error: serde_json::Error| Error::ToSqlConversionFailure(error.into());
    let copies = serde_json::to_string(&std::mem::take(&mut run.copies)).map_err(json)?;
    let report = serde_json::to_string(&run).map_err(json)?;
    connection.execute(
        "INSERT INTO runs (id, started_at, report, copies) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET report = excluded.report, copies = excluded.copies",
        params![run.id, run.started_at, report, copies],
    )?;
    connection.execute(
        "DELETE FROM runs WHERE id NOT IN (SELECT id FROM runs ORDER BY started_at DESC, id DESC LIMIT ?1)",
        [KEPT],
    )?;
    Ok(())
}

/// The last runs, newest first, without their copies; a limit of 0 is none.
pub(super) fn list(connection: &Connection, limit: u32) -> Result<Vec<RunReport>> {
    let limit = if limit == 0 { -1 } else { i64::from(limit) };
    let mut statement = connection
        .prepare_cached("SELECT report FROM runs ORDER BY started_at DESC, id DESC LIMIT ?1")?;
    statement.query_map([limit], |row| from_json(&row.get::<_, String>(0)?))?.collect()
}

/// One run with its copies.
pub(super) fn get(connection: &Connection, id: &str) -> Result<Option<RunReport>> {
    let mut statement =
        connection.prepare_cached("SELECT report, copies FROM runs WHERE id = ?1")?;
    let run = statement.query_row([id], |row| {
        let copies: Vec<CopyReport> = from_json(&row.get::<_, String>(1)?)?;
        Ok(RunReport { copies, ..from_json(&row.get::<_, String>(0)?)? })
    });
    run.optional()
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::FromSqlConversionFailure(0, Type::Text, error.into()))
}
