//! SQLite: one writer with group commit, readers beside it.
//!
//! The writer's thread takes everything that waits, writes it in one transaction, and releases the answers when that
//! is durable. Readers have their own connections. Whoever else wants to change something (the command line beside a
//! listener) does so in transactions of its own.

mod bits;
mod checks;
mod claims;
mod deliveries;
mod error;
mod facets;
mod filter;
mod folder;
mod forwards;
mod grams;
mod group;
mod import;
mod indexer;
mod log;
mod queue;
mod readers;
mod record;
mod retention;
mod rows;
mod runs;
mod schema;
mod search;
mod undo;
mod watched;
mod words;
mod writer;

pub use error::StoreError;
pub use import::Import;
pub use record::{ClaimRequest, Finish, NewDelivery};
pub use watched::WatchEntry;

use crate::model::{
    CheckReport, ClaimRow, ClaimSelector, Delivery, DeliveryCounts, DeliveryDetail, DeliveryPage,
    DeliveryQuery, Facet, ForwardReport, JobKey, Retention, RunReport,
};
use bytes::Bytes;
use filter::Filter;
use indexer::Indexer;
use jiff::Timestamp;
use queue::{Order, Queue, Record};
use readers::Readers;
use record::Late;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};
use tokio::sync::{oneshot, watch};
use undo::Undo;
use words::Words;
use writer::{Problem, Writer};

/// How a data folder is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The one process that listens: takes the folder's lock, migrates, finds what was interrupted, keeps retention.
    Owner,
    /// Looks on beside the owner, and may release, pin and clear.
    Guest,
}

/// The database. A clone is the same one; with the last one everything that was handed over is written and the folder
/// is given back.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    role: Role,
    file: PathBuf,
    readers: Readers,
    words: Words,
    queue: Arc<Queue>,
    problem: Problem,
    settled: watch::Receiver<u64>,
    /// Only an owner's.
    indexer: Option<Indexer>,
    thread: Option<JoinHandle<()>>,
    /// Given back last.
    _lock: Option<folder::Lock>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("file", &self.file)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // First, since it hands over to the writer.
        self.indexer = None;
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has told those who waited.
            let _ = thread.join();
        }
    }
}

impl Store {
    /// Opens (and where needed makes) the data folder. Blocking.
    ///
    /// A guest of a folder without a database makes an empty one.
    ///
    /// # Errors
    /// When the folder is owned by another process (an owner only), cannot be made or written, or holds a database
    /// that is damaged or of a newer version, which is left untouched.
    pub fn open(folder: &Path, role: Role, retention: Retention) -> Result<Self, StoreError> {
        let lock = schema::prepare(folder, role)?;
        let file = folder::database(folder);
        let connection = schema::open(&file)?;
        if role == Role::Owner {
            let interrupted = retention::mark_interrupted(&connection)
                .map_err(|error| StoreError::sqlite(&file, error))?;
            if interrupted > 0 {
                tracing::info!(
                    interrupted,
                    "deliveries were not answered before the last end of this program"
                );
            }
        }
        let readers = Readers::open(&file)?;
        let writer = Writer::new(file.clone(), role, connection, retention)?;
        let (queue, problem, settled) = (writer.queue(), writer.problem(), writer.settled());
        let signal = writer.indexer();
        let thread = thread::Builder::new().name("store-writer".into()).spawn(move || writer.run());
        let thread = Some(thread.map_err(|cause| StoreError::folder(&file, cause))?);
        let words = Words::default();
        let mut inner = Inner {
            role,
            file,
            readers,
            words,
            queue,
            problem,
            settled,
            indexer: None,
            thread,
            _lock: lock,
        };
        if role == Role::Owner {
            inner.indexer = Some(Indexer::start(&inner.file, signal, inner.queue.clone())?);
        }
        Ok(Self(Arc::new(inner)))
    }

