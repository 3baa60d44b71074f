//! Reading deliveries: windows of the list, counts, one with its bytes.

use super::{
    claims::Key,
    filter::{BAD_SIGNATURE, DUPLICATE, FAILED, Filter, Search, Where},
    forwards,
    rows::{self, DELIVERY, DELIVERY_COLUMNS},
    words::Words,
};
use crate::{
    head::{Head, RawHeader},
    model::{Delivery, DeliveryCounts, DeliveryDetail, DeliveryPage, DeliveryQuery},
};
use bytes::Bytes;
use jiff::Timestamp;
use rusqlite::{
    Connection, OptionalExtension as _, Result, params, params_from_iter, types::Value,
};
use std::ops::Range;
use uuid::Uuid;

/// A window of the list, newest first, and how many match in all.
pub(super) fn list(
    connection: &Connection,
    words: &Words,
    filter: &Filter,
    query: &DeliveryQuery,
) -> Result<DeliveryPage> {
    if filter.is_empty() || query.quick {
        return rows_first(connection, words, filter, query);
    }
    // One pass finds the numbers of all that match, which gives the total too; then only the window is read. Upwards:
    // the next answer is then the next row, where downwards each is searched for.
    let found = matching(connection, words, filter)?;
    let limit = most(query);
    let offset = usize::try_from(query.offset).unwrap_or(usize::MAX);
    let before = query.before.unwrap_or(i64::MAX);
    let window = found.iter().rev().filter(|seq| **seq < before).skip(offset).take(limit);
    let rows = window
        .map(|seq| row(connection, *seq))
        .filter_map(Result::transpose)
        .collect::<Result<_>>()?;
    Ok(DeliveryPage { rows, total: found.len() as u64, more: false })
}

/// The numbers of all that match, oldest first.
pub(super) fn matching(
    connection: &Connection,
    words: &Words,
    filter: &Filter,
) -> Result<Vec<i64>> {
    let filter = filter.bind(connection, words, Search::All)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT d.seq FROM deliveries d LEFT JOIN answers a USING (seq) WHERE {} ORDER BY d.seq",
        filter.sql
    ))?;
    statement.query_map(params_from_iter(filter.values), |row| row.get(0))?.collect()
}

/// The most rows of a window; a limit of 0 is none.
fn most(query: &DeliveryQuery) -> usize {
    match query.limit {
        0 => usize::MAX,
        limit => usize::try_from(limit).unwrap_or(usize::MAX),
    }
}

/// A window that is read from the newest on, until it is full. Without a filter the count costs little.
fn rows_first(
    connection: &Connection,
    words: &Words,
    filter: &Filter,
    query: &DeliveryQuery,
) -> Result<DeliveryPage> {
    let Where { sql, mut values } = filter.bind(connection, words, Search::Rows)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {DELIVERY} FROM deliveries d LEFT JOIN answers a USING (seq) WHERE {sql} AND d.seq < ?
         ORDER BY d.seq DESC LIMIT ? OFFSET ?"
    ))?;
    // One more than is asked for, to see whether there is more.
    let limit = if query.limit == 0 { -1 } else { i64::from(query.limit) + 1 };
    values.extend([query.before.unwrap_or(i64::MAX), limit, query.offset.into()].map(Value::from));
    let rows = statement.query_map(params_from_iter(values), rows::delivery)?;
    let mut rows: Vec<Delivery> = rows.collect::<Result<_>>()?;
    let more = rows.len() > most(query);
    rows.truncate(most(query));
    if filter.is_empty() {
        let total: i64 =
            connection.query_row("SELECT count(*) FROM deliveries", [], |row| row.get(0))?;
        return Ok(DeliveryPage { rows, total: total.unsigned_abs(), more: false });
    }
    let total = u64::from(query.offset) + rows.len() as u64;
    Ok(DeliveryPage { rows, total, more })
}

