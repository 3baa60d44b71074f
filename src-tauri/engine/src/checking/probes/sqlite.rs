//! The effect seen as rows in a SQLite file that the handler writes.

use super::{
    Sight,
    file::{self, Identity},
    for_all, number,
    query::{self, Dialect},
};
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, types::ValueRef};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::task::spawn_blocking;

/// How long a write of the handler is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// How long all queries of one count may take together.
const PATIENCE: Duration = Duration::from_secs(15);

/// How many of SQLite's steps lie between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

/// A file and a query.
#[derive(Debug)]
pub(super) struct Sqlite {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: PathBuf,
    query: String,
    /// [`BUSY`] and [`PATIENCE`].
    limits: (Duration, Duration),
    open: Mutex<Option<Open>>,
}

/// A connection, and the file that it is to. The path may lead to another file by now.
#[derive(Debug)]
struct Open {
    connection: Connection,
    identity: Option<Identity>,
}

impl Sqlite {
    pub(super) fn new(path: &str, query: &str) -> Result<Self, String> {
        if path.is_empty() {
            return Err(
                "the database has no path; give one, for example sqlite:./dev.db".to_owned()
            );
        }
        if path == ":memory:" {
            return Err(
                "a database in memory is seen by its own process only; let the handler keep \
                        its data in a file and give its path, for example sqlite:./dev.db"
                    .to_owned(),
            );
        }
        let query = query::ready(query, Dialect::Sqlite)?;
        let file = PathBuf::from(path);
        let limits = (BUSY, PATIENCE);
        Ok(Self { inner: Arc::new(Inner { file, query, limits, open: Mutex::default() }) })
    }

    /// For tests that do not want to wait.
    #[cfg(test)]
    pub(super) fn with_limits(self, busy: Duration, patience: Duration) -> Self {
        let (file, query) = (self.inner.file.clone(), self.inner.query.clone());
        let limits = (busy, patience);
        Self { inner: Arc::new(Inner { file, query, limits, open: Mutex::default() }) }
    }

    pub(super) async fn counts(&self, ids: Vec<String>) -> Vec<Sight> {
        let inner = self.inner.clone();
        let asked = ids.clone();
        match spawn_blocking(move || inner.counts(&asked)).await {
            Ok(sights) => sights,
            Err(error) => for_all(&ids, &format!("The query was broken off: {error}; try again.")),
        }
    }
}

impl Inner {
    fn counts(&self, ids: &[String]) -> Vec<Sight> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out: after an error, the next count opens it anew.
        match self.current(open.take()).and_then(|usable| {
            let sights = self.ask(&usable.connection, ids)?;
            Ok((usable, sights))
        }) {
            Ok((usable, sights)) => {
                // Where it cannot be told whether a file was replaced, none is kept open; it could not be replaced either.
                *open = usable.identity.is_some().then_some(usable);
                sights
            }
            Err(error) => for_all(ids, &error),
        }
    }

    /// The connection, a new one where the path leads to another file than before.
    fn current(&self, kept: Option<Open>) -> Result<Open, String> {
        // Only asked about, never opened beside SQLite: closing it would give up SQLite's locks.
        let identity = file::identity(&file::look(&self.file)?);
        if let Some(open) = kept.filter(|open| open.identity == identity) {
            return Ok(open);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.file, flags)
            .and_then(|connection| connection.busy_timeout(self.limits.0).map(|()| connection))
            .map_err(|error| self.sentence(&error))?;
        Ok(Open { connection, identity })
    }

    fn ask(&self, connection: &Connection, ids: &[String]) -> Result<Vec<Sight>, String> {
        let deadline = Instant::now() + self.limits.1;
        let mut statement = connection
            .progress_handler(STEPS, Some(move || Instant::now() > deadline))
            .and_then(|()| connection.prepare_cached(&self.query))
            .map_err(|error| self.sentence(&error))?;
        usable(&statement)?;
        ids.iter()
            .map(|id| count(&mut statement, id).map_err(|error| self.sentence(&error)))
            .collect()
    }

    fn sentence(&self, error: &rusqlite::Error) -> String {
        let file = self.file.display();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!(
                "{file} stayed locked by a writer for {:?}; let the handler keep its transactions short, or use \
                 its write-ahead log (pragma journal_mode=wal).",
                self.limits.0
            ),
            Some(ErrorCode::OperationInterrupted) => format!(
                "The query on {file} took longer than {:?}; make an index of the column that holds the job id.",
                self.limits.1
            ),
            Some(ErrorCode::NotADatabase) => {
                format!("{file} is not a SQLite database; give the path of the handler's database.")
            }
            Some(ErrorCode::ReadOnly) => format!(
                "{file} cannot be read without writing to it: {error}. Start the handler, which brings it in order, \
                 or give a query that only reads."
            ),
            _ => format!(
                "The query on {file} failed: {error}. If the handler makes what is missing later, it will be seen, else \
                 correct the query."
            ),
        }
    }
}

/// Refuses what would say something else than how often the effect ran.
fn usable(statement: &Statement<'_>) -> Result<(), String> {
    if !statement.readonly() {
        return Err("The query writes, and a probe only looks; give one that begins with select."
            .to_owned());
    }
    if statement.column_count() == 0 {
        return Err("The query gives no column; let it select count(*).".to_owned());
    }
    let other = (1..=statement.parameter_count())
        .map(|index| statement.parameter_name(index).unwrap_or("?"))
        .find(|name| *name != ":job_id");
    other.map_or(Ok(()), |name| {
        Err(format!(
            "The query has the parameter `{name}` beside :job_id, and nothing to put there; write the value itself."
        ))
    })
}

/// An outer error is SQLite's and stands for all jobs, an inner one is about what this job's answer is.
fn count(statement: &mut Statement<'_>, id: &str) -> rusqlite::Result<Sight> {
    let mut rows = statement.query(&[(":job_id", id)])?;
    let Some(row) = rows.next()? else {
        return Ok(Ok(0));
    };
    let count = match row.get_ref(0)? {
        ValueRef::Null => Ok(0),
        ValueRef::Integer(value) => number::integer(value),
        ValueRef::Real(value) => number::real(value),
        ValueRef::Text(text) => number::text(&String::from_utf8_lossy(text)),
        ValueRef::Blob(blob) => Err(format!("a blob of {} bytes", blob.len())),
    };
    if rows.next()?.is_some() {
        return Ok(Err(several_rows()));
    }
    Ok(count.map_err(|what| no_count(&what)))
}

/// One row is read; a second may be the second effect.
pub(super) fn several_rows() -> String {
    "The query gave more than one row for a job; let it give one number: select count(*)."
        .to_owned()
}

pub(super) fn no_count(what: &str) -> String {
    format!("The query gave {what}, which is no number of effects; let it select count(*).")
}
