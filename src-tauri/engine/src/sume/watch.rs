//! The jobs whose webhooks are waited for: when each is looked at, and what a look comes to.
//!
//! Everything is kept in the database and timed by the wall clock, so that it holds over restarts and over a sleep of the
//! machine, after which each job is looked at once (C85). Several processes may watch over one data folder: whoever looks
//! first moves the next look for all.

use super::{
    client::{Api, check_id},
    problem::SumeError,
};
use crate::{
    clock::SharedClock,
    error::{Error, Result},
    model::{JobState, WatchState},
    store::{Store, StoreError, WatchEntry},
};
use jiff::{SignedDuration, Timestamp};
use std::{collections::HashSet, time::Duration};
use tokio::task::spawn_blocking;

/// The longest that a webhook may be waited for, in seconds: a week.
const LONGEST_S: u64 = 7 * 24 * 3600;
/// How many jobs can be added at once.
const MOST_AT_ONCE: usize = 200;
/// How many looks one turn makes at most, so that a long list is no burst.
const LOOKS_A_TURN: usize = 4;
/// The longest `Retry-After` that is kept to; past it the API is tried again all the same.
const LONGEST_QUIET: Duration = Duration::from_secs(600);
/// How many looks a job that Sume does not know gets, since it may be younger than what the answer was read from.
const TRIES_FOR_UNKNOWN: u32 = 3;

/// When jobs are looked at. Each time is shorter for a job that is expected sooner.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// From when a job was added to the first look: its webhook is likely to be quicker.
    pub first: Duration,
    /// Between the first looks; each later pause is half as long again.
    pub least: Duration,
    /// The longest pause.
    pub most: Duration,
    /// From when a job was seen to be finished until its webhook is missed: longer than the gap between two attempts.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(5),
            least: Duration::from_secs(5),
            most: Duration::from_secs(60),
            grace: Duration::from_secs(45),
        }
    }
}

impl Pace {
    /// No part of it is longer than a job's webhook is waited for.
    fn of(self, entry: &WatchEntry) -> Self {
        let within = entry.expected.duration_since(entry.added).unsigned_abs();
        Self {
            first: self.first.min(within),
            least: self.least.min(within.max(Duration::from_millis(500))),
            most: self.most,
            grace: self.grace.min(within),
        }
    }

    fn pause(self, looks: u32) -> Duration {
        let longer = 1.5_f64.powi(i32::try_from(looks).unwrap_or(i32::MAX).min(64));
        self.least.mul_f64(longer.min(1e6)).min(self.most)
    }
}

/// What is seen of a job.
#[derive(Debug, Clone)]
enum Sight {
    /// A delivery of it is here.
    Delivery(i64),
    /// Sume's API says where it is.
    Status(JobState, String),
    /// Sume's API does not say.
    Failed(SumeError),
}

/// Whether a job needs no more looks.
pub fn settled(entry: &WatchEntry) -> bool {
    entry.next.is_none()
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    time.checked_add(SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX))
        .unwrap_or(Timestamp::MAX)
}

/// A job that was just put on the list.
fn fresh(job_id: String, within: Duration, now: Timestamp, pace: Pace) -> WatchEntry {
    let mut entry = WatchEntry {
        job_id,
        added: now,
        expected: later(now, within),
        state: WatchState::Waiting,
        word: None,
        finished: None,
        looks: 0,
        checked: None,
        next: None,
        delivery: None,
        problem: None,
    };
    entry.next = Some(later(now, pace.of(&entry).first));
    entry
}

/// What an entry is after a look. `jitter` is 0 to 1: many that were added at once are not looked at at once for ever.
fn after(
    mut entry: WatchEntry,
    sight: Sight,
    now: Timestamp,
    pace: Pace,
    jitter: f64,
) -> WatchEntry {
    let pace = pace.of(&entry);
    let pause = pace.pause(entry.looks).mul_f64(0.8 + 0.4 * jitter.clamp(0.0, 1.0));
    match sight {
        Sight::Delivery(seq) => {
            return WatchEntry {
                state: WatchState::Delivered,
                delivery: Some(seq),
                next: None,
                problem: None,
                ..entry
            };
        }
        Sight::Status(state, word) => {
            entry.problem = match state {
                JobState::Unknown if word.is_empty() => {
                    Some("Sume's answer names no status; it is asked again.".into())
                }
                JobState::Unknown => Some(format!(
                    "Sume's word for its status, {word}, is not known here; it is asked again."
                )),
                JobState::Open | JobState::Completed | JobState::Failed | JobState::Cancelled => {
                    None
                }
            };
            entry.word = (!word.is_empty()).then_some(word);
            if matches!(state, JobState::Completed | JobState::Failed | JobState::Cancelled) {
                let finished = *entry.finished.get_or_insert(now);
                entry.next = Some(later(finished, pace.grace));
            } else {
                entry.finished = None;
                entry.next = Some(later(now, pause));
            }
            if entry.state == WatchState::Unknown {
                entry.state = WatchState::Waiting;
            }
        }
        Sight::Failed(error) => {
            let unknown = error.status() == Some(404);
            let pause = match error.status() {
                // Nothing changes until a person does something.
                Some(401 | 403) => pace.most,
                _ => error.retry_after().unwrap_or_default().min(LONGEST_QUIET).max(pause),
            };
            entry.next = Some(later(now, pause));
            if unknown {
                entry.state = WatchState::Unknown;
                if entry.looks + 1 >= TRIES_FOR_UNKNOWN {
                    entry.next = None;
                }
            }
            entry.problem = Some(Error::from(error).to_wire().message);
        }
    }
    entry.looks += 1;
    entry.checked = Some(now);
    passed(entry, now)
}