/// One delivery as a row.
pub(super) fn row(connection: &Connection, seq: i64) -> Result<Option<Delivery>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {DELIVERY} FROM deliveries d LEFT JOIN answers a USING (seq) WHERE d.seq = ?1"
    ))?;
    statement.query_row([seq], rows::delivery).optional()
}

/// The chips' counts.
pub(super) fn counts(
    connection: &Connection,
    words: &Words,
    filter: &Filter,
) -> Result<DeliveryCounts> {
    let Where { sql, values } = filter.bind(connection, words, Search::All)?;
    let sql = if filter.is_empty() {
        // Each count but the first has an index of its own.
        format!(
            "SELECT (SELECT count(*) FROM deliveries),
                 (SELECT count(*) FROM deliveries d WHERE {DUPLICATE}),
                 (SELECT count(*) FROM deliveries d WHERE {BAD_SIGNATURE}),
                 (SELECT count(*) FROM answers a WHERE {FAILED})"
        )
    } else {
        format!(
            "SELECT count(*), count(*) FILTER (WHERE {DUPLICATE}),
                 count(*) FILTER (WHERE {BAD_SIGNATURE}), count(*) FILTER (WHERE {FAILED})
             FROM deliveries d LEFT JOIN answers a USING (seq) WHERE {sql}"
        )
    };
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_row(params_from_iter(values), |row| {
        let count = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok(DeliveryCounts {
            all: count(0)?,
            duplicates: count(1)?,
            bad_signature: count(2)?,
            failed: count(3)?,
        })
    })
}

/// The number of a delivery by its number, `#` before it or not, or by its UUID.
pub(super) fn find(connection: &Connection, typed: &str) -> Result<Option<i64>> {
    let typed = typed.trim();
    if let Ok(seq) = typed.strip_prefix('#').unwrap_or(typed).parse::<i64>() {
        let mut statement =
            connection.prepare_cached("SELECT seq FROM deliveries WHERE seq = ?1")?;
        return statement.query_row([seq], |row| row.get(0)).optional();
    }
    let Ok(id) = Uuid::parse_str(typed) else { return Ok(None) };
    // A scan: it is asked for by hand, and an index would cost every delivery that comes in.
    let mut statement =
        connection.prepare_cached("SELECT seq FROM deliveries WHERE id = ?1 LIMIT 1")?;
    statement.query_row([id.as_bytes()], |row| row.get(0)).optional()
}

/// One delivery with everything but its body.
pub(super) fn show(connection: &Connection, seq: i64) -> Result<Option<DeliveryDetail>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {DELIVERY}, c.head, c.trailers, c.peer, c.body_sha256, a.head, a.body, f.report
         FROM deliveries d JOIN contents c USING (seq) LEFT JOIN answers a USING (seq)
         LEFT JOIN forwards f USING (seq) WHERE d.seq = ?1"
    ))?;
    let detail = statement.query_row([seq], |row| {
        let at = |offset| DELIVERY_COLUMNS + offset;
        let head = Head::parse(row.get_ref(at(0))?.as_blob()?).ok();
        let (minor, headers) =
            head.map_or((1, Vec::new()), |(head, _)| (head.minor_version, head.headers));
        let response_head: Option<Vec<u8>> = row.get(at(4))?;
        let response_body: Option<Vec<u8>> = row.get(at(5))?;
        Ok(DeliveryDetail {
            delivery: rows::delivery(row)?,
            headers: headers.iter().map(RawHeader::to_named).collect(),
            trailers: rows::headers(row.get_ref(at(1))?.as_blob()?, 0),
            http_version: format!("1.{minor}"),
            peer: row.get(at(2))?,
            body_sha256: hex::encode(row.get::<_, [u8; 32]>(at(3))?),
            response_headers: rows::headers(&response_head.unwrap_or_default(), 1),
            response_body: String::from_utf8_lossy(&response_body.unwrap_or_default()).into_owned(),
            forward: forwards::read(row, at(6))?,
        })
    });
    detail.optional()
}