    /// Stores a delivery with its claim; when this returns, both are durable.
    ///
    /// # Errors
    /// When it could not be stored; then nothing of it was, and nothing was claimed.
    pub async fn record(&self, new: NewDelivery) -> Result<Delivery, StoreError> {
        if self.0.role != Role::Owner {
            return Err(StoreError::NotOwner);
        }
        let (answer, answered) = oneshot::channel();
        if !self.0.queue.record(Record { new: Box::new(new), answer }) {
            return Err(StoreError::Closed);
        }
        let (new, outcome) = answered.await.map_err(|_| StoreError::Closed)??;
        Ok(outcome.into_delivery(*new))
    }

    /// Notes how a delivery ended. Never waits: it is written with the next group. The delivery that is returned by
    /// `record` is brought up to date by the caller with [`Finish::apply`]. The first ending is the one that is kept.
    ///
    /// Gives the number that [`Store::settled`] reaches with it.
    pub fn finish(&self, seq: i64, finish: Finish) -> u64 {
        self.0.queue.finish(seq, Late::Ended(finish))
    }

    /// How many of the endings and reports that were handed over are written. One that could not be counts too: it is
    /// tried again, and nobody is to wait for it.
    pub fn settled(&self) -> watch::Receiver<u64> {
        self.0.settled.clone()
    }

    /// Notes what became of a delivery that went on to a handler. Never waits: it is written with the next group.
    ///
    /// Gives the number that [`Store::settled`] reaches with it, or zero where there is nothing to wait for.
    pub fn forwarded(&self, seq: i64, report: &ForwardReport) -> u64 {
        match serde_json::to_string(report) {
            Ok(report) => self.0.queue.finish(seq, Late::Forwarded(report)),
            Err(error) => {
                tracing::warn!(seq, %error, "a forward's report cannot be written");
                0
            }
        }
    }

