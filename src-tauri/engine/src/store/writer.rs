//! The thread that owns the write connection.

use super::{
    NewDelivery, Role, StoreError,
    grams::Segment,
    group::{self, Outcome},
    import::{self, Import},
    indexer::Signal,
    log::Log,
    queue::{Order, Patience, Queue, Record},
    record::Late,
    retention::{self, Totals},
    undo::Undo,
};
use crate::model::Retention;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// How far over its limits retention lets a busy store go: a share of 1 / 64. An idle one keeps to them.
const SLACK: u64 = 64;
/// How long the store must be idle before what can wait is done.
const QUIET: Duration = Duration::from_millis(200);
/// How long endings that could not be written wait for another try of their own.
const RETRY: Duration = Duration::from_secs(1);
/// Counting reads every row, so a busy store does it no more often than this.
const COUNT_EVERY: Duration = Duration::from_secs(5);
/// So often a busy store lets a segment be indexed, so that one that is never quiet is indexed too.
const INDEX_EVERY: Duration = Duration::from_secs(5);

/// Why the last write failed; shared with those who ask.
#[derive(Debug, Clone, Default)]
pub(super) struct Problem(Arc<Mutex<Option<String>>>);

impl Problem {
    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, problem: Option<&StoreError>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = problem.map(ToString::to_string);
    }
}

/// What the thread has.
pub(super) struct Writer {
    file: PathBuf,
    role: Role,
    connection: Connection,
    queue: Arc<Queue>,
    problem: Problem,
    /// How many of the endings and reports that were handed over it has written, or tried to.
    settled: watch::Sender<u64>,
    undo: Undo,
    retention: Retention,
    log: Log,
    /// The number that the next delivery gets.
    next_seq: i64,
    /// How much is stored; `None` until it is counted (again).
    totals: Option<Totals>,
    /// When that was counted.
    counted: Instant,
    /// Tells the indexer what there is to do.
    indexer: Arc<Signal>,
    /// When it was last told.
    indexed: Instant,
    /// Retention may have something to do.
    retention_due: bool,
    /// SQLite's number for changes by other connections, as last seen.
    data_version: i64,
    /// Another process has changed something that nobody has asked about yet.
    foreign: bool,
    /// There may be free pages to give back.
    free_pages: bool,
    /// What was stored before this start, up to which number: all of it is answered, which is still to be written down.
    answered: Option<i64>,
    /// Endings and reports that are not written yet, or could not be.
    finishes: Vec<(i64, Late)>,
    /// Nothing was handed over for a while: what is left to do can go on at once.
    quiet: bool,
}

impl Writer {
    /// Over an open connection.
    pub(super) fn new(
        file: PathBuf,
        role: Role,
        connection: Connection,
        retention: Retention,
    ) -> Result<Self, StoreError> {
        let failed = |error| StoreError::sqlite(&file, error);
        let next_seq = retention::last_seq(&connection).map_err(failed)? + 1;
        let data_version = data_version(&connection).map_err(failed)?;
        let log = Log::watch(&connection);
        Ok(Self {
            role,
            connection,
            queue: Arc::default(),
            problem: Problem::default(),
            settled: watch::Sender::default(),
            undo: Undo::default(),
            retention,
            log,
            next_seq,
            totals: None,
            counted: Instant::now(),
            indexer: Arc::default(),
            indexed: Instant::now(),
            retention_due: true,
            data_version,
            foreign: false,
            free_pages: true,
            answered: (role == Role::Owner).then_some(next_seq - 1),
            finishes: Vec::new(),
            quiet: false,
            file,
        })
    }

    /// Where work is handed over.
    pub(super) fn queue(&self) -> Arc<Queue> {
        self.queue.clone()
    }

    /// Where the indexer hears what there is to do.
    pub(super) fn indexer(&self) -> Arc<Signal> {
        self.indexer.clone()
    }

    /// Why the last write failed.
    pub(super) fn problem(&self) -> Problem {
        self.problem.clone()
    }

