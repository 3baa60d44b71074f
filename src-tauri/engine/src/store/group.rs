//! One transaction for everything that waits: deliveries, their claims, the endings of earlier ones.

use super::{ClaimRequest, Finish, NewDelivery, claims, forwards, record::Late, rows::json_list};
use crate::{
    clock::rfc3339,
    model::{ClaimReason, ClaimState, Delivery, JobIdType},
};
use rusqlite::{Connection, Result, Transaction, TransactionBehavior, params};

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) seq: i64,
    pub(super) claim: ClaimState,
    pub(super) claim_reason: Option<ClaimReason>,
    pub(super) duplicate_of: Option<i64>,
    pub(super) body_differs: bool,
    /// One more note, found beside the claims.
    pub(super) note: Option<String>,
}

impl Outcome {
    /// The row as it is now.
    pub(super) fn into_delivery(self, new: NewDelivery) -> Delivery {
        let mut delivery = Delivery {
            seq: self.seq,
            id: new.id.to_string(),
            received_at: rfc3339(new.received_at),
            method: new.method,
            path: new.path,
            query: new.query,
            size: new.body.len() as u64,
            signature: new.signature,
            event: new.event,
            job_id: new.job_id,
            job_id_type: new.job_id_type,
            claim: self.claim,
            claim_reason: self.claim_reason,
            duplicate_of: self.duplicate_of,
            body_differs: self.body_differs,
            ended: None,
            expected_size: new.expected_size,
            status: None,
            duration_ms: None,
            notes: new.notes,
            pinned: false,
        };
        delivery.notes.extend(self.note);
        if let Some(finish) = &new.ended {
            finish.apply(&mut delivery);
        }
        delivery
    }
}

/// What became of each delivery of a group, in order.
pub(super) type Outcomes = Vec<Result<Outcome>>;

/// Writes a group, numbered from `first`. When it returns, all of it is durable.
///
/// # Errors
/// When the transaction failed: nothing of it was stored. A statement that failed for one delivery alone is that
/// one's error in the outcomes, and takes nothing from the others.
pub(super) fn write(
    connection: &mut Connection,
    first: i64,
    deliveries: &[&NewDelivery],
    finishes: &[(i64, Late)],
) -> Result<Outcomes> {
    match attempt(connection, first, deliveries, finishes, Way::Straight) {
        // One failed: once more, with a way back before each. This costs, so it is not how all are written.
        Err(Failure::Statement(_)) => {
            attempt(connection, first, deliveries, finishes, Way::Guarded)
                .map_err(Failure::into_inner)
        }
        result => result.map_err(Failure::into_inner),
    }
}

/// How a group is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The first statement that fails ends it.
    Straight,
    /// What a failed statement belongs to is undone, and the rest goes on.
    Guarded,
}

enum Failure {
    /// A statement for a delivery or an ending.
    Statement(rusqlite::Error),
    /// The transaction itself.
    Transaction(rusqlite::Error),
}

impl Failure {
    fn into_inner(self) -> rusqlite::Error {
        match self {
            Self::Statement(error) | Self::Transaction(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Transaction(error)
    }
}

fn attempt(
    connection: &mut Connection,
    first: i64,
    deliveries: &[&NewDelivery],
    finishes: &[(i64, Late)],
    way: Way,
) -> Result<Outcomes, Failure> {
    // Immediate: a transaction that reads first and is upgraded later cannot wait for its turn (C82).
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for (seq, late) in finishes {
        match part(&transaction, way, |connection| insert_late(connection, *seq, late))? {
            // It will be possible later; the whole group is tried again then.
            Err(error) if is_the_disks(&error) => return Err(Failure::Transaction(error)),
            Err(error) => tracing::warn!(seq, %error, "what became of a delivery cannot be stored"),
            Ok(()) => {}
        }
    }
    let mut outcomes = Vec::with_capacity(deliveries.len());
    let mut seq = first;
    for new in deliveries {
        let outcome = part(&transaction, way, |connection| insert_one(connection, seq, new))?;
        // A number that was not used is given to the next one.
        seq += i64::from(outcome.is_ok());
        outcomes.push(outcome);
    }
    transaction.commit()?;
    Ok(outcomes)
}

/// Writes a part of the group; an inner error is that part's alone.
fn part<T>(
    connection: &Connection,
    way: Way,
    write: impl FnOnce(&Connection) -> Result<T>,
) -> Result<Result<T>, Failure> {
    if way == Way::Straight {
        return write(connection).map(Ok).map_err(Failure::Statement);
    }
    connection.execute_batch("SAVEPOINT part")?;
    let written = write(connection);
    if written.is_err() {
        // Fails where SQLite has rolled the whole transaction back already (a full disk): then all of it failed.
        connection.execute_batch("ROLLBACK TO part")?;
    }
    connection.execute_batch("RELEASE part")?;
    Ok(written)
}

/// Whether it is the disk, not what was written, that is at fault.
fn is_the_disks(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        DatabaseBusy, DatabaseCorrupt, DiskFull, OutOfMemory, ReadOnly, SystemIoFailure,
    };
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseBusy | DatabaseCorrupt | DiskFull | OutOfMemory | ReadOnly | SystemIoFailure)
    )
}

