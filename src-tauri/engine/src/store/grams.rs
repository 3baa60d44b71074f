//! An index for bare words: which grams (runs of one, two and three bytes, letters of ASCII folded) occur in which
//! block of 64 deliveries.
//!
//! A gram's hash picks of 65,536 slots (one, or two for a pair); a segment of 4,096 deliveries has one bit for each slot and block. A word
//! can only stand in the blocks whose bits are set for all of its grams, and only those are read. So an answer is
//! exact whatever the index says, as long as no bit is missing. A segment takes half a mebibyte, 128 bytes a delivery;
//! it is written once, when the number of its last delivery was given: what is stored does not change. Bytes are
//! bytes: a body need not be text.
//!
//! Not SQLite's FTS5: over 100,000 bodies of 300 bytes its trigrams took 990 bytes a delivery, and still 279 where they
//! only name candidates, as this does; and they know neither a word of one or two bytes nor a body that is not text.

use super::{bits::Bits, words::TEXTS};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

/// Deliveries that share a bit.
const BLOCK: i64 = 64;
/// Deliveries of a segment.
pub(super) const SEGMENT: i64 = 64 * BLOCK;
/// Slots that grams are hashed to.
const SLOTS: usize = 1 << 16;
/// Slots in a row of the table, so that the row just fits a page.
const PART: usize = 504;
/// A segment's rows are numbered from this many times its number on.
const PARTS: i64 = 256;
/// A longer body is not read for the index: its block is always a candidate. In bytes.
const LONGEST: i64 = 1024 * 1024;
/// A block with more slots than this says nothing any more.
const FULL: usize = SLOTS / 2;
/// The most slots of a word that are looked up.
const MOST: usize = 16;
/// A word with fewer runs of three bytes is looked up by its pairs and bytes too.
const FEW: usize = 6;

/// The bits of a segment, one word a slot.
pub(super) struct Segment {
    number: i64,
    /// What [`restores`] said before it was read.
    restores: i64,
    slots: Vec<u64>,
}

/// The segment of a delivery.
pub(super) fn segment_of(seq: i64) -> i64 {
    seq.div_euclid(SEGMENT)
}

impl Segment {
    /// An empty one.
    pub(super) fn new(number: i64, restores: i64) -> Self {
        Self { number, restores, slots: vec![0; SLOTS] }
    }

    /// The numbers of the deliveries in each of its blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u32, i64)> + use<> {
        let first = self.number * SEGMENT;
        (0..64).map(move |block| (block, first + i64::from(block) * BLOCK))
    }

    /// Reads a block; `first` is its first number.
    pub(super) fn read(&mut self, connection: &Connection, block: u32, first: i64) -> Result<()> {
        let bit = 1 << block;
        let grams = Grams::of_block(connection, first)?;
        match grams {
            Some(grams) => grams.slots().for_each(|slot| self.slots[slot] |= bit),
            None => self.slots.iter_mut().for_each(|slot| *slot |= bit),
        }
        Ok(())
    }

    /// Stores it, unless deliveries came back while it was read: it is read again then.
    pub(super) fn write(&self, connection: &Connection) -> Result<()> {
        if restores(connection)? != self.restores {
            return Ok(());
        }
        let mut statement =
            connection.prepare_cached("INSERT OR REPLACE INTO grams (id, bits) VALUES (?1, ?2)")?;
        for (part, slots) in (0..).zip(self.slots.chunks(PART)) {
            let bits: Vec<u8> = slots.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            statement.execute(params![self.number * PARTS + part, bits])?;
        }
        Ok(())
    }
}

