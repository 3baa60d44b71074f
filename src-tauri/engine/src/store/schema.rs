//! Opening connections: versions, migrations, pragmas.

use super::{Role, StoreError, folder, search};
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};
use std::{
    fs::File,
    io::Read as _,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

/// Each file is a version; one that was released is never changed.
const MIGRATIONS: [&str; 7] = [
    include_str!("../../migrations/0001_first.sql"),
    include_str!("../../migrations/0002_checks.sql"),
    include_str!("../../migrations/0003_secrets.sql"),
    include_str!("../../migrations/0004_forwards.sql"),
    include_str!("../../migrations/0005_watch.sql"),
    include_str!("../../migrations/0006_grams.sql"),
    include_str!("../../migrations/0007_chips.sql"),
];
/// The version that this program writes.
const KNOWN: i64 = MIGRATIONS.len() as i64;
/// How long a connection waits for another program's lock before it gives up.
pub(super) const BUSY: Duration = Duration::from_secs(5);
/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 64;
/// An SQLite file begins with this text; its version stands at byte 60, big-endian.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The writer's page cache, in KiB (below zero, as SQLite has it): claims come in any order, and a page that has to be
/// read again costs more than the insert.
const WRITER_CACHE: i64 = -32 * 1024;
/// The write-ahead log is cut to this size when it is begun anew.
const LOG_KEPT: i64 = 16 * 1024 * 1024;

/// The version of the database in a folder, without changing a byte of it; 0 where there is none.
///
/// # Errors
/// When the file cannot be read, or is not a database.
fn version(file: &Path) -> Result<i64, StoreError> {
    let mut header = Vec::new();
    match File::open(file) {
        Ok(opened) => opened
            .take(100)
            .read_to_end(&mut header)
            .map_err(|cause| StoreError::folder(file, cause))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(cause) => return Err(StoreError::folder(file, cause)),
    };
    let in_header = match header.get(60..64) {
        Some(&[a, b, c, d]) if header.starts_with(MAGIC) => {
            i64::from(i32::from_be_bytes([a, b, c, d]))
        }
        // An empty file is a database to SQLite; anything else it refuses itself, without a write.
        _ => 0,
    };
    let log = file.with_extension("db-wal").metadata().map_or(0, |data| data.len());
    if in_header > KNOWN || (log == 0 && (header.is_empty() || header.starts_with(MAGIC))) {
        return Ok(in_header);
    }
    // What is newest may stand in the log still.
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| connection.busy_timeout(BUSY).map(|()| connection));
    connection
        .and_then(|connection| {
            connection.pragma_query_value(None, "user_version", |row| row.get(0))
        })
        .map_err(|error| StoreError::sqlite(file, error))
}

fn refuse_newer(file: &Path) -> Result<i64, StoreError> {
    match version(file)? {
        found if found > KNOWN => {
            Err(StoreError::TooNew { file: file.to_owned(), found, known: KNOWN })
        }
        found => Ok(found),
    }
}

/// Makes the folder and brings its database up to date; an owner keeps the lock that is returned.
pub(super) fn prepare(path: &Path, role: Role) -> Result<Option<folder::Lock>, StoreError> {
    folder::make(path)?;
    let file = folder::database(path);
    match role {
        Role::Owner => {
            let lock = folder::own(path)?;
            refuse_newer(&file)?;
            migrate(&file)?;
            Ok(Some(lock))
        }
        Role::Guest => {
            // A guest migrates only what nobody owns; an owner that has just begun gets the time to do it itself.
            let patience = Instant::now() + BUSY;
            while refuse_newer(&file)? < KNOWN {
                if let Some(_lock) = folder::try_lock(path)? {
                    migrate(&file)?;
                } else if Instant::now() > patience {
                    return Err(StoreError::HeldByOlder { file, holder: folder::holder(path) });
                } else {
                    sleep(Duration::from_millis(20));
                }
            }
            Ok(None)
        }
    }
}

fn migrate(file: &Path) -> Result<(), StoreError> {
    folder::make_file(file)?;
    let mut connection = open(file)?;
    let migrations = Migrations::new(MIGRATIONS.iter().map(|sql| M::up(sql)).collect());
    migrations.to_latest(&mut connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => StoreError::sqlite(file, err),
        other => StoreError::sqlite(file, rusqlite::Error::UserFunctionError(Box::new(other))),
    })
}

/// A connection that may write.
pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    let open = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        if connection.pragma_query_value(None, "page_count", |row| row.get::<_, u32>(0))? == 0 {
            // Before the first table, or never: free pages can be given back in steps.
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        // The log is on the disk before an answer leaves.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update(None, "cache_size", WRITER_CACHE)?;
        connection.pragma_update_and_check(None, "journal_size_limit", LOG_KEPT, |_| Ok(()))?;
        Ok(connection)
    };
    open().map_err(|error| StoreError::sqlite(file, error))
}

/// A connection that only reads.
pub(super) fn open_reader(file: &Path) -> Result<Connection, StoreError> {
    let open = || {
        // Reading beside a writer needs the log's index, which a read-only file handle could not make.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "query_only", true)?;
        search::register(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| StoreError::sqlite(file, error))
}
