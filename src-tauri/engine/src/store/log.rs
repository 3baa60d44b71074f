//! The write-ahead log, kept short (C83).
//!
//! SQLite's own checkpoint runs inside a commit and never waits for readers, so a log that is always being read is
//! never begun anew. Here the log is copied into the database between groups, and when it is long the writer waits a
//! moment for readers and cuts it. A reader that stays can still make it grow; it shrinks after that reader is gone.

use rusqlite::{Connection, Result};
use std::{cell::Cell, ffi::c_int, time::Duration};

/// The log is copied into the database each time it has grown by so many pages (of 4 KiB).
const COPY: c_int = 7_000;
/// From so many pages on it is cut, with a moment's wait for readers: 32 MiB, half of what is promised at most.
const LONG: c_int = 8_192;
/// How long readers are waited for.
const WAIT: Duration = Duration::from_millis(50);

thread_local! {
    /// Pages in the log after the last commit on this thread. SQLite's hook is a plain function and the writer has
    /// its thread for itself.
    static PAGES: Cell<c_int> = const { Cell::new(0) };
}

/// How long the log is, and when it is looked after next.
#[derive(Debug)]
pub(super) struct Log {
    /// At so many pages.
    next: c_int,
}

impl Log {
    /// Watches a connection; SQLite's own checkpoints are off from now on.
    pub(super) fn watch(connection: &Connection) -> Self {
        connection.wal_hook(Some(|_, pages| {
            PAGES.set(pages);
            Ok(())
        }));
        Self { next: COPY }
    }

    /// Whether it should be cut as soon as readers let it.
    pub(super) fn is_long(&self) -> bool {
        PAGES.get() >= LONG
    }

    /// Copies or cuts the log where it is time to.
    pub(super) fn tend(&mut self, connection: &Connection, idle: bool) -> Result<()> {
        let pages = PAGES.get();
        if pages < COPY {
            // The last commit began it anew.
            self.next = COPY;
        }
        if pages < self.next && !(idle && self.is_long()) {
            return Ok(());
        }
        if self.is_long() {
            self.cut(connection)?;
            // Where a reader stays, answers are not held up again for a while.
            self.next = PAGES.get() + LONG;
        } else {
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
            self.next = pages + COPY;
        }
        Ok(())
    }

    /// Copies all of the log and cuts the file, where no reader is in it.
    pub(super) fn cut(&self, connection: &Connection) -> Result<()> {
        let busy = connection.busy_timeout(WAIT);
        let cut = busy.and_then(|()| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        });
        connection.busy_timeout(super::schema::BUSY)?;
        if !cut? {
            PAGES.set(0);
        }
        Ok(())
    }
}