/// The exact bytes of a head.
pub(super) fn head(connection: &Connection, seq: i64) -> Result<Option<Bytes>> {
    let mut statement = connection.prepare_cached("SELECT head FROM contents WHERE seq = ?1")?;
    statement
        .query_row([seq], |row| row.get::<_, Vec<u8>>(0))
        .optional()
        .map(|head| head.map(Bytes::from))
}

/// The exact bytes of a body, or of a part of it, with the whole size.
pub(super) fn body(
    connection: &Connection,
    seq: i64,
    range: Option<Range<u64>>,
) -> Result<Option<(Bytes, u64)>> {
    let range = range.unwrap_or(0..u64::MAX);
    let clamp = |value: u64| i64::try_from(value).unwrap_or(i64::MAX - 1);
    let length = range.end.saturating_sub(range.start);
    let mut statement = connection
        .prepare_cached("SELECT coalesce(substr(body, ?2, ?3), zeroblob(0)), length(body) FROM contents WHERE seq = ?1")?;
    let found = statement.query_row(params![seq, clamp(range.start) + 1, clamp(length)], |row| {
        Ok((Bytes::from(row.get::<_, Vec<u8>>(0)?), row.get::<_, i64>(1)?.unsigned_abs()))
    });
    found.optional()
}

/// The newest `limit` deliveries of a job, oldest first, and how many there are.
pub(super) fn job(
    connection: &Connection,
    key: Key<'_>,
    limit: u32,
) -> Result<(Vec<Delivery>, u64)> {
    let mut statement = connection.prepare_cached(
        "SELECT seq FROM deliveries WHERE job_id = ?1 AND job_id_type = ?2 AND path = ?3 ORDER BY seq",
    )?;
    let found = statement
        .query_map(params![key.job_id, key.job_id_type.as_str(), key.path], |row| row.get(0))?
        .collect::<Result<Vec<i64>>>()?;
    let skip = found.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
    let rows = found[skip..].iter().map(|seq| row(connection, *seq)).filter_map(Result::transpose);
    Ok((rows.collect::<Result<_>>()?, found.len() as u64))
}

/// How far back ages are looked for.
const LOOKED_BACK: i64 = 1000;

/// When the last deliveries before one were received whose digest matched, and how old their signed times were.
pub(super) fn ages(
    connection: &Connection,
    scheme: &str,
    before: i64,
    most: usize,
) -> Result<Vec<(Timestamp, f64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT received_us, age_s FROM deliveries
         WHERE seq < ?1 AND seq >= ?2 AND scheme = ?3 AND secret IS NOT NULL AND age_s IS NOT NULL
         ORDER BY seq DESC LIMIT ?4",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let read = |row: &rusqlite::Row<'_>| {
        let received = Timestamp::from_microsecond(row.get(0)?).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok((received, row.get(1)?))
    };
    statement.query_map(params![before, before - LOOKED_BACK, scheme, most], read)?.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Role, folder, schema};
    use super::*;

    #[test]
    fn each_chip_is_counted_by_its_index() {
        let place = tempfile::tempdir().unwrap();
        let _lock = schema::prepare(place.path(), Role::Owner).unwrap();
        let connection = schema::open_reader(&folder::database(place.path())).unwrap();
        for (table, condition, index) in [
            ("deliveries d", DUPLICATE, "duplicates"),
            ("deliveries d", BAD_SIGNATURE, "bad_signatures"),
            ("answers a", FAILED, "failures"),
        ] {
            let sql = format!("EXPLAIN QUERY PLAN SELECT count(*) FROM {table} WHERE {condition}");
            let plan: String = connection.query_row(&sql, [], |row| row.get(3)).unwrap();
            assert!(plan.ends_with(&format!("INDEX {index}")), "{plan}");
        }
    }
}
