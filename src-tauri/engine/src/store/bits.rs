//! A set of deliveries by their numbers: one bit each.

/// Deliveries in one bit.
const WORD: i64 = 64;

/// A set of numbers from a base on, which is a multiple of 64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bits {
    base: i64,
    words: Vec<u64>,
}

impl Bits {
    /// An empty set that can hold numbers from `from` on.
    pub(super) fn from(from: i64) -> Self {
        Self { base: from.div_euclid(WORD) * WORD, words: Vec::new() }
    }

    /// The word of a number and the bit in it; `None` below the base.
    fn place(&self, number: i64) -> Option<(usize, u64)> {
        let from_base = number.checked_sub(self.base)?;
        let word = usize::try_from(from_base.div_euclid(WORD)).ok()?;
        Some((word, 1 << from_base.rem_euclid(WORD)))
    }

    fn word(&mut self, index: usize) -> &mut u64 {
        if self.words.len() <= index {
            self.words.resize(index + 1, 0);
        }
        &mut self.words[index]
    }

    /// Adds a number; nothing below the base.
    pub(super) fn add(&mut self, number: i64) {
        if let Some((word, bit)) = self.place(number) {
            *self.word(word) |= bit;
        }
    }

    /// Adds all 64 numbers that share a multiple of 64 with this one.
    pub(super) fn add_block(&mut self, number: i64) {
        if let Some((word, _)) = self.place(number) {
            *self.word(word) = u64::MAX;
        }
    }

    pub(super) fn has(&self, number: i64) -> bool {
        self.place(number)
            .is_some_and(|(word, bit)| self.words.get(word).is_some_and(|bits| bits & bit != 0))
    }

    /// The blocks of 64 that hold anything, as ranges of numbers as long as they can be, no number outside
    /// `from..=to`.
    pub(super) fn ranges(&self, from: i64, to: i64) -> Vec<(i64, i64)> {
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for (index, _) in self.words.iter().enumerate().filter(|(_, word)| **word != 0) {
            let first = self.base + i64::try_from(index).unwrap_or(i64::MAX / WORD) * WORD;
            let (first, last) = (first.max(from), (first + WORD - 1).min(to));
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == first => *end = last,
                _ if first <= last => ranges.push((first, last)),
                _ => {}
            }
        }
        ranges
    }

    /// As [`marked`] reads it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let words = self.words.iter().flat_map(|word| word.to_le_bytes());
        self.base.to_le_bytes().into_iter().chain(words).collect()
    }
}

/// Whether a set that was written by [`Bits::to_bytes`] has a number.
pub(super) fn marked(bytes: &[u8], number: i64) -> bool {
    let Some((base, bits)) = bytes.split_first_chunk() else { return false };
    let from_base = number.wrapping_sub(i64::from_le_bytes(*base));
    // Within a word the bytes go upwards, so a bit's byte is found without the word.
    let byte = usize::try_from(from_base / 8).ok().filter(|_| from_base >= 0);
    byte.and_then(|byte| bits.get(byte)).is_some_and(|byte| byte >> (from_base % 8) & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_and_written() {
        let mut bits = Bits::from(130);
        for number in [128, 130, 191, 192, 1000] {
            bits.add(number);
        }
        bits.add(5);
        let bytes = bits.to_bytes();
        for number in -200..1300 {
            let expected = [128, 130, 191, 192, 1000].contains(&number);
            assert_eq!(
                (bits.has(number), marked(&bytes, number)),
                (expected, expected),
                "{number}"
            );
        }
        assert!(!marked(b"", 0) && !marked(&[0; 8], 0));
    }

    #[test]
    fn ranges_are_whole_blocks_within_bounds() {
        let mut bits = Bits::from(0);
        bits.add_block(70);
        bits.add(130);
        bits.add_block(640);
        assert_eq!(bits.ranges(0, 10_000), [(64, 191), (640, 703)]);
        assert_eq!(bits.ranges(100, 650), [(100, 191), (640, 650)]);
        assert_eq!(bits.ranges(192, 639), []);
    }
}