/// The first segment from this one on that is complete (all numbers up to `last` were given), has deliveries, and is
/// not written.
pub(super) fn missing(connection: &Connection, from: i64, last: i64) -> Result<Option<i64>> {
    let oldest: Option<i64> =
        connection.query_row("SELECT min(seq) FROM deliveries", [], |row| row.get(0))?;
    let Some(oldest) = oldest else { return Ok(None) };
    let complete = segment_of(last + 1);
    for number in from.max(segment_of(oldest))..complete {
        let written = connection
            .prepare_cached("SELECT 1 FROM grams WHERE id = ?1")?
            .query_row([number * PARTS], |_| Ok(()))
            .optional()?;
        if written.is_none() && holds_any(connection, number)? {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// How often deliveries that were deleted came back: what was read before that is not true of them.
pub(super) fn restores(connection: &Connection) -> Result<i64> {
    let mut statement = connection
        .prepare_cached("SELECT coalesce((SELECT value FROM marks WHERE name = 'restores'), 0)")?;
    statement.query_row([], |row| row.get(0))
}

/// Deliveries that were deleted came back: their segments are to be read again.
pub(super) fn restored(connection: &Connection, seqs: &[i64]) -> Result<()> {
    connection.execute(
        "INSERT INTO marks (name, value) VALUES ('restores', 1) ON CONFLICT DO UPDATE SET value = value + 1",
        [],
    )?;
    seqs.iter().try_for_each(|seq| drop_segment(connection, segment_of(*seq)))
}

fn holds_any(connection: &Connection, number: i64) -> Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM deliveries WHERE seq BETWEEN ?1 AND ?2)")?
        .query_row([number * SEGMENT, (number + 1) * SEGMENT - 1], |row| row.get(0))
}

/// Deletes the segments whose deliveries are all gone, of those that begin up to a number.
pub(super) fn forget(connection: &Connection, cut: i64) -> Result<()> {
    let (mut next, end) = (0, (segment_of(cut) + 1) * PARTS);
    let mut found =
        connection.prepare_cached("SELECT min(id) FROM grams WHERE id >= ?1 AND id < ?2")?;
    // From the first row of one segment to the first of the next: the others are not read.
    while let Some(id) = found.query_row([next, end], |row| row.get::<_, Option<i64>>(0))? {
        let number = id.div_euclid(PARTS);
        if !holds_any(connection, number)? {
            drop_segment(connection, number)?;
        }
        next = (number + 1) * PARTS;
    }
    Ok(())
}

fn drop_segment(connection: &Connection, number: i64) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM grams WHERE id >= ?1 AND id < ?2")?
        .execute([number * PARTS, (number + 1) * PARTS])?;
    Ok(())
}

/// The deliveries of `from..=to` that may hold a word (in lower case): whole blocks, and all that is not indexed.
pub(super) fn candidates(
    connection: &Connection,
    needle: &[u8],
    from: i64,
    to: i64,
) -> Result<Bits> {
    let mut found = Bits::from(from);
    let slots = slots_of(needle);
    let mut statement = connection.prepare_cached("SELECT bits FROM grams WHERE id = ?1")?;
    for number in segment_of(from)..=segment_of(to) {
        let mut blocks = u64::MAX;
        for slot in &slots {
            let part = i64::try_from(slot / PART).unwrap_or(PARTS);
            let bits = statement
                .query_row([number * PARTS + part], |row| {
                    let bits = row.get_ref(0)?.as_blob()?;
                    Ok(bits.chunks_exact(8).nth(slot % PART).and_then(|bits| bits.try_into().ok()))
                })
                .optional()?;
            // What is not there (yet) is read.
            let Some(bits) = bits.flatten() else { break };
            blocks &= u64::from_le_bytes(bits);
            if blocks == 0 {
                break;
            }
        }
        for block in (0..64).filter(|block| blocks >> block & 1 != 0) {
            let first = number * SEGMENT + block * BLOCK;
            if first <= to && first + BLOCK > from {
                found.add_block(first);
            }
        }
    }
    Ok(found)
}

/// The slots that must be set where a word stands, some of them where it is very long. A short word has few grams, so
/// its bytes and pairs count too: one slot alone may be another, frequent gram's.
fn slots_of(needle: &[u8]) -> Vec<usize> {
    let folded = needle.to_ascii_lowercase();
    let mut slots: Vec<usize> = folded.windows(3).map(|gram| triple(packed(gram))).collect();
    if slots.len() < FEW {
        slots.extend(folded.iter().map(|byte| usize::from(*byte)));
        slots.extend(folded.windows(2).flat_map(|gram| pair(packed(gram))));
    }
    slots.sort_unstable();
    slots.dedup();
    let step = slots.len().div_ceil(MOST).max(1);
    slots.into_iter().step_by(step).collect()
}