    /// How much of what was handed over later than its delivery is written.
    pub(super) fn settled(&self) -> watch::Receiver<u64> {
        self.settled.subscribe()
    }

    /// Works until the queue is closed and empty.
    pub(super) fn run(mut self) {
        let _closes = CloseOnDrop(self.queue.clone());
        while let Some(mut work) = self.queue.take(self.patience()) {
            self.quiet = work.is_empty();
            let tried = work.finishes.len() as u64;
            // Endings that could not be written before are tried again with the next group.
            self.finishes.append(&mut work.finishes);
            let failed = self.group(work.records).err();
            if tried > 0 {
                self.settled.send_modify(|settled| *settled += tried);
            }
            for order in work.orders {
                self.order(order, failed.as_ref());
            }
            self.housekeep();
        }
        if self.role == Role::Owner
            && let Err(error) = self.log.cut(&self.connection)
        {
            tracing::debug!(%error, "the write-ahead log is left for the next start");
        }
    }

    /// How long there is to wait when nothing is handed over.
    fn patience(&self) -> Patience {
        let idle = self.undo.due(Instant::now()).map_or(Patience::Forever, Patience::For);
        if !self.finishes.is_empty() {
            Patience::For(RETRY)
        } else if self.role == Role::Guest {
            idle
        } else if self.retention_due || self.free_pages {
            if self.quiet { Patience::None } else { Patience::For(QUIET) }
        } else if self.log.is_long() {
            // A reader is in it: nothing to hurry for.
            Patience::For(QUIET)
        } else {
            idle
        }
    }

    /// Writes a group and releases its answers.
    fn group(&mut self, records: Vec<Record>) -> Result<(), StoreError> {
        if records.is_empty() && self.finishes.is_empty() {
            return Ok(());
        }
        if !records.is_empty() {
            self.indexer.pause();
        }
        let deliveries: Vec<_> = records.iter().map(|record| &*record.new).collect();
        match group::write(&mut self.connection, self.next_seq, &deliveries, &self.finishes) {
            Ok(outcomes) => {
                let mut more = 0;
                for (seq, late) in self.finishes.drain(..) {
                    more += late.stored_bytes();
                    self.undo.late(seq, late);
                }
                if let Some(totals) = &mut self.totals {
                    totals.grow(more);
                }
                let mut answers = Vec::with_capacity(records.len());
                let mut problem = None;
                for (record, outcome) in records.into_iter().zip(outcomes) {
                    let answer = match outcome {
                        Ok(outcome) => {
                            self.stored(&record.new, &outcome);
                            Ok((record.new, outcome))
                        }
                        Err(error) => {
                            let error = StoreError::sqlite(&self.file, error);
                            problem = Some(error.clone());
                            Err(error)
                        }
                    };
                    answers.push((record.answer, answer));
                }
                // Before anyone hears of it, so that what they ask next agrees.
                self.problem.set(problem.as_ref());
                for (sender, answer) in answers {
                    // Nobody may wait any more; the delivery is stored all the same.
                    let _ = sender.send(answer);
                }
                Ok(())
            }
            Err(error) => {
                let error = StoreError::sqlite(&self.file, error);
                tracing::warn!(%error, deliveries = records.len(), "nothing of a group was stored");
                self.problem.set(Some(&error));
                for record in records {
                    let _ = record.answer.send(Err(error.clone()));
                }
                Err(error)
            }
        }
    }

    /// Counts a delivery that is durable now.
    fn stored(&mut self, new: &NewDelivery, outcome: &Outcome) {
        self.next_seq = self.next_seq.max(outcome.seq + 1);
        self.retention_due = true;
        if let Some(totals) = &mut self.totals {
            totals.add(new.stored_bytes());
        }
    }

