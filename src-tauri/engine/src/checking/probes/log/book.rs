//! The lines that name jobs, found by the id.

use super::pattern::Matcher;
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
};

/// What all ids of ours begin with.
const MARK: &str = "job_";

/// How much of a line is kept from each mark on, in bytes; a longer id is not found by it.
const KEY: usize = 192;

/// Whether an id is found by the index.
pub(super) fn is_indexed(id: &str) -> bool {
    id.starts_with(MARK) && id.len() <= KEY
}

/// Lines, and where each of them has a mark.
#[derive(Debug, Default)]
pub(super) struct Book {
    lines: Vec<Box<str>>,
    /// What stands in a line from a mark on, and the lines in which it does. An id is the beginning of such a text,
    /// wherever a reader would say that it ends, so all its lines stand side by side here.
    index: BTreeMap<Box<str>, Vec<usize>>,
    tallies: HashMap<Box<str>, Tally>,
}

/// What is known of one job.
#[derive(Debug, Default)]
struct Tally {
    /// So many lines were looked through.
    lines: usize,
    count: u32,
}

impl Book {
    /// Takes a line in, where it may name a job.
    pub(super) fn take(&mut self, line: &[u8]) {
        if memchr::memmem::find(line, MARK.as_bytes()).is_none() {
            return;
        }
        let line = String::from_utf8_lossy(line);
        let number = self.lines.len();
        for (at, _) in line.match_indices(MARK) {
            let rest = &line[at..];
            let key = &rest[..rest.floor_char_boundary(KEY)];
            match self.index.get_mut(key) {
                Some(lines) => lines.push(number),
                None => drop(self.index.insert(key.into(), vec![number])),
            }
        }
        self.lines.push(line.into());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn first(&self) -> Option<&str> {
        self.lines.first().map(AsRef::as_ref)
    }

    /// How many lines match. Only those that came since the last time are looked at.
    pub(super) fn count(&mut self, matcher: &Matcher<'_>) -> u32 {
        let id = matcher.id();
        let known = self.tallies.get(id).map_or(0, |tally| tally.lines);
        let from = (Bound::Included(id), Bound::Unbounded);
        let named = self.index.range::<str, _>(from).take_while(|(key, _)| key.starts_with(id));
        let mut fresh: Vec<usize> = named
            .flat_map(|(_, lines)| &lines[lines.partition_point(|line| *line < known)..])
            .copied()
            .collect();
        // A line may name a job twice.
        fresh.sort_unstable();
        fresh.dedup();
        let matching = fresh.into_iter().filter(|line| matcher.is_in(&self.lines[*line])).count();
        let matching = u32::try_from(matching).unwrap_or(u32::MAX);
        let lines = self.lines.len();
        if let Some(tally) = self.tallies.get_mut(id) {
            tally.count = tally.count.saturating_add(matching);
            tally.lines = lines;
            return tally.count;
        }
        self.tallies.insert(id.into(), Tally { lines, count: matching });
        matching
    }
}