pub(super) fn insert_one(connection: &Connection, seq: i64, new: &NewDelivery) -> Result<Outcome> {
    let outcome = claim(connection, seq, new)?;
    let notes = match &outcome.note {
        Some(note) => json_list(&[new.notes.as_slice(), std::slice::from_ref(note)].concat()),
        None => json_list(&new.notes),
    };
    let naive = matches!(new.claim, ClaimRequest::Naive { .. });
    let mut statement = connection.prepare_cached(
        "INSERT INTO deliveries (seq, id, received_us, size, stored, claim, job_id, job_id_type, signature, method,
             path, query, event, naive_win, claim_reason, duplicate_of, body_differs, expected_size, scheme, reason,
             hints, notes, secret, age_s)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
             ?23, ?24)",
    )?;
    statement.execute(params![
        seq,
        new.id.as_bytes(),
        new.received_at.as_microsecond(),
        signed(new.body.len()),
        signed(new.stored_bytes()),
        outcome.claim.as_str(),
        new.job_id,
        new.job_id_type.as_str(),
        new.signature.state.as_str(),
        new.method,
        new.path,
        new.query,
        new.event,
        naive && outcome.claim == ClaimState::Won,
        outcome.claim_reason.map(ClaimReason::as_str),
        outcome.duplicate_of,
        outcome.body_differs,
        new.expected_size.map(signed),
        new.signature.scheme,
        new.signature.reason,
        json_list(&new.signature.hints),
        notes,
        new.signature.secret,
        new.signature.age_s,
    ])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO contents (seq, received_mono_us, peer, body_sha256, head, trailers, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    statement.execute(params![
        seq,
        new.received_mono_us,
        new.peer.to_string(),
        new.body_sha256,
        &new.head[..],
        &new.trailers[..],
        &new.body[..],
    ])?;
    if let Some(finish) = &new.ended {
        insert_answer(connection, seq, finish)?;
    }
    Ok(outcome)
}

/// Asks the claim table, or does not.
fn claim(connection: &Connection, seq: i64, new: &NewDelivery) -> Result<Outcome> {
    let mut outcome = Outcome {
        seq,
        claim: ClaimState::None,
        claim_reason: None,
        duplicate_of: None,
        body_differs: false,
        note: None,
    };
    let key = new
        .job_id
        .as_deref()
        .filter(|_| matches!(new.job_id_type, JobIdType::String | JobIdType::Number));
    match (new.claim, key) {
        (ClaimRequest::Insert, Some(job_id)) => {
            let key = claims::Key { path: &new.path, job_id, job_id_type: new.job_id_type };
            if claims::insert(connection, key, seq, new)? {
                outcome.claim = ClaimState::Won;
            } else {
                let winner = claims::count_duplicate(connection, key)?;
                outcome.claim = ClaimState::Duplicate;
                outcome.duplicate_of = Some(winner.seq);
                outcome.body_differs = winner.body_sha256 != new.body_sha256;
            }
        }
        // There is nothing to claim under: never a key of our own making (C31, C33).
        (ClaimRequest::Insert, None) => outcome.claim_reason = Some(ClaimReason::MissingId),
        (ClaimRequest::Naive { found: None }, _) => outcome.claim = ClaimState::Won,
        (ClaimRequest::Naive { found: Some(winner) }, _) => {
            outcome.claim = ClaimState::Duplicate;
            outcome.duplicate_of = Some(winner);
            outcome.body_differs =
                body_sha256(connection, winner)?.is_some_and(|sha| sha != new.body_sha256);
        }
        (ClaimRequest::None(reason), key) => {
            outcome.claim_reason = reason;
            if let (Some(ClaimReason::NotVerified), Some(job_id)) = (reason, key) {
                let key = claims::Key { path: &new.path, job_id, job_id_type: new.job_id_type };
                let winner = claims::winner(connection, key)?;
                outcome.note =
                    winner.map(|seq| format!("same job as #{seq}, but that body was signed"));
            }
        }
    }
    Ok(outcome)
}

fn body_sha256(connection: &Connection, seq: i64) -> Result<Option<[u8; 32]>> {
    use rusqlite::OptionalExtension as _;
    let mut statement =
        connection.prepare_cached("SELECT body_sha256 FROM contents WHERE seq = ?1")?;
    statement.query_row([seq], |row| row.get(0)).optional()
}

pub(super) fn insert_late(connection: &Connection, seq: i64, late: &Late) -> Result<()> {
    let inserted = match late {
        Late::Ended(finish) => insert_answer(connection, seq, finish),
        Late::Forwarded(report) => forwards::insert(connection, seq, report),
    }?;
    let more = late.stored_bytes();
    if inserted && more > 0 {
        connection
            .prepare_cached("UPDATE deliveries SET stored = stored + ?2 WHERE seq = ?1")?
            .execute(params![seq, signed(more)])?;
    }
    Ok(())
}

/// Notes how a delivery ended, once; nothing where it was deleted meanwhile. Says whether it was noted.
fn insert_answer(connection: &Connection, seq: i64, finish: &Finish) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO answers (seq, ended, status, duration_ms, notes, head, body)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM deliveries WHERE seq = ?1)
         ON CONFLICT DO NOTHING",
    )?;
    let inserted = statement.execute(params![
        seq,
        finish.ended.as_str(),
        finish.status,
        finish.duration_ms,
        json_list(&finish.notes),
        &finish.response_head[..],
        &finish.response_body[..],
    ])?;
    Ok(inserted > 0)
}

/// A size as SQLite keeps it.
fn signed(size: impl TryInto<i64>) -> i64 {
    size.try_into().unwrap_or(i64::MAX)
}
