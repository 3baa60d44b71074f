//! The thread that fills the index of [`grams`]: behind the writer, when nothing comes in, so that no answer waits
//! for it.

use super::{
    StoreError,
    grams::{self, Segment},
    queue::{Order, Queue},
    readers::Readers,
};
use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread::{self, JoinHandle},
};

/// What the writer tells it.
#[derive(Debug, Default)]
struct State {
    /// The highest number that was given.
    last: i64,
    /// How many segments may be read now.
    allowed: u32,
    closed: bool,
}

/// Between the writer and the indexer.
#[derive(Debug, Default)]
pub(super) struct Signal {
    state: Mutex<State>,
    ready: Condvar,
}

impl Signal {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is an assignment: a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing comes in: everything up to this number may be read.
    pub(super) fn quiet(&self, last: i64) {
        self.tell(last, u32::MAX);
    }

    /// Deliveries come in without a pause: one segment may be read all the same.
    pub(super) fn busy(&self, last: i64) {
        self.tell(last, 1);
    }

    fn tell(&self, last: i64, allowed: u32) {
        let mut state = self.state();
        (state.last, state.allowed) = (last, allowed);
        drop(state);
        self.ready.notify_one();
    }

    /// Something came in: no more than what was begun.
    pub(super) fn pause(&self) {
        self.state().allowed = 0;
    }

    /// Waits until there may be something to do; says up to which number, `None` at the end.
    fn wait(&self, done: i64) -> Option<i64> {
        let mut state = self.state();
        while !state.closed && (state.allowed == 0 || state.last <= done) {
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return None;
        }
        state.allowed -= 1;
        Some(state.last)
    }

    fn is_closed(&self) -> bool {
        self.state().closed
    }
}

/// The thread; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Indexer {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.signal.state().closed = true;
        self.signal.ready.notify_one();
        if let Some(thread) = self.thread.take() {
            // What it has not written is written another time.
            let _ = thread.join();
        }
    }
}

impl Indexer {
    /// Starts it over a database.
    pub(super) fn start(
        file: &Path,
        signal: Arc<Signal>,
        queue: Arc<Queue>,
    ) -> Result<Self, StoreError> {
        let readers = Readers::open(file)?;
        let work = Work { readers, signal: signal.clone(), queue };
        let thread = thread::Builder::new().name("store-indexer".into()).spawn(move || work.run());
        let thread = thread.map_err(|cause| StoreError::folder(file, cause))?;
        Ok(Self { signal, thread: Some(thread) })
    }
}

struct Work {
    readers: Readers,
    signal: Arc<Signal>,
    queue: Arc<Queue>,
}

impl Work {
    fn run(self) {
        // Up to `done` there is nothing left to do; `next` is the first segment that may be missing.
        let (mut done, mut next, mut restores) = (0, 0, 0);
        while let Some(last) = self.signal.wait(done) {
            match self.readers.read(grams::restores) {
                // Any segment may be missing again.
                Ok(now) if now != restores => (next, restores) = (0, now),
                _ => {}
            }
            match self.step(next, restores, last) {
                Ok(Some(number)) => next = number + 1,
                Ok(None) => done = last,
                Err(error) => {
                    // A search reads what is not indexed; the next delivery is a reason to try again.
                    tracing::debug!(%error, "the index for the filter is put off");
                    done = last;
                }
            }
        }
    }

    /// Reads and stores one segment; says which, `None` where none is missing.
    fn step(&self, next: i64, restores: i64, last: i64) -> Result<Option<i64>, StoreError> {
        let missing = self.readers.read(|connection| grams::missing(connection, next, last))?;
        let Some(number) = missing else { return Ok(None) };
        let mut segment = Segment::new(number, restores);
        for (block, first) in segment.blocks() {
            if self.signal.is_closed() {
                return Ok(None);
            }
            // A snapshot a block, so that the write-ahead log is not held for long.
            self.readers.read(|connection| segment.read(connection, block, first))?;
        }
        let (answer, written) = mpsc::sync_channel(1);
        self.queue.order(Order::Index(segment, answer));
        written.recv().map_err(|_| StoreError::Closed)??;
        Ok(Some(number))
    }
}