    fn order(&mut self, order: Order, failed: Option<&StoreError>) {
        match order {
            Order::Change(change) => {
                self.undo.forget(Instant::now());
                change(&mut self.connection, &self.problem, &mut self.undo);
                self.changed();
            }
            Order::Flush(answer) => {
                let _ = answer.send(failed.map_or(Ok(()), |error| Err(error.clone())));
            }
            Order::Foreign(answer) => {
                let looked = self.look_for_foreign();
                let foreign = std::mem::take(&mut self.foreign);
                let looked = looked.map_err(|error| StoreError::sqlite(&self.file, error));
                let _ = answer.send(looked.map(|()| foreign));
            }
            Order::Import(all, answer) => {
                let imported =
                    self.import(&all).map_err(|error| StoreError::sqlite(&self.file, error));
                self.problem.set(imported.as_ref().err());
                let _ = answer.send(imported);
            }
            Order::Index(segment, answer) => {
                let stored =
                    self.index(&segment).map_err(|error| StoreError::sqlite(&self.file, error));
                let _ = answer.send(stored);
            }
            Order::Retention(retention) => {
                self.retention = retention;
                self.retention_due = true;
            }
        }
    }

    fn import(&mut self, all: &[Import]) -> rusqlite::Result<i64> {
        self.indexer.pause();
        let first = self.next_seq;
        self.next_seq = import::write(&mut self.connection, first, all)?;
        self.changed();
        Ok(first)
    }

    fn index(&mut self, segment: &Segment) -> rusqlite::Result<()> {
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
        segment.write(&transaction)?;
        transaction.commit()
    }

    /// Something may have been deleted.
    fn changed(&mut self) {
        self.totals = None;
        self.retention_due = true;
        self.free_pages = true;
    }

    /// Sees whether another process has changed something: this connection alone writes in this one.
    fn look_for_foreign(&mut self) -> rusqlite::Result<()> {
        let version = data_version(&self.connection)?;
        if version != self.data_version {
            self.data_version = version;
            self.foreign = true;
            self.changed();
        }
        Ok(())
    }

    /// One step of what is to be done between groups; more of it when nobody waits.
    fn housekeep(&mut self) {
        self.undo.forget(Instant::now());
        if let Err(error) = self.try_housekeep() {
            // What comes next tries again; a delivery that cannot be stored says so itself.
            tracing::debug!(%error, "housekeeping is put off");
            (self.retention_due, self.free_pages) = (false, false);
        }
    }

    fn try_housekeep(&mut self) -> rusqlite::Result<()> {
        if self.role == Role::Owner {
            self.tell_indexer();
            if self.quiet {
                self.look_for_foreign()?;
            }
            self.keep_retention()?;
            if self.quiet
                && let Some(answered) = self.answered.take()
                && answered != retention::answered_up_to(&self.connection)?
            {
                retention::set_answered_up_to(&self.connection, answered)?;
            }
            if self.quiet && self.free_pages && !self.retention_due {
                self.free_pages = retention::give_back(&self.connection)?;
            }
        }
        self.log.tend(&self.connection, self.quiet)
    }

    fn tell_indexer(&mut self) {
        let last = self.next_seq - 1;
        if self.quiet {
            self.indexer.quiet(last);
        } else if self.indexed.elapsed() > INDEX_EVERY {
            self.indexer.busy(last);
        } else {
            return;
        }
        self.indexed = Instant::now();
    }

    fn keep_retention(&mut self) -> rusqlite::Result<()> {
        let totals = match self.totals {
            Some(totals) => totals,
            None if self.quiet || self.counted.elapsed() > COUNT_EVERY => {
                self.counted = Instant::now();
                *self.totals.insert(Totals::count(&self.connection)?)
            }
            None => return Ok(()),
        };
        if !totals.exceed(self.retention, if self.quiet { u64::MAX } else { SLACK }) {
            self.retention_due &= !self.quiet;
            return Ok(());
        }
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
        let (left, more) = retention::step(&transaction, self.retention, totals)?;
        transaction.commit()?;
        self.totals = Some(left);
        // Where only pinned ones are left there is no more to do, however much that is.
        self.retention_due = more;
        self.free_pages = true;
        Ok(())
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

/// Whoever hands over to a thread that has ended, in whatever way, is told.
struct CloseOnDrop(Arc<Queue>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