fn packed(gram: &[u8]) -> u32 {
    gram.iter().fold(0, |packed, byte| packed << 8 | u32::from(*byte))
}

/// The slots of two bytes; a byte alone has the slot of its number.
fn pair(packed: u32) -> [usize; 2] {
    let packed = packed & 0xffff;
    [hashed(packed | 1 << 24), hashed(packed | 1 << 25)]
}

/// The slot of three bytes.
fn triple(packed: u32) -> usize {
    hashed(packed & 0xff_ffff | 1 << 26)
}

/// A multiplication spreads well over its high bits; the slots of single bytes are left out.
fn hashed(packed: u32) -> usize {
    (packed.wrapping_mul(0x9e37_79b1) >> 16) as usize % (SLOTS - 256) + 256
}

/// The grams of a block.
struct Grams {
    bits: Vec<u64>,
    count: usize,
}

impl Grams {
    /// Of what a bare word is searched in; `None` where it is so much that it says nothing.
    fn of_block(connection: &Connection, first: i64) -> Result<Option<Self>> {
        let mut grams = Self { bits: vec![0; SLOTS / 64], count: 0 };
        let last = first + BLOCK - 1;
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {TEXTS} FROM deliveries WHERE seq BETWEEN ?1 AND ?2"
        ))?;
        let mut rows = statement.query([first, last])?;
        while let Some(row) = rows.next()? {
            for column in 0..row.as_ref().column_count() {
                grams.add(row.get_ref(column)?.as_bytes_or_null()?.unwrap_or_default());
            }
        }
        let mut statement = connection.prepare_cached(
            "SELECT iif(length(body) > ?3, NULL, body) FROM contents WHERE seq BETWEEN ?1 AND ?2",
        )?;
        let mut rows = statement.query([first, last, LONGEST])?;
        while let Some(row) = rows.next()? {
            let Some(body) = row.get_ref(0)?.as_blob_or_null()? else { return Ok(None) };
            grams.add(body);
            if grams.count > FULL {
                return Ok(None);
            }
        }
        Ok(Some(grams))
    }

    fn add(&mut self, text: &[u8]) {
        let mut window = 0_u32;
        for (at, byte) in text.iter().enumerate() {
            window = window << 8 | u32::from(byte.to_ascii_lowercase());
            self.set((window & 0xff) as usize);
            if at >= 1 {
                pair(window).into_iter().for_each(|slot| self.set(slot));
            }
            if at >= 2 {
                self.set(triple(window));
            }
        }
    }

    fn set(&mut self, slot: usize) {
        let (word, bit) = (&mut self.bits[slot / 64], 1 << (slot % 64));
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
    }

    fn slots(&self) -> impl Iterator<Item = usize> {
        self.bits.iter().enumerate().flat_map(|(index, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| index * 64 + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gram_of_a_text_has_its_slot_set() {
        let mut grams = Grams { bits: vec![0; SLOTS / 64], count: 0 };
        grams.add(b"A\0\xffbC");
        let set: Vec<usize> = grams.slots().collect();
        assert_eq!(set.len(), grams.count);
        for needle in ["a", "\0", "bc", "a\0"] {
            assert!(
                slots_of(needle.as_bytes()).iter().all(|slot| set.contains(slot)),
                "{needle:?}"
            );
        }
        assert!(slots_of(b"\0\xffb").iter().all(|slot| set.contains(slot)));
        assert!(!slots_of(b"xyz").iter().all(|slot| set.contains(slot)));
        assert_eq!(slots_of(b""), Vec::<usize>::new());
        assert_eq!(slots_of(&[b'a'; 4096]).len(), 1);
        // A byte shares its slot with nothing.
        assert_eq!(slots_of(b"Q"), [usize::from(b'q')]);
        assert!((0..=0xff_ffff).step_by(97).all(|gram| triple(gram) >= 256));
        let long: Vec<u8> =
            (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(slots_of(&long).len() <= MOST);
    }
}
