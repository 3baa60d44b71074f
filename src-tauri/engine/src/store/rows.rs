//! Rows as the model's types, and the small forms that columns are kept in.

use crate::{
    clock::rfc3339,
    head::RawHeader,
    model::{
        ClaimReason, ClaimState, Delivery, Ended, JobIdType, NamedHeader, SignatureReport,
        SignatureState,
    },
};
use bytes::Bytes;
use jiff::Timestamp;
use rusqlite::{Error, Result, Row, types::Type};
use uuid::Uuid;

/// What [`delivery`] reads, of `deliveries d LEFT JOIN answers a USING (seq)`.
pub(super) const DELIVERY: &str = "d.seq, d.id, d.received_us, d.method, d.path, d.query, d.size, d.signature,
    d.scheme, d.reason, d.hints, d.event, d.job_id, d.job_id_type, d.claim, d.claim_reason, d.duplicate_of,
    d.body_differs, d.expected_size, d.pinned, d.notes, a.ended, a.status, a.duration_ms, a.notes, d.secret, d.age_s";

/// How many columns [`DELIVERY`] has; what else is selected comes after them.
pub(super) const DELIVERY_COLUMNS: usize = 27;

/// Reads a row of [`DELIVERY`].
pub(super) fn delivery(row: &Row<'_>) -> Result<Delivery> {
    let id: Uuid = Uuid::from_bytes(row.get(1)?);
    let received = Timestamp::from_microsecond(row.get(2)?).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut notes = list(row, 20)?;
    notes.extend(list(row, 24)?);
    Ok(Delivery {
        seq: row.get(0)?,
        id: id.to_string(),
        received_at: rfc3339(received),
        method: row.get(3)?,
        path: row.get(4)?,
        query: row.get(5)?,
        size: row.get::<_, i64>(6)?.unsigned_abs(),
        signature: SignatureReport {
            state: word(row, 7, SignatureState::parse)?,
            scheme: row.get(8)?,
            reason: row.get(9)?,
            hints: list(row, 10)?,
            secret: row.get(25)?,
            age_s: row.get(26)?,
        },
        event: row.get(11)?,
        job_id: row.get(12)?,
        job_id_type: word(row, 13, JobIdType::parse)?,
        claim: word(row, 14, ClaimState::parse)?,
        claim_reason: optional_word(row, 15, ClaimReason::parse)?,
        duplicate_of: row.get(16)?,
        body_differs: row.get(17)?,
        expected_size: row.get::<_, Option<i64>>(18)?.map(i64::unsigned_abs),
        pinned: row.get(19)?,
        ended: optional_word(row, 21, Ended::parse)?,
        status: row.get(22)?,
        duration_ms: row.get(23)?,
        notes,
    })
}

fn optional_word<T>(
    row: &Row<'_>,
    column: usize,
    parse: fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(text) = row.get_ref(column)?.as_str_or_null()? else { return Ok(None) };
    let unknown = || {
        Error::FromSqlConversionFailure(column, Type::Text, format!("unknown word {text:?}").into())
    };
    parse(text).map(Some).ok_or_else(unknown)
}

fn word<T>(row: &Row<'_>, column: usize, parse: fn(&str) -> Option<T>) -> Result<T> {
    optional_word(row, column, parse)?.ok_or_else(|| {
        Error::FromSqlConversionFailure(column, Type::Null, "a word is missing".into())
    })
}

fn list(row: &Row<'_>, column: usize) -> Result<Vec<String>> {
    let Some(text) = row.get_ref(column)?.as_str_or_null()? else { return Ok(Vec::new()) };
    serde_json::from_str(text)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

/// Sentences as a JSON array; `None`, which costs nothing, where there are none.
pub(super) fn json_list(list: &[String]) -> Option<String> {
    if list.is_empty() { None } else { Some(serde_json::Value::from(list).to_string()) }
}

/// The header lines of an answer's head, or of trailers: `skip` is how many lines come before them. Lines that are
/// not headers end the list.
pub(super) fn headers(bytes: &[u8], skip: usize) -> Vec<NamedHeader> {
    let mut lines = bytes;
    for _ in 0..skip {
        let Some(end) = memchr::memchr(b'\n', lines) else { return Vec::new() };
        lines = &lines[end + 1..];
    }
    // A blank line ends the block; one more does no harm.
    let block = [lines, b"\r\n"].concat();
    let mut slots = vec![httparse::EMPTY_HEADER; memchr::memchr_iter(b'\n', &block).count()];
    let Ok(httparse::Status::Complete((_, found))) = httparse::parse_headers(&block, &mut slots)
    else {
        return Vec::new();
    };
    let raw = found.iter().map(|header| RawHeader {
        name: Bytes::copy_from_slice(header.name.as_bytes()),
        value: Bytes::copy_from_slice(header.value),
    });
    raw.map(|header| header.to_named()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HeaderValue;

    #[test]
    fn an_answers_headers_are_read_after_its_status_line() {
        let head = b"HTTP/1.1 204 No Content\r\nDate: x\r\nA: \xff\r\n\r\n";
        let expected: Vec<NamedHeader> = vec![
            ("Date".into(), HeaderValue::Text("x".into())),
            ("A".into(), HeaderValue::Bytes { base64: "/w==".into() }),
        ];
        assert_eq!(headers(head, 1), expected);
    }

    #[test]
    fn trailers_need_no_blank_line_and_nonsense_has_no_headers() {
        assert_eq!(headers(b"A: b\r\n", 0), [("A".into(), HeaderValue::Text("b".into()))]);
        assert_eq!(headers(b"", 0), []);
        assert_eq!(headers(b"", 1), []);
        assert_eq!(headers(b"\x00\x01", 0), []);
    }
}