/// What time alone makes of an entry.
fn passed(mut entry: WatchEntry, now: Timestamp) -> WatchEntry {
    if entry.finished.is_some() {
        if entry.next.is_some_and(|next| next <= now) {
            entry.state = WatchState::Missed;
            entry.next = None;
        }
    } else if entry.state == WatchState::Waiting && now >= entry.expected {
        entry.state = WatchState::Late;
    }
    entry
}

/// What a turn came to.
#[derive(Debug, Default)]
pub struct Turn {
    /// The entries that are not as they were, as they are now.
    pub changed: Vec<WatchEntry>,
    /// How many looks were answered.
    pub answered: u32,
    /// The looks that were not, in order.
    pub failed: Vec<SumeError>,
}

/// Watches over a data folder's list.
#[derive(Debug)]
pub struct Watch {
    store: Store,
    clock: SharedClock,
    pace: Pace,
    /// The API asked to be left alone until then.
    quiet_until: Option<Timestamp>,
}

impl Watch {
    /// Over a store, as its owner or beside it.
    pub fn new(store: Store, clock: SharedClock, pace: Pace) -> Self {
        Self { store, clock, pace, quiet_until: None }
    }

    /// Puts jobs on the list; those that are on it are looked at anew.
    ///
    /// # Errors
    /// When an id cannot be one, there are too many or the time is out of its range, or the database cannot be written.
    pub async fn add(&self, job_ids: Vec<String>, within: Duration) -> Result<()> {
        for id in &job_ids {
            check_id(id)?;
        }
        if job_ids.is_empty() || job_ids.len() > MOST_AT_ONCE {
            return Err(Error::Input(format!(
                "{} jobs cannot be put on the watch list; give 1 to {MOST_AT_ONCE}.",
                job_ids.len()
            )));
        }
        if within > Duration::from_secs(LONGEST_S) {
            return Err(Error::Input(
                "A webhook is waited for for a week at most; give a shorter time.".into(),
            ));
        }
        let now = self.clock.now();
        let entries = job_ids.into_iter().map(|id| fresh(id, within, now, self.pace)).collect();
        Ok(self.store.add_watched(entries).await?)
    }

    /// Looks at what is due, and at what has come meanwhile. Without an API only what has come is seen. `only` leaves the
    /// rest of the list alone.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn turn(
        &mut self,
        api: Option<&Api>,
        only: Option<&HashSet<String>>,
    ) -> Result<Turn, StoreError> {
        let mut turn = Turn::default();
        let mut looks = 0;
        for (before, seen) in self.list(only).await? {
            let now = self.clock.now();
            let mut entry = match seen {
                Some(seq) => after(before.clone(), Sight::Delivery(seq), now, self.pace, 0.0),
                None => passed(before.clone(), now),
            };
            if let Some(api) = api.filter(|_| looks < LOOKS_A_TURN && self.is_due(&entry, now)) {
                looks += 1;
                entry = self.look(api, entry, &mut turn).await;
            }
            if entry.state == WatchState::Missed && before.state != WatchState::Missed {
                // Before anybody is told: it may have come this moment, or its claim may have been released.
                if let Some(seq) = self.delivery_of(&entry.job_id).await? {
                    entry = after(entry, Sight::Delivery(seq), now, self.pace, 0.0);
                }
            }
            if entry != before && self.store.update_watched(entry.clone()).await? {
                turn.changed.push(entry);
            }
        }
        Ok(turn)
    }

    fn is_due(&self, entry: &WatchEntry, now: Timestamp) -> bool {
        let Some(next) = entry.next.filter(|_| entry.finished.is_none()) else { return false };
        let far = later(now, LONGEST_QUIET + self.pace.most * 2);
        // One that is too far away was set by a clock that has been put back since.
        let due = next <= now || next > far;
        due && self.quiet_until.is_none_or(|until| until <= now || until > far)
    }

    async fn look(&mut self, api: &Api, entry: WatchEntry, turn: &mut Turn) -> WatchEntry {
        let sight = match api.look(&entry.job_id).await {
            Ok(status) => {
                turn.answered += 1;
                Sight::Status(status.state, status.word)
            }
            Err(error) => {
                if let Some(wait) = error.retry_after() {
                    let until = later(self.clock.now(), wait.min(LONGEST_QUIET));
                    self.quiet_until = self.quiet_until.max(Some(until));
                }
                turn.failed.push(error.clone());
                Sight::Failed(error)
            }
        };
        after(entry, sight, self.clock.now(), self.pace, fastrand::f64())
    }

    /// The entries that may change, the most overdue first, each with the delivery that is here.
    async fn list(
        &self,
        only: Option<&HashSet<String>>,
    ) -> Result<Vec<(WatchEntry, Option<i64>)>, StoreError> {
        let store = self.store.clone();
        let only = only.cloned();
        let read = move || {
            let mut entries = store.watched()?;
            entries.retain(|entry| {
                entry.state != WatchState::Delivered
                    && only.as_ref().is_none_or(|only| only.contains(&entry.job_id))
            });
            entries.sort_by_key(|entry| entry.next.unwrap_or(Timestamp::MAX));
            let seen = |entry: WatchEntry| {
                let seq = store.delivery_of(&entry.job_id, false)?;
                Ok((entry, seq))
            };
            entries.into_iter().map(seen).collect()
        };
        spawn_blocking(read).await.map_err(|_| StoreError::Closed)?
    }

    async fn delivery_of(&self, job_id: &str) -> Result<Option<i64>, StoreError> {
        let (store, job_id) = (self.store.clone(), job_id.to_owned());
        let read = move || store.delivery_of(&job_id, true);
        spawn_blocking(read).await.map_err(|_| StoreError::Closed)?
    }
}

#[cfg(test)]
mod tests;
