use super::*;
use crate::store::{grams::Segment, schema};
use proptest::{collection::vec, prelude::*};
use rusqlite::params;

/// A delivery as far as words are concerned.
#[derive(Debug, Clone)]
struct Text {
    seq: i64,
    job_id: Option<String>,
    path: String,
    event: Option<String>,
    body: Vec<u8>,
}

impl Text {
    /// The plain way, byte by byte.
    fn holds(&self, word: &str) -> bool {
        let texts = [self.job_id.as_deref(), Some(&self.path), self.event.as_deref()];
        let texts = texts.into_iter().flatten().map(str::as_bytes).chain([self.body.as_slice()]);
        texts.into_iter().any(|text| {
            let text = text.to_ascii_lowercase();
            word.is_empty() || text.windows(word.len()).any(|part| part == word.as_bytes())
        })
    }

    fn store(&self, connection: &Connection) -> Result<()> {
        connection.execute(
            "INSERT INTO deliveries (seq, id, received_us, size, stored, claim, job_id, job_id_type, signature, method,
                 path, query, event, naive_win, body_differs, scheme)
             VALUES (?1, zeroblob(16), 0, 0, 0, 'none', ?2, 'string', 'valid', 'POST', ?3, '', ?4, 0, 0, 'sume')",
            params![self.seq, self.job_id, self.path, self.event],
        )?;
        connection.execute(
            "INSERT INTO contents (seq, received_mono_us, peer, body_sha256, head, trailers, body)
             VALUES (?1, 0, '', zeroblob(32), x'', x'', ?2)",
            params![self.seq, self.body],
        )?;
        Ok(())
    }
}

/// Few different bytes, so that words are found: letters in both cases, a NUL, halves of UTF-8.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(b"aAbBxX {\"".to_vec()).prop_map(|byte| vec![byte]),
        1 => Just(vec![0]),
        1 => Just(vec![0xc3]),
        1 => Just("é".as_bytes().to_vec()),
        1 => Just(vec![0xff, 0xfe]),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Deliveries with gaps between their numbers, over some segments.
fn texts() -> impl Strategy<Value = Vec<Text>> {
    let text = (
        1..400_i64,
        prop::option::of("[abX]{0,3}"),
        "/[ab]{0,2}",
        prop::option::of("[ab.]{1,4}"),
        body(),
    );
    vec(text, 0..60).prop_map(|texts| {
        let mut last = 0;
        let number = |(gap, job_id, path, event, body): (i64, _, _, _, _)| {
            last += gap;
            Text { seq: last, job_id, path, event, body }
        };
        texts.into_iter().map(number).collect()
    })
}

fn index(connection: &Connection, number: i64) {
    let mut segment = Segment::new(number, 0);
    for (block, first) in segment.blocks() {
        segment.read(connection, block, first).unwrap();
    }
    segment.write(connection).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 48 }))]

    #[test]
    fn a_word_is_found_as_by_reading_everything(
        texts in texts(),
        later in texts(),
        indexed in 0..6_i64,
        deleted in vec(any::<prop::sample::Index>(), 0..5),
        needles in vec(prop_oneof!["[abx]{0,5}", "[ab]é?[x \"{]{0,2}", "\0", "é"], 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        schema::prepare(folder.path(), crate::store::Role::Owner).unwrap();
        let file = crate::store::folder::database(folder.path());
        let connection = schema::open(&file).unwrap();
        super::super::search::register(&connection).unwrap();
        connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        let mut stored = texts;
        stored.iter().try_for_each(|text| text.store(&connection)).unwrap();
        let newest = stored.last().map_or(0, |text| text.seq);
        // Complete segments only, as the indexer does; the rest is read.
        (0..indexed.min(grams::segment_of(newest + 1))).for_each(|number| index(&connection, number));

        let words = Words::default();
        let check = |stored: &[Text]| {
            for needle in &needles {
                let expected: Vec<i64> =
                    stored.iter().filter(|text| text.holds(needle)).map(|text| text.seq).collect();
                let maybe = candidates(&connection, needle).unwrap();
                let holding = words.holding(&connection, needle).unwrap();
                let among = |bits: &Bits| -> Vec<i64> {
                    stored.iter().map(|text| text.seq).filter(|seq| bits.has(*seq)).collect()
                };
                prop_assert_eq!(among(&holding), expected.clone(), "{:?}", needle);
                prop_assert!(expected.iter().all(|seq| maybe.has(*seq)), "{:?}", needle);
                let known = words.known(&connection, needle).unwrap();
                prop_assert_eq!(known.map(|known| among(&known)), Some(expected));
            }
            Ok(())
        };
        check(&stored)?;
        for index in deleted {
            if !stored.is_empty() {
                let gone = stored.remove(index.index(stored.len()));
                connection.execute("DELETE FROM deliveries WHERE seq = ?1", [gone.seq]).unwrap();
                connection.execute("DELETE FROM contents WHERE seq = ?1", [gone.seq]).unwrap();
            }
        }
        check(&stored)?;
        for text in later {
            let text = Text { seq: newest + text.seq, ..text };
            text.store(&connection).unwrap();
            stored.push(text);
        }
        check(&stored)?;
    }
}