    /// Waits until everything that was handed over is durable.
    ///
    /// # Errors
    /// When an ending could not be written; it is tried again with the next group.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.0.queue.order(Order::Flush(answer));
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// The earliest delivery that holds this key: the one of its claim, or the first that the naive responder let
    /// win. A claim that was released is not held. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn winner(&self, key: &JobKey) -> Result<Option<i64>, StoreError> {
        self.0.readers.read(|connection| {
            let claimed = claims::winner(connection, key.into())?;
            let naive = claims::naive_winner(connection, key.into())?;
            Ok(claimed.into_iter().chain(naive).min())
        })
    }

    /// How often the effect ran for this key: the deliveries that won. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn effects(&self, key: &JobKey) -> Result<u64, StoreError> {
        self.0.readers.read(|connection| claims::wins(connection, key.into()))
    }

    /// A window of the list. Blocking.
    ///
    /// # Errors
    /// When a term of the filter is not understood, or the database cannot be read.
    pub fn list(&self, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        let filter = Filter::parse(&query.filter)?;
        self.0
            .readers
            .read(|connection| deliveries::list(connection, &self.0.words, &filter, query))
    }

    /// The chips' counts under a filter. Blocking.
    ///
    /// # Errors
    /// As for [`Store::list`].
    pub fn counts(&self, filter: &str) -> Result<DeliveryCounts, StoreError> {
        let filter = Filter::parse(filter)?;
        self.0.readers.read(|connection| deliveries::counts(connection, &self.0.words, &filter))
    }

    /// What the deliveries of a filter are, value by value. Blocking.
    ///
    /// # Errors
    /// As for [`Store::list`].
    pub fn facets(&self, filter: &str) -> Result<Vec<Facet>, StoreError> {
        let filter = Filter::parse(filter)?;
        self.0.readers.read(|connection| facets::facets(connection, &self.0.words, &filter))
    }

    /// The numbers of all that match a filter, oldest first. Blocking.
    ///
    /// # Errors
    /// As for [`Store::list`].
    pub fn matching(&self, filter: &str) -> Result<Vec<i64>, StoreError> {
        let filter = Filter::parse(filter)?;
        self.0.readers.read(|connection| deliveries::matching(connection, &self.0.words, &filter))
    }

    /// The `seq` of an `id` or `seq` as typed. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<i64>, StoreError> {
        self.0.readers.read(|connection| deliveries::find(connection, id))
    }

    /// One delivery. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn show(&self, seq: i64) -> Result<Option<DeliveryDetail>, StoreError> {
        self.0.readers.read(|connection| deliveries::show(connection, seq))
    }

    /// The exact bytes of its head. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn head(&self, seq: i64) -> Result<Option<Bytes>, StoreError> {
        self.0.readers.read(|connection| deliveries::head(connection, seq))
    }

    /// The exact bytes of its body, or a part of them, with the whole size. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn body(
        &self,
        seq: i64,
        range: Option<Range<u64>>,
    ) -> Result<Option<(Bytes, u64)>, StoreError> {
        self.0.readers.read(|connection| deliveries::body(connection, seq, range))
    }

    /// Every delivery of one job, oldest first (the newest `limit` of them), and how many there are. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn job(&self, key: &JobKey, limit: u32) -> Result<(Vec<Delivery>, u64), StoreError> {
        self.0.readers.read(|connection| deliveries::job(connection, key.into(), limit))
    }

    /// The bodies of the other deliveries of a delivery's job, oldest first (the newest ones of very many), each read when
    /// it is asked for. What cannot be read is left out. Blocking.
    pub fn bodies_of_job(&self, delivery: &Delivery) -> impl Iterator<Item = (i64, Bytes)> {
        const MOST: u32 = 500;
        let seq = delivery.seq;
        let key = delivery.job_id.clone().map(|job_id| JobKey {
            path: delivery.path.clone(),
            job_id,
            job_id_type: delivery.job_id_type,
        });
        let kin = key.into_iter().flat_map(|key| {
            self.job(&key, MOST).map(|(deliveries, _)| deliveries).unwrap_or_default()
        });
        kin.filter(move |kin| kin.seq != seq).filter_map(|kin| {
            self.body(kin.seq, None).ok().flatten().map(|(body, _)| (kin.seq, body))
        })
    }

    /// When the last deliveries before one were received whose digest matched by a scheme, and how old their signed times
    /// were in seconds, newest first. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ages(
        &self,
        scheme: &str,
        before: i64,
        most: usize,
    ) -> Result<Vec<(Timestamp, f64)>, StoreError> {
        self.0.readers.read(|connection| deliveries::ages(connection, scheme, before, most))
    }

    /// Claims, newest first, and how many there are; a limit of 0 is none. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn claims(&self, limit: u32, offset: u32) -> Result<(Vec<ClaimRow>, u64), StoreError> {
        self.0.readers.read(|connection| claims::list(connection, limit, offset))
    }

    /// How many claims there are; cheaper than the newest of them, which are found by looking at all.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn claims_count(&self) -> Result<u64, StoreError> {
        self.0.readers.read(claims::count)
    }

    /// Gives claims back, so that the next delivery of the job wins. Says how many.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn release(&self, which: ClaimSelector) -> Result<u64, StoreError> {
        self.change(move |connection| claims::release(connection, Some(&which))).await
    }

    /// Gives every claim back.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn clear_claims(&self) -> Result<u64, StoreError> {
        self.change(|connection| claims::release(connection, None)).await
    }

    /// Deletes deliveries, pinned or not. Claims stay.
    ///
    /// # Errors
    /// When the database cannot be written; some may be deleted then.
    pub async fn delete(&self, seqs: Vec<i64>) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for step in seqs.chunks(retention::STEP as usize) {
            let step = step.to_vec();
            deleted += self.change(move |connection| retention::delete(connection, &step)).await?;
        }
        Ok(deleted)
    }

    /// Deletes all deliveries but the pinned ones, in steps between which others are recorded. Claims stay.
    ///
    /// # Errors
    /// When the database cannot be written; some may be deleted then.
    pub async fn clear(&self) -> Result<u64, StoreError> {
        let last = self.change(retention::last_seq).await?;
        let mut deleted = 0;
        loop {
            match self.change(move |connection| retention::clear_step(connection, last)).await? {
                0 => return Ok(deleted),
                step => deleted += step,
            }
        }
    }

    /// Pins or unpins.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn pin(&self, seq: i64, pinned: bool) -> Result<u64, StoreError> {
        self.change(move |connection| retention::pin(connection, seq, pinned)).await
    }

    /// Changes how much is kept.
    pub fn set_retention(&self, retention: Retention) {
        self.0.queue.order(Order::Retention(retention));
    }

    /// Why nothing can be stored at the moment; `None` when the last write went well.
    pub fn problem(&self) -> Option<String> {
        self.0.problem.get()
    }

    /// Whether another process (the command line beside a listener) has changed the database since this was last
    /// asked. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn foreign_changes(&self) -> Result<bool, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.0.queue.order(Order::Foreign(answer));
        answered.recv().map_err(|_| StoreError::Closed)?
    }

    /// Keeps a run with its copies.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn save_run(&self, run: RunReport) -> Result<(), StoreError> {
        self.change(move |connection| runs::save(connection, run)).await
    }

    /// The last runs, newest first, without their copies; a limit of 0 is none. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&self, limit: u32) -> Result<Vec<RunReport>, StoreError> {
        self.0.readers.read(|connection| runs::list(connection, limit))
    }

    /// One run with its copies. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run(&self, id: &str) -> Result<Option<RunReport>, StoreError> {
        self.0.readers.read(|connection| runs::get(connection, id))
    }

    /// Keeps a check that is done.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn save_check(&self, check: CheckReport) -> Result<(), StoreError> {
        self.change(move |connection| checks::save(connection, check)).await
    }

    /// The last checks, newest first, without time lines. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn checks(&self, limit: u32) -> Result<Vec<CheckReport>, StoreError> {
        self.0.readers.read(|connection| checks::list(connection, limit))
    }

    /// One check whole. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn check(&self, id: &str) -> Result<Option<CheckReport>, StoreError> {
        self.0.readers.read(|connection| checks::get(connection, id))
    }

    /// The watch list, the newest entry first. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn watched(&self) -> Result<Vec<WatchEntry>, StoreError> {
        self.0.readers.read(watched::list)
    }

    /// Puts jobs on the watch list, in the place of earlier entries of them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn add_watched(&self, entries: Vec<WatchEntry>) -> Result<(), StoreError> {
        self.change(move |connection| {
            entries.iter().try_for_each(|entry| watched::add(connection, entry))
        })
        .await
    }

    /// Brings an entry of the watch list up to date; `false` where it was taken off or added anew meanwhile.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn update_watched(&self, entry: WatchEntry) -> Result<bool, StoreError> {
        self.change(move |connection| watched::update(connection, &entry)).await
    }

    /// Takes a job off the watch list; says whether it was on it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn remove_watched(&self, job_id: String) -> Result<bool, StoreError> {
        self.change(move |connection| watched::remove(connection, &job_id)).await
    }

    /// The first delivery of a job that is no forgery, whatever its path. `thorough` finds it where its claim was released
    /// too, and reads every delivery for that. Blocking.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn delivery_of(&self, job_id: &str, thorough: bool) -> Result<Option<i64>, StoreError> {
        self.0.readers.read(|connection| {
            if thorough {
                watched::delivery_at_all(connection, job_id)
            } else {
                watched::delivery_at_hand(connection, job_id)
            }
        })
    }

    /// Makes a change in a transaction of its own, on the writer's thread.
    async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.change_and(|connection, _| change(connection), |changed, _| changed).await
    }

    /// As [`Store::change`], with what can be undone; `then` follows on the same thread when the change is durable, before
    /// anything else is written.
    async fn change_and<T: 'static, U: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection, &Undo) -> rusqlite::Result<T> + Send + 'static,
        then: impl FnOnce(T, &mut Undo) -> U + Send + 'static,
    ) -> Result<U, StoreError> {
        let (answer, answered) = oneshot::channel();
        let file = self.0.file.clone();
        self.0.queue.order(Order::Change(Box::new(move |connection, problem, undo| {
            let write = || {
                let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
                let changed = change(&transaction, undo)?;
                transaction.commit()?;
                Ok(changed)
            };
            let result = write();
            let result = result.map(|changed| then(changed, undo));
            let result = result.map_err(|error| StoreError::sqlite(&file, error));
            problem.set(result.as_ref().err());
            let _ = answer.send(result);
        })));
        answered.await.map_err(|_| StoreError::Closed)?
    }
}
