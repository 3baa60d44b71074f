//! What happens, as the pages hear it: numbered, batched, and never waited for.
//!
//! A publisher never blocks on a page. Each subscriber reads from a bounded ring at its own pace; one that fell
//! behind the ring is told so ([`Batch::missed`]) and asks for what it needs again.

use crate::model::{
    CheckReport, CopyReport, DeliverReport, Delivery, HandlerFacts, RunReport, ScenarioReport,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::sleep};
use ts_rs::TS;

/// How long a batch gathers.
const GATHER: Duration = Duration::from_millis(33);
/// How many events go in one batch at most.
const BATCH: usize = 256;
/// How many events are kept for subscribers that are behind.
const KEPT: usize = 16_384;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[ts(export)]
pub enum Event {
    /// A delivery was stored, or its ending became known: the row as it is now.
    Delivery {
        /// The row.
        delivery: Delivery,
    },
    /// Deliveries were deleted, pinned or cleared; ask for the list again.
    DeliveriesChanged,
    /// Claims were released or cleared.
    ClaimsChanged,
    /// A run began or ended.
    Run {
        /// As it is now.
        run: RunReport,
    },
    /// A copy of a run has an outcome.
    Copy {
        /// The run's id.
        run: String,
        /// The copy.
        copy: CopyReport,
    },
    /// A check began or ended; its scenarios come without their time lines.
    Check {
        /// As it is now.
        check: Box<CheckReport>,
    },
    /// A scenario of a check began, came further, or is done.
    Scenario {
        /// The check's id.
        check: String,
        /// As it is now.
        scenario: Box<ScenarioReport>,
    },
    /// Something was measured of the handler that a check examines.
    HandlerFacts {
        /// The check's id.
        check: String,
        /// As it is now.
        facts: HandlerFacts,
    },
    /// A delivery by schedule came further.
    Delivering {
        /// As it is now.
        report: Box<DeliverReport>,
    },
    /// The watch list changed; ask for it again.
    WatchChanged,
    /// The person asked for a delivery outside of the page, as by a click on a notification.
    Show {
        /// The delivery.
        #[ts(type = "number")]
        seq: i64,
    },
    /// The listener started, stopped or failed; settings or the secret changed: ask for `app.state` again.
    StateChanged,
}

/// Some events, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Batch {
    /// The number of the first event; ask from `first + events.length` after a break.
    #[ts(type = "number")]
    pub first: u64,
    /// In order, without a gap.
    pub events: Vec<Event>,
    /// Events before `first` were lost to this subscriber: what it holds may be out of date.
    pub missed: bool,
}

#[derive(Debug, Default)]
struct Ring {
    /// The number of the event at the front.
    first: u64,
    events: VecDeque<Event>,
}

/// Where events are published and read.
#[derive(Debug, Clone)]
pub struct Events {
    ring: Arc<Mutex<Ring>>,
    /// The number of the next event: wakes subscribers without holding anything for them.
    next: watch::Sender<u64>,
}

impl Default for Events {
    fn default() -> Self {
        Self { ring: Arc::default(), next: watch::Sender::new(0) }
    }
}

impl Events {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        // A panic while the ring was held cannot leave it half changed: both fields change in single steps.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event; never waits.
    pub fn publish(&self, event: Event) {
        let next = {
            let mut ring = self.ring();
            if ring.events.len() == KEPT {
                ring.events.pop_front();
                ring.first += 1;
            }
            ring.events.push_back(event);
            ring.first + ring.events.len() as u64
        };
        self.next.send_replace(next);
    }

    /// The number that the next event will have.
    pub fn next_number(&self) -> u64 {
        *self.next.borrow()
    }

    /// Reads from an event's number on; `None` is from now on.
    pub fn subscribe(&self, from: Option<u64>) -> Subscription {
        let next = self.next.subscribe();
        let now = *next.borrow();
        // A number from the future is another life of this program: start anew and say that something was missed.
        let (position, missed) = match from {
            Some(number) if number <= now => (number, false),
            Some(_) => (now, true),
            None => (now, false),
        };
        Subscription { events: self.clone(), next, position, missed }
    }
}

/// One reader's place.
#[derive(Debug)]
pub struct Subscription {
    events: Events,
    next: watch::Receiver<u64>,
    position: u64,
    missed: bool,
}

impl Subscription {
    /// Waits for at least one event, gathers for a moment, and returns what there is; `None` when the publisher is
    /// gone.
    pub async fn next_batch(&mut self) -> Option<Batch> {
        let position = self.position;
        self.next.wait_for(|next| *next > position).await.ok()?;
        if self.events.next_number() - self.position < BATCH as u64 {
            sleep(GATHER).await;
        }
        let ring = self.events.ring();
        if self.position < ring.first {
            self.position = ring.first;
            self.missed = true;
        }
        let skip = usize::try_from(self.position - ring.first).unwrap_or(usize::MAX);
        let events: Vec<Event> = ring.events.iter().skip(skip).take(BATCH).cloned().collect();
        drop(ring);
        let first = self.position;
        self.position += events.len() as u64;
        Some(Batch { first, events, missed: std::mem::take(&mut self.missed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn events_arrive_in_order_and_numbered() {
        let events = Events::default();
        let mut reader = events.subscribe(None);
        events.publish(Event::ClaimsChanged);
        events.publish(Event::StateChanged);
        let batch = reader.next_batch().await.unwrap();
        assert_eq!((batch.first, batch.missed), (0, false));
        assert_eq!(batch.events, [Event::ClaimsChanged, Event::StateChanged]);
    }

    #[tokio::test]
    async fn a_reader_that_fell_behind_is_told() {
        let events = Events::default();
        let mut reader = events.subscribe(None);
        for _ in 0..KEPT + 10 {
            events.publish(Event::ClaimsChanged);
        }
        let batch = reader.next_batch().await.unwrap();
        assert_eq!((batch.first, batch.missed, batch.events.len()), (10, true, BATCH));
        let batch = reader.next_batch().await.unwrap();
        assert_eq!((batch.first, batch.missed), (10 + BATCH as u64, false));
    }

    #[tokio::test]
    async fn a_reader_comes_back_to_its_place() {
        let events = Events::default();
        events.publish(Event::ClaimsChanged);
        events.publish(Event::StateChanged);
        let batch = events.subscribe(Some(1)).next_batch().await.unwrap();
        assert_eq!((batch.first, batch.events), (1, vec![Event::StateChanged]));
    }

    #[tokio::test]
    async fn a_number_from_another_life_is_told_as_missed() {
        let events = Events::default();
        let mut reader = events.subscribe(Some(99));
        events.publish(Event::ClaimsChanged);
        assert!(reader.next_batch().await.unwrap().missed);
    }
}
