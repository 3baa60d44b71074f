use super::*;
use crate::store::{
    grams::{self, Segment},
    schema,
};

/// A database with deliveries of so many bytes each, as far as the numbers go.
fn database(folder: &tempfile::TempDir, seqs: std::ops::RangeInclusive<i64>) -> Connection {
    let file = folder.path().join("hooktwice.db");
    schema::prepare(folder.path(), super::super::Role::Owner).unwrap();
    let connection = schema::open(&file).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for seq in seqs {
        connection
            .execute(
                "INSERT INTO deliveries (seq, id, received_us, size, stored, claim, job_id_type, signature, method,
                     path, query, naive_win, body_differs, scheme)
                 VALUES (?1, zeroblob(16), 0, 0, 1000, 'none', 'missing', 'valid', 'POST', '/', '', 0, 0, 'sume')",
                [seq],
            )
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    connection
}

fn count(connection: &Connection) -> i64 {
    connection.query_row("SELECT count(*) FROM deliveries", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_is_kept_is_forgotten_in_time_and_told_when_that_is() {
    let folder = tempfile::tempdir().unwrap();
    let connection = database(&folder, 1..=2);
    let (mut undo, now) = (Undo::default(), Instant::now());
    assert_eq!(undo.due(now), None);
    for (seq, at) in [(1, now), (2, now + Duration::from_secs(20))] {
        undo.forget(at);
        let taken = take_deliveries(&connection, vec![seq], undo.room(), at + KEPT).unwrap();
        undo.deliveries.extend(taken.unwrap());
    }
    let bytes = undo.bytes();
    assert_eq!(undo.due(now + Duration::from_secs(29)), Some(Duration::from_secs(1)));
    undo.forget(now + Duration::from_secs(30));
    assert_eq!(undo.bytes(), bytes / 2);
    assert_eq!(put_deliveries(&connection, &undo, &[2, 1]).unwrap(), Err(1));
    assert_eq!(count(&connection), 0);
    assert_eq!(put_deliveries(&connection, &undo, &[2]).unwrap(), Ok(()));
    assert_eq!(count(&connection), 1);
    undo.drop_deliveries(&[2]);
    assert_eq!(undo.bytes(), 0);
    assert_eq!(undo.due(now), None);
}

#[test]
fn what_does_not_fit_beside_what_is_kept_is_not_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let connection = database(&folder, 1..=2000);
    let until = Instant::now() + KEPT;
    let one = 1000 + 4 * ROW;
    assert!(take_deliveries(&connection, vec![1, 2, 3], 3 * one - 1, until).unwrap().is_none());
    let too_many: Vec<i64> = (1..=2000).collect();
    assert!(take_deliveries(&connection, too_many, usize::MAX, until).unwrap().is_none());
    assert_eq!(count(&connection), 2000);
    let taken = take_deliveries(&connection, vec![1, 2, 3], 3 * one, until).unwrap().unwrap();
    assert_eq!((taken.len(), count(&connection)), (3, 1997));

    let mut undo = Undo::default();
    undo.deliveries.extend(taken);
    assert_eq!(undo.room(), MOST - 3 * one);
}

#[test]
fn claims_that_are_too_many_are_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let connection = database(&folder, 1..=1);
    for n in 0..3 {
        connection
            .execute(
                "INSERT INTO claims VALUES ('\u{e9}' || ?1, 'string', '/', ?1, 0, 1, zeroblob(32))",
                [n],
            )
            .unwrap();
    }
    let (until, all) = (Instant::now() + KEPT, 3 * (ROW + 3 + 1));
    assert!(take_claims(&connection, None, all - 1, until).unwrap().is_none());
    let taken = take_claims(&connection, None, all, until).unwrap().unwrap();
    assert_eq!((taken.rows.len(), taken.bytes), (3, all));
    let put = put_claims(&connection, &taken.rows).unwrap();
    assert_eq!(put, RestoredClaims { restored: 3, taken: 0 });
}

#[test]
fn a_segment_that_was_read_before_deliveries_came_back_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let connection = database(&folder, 1..=1);
    let stored = || -> i64 {
        connection.query_row("SELECT count(*) FROM grams", [], |row| row.get(0)).unwrap()
    };
    let before = Segment::new(0, grams::restores(&connection).unwrap());
    grams::restored(&connection, &[1]).unwrap();
    before.write(&connection).unwrap();
    assert_eq!(stored(), 0);
    let after = Segment::new(0, grams::restores(&connection).unwrap());
    after.write(&connection).unwrap();
    assert!(stored() > 0);
    // What is stored goes when more come back.
    grams::restored(&connection, &[1]).unwrap();
    assert_eq!(stored(), 0);
}
