//! Which shots a search fires: volleys, and pairs whose offset runs from nothing to beyond the handler's duration,
//! denser where the answers change.

use crate::model::CopyReport;
use std::{collections::BTreeMap, time::Duration};

/// The latest retry that is tried.
const LATEST: Duration = Duration::from_millis(2500);
/// Below this two offsets are the same: a packet is not let go more exactly.
const FINEST: Duration = Duration::from_micros(40);
/// How often offsets follow each other with the same factor.
const GROWTH: f64 = 1.6;
/// The first of them.
const FIRST: Duration = Duration::from_micros(50);

/// One thing to fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Shot {
    /// So many copies at the same instant.
    Volley(u32),
    /// Two copies so far apart.
    Pair(Duration),
}

/// What the answers to a pair looked like; where neighbours differ, something changes between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    first: Option<u16>,
    second: Option<u16>,
    /// The second was answered before the first.
    overtook: bool,
    /// The second took less than half as long as the first.
    quick: bool,
}

impl Shape {
    /// Of the two copies of a pair.
    pub(super) fn of(copies: &[CopyReport]) -> Option<Self> {
        let [first, second] = copies else { return None };
        let done = |copy: &CopyReport| Some(copy.released_us? / 1e3 + copy.total_ms?);
        let overtook = matches!((done(first), done(second)), (Some(a), Some(b)) if b < a);
        let quick = matches!((first.total_ms, second.total_ms), (Some(a), Some(b)) if b * 2.0 < a);
        Some(Self { first: first.status, second: second.status, overtook, quick })
    }
}

/// Gives shots without end. The same seed and the same handler give the same ones.
#[derive(Debug)]
pub(super) struct Offsets {
    random: fastrand::Rng,
    copies: u32,
    grid: Vec<Duration>,
    /// Retries that are late beside the handler's duration: rare, since each is in the air for long.
    late: Vec<Duration>,
    shapes: BTreeMap<Duration, Shape>,
    /// Offsets between neighbours whose answers differ.
    dense: Vec<Duration>,
    round: usize,
}

impl Offsets {
    /// For a handler that takes so long, with volleys of so many copies.
    pub(super) fn new(takes: Duration, copies: u32, seed: u64) -> Self {
        let reach = (takes * 5 / 4 + Duration::from_millis(5)).min(LATEST * 4);
        let mut grid = vec![Duration::ZERO];
        let mut next = FIRST;
        while next < reach {
            grid.push(next);
            next = next.mul_f64(GROWTH);
        }
        // The whole duration evenly as well: a window can be anywhere in it.
        grid.extend((1..=10).map(|tenth| takes * tenth / 8).filter(|at| *at >= FIRST));
        let late = [150, 250, 400, 600, 800, 1050, 1300, 1600, 2000, 2500];
        let late = late.map(Duration::from_millis).into_iter().filter(|at| *at > reach).collect();
        grid.sort_unstable();
        grid.dedup_by(|a, b| a.abs_diff(*b) < FINEST);
        let random = fastrand::Rng::with_seed(seed);
        Self { random, copies, grid, late, shapes: BTreeMap::new(), dense: Vec::new(), round: 0 }
    }

    /// The next shot.
    pub(super) fn next(&mut self) -> Shot {
        self.round += 1;
        // Volleys find most windows, so they are half of all; a small one hits a window that a large one drowns.
        match self.round % 6 {
            0 | 3 => Shot::Volley(self.copies),
            1 => Shot::Volley(if self.random.bool() { 2 } else { self.copies.min(5) }),
            5 if !self.late.is_empty() && (self.round / 6).is_multiple_of(2) => {
                Shot::Pair(self.late[self.random.usize(..self.late.len())])
            }
            2 if !self.dense.is_empty() => {
                let at = self.dense[self.random.usize(..self.dense.len())];
                Shot::Pair(self.around(at))
            }
            _ => {
                let at = self.grid[self.random.usize(..self.grid.len())];
                Shot::Pair(self.around(at))
            }
        }
    }

    /// Somewhere within the step to the next offset of the grid.
    fn around(&mut self, at: Duration) -> Duration {
        if at.is_zero() {
            return at;
        }
        let by = 0.8 + self.random.f64() * 0.4;
        // Whole microseconds, so that a command can say it.
        let micros = (at.as_secs_f64() * by * 1e6).round();
        Duration::from_micros(micros as u64)
    }

    /// Learns how a pair was answered.
    pub(super) fn learn(&mut self, at: Duration, shape: Shape) {
        self.shapes.insert(at, shape);
        let neighbours: Vec<(&Duration, &Shape)> = self.shapes.iter().collect();
        self.dense = neighbours
            .windows(2)
            .filter(|pair| pair[0].1 != pair[1].1 && pair[0].0.abs_diff(*pair[1].0) >= FINEST)
            .map(|pair| (*pair[0].0 + *pair[1].0) / 2)
            .collect();
    }

    /// The furthest offset that it may give.
    pub(super) fn furthest(&self) -> Duration {
        self.late.iter().chain(&self.grid).max().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_shots_and_another_gives_others() {
        let shots = |seed| {
            let mut offsets = Offsets::new(Duration::from_millis(20), 20, seed);
            (0..200).map(|_| offsets.next()).collect::<Vec<_>>()
        };
        assert_eq!(shots(7), shots(7));
        assert_ne!(shots(7), shots(8));
    }

    #[test]
    fn offsets_run_from_nothing_to_beyond_the_duration_and_to_the_late_retries() {
        for takes in [Duration::from_micros(300), Duration::from_millis(40), Duration::from_secs(4)]
        {
            let mut offsets = Offsets::new(takes, 20, 1);
            let pairs: Vec<Duration> = (0..5000)
                .filter_map(|_| match offsets.next() {
                    Shot::Pair(at) => Some(at),
                    Shot::Volley(copies) => {
                        assert!((2..=20).contains(&copies));
                        None
                    }
                })
                .collect();
            assert!(pairs.contains(&Duration::ZERO));
            assert!(pairs.iter().any(|at| *at > takes), "{takes:?}");
            assert!(pairs.iter().any(|at| *at >= Duration::from_millis(2000)), "{takes:?}");
            let near = pairs.iter().filter(|at| **at > takes / 4 && **at <= takes).count();
            assert!(near > 100, "{takes:?}: {near}");
        }
    }

    #[test]
    fn it_looks_closer_where_the_answers_change() {
        let mut offsets = Offsets::new(Duration::from_millis(100), 20, 1);
        let shape = |quick| Shape { first: Some(200), second: Some(200), overtook: false, quick };
        for ms in 1..100 {
            offsets.learn(Duration::from_millis(ms), shape(ms > 60));
        }
        let between = Duration::from_micros(60_500);
        assert_eq!(offsets.dense, [between]);
    }
}
