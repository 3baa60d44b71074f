//! What a handler keeps: one SQLite file with its effects and whatever else it needs. Several instances may stand on it.

use crate::serve::Failure;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Params};
use std::{
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

/// How long a statement waits for another connection's transaction.
const BUSY: Duration = Duration::from_secs(10);

/// Where the effects are.
pub(crate) struct Store {
    path: PathBuf,
    /// Stays open, so that no other connection is ever the last one, which would tidy the file up each time.
    _open: Mutex<Connection>,
}

impl Store {
    /// At `HOOK_STORE`.
    pub(crate) fn open() -> Result<Self, Failure> {
        let path = std::env::var_os("HOOK_STORE").ok_or("HOOK_STORE is not set")?;
        let path = PathBuf::from(path);
        let db = connect(&path)?;
        log_ahead(&db.0)?;
        db.change("create table if not exists effects (job_id text not null)", [])?;
        db.change("create index if not exists effects_by_job on effects (job_id)", [])?;
        db.change("create table if not exists claims (job_id text primary key)", [])?;
        Ok(Self { path, _open: Mutex::new(db.0) })
    }

    /// A connection of the caller's own, as each request has one in most handlers.
    pub(crate) fn connect(&self) -> Result<Db, Failure> {
        connect(&self.path)
    }
}

/// Write-ahead logging, so that readers and the writer do not wait for each other. While two instances that start together both
/// ask for it, SQLite refuses one of them at once instead of letting it wait.
fn log_ahead(db: &Connection) -> Result<(), Failure> {
    let begun = Instant::now();
    loop {
        match db.query_row("pragma journal_mode = wal", [], |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return Ok(done?),
        }
    }
}

fn connect(path: &PathBuf) -> Result<Db, Failure> {
    let db = Connection::open(path)?;
    db.busy_timeout(BUSY)?;
    db.pragma_update(None, "synchronous", "normal")?;
    Ok(Db(db))
}

/// One connection.
pub(crate) struct Db(Connection);

impl Db {
    /// Commits one statement and says how many rows it changed.
    pub(crate) fn change(&self, statement: &str, values: impl Params) -> Result<usize, Failure> {
        Ok(self.0.execute(statement, values)?)
    }

    /// The number that a statement gives, if it gives a row.
    pub(crate) fn number(
        &self,
        statement: &str,
        values: impl Params,
    ) -> Result<Option<i64>, Failure> {
        Ok(self.0.query_row(statement, values, |row| row.get(0)).optional()?)
    }

    /// What is changed in it is changed together, or not at all.
    pub(crate) fn together<T>(
        &self,
        change: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.0.execute_batch("begin immediate")?;
        let done = change().and_then(|done| Ok(self.0.execute_batch("commit").map(|()| done)?));
        if done.is_err() {
            self.0.execute_batch("rollback")?;
        }
        done
    }

    /// Whether this call is the first that inserts the key.
    pub(crate) fn claim(&self, key: &str) -> Result<bool, Failure> {
        Ok(self.change("insert into claims values (?1) on conflict do nothing", [key])? == 1)
    }

    /// Gives a claim back, so that the next attempt can have it.
    pub(crate) fn release(&self, key: &str) -> Result<(), Failure> {
        self.change("delete from claims where job_id = ?1", [key]).map(drop)
    }

    /// The effect.
    pub(crate) fn run(&self, job_id: &str) -> Result<(), Failure> {
        self.change("insert into effects values (?1)", [job_id]).map(drop)
    }

    /// How often the effect of a job ran.
    pub(crate) fn count(&self, job_id: &str) -> Result<i64, Failure> {
        let count = "select count(*) from effects where job_id = ?1";
        Ok(self.number(count, [job_id])?.unwrap_or_default())
    }
}
