//! What is handed to the writer: one lock for a whole group, and one waking.

use super::{
    Import, NewDelivery, StoreError, grams::Segment, group::Outcome, record::Late, undo::Undo,
    writer::Problem,
};
use crate::model::Retention;
use rusqlite::Connection;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// The most deliveries in one transaction.
const GROUP: usize = 512;
/// No more is added to a group once its bodies are so large, in bytes.
const GROUP_BYTES: usize = 16 * 1024 * 1024;
/// How long endings wait for deliveries to share their transaction.
const LINGER: Duration = Duration::from_millis(20);

/// A delivery on its way in; it comes back with what became of it.
pub(super) struct Record {
    pub(super) new: Box<NewDelivery>,
    pub(super) answer: oneshot::Sender<Result<(Box<NewDelivery>, Outcome), StoreError>>,
}

/// A change in a transaction of its own; it notes how that went, and tells whoever asked for it.
pub(super) type Change = Box<dyn FnOnce(&mut Connection, &Problem, &mut Undo) + Send>;

/// Anything but a delivery and its ending.
pub(super) enum Order {
    /// Makes a change.
    Change(Change),
    /// Answers when everything that came before is durable.
    Flush(oneshot::Sender<Result<(), StoreError>>),
    /// Says whether another process has changed the database since the last time.
    Foreign(mpsc::SyncSender<Result<bool, StoreError>>),
    /// Changes how much is kept.
    Retention(Retention),
    /// Stores deliveries that did not arrive, all or none; says the number of the first.
    Import(Vec<Import>, oneshot::Sender<Result<i64, StoreError>>),
    /// Stores a segment of the index.
    Index(Segment, mpsc::SyncSender<Result<(), StoreError>>),
}

/// What the writer takes at once.
#[derive(Default)]
pub(super) struct Work {
    pub(super) records: Vec<Record>,
    pub(super) finishes: Vec<(i64, Late)>,
    pub(super) orders: Vec<Order>,
}

impl Work {
    /// Whether nothing was handed over.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.finishes.is_empty() && self.orders.is_empty()
    }
}

/// How long [`Queue::take`] waits when there is nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Until there is.
    Forever,
    /// So long; then it returns with nothing.
    For(Duration),
    /// Not at all.
    None,
}

/// What the writer is doing, so that it is woken only when it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Busy,
    Idle,
    /// Waits for deliveries to come beside some endings.
    Lingering,
}

struct State {
    records: VecDeque<Record>,
    finishes: Vec<(i64, Late)>,
    /// How many of them there were in all.
    handed: u64,
    /// When the first of `finishes` came.
    since: Instant,
    orders: Vec<Order>,
    writer: Writer,
    closed: bool,
}

/// Between those who hand over and the writer.
pub(super) struct Queue {
    state: Mutex<State>,
    ready: Condvar,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                records: VecDeque::new(),
                finishes: Vec::new(),
                handed: 0,
                since: Instant::now(),
                orders: Vec::new(),
                writer: Writer::Busy,
                closed: false,
            }),
            ready: Condvar::new(),
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change under the lock is a single push, take or assignment: a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, state: MutexGuard<'_, State>, was: Writer) {
        drop(state);
        if was != Writer::Busy {
            self.ready.notify_one();
        }
    }

    /// Hands a delivery over; `false` when the writer has ended (the answer's sender is dropped with it).
    pub(super) fn record(&self, record: Record) -> bool {
        let mut state = self.state();
        if state.closed {
            return false;
        }
        state.records.push_back(record);
        let was = std::mem::replace(&mut state.writer, Writer::Busy);
        self.wake(state, was);
        true
    }

    /// Hands over what is known of a delivery after it was stored; that alone does not hurry the writer. The number of it
    /// among all that were.
    pub(super) fn finish(&self, seq: i64, late: Late) -> u64 {
        let mut state = self.state();
        if state.finishes.is_empty() {
            state.since = Instant::now();
        }
        state.finishes.push((seq, late));
        state.handed += 1;
        let number = state.handed;
        if state.writer == Writer::Idle {
            state.writer = Writer::Busy;
            self.wake(state, Writer::Idle);
        }
        number
    }

    /// Hands an order over; `false` when the writer has ended.
    pub(super) fn order(&self, order: Order) -> bool {
        let mut state = self.state();
        if state.closed {
            return false;
        }
        state.orders.push(order);
        let was = std::mem::replace(&mut state.writer, Writer::Busy);
        self.wake(state, was);
        true
    }

    /// Nothing more is taken in; what is waiting is still written.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        drop(state);
        self.ready.notify_one();
    }

    /// The writer has ended: nothing more is taken in, and whoever waits is told by the drop of what they sent.
    pub(super) fn abandon(&self) {
        let mut state = self.state();
        state.closed = true;
        let left = (std::mem::take(&mut state.records), std::mem::take(&mut state.orders));
        drop(state);
        drop(left);
    }

    /// Waits for work and takes it; `None` when the queue is closed and empty.
    pub(super) fn take(&self, patience: Patience) -> Option<Work> {
        let mut state = self.state();
        let started = Instant::now();
        loop {
            let urgent = !state.records.is_empty() || !state.orders.is_empty();
            if urgent || (state.closed && !state.finishes.is_empty()) {
                break;
            }
            if state.closed {
                return None;
            }
            let wait = if state.finishes.is_empty() {
                state.writer = Writer::Idle;
                match patience {
                    Patience::Forever => None,
                    Patience::For(limit) => Some(limit.saturating_sub(started.elapsed())),
                    Patience::None => Some(Duration::ZERO),
                }
            } else {
                state.writer = Writer::Lingering;
                Some(LINGER.saturating_sub(state.since.elapsed()))
            };
            state = match wait {
                Some(wait) if wait.is_zero() => break,
                Some(wait) => {
                    self.ready.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.ready.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.writer = Writer::Busy;
        let mut bytes = 0;
        let fits = state.records.iter().take(GROUP).take_while(|record| {
            let fits = bytes < GROUP_BYTES;
            bytes += record.new.body.len();
            fits
        });
        // An order comes after everything that was handed over before it, so that must not be left behind.
        let count = if state.orders.is_empty() { fits.count() } else { state.records.len() };
        Some(Work {
            records: state.records.drain(..count).collect(),
            finishes: std::mem::take(&mut state.finishes),
            orders: std::mem::take(&mut state.orders),
        })
    }
}
