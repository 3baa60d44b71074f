//! What the listener remembers between deliveries, bounded and in memory: hints, and how often a job was failed on
//! purpose. Nothing here decides about a claim.

use crate::{model::SignatureReport, signing::Sighting};
use jiff::Timestamp;
use std::{
    collections::{HashMap, VecDeque, hash_map::RandomState},
    hash::{BuildHasher as _, Hash as _, Hasher as _},
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many shapes are remembered.
const SHAPES: usize = 4096;
/// How many jobs' failures are counted.
const JOBS: usize = 65_536;

/// A map that forgets its oldest entry when it is full.
#[derive(Debug)]
struct Recent<V> {
    entries: HashMap<u64, V>,
    order: VecDeque<u64>,
    room: usize,
}

impl<V> Recent<V> {
    fn new(room: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), room }
    }

    /// The value under a key, put there where it is new.
    fn entry(&mut self, key: u64, new: impl FnOnce() -> V) -> &mut V {
        if !self.entries.contains_key(&key) {
            if self.order.len() == self.room
                && let Some(oldest) = self.order.pop_front()
            {
                self.entries.remove(&oldest);
            }
            self.order.push_back(key);
        }
        self.entries.entry(key).or_insert_with(new)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in here are hints: after a panic elsewhere they are as good as before.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Seen {
    seq: i64,
    id: Option<u64>,
}

/// All of it that judging needs.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Bodies that are alike.
    pub(super) shapes: Shapes,
    /// How far the last signed times were off.
    pub(super) clocks: Clocks,
}

/// The last deliveries whose digest matched, newest first.
#[derive(Debug, Default)]
pub(super) struct Clocks(Mutex<VecDeque<Sighting>>);

impl Clocks {
    pub(super) fn last(&self) -> Vec<Sighting> {
        lock(&self.0).iter().copied().collect()
    }

    pub(super) fn remember(&self, received_at: Timestamp, signature: &SignatureReport) {
        let (Some(age_s), Some(_)) = (signature.age_s, &signature.secret) else { return };
        let mut last = lock(&self.0);
        last.truncate(Sighting::KEPT - 1);
        last.push_front(Sighting { received_at, age_s });
    }
}

/// Bodies that are alike but for their id (C41), or the same without one (C33).
#[derive(Debug)]
pub(super) struct Shapes {
    hasher: RandomState,
    seen: Mutex<Recent<Seen>>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self { hasher: RandomState::new(), seen: Mutex::new(Recent::new(SHAPES)) }
    }
}

impl Shapes {
    /// A digest of everything but the id.
    pub(super) fn of(&self, path: &str, body: &[u8], id: Option<Range<usize>>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        path.hash(&mut hasher);
        match id.and_then(|id| Some((body.get(..id.start)?, body.get(id.end..)?))) {
            Some((before, after)) => (before, after).hash(&mut hasher),
            None => body.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// The note about an earlier delivery of this shape, where there is one that was not of the same job.
    pub(super) fn note(&self, shape: u64, id: Option<&str>) -> Option<String> {
        let seen = lock(&self.seen);
        let earlier = seen.entries.get(&shape)?;
        match id {
            None => Some(format!("the same body as #{}, no id", earlier.seq)),
            Some(id) if earlier.id != Some(self.hasher.hash_one(id)) => {
                Some(format!("equal to #{} apart from its job_id", earlier.seq))
            }
            Some(_) => None,
        }
    }

    /// Remembers a delivery, unless one of its shape is remembered already.
    pub(super) fn remember(&self, shape: u64, id: Option<&str>, seq: i64) {
        let id = id.map(|id| self.hasher.hash_one(id));
        lock(&self.seen).entry(shape, || Seen { seq, id });
    }
}

/// How many deliveries of each job were answered 500 on purpose.
#[derive(Debug)]
pub(super) struct Failures {
    hasher: RandomState,
    counts: Mutex<Recent<u32>>,
}

impl Default for Failures {
    fn default() -> Self {
        Self { hasher: RandomState::new(), counts: Mutex::new(Recent::new(JOBS)) }
    }
}

impl Failures {
    /// Whether one more delivery of this job is among the first `first`; then which one it is.
    pub(super) fn next(&self, job: impl std::hash::Hash, first: u32) -> Option<u32> {
        if first == 0 {
            return None;
        }
        let mut counts = lock(&self.counts);
        let count = counts.entry(self.hasher.hash_one(job), || 0);
        (*count < first).then(|| {
            *count += 1;
            *count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut recent = Recent::new(2);
        for key in [1, 2, 3] {
            recent.entry(key, || key);
        }
        let mut kept: Vec<u64> = recent.entries.keys().copied().collect();
        kept.sort_unstable();
        assert_eq!((kept, recent.order.len()), (vec![2, 3], 2));
    }

    #[test]
    fn each_job_fails_so_often() {
        let failures = Failures::default();
        let next = |job: &str| failures.next(job, 2);
        assert_eq!(
            [next("a"), next("b"), next("a"), next("a"), next("b")],
            [Some(1), Some(1), Some(2), None, Some(2)]
        );
        assert_eq!(failures.next("a", 0), None);
    }

    #[test]
    fn a_shape_leaves_the_id_out() {
        let shapes = Shapes::default();
        let shape = |body: &str| shapes.of("/", body.as_bytes(), Some(6..9));
        assert_eq!(shape(r#"{"id":"1"}"#), shape(r#"{"id":"2"}"#));
        assert_ne!(shape(r#"{"id":"1"}"#), shape(r#"{"id":"1"]"#));
    }
}
