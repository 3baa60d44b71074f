//! The effect seen as lines of a log.

mod book;
mod pattern;
mod tail;

use super::{Sight, for_all, number};
use book::{Book, is_indexed};
use pattern::Pattern;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use tail::{Piece, Tail};
use tokio::task::spawn_blocking;

/// A log and a pattern.
#[derive(Debug)]
pub(super) struct Log {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pattern: Pattern,
    state: Mutex<State>,
}

/// What was read so far. A log that is begun anew (a handler that is started again with `> handler.log`) takes nothing
/// back of what the old one said.
#[derive(Debug)]
struct State {
    tail: Tail,
    /// Of the log as it is.
    current: Book,
    /// Of the log as it was before it was begun anew, as long as it is not known whether that is the same one rewritten.
    former: Option<Book>,
    /// Of the logs before.
    older: Vec<Book>,
}

impl Log {
    pub(super) fn new(file: &str, pattern: &str) -> Result<Self, String> {
        if file.is_empty() {
            return Err("the log has no path; give one, for example ./handler.log".to_owned());
        }
        let pattern = Pattern::new(pattern)?;
        let state = State {
            tail: Tail::new(PathBuf::from(file)),
            current: Book::default(),
            former: None,
            older: Vec::new(),
        };
        Ok(Self { inner: Arc::new(Inner { pattern, state: Mutex::new(state) }) })
    }

    pub(super) async fn counts(&self, ids: Vec<String>) -> Vec<Sight> {
        let inner = self.inner.clone();
        let asked = ids.clone();
        match spawn_blocking(move || inner.counts(&asked)).await {
            Ok(Ok(counts)) => counts.into_iter().map(Ok).collect(),
            Ok(Err(error)) => for_all(&ids, &error),
            Err(error) => {
                for_all(&ids, &format!("The reading was broken off: {error}; try again."))
            }
        }
    }
}

impl Inner {
    fn counts(&self, ids: &[String]) -> Result<Vec<u32>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.read()?;
        // One reading for all ids that are not ours.
        let foreign: Vec<&String> = ids.iter().filter(|id| !is_indexed(id)).collect();
        let mut scanned = if foreign.is_empty() {
            Vec::new()
        } else {
            state.tail.scan(&self.pattern, &foreign)?
        }
        .into_iter();
        let unfinished = state.tail.unfinished();
        Ok(ids
            .iter()
            .map(|id| {
                if !is_indexed(id) {
                    return scanned.next().unwrap_or(0);
                }
                let matcher = self.pattern.matcher(id);
                let last = u64::from(matcher.is_in(&unfinished));
                let books = state.books_mut().map(|book| u64::from(book.count(&matcher)));
                number::clamped(books.sum::<u64>() + last)
            })
            .collect())
    }
}

impl State {
    /// Takes in what is new.
    fn read(&mut self) -> Result<(), String> {
        let Self { tail, current, former, older } = self;
        let read = tail.read(|piece| match piece {
            Piece::Line(line) => current.take(line),
            Piece::Anew => {
                settle(current, former, older);
                if !current.is_empty() {
                    *former = Some(std::mem::take(current));
                }
            }
        });
        settle(current, former, older);
        read
    }

    fn books_mut(&mut self) -> impl Iterator<Item = &mut Book> {
        self.older.iter_mut().chain(&mut self.former).chain([&mut self.current])
    }
}

/// Decides about the former log as soon as the current one names a job: where both begin with the same line, it is the
/// same log written once more, as by a program that saves all of it each time.
fn settle(current: &Book, former: &mut Option<Book>, older: &mut Vec<Book>) {
    if current.is_empty() {
        return;
    }
    if let Some(book) = former.take()
        && book.first() != current.first()
    {
        older.push(book);
    }
}
