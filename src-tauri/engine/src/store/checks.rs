//! The last checks.

use crate::model::CheckReport;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, params, types::Type};

/// How many checks are kept.
const KEPT: u32 = 100;

/// Keeps a check that is done. The oldest ones go.
pub(super) fn save(connection: &Connection, mut check: CheckReport) -> Result<()> {
    let json = |error: serde_json::Error| Error::ToSqlConversionFailure(error.into());
    let report = serde_json::to_string(&check).map_err(json)?;
    check.scenarios.iter_mut().for_each(|scenario| scenario.traces.clear());
    check.handler_output = None;
    let summary = serde_json::to_string(&check).map_err(json)?;
    connection.execute(
        "INSERT OR REPLACE INTO checks (id, started_at, summary, report) VALUES (?1, ?2, ?3, ?4)",
        params![check.id, check.started_at, summary, report],
    )?;
    connection.execute(
        "DELETE FROM checks WHERE id NOT IN (SELECT id FROM checks ORDER BY started_at DESC, id DESC LIMIT ?1)",
        [KEPT],
    )?;
    Ok(())
}

/// The last checks, newest first, without time lines.
pub(super) fn list(connection: &Connection, limit: u32) -> Result<Vec<CheckReport>> {
    let mut statement = connection
        .prepare_cached("SELECT summary FROM checks ORDER BY started_at DESC, id DESC LIMIT ?1")?;
    statement.query_map([limit], |row| from_json(&row.get::<_, String>(0)?))?.collect()
}

/// One check whole.
pub(super) fn get(connection: &Connection, id: &str) -> Result<Option<CheckReport>> {
    let mut statement = connection.prepare_cached("SELECT report FROM checks WHERE id = ?1")?;
    statement.query_row([id], |row| from_json(&row.get::<_, String>(0)?)).optional()
}

fn from_json(text: &str) -> Result<CheckReport> {
    serde_json::from_str(text)
        .map_err(|error| Error::FromSqlConversionFailure(0, Type::Text, error.into()))
}
