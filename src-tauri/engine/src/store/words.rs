//! Which deliveries hold a bare word: found once, remembered, and brought up to date with what has come since.
//!
//! A delivery's text does not change and its number is never given again, so what was found stays true until a deleted
//! one is put back; the numbers of deleted ones are in nobody's answer.

use super::{bits::Bits, grams, search::Needle};
use rusqlite::{Connection, Result, types::ValueRef};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many words are remembered: those of the last few filters.
const KEPT: usize = 16;
/// From so many hex digits on a word is looked for in ids: a short one is in many by chance.
const ID_DIGITS: usize = 8;

/// The columns that a word is searched in beside the body; a filter that goes row by row names them again.
pub(super) const TEXTS: &str = "job_id, path, event";

/// What is known of a word.
#[derive(Debug, Default)]
struct Found {
    holding: Bits,
    /// Up to this number all are known.
    through: i64,
    /// What [`grams::restores`] said then.
    restores: i64,
}

/// What is known of the last words.
#[derive(Debug, Default)]
pub(super) struct Words(Mutex<VecDeque<(String, Arc<Mutex<Found>>)>>);

impl Words {
    /// The deliveries that hold a word (in lower case), as a connection sees them. Two that ask for the same word at
    /// the same time read once.
    pub(super) fn holding(&self, connection: &Connection, word: &str) -> Result<Bits> {
        let Some((oldest, newest)) = span(connection)? else { return Ok(Bits::default()) };
        let found = self.entry(word);
        let mut found = lock(&found);
        let restores = grams::restores(connection)?;
        if found.through == 0 || found.restores != restores {
            *found = Found { holding: Bits::from(oldest), through: 0, restores };
        }
        let from = oldest.max(found.through + 1);
        if from <= newest {
            read(connection, word, (from, newest), &mut found.holding)?;
            found.through = newest;
        }
        Ok(found.holding.clone())
    }

    /// As [`Words::holding`], but only where that is known already.
    pub(super) fn known(&self, connection: &Connection, word: &str) -> Result<Option<Bits>> {
        let Some((_, newest)) = span(connection)? else { return Ok(Some(Bits::default())) };
        let entry =
            lock(&self.0).iter().find(|(known, _)| known == word).map(|(_, found)| found.clone());
        let Some(entry) = entry else { return Ok(None) };
        // Whoever is reading at the moment is not waited for.
        let found = entry.try_lock().ok();
        let restores = grams::restores(connection)?;
        let found = found.filter(|found| found.through >= newest && found.restores == restores);
        Ok(found.map(|found| found.holding.clone()))
    }

    fn entry(&self, word: &str) -> Arc<Mutex<Found>> {
        let mut words = lock(&self.0);
        let entry = words
            .iter()
            .position(|(known, _)| known == word)
            .and_then(|place| words.remove(place))
            .unwrap_or_else(|| (word.to_owned(), Arc::default()));
        let found = entry.1.clone();
        words.push_front(entry);
        words.truncate(KEPT);
        found
    }
}

/// What is found grows only, number by number: a panic leaves it true.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The oldest and the newest number.
fn span(connection: &Connection) -> Result<Option<(i64, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT (SELECT min(seq) FROM deliveries), (SELECT max(seq) FROM deliveries)",
    )?;
    statement
        .query_row([], |row| Ok(row.get::<_, Option<i64>>(0)?.zip(row.get::<_, Option<i64>>(1)?)))
}

/// The deliveries that may hold a word, as far as the index can tell without reading them. Those whose id alone holds
/// it are not among them.
pub(super) fn candidates(connection: &Connection, word: &str) -> Result<Bits> {
    match span(connection)? {
        Some((oldest, newest)) => grams::candidates(connection, word.as_bytes(), oldest, newest),
        None => Ok(Bits::default()),
    }
}

/// The hex digits that are looked for in ids, where a word is such.
pub(super) fn id_digits(word: &str) -> Option<String> {
    let digits: String = word.chars().filter(|char| *char != '-').collect();
    let are_hex = digits.len() >= ID_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_hex.then_some(digits)
}

/// Adds the deliveries of a range that hold a word.
fn read(
    connection: &Connection,
    word: &str,
    (from, to): (i64, i64),
    holding: &mut Bits,
) -> Result<()> {
    let needle = Needle::new(word.as_bytes());
    if let Some(digits) = id_digits(word) {
        let mut statement = connection.prepare_cached(
            "SELECT seq FROM deliveries WHERE seq BETWEEN ?1 AND ?2 AND instr(lower(hex(id)), ?3)",
        )?;
        let mut rows = statement.query((from, to, digits))?;
        while let Some(row) = rows.next()? {
            holding.add(row.get(0)?);
        }
    }
    let mut texts = connection.prepare_cached(&format!(
        "SELECT seq, {TEXTS} FROM deliveries WHERE seq BETWEEN ?1 AND ?2"
    ))?;
    let mut bodies = connection.prepare_cached(
        "SELECT seq, body FROM contents WHERE seq BETWEEN ?1 AND ?2 AND NOT marked(?3, seq)",
    )?;
    for (first, last) in grams::candidates(connection, word.as_bytes(), from, to)?.ranges(from, to)
    {
        // So that no body is read whose delivery is found already.
        let mut here = Bits::from(first);
        let (mut all, mut found) = (0_u64, 0_u64);
        let mut rows = texts.query([first, last])?;
        while let Some(row) = rows.next()? {
            all += 1;
            let seq = row.get(0)?;
            let holds =
                (1..row.as_ref().column_count()).map(|column| row.get_ref(column)).any(|text| {
                    match text {
                        Ok(ValueRef::Text(text)) => needle.is_in(text),
                        _ => false,
                    }
                });
            if holds || holding.has(seq) {
                found += 1;
                here.add(seq);
                holding.add(seq);
            }
        }
        if all == found {
            continue;
        }
        let mut rows = bodies.query((first, last, here.to_bytes()))?;
        while let Some(row) = rows.next()? {
            if needle.is_in(row.get_ref(1)?.as_blob()?) {
                holding.add(row.get(0)?);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
