//! What became of the deliveries that went on to a handler.

use crate::model::ForwardReport;
use rusqlite::{Connection, Error, Result, params, types::Type};

/// Keeps a report in JSON, once; nothing where its delivery was deleted meanwhile. Says whether it was kept.
pub(super) fn insert(connection: &Connection, seq: i64, report: &str) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO forwards (seq, report)
         SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = ?1) ON CONFLICT DO NOTHING",
    )?;
    Ok(statement.execute(params![seq, report])? > 0)
}

/// Reads a report from a column; `None` where its delivery did not go on.
pub(super) fn read(row: &rusqlite::Row<'_>, column: usize) -> Result<Option<ForwardReport>> {
    let Some(json) = row.get_ref(column)?.as_str_or_null()? else { return Ok(None) };
    serde_json::from_str(json)
        .map(Some)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}
