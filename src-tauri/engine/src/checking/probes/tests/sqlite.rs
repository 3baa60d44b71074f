//! SQLite files that a handler writes.

use super::{super::sqlite::Sqlite, blind, count, probe, refusal, see};
use crate::{checking::try_probe, model::ProbeSpec};
use rusqlite::Connection;
use std::{path::Path, time::Duration};

const COUNT: &str = "select count(*) from effects where job_id = :job_id";

fn spec(file: &Path, query: &str) -> ProbeSpec {
    ProbeSpec::Sql { database: format!("sqlite:{}", file.display()), query: query.to_owned() }
}

/// A handler's database, in its write-ahead log.
fn handler(file: &Path) -> Connection {
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch("pragma journal_mode=wal; create table effects (job_id text, n)")
        .unwrap();
    connection
}

fn effect(connection: &Connection, id: &str) {
    connection.execute("insert into effects values (?1, 1)", [id]).unwrap();
}

#[tokio::test]
async fn what_comes_later_is_seen_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("later.db");
    let probe = probe(&spec(&file, COUNT)).await;
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("There is no file") && error.contains("later.db"), "{error}");
    Connection::open(&file).unwrap().execute_batch("create table other (a)").unwrap();
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("no such table: effects"), "{error}");
    let connection = handler(&file);
    assert_eq!(see(&probe, &["job_1", "job_2"]).await, [Ok(0), Ok(0)]);
    for id in ["job_1", "job_2", "job_1"] {
        effect(&connection, id);
    }
    assert_eq!(see(&probe, &["job_2", "job_1", "job_3"]).await, [Ok(1), Ok(2), Ok(0)]);
    // An id is bound, never part of the query.
    assert_eq!(count(&probe, "' or '1'='1").await, 0);
    assert_eq!(see(&probe, &[]).await, []);
}

#[tokio::test]
async fn a_database_in_use_is_read_as_it_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("used.db");
    let mut connection = handler(&file);
    let probe = probe(&spec(&file, COUNT)).await;
    for before in 0..3 {
        let transaction = connection.transaction().unwrap();
        effect(&transaction, "job_1");
        assert_eq!(count(&probe, "job_1").await, before, "a write that is under way was seen");
        transaction.commit().unwrap();
        assert_eq!(count(&probe, "job_1").await, before + 1);
    }
    // The handler has gone, and its log with it; then it comes back while the probe has the file open.
    drop(connection);
    assert_eq!(count(&probe, "job_1").await, 3);
    let connection = Connection::open(&file).unwrap();
    effect(&connection, "job_1");
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
    assert_eq!(count(&probe, "job_1").await, 4);
}

#[cfg(unix)]
#[tokio::test]
async fn another_process_writes_and_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("killed.db");
    drop(handler(&file));
    let probe = probe(&spec(&file, COUNT)).await;
    let script = "import sqlite3, sys\n\
                  database = sqlite3.connect(sys.argv[1])\n\
                  database.execute(\"insert into effects values ('job_1', 1)\")\n\
                  database.commit()\n\
                  sys.stdin.read()";
    let mut writer = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(&file)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("python3 is missing on this machine");
    while count(&probe, "job_1").await == 0 {
        assert!(writer.try_wait().unwrap().is_none(), "the writer ended");
        tokio::task::yield_now().await;
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_eq!(count(&probe, "job_1").await, 1);
    // What it left in the write-ahead log is read by a newcomer too, though it may not put it into the database.
    drop(probe);
    let probe = super::probe(&spec(&file, COUNT)).await;
    assert_eq!(count(&probe, "job_1").await, 1);
}

#[tokio::test]
async fn a_file_that_was_replaced_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("replaced.db");
    let connection = handler(&file);
    effect(&connection, "job_1");
    let probe = probe(&spec(&file, COUNT)).await;
    assert_eq!(count(&probe, "job_1").await, 1);
    drop(connection);
    for name in ["replaced.db", "replaced.db-wal", "replaced.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(name));
    }
    assert!(blind(&probe, "job_1").await.contains("There is no file"));
    let connection = handler(&file);
    assert_eq!(count(&probe, "job_1").await, 0);
    effect(&connection, "job_1");
    effect(&connection, "job_1");
    assert_eq!(count(&probe, "job_1").await, 2);
}

#[tokio::test]
async fn every_kind_of_number_is_a_count_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers.db");
    let _connection = handler(&file);
    for (value, expected) in [
        ("null", Ok(0)),
        ("sum(n) from effects where job_id = :job_id", Ok(0)),
        ("3.0", Ok(3)),
        ("' 12 '", Ok(12)),
        ("99999999999", Ok(u32::MAX)),
        ("-1", Err("-1")),
        ("2.5", Err("2.5")),
        ("'two'", Err("\"two\"")),
        ("''", Err("an empty text")),
        ("x'0102'", Err("a blob of 2 bytes")),
        ("1 union all select 1", Err("more than one row")),
        ("1 where :job_id = 'another'", Ok(0)),
    ] {
        let query = if value.contains(":job_id") {
            format!("select {value}")
        } else {
            format!("select {value} -- x\n where :job_id is not null").replace("-- x\n", "")
        };
        let probe = probe(&spec(&file, &query)).await;
        match expected {
            Ok(expected) => assert_eq!(count(&probe, "job_1").await, expected, "{query}"),
            Err(what) => {
                let error = blind(&probe, "job_1").await;
                assert!(error.contains(what) && error.contains("count(*)"), "{query}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_query_that_does_not_look_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("writes.db");
    let connection = handler(&file);
    for (query, what) in [
        ("insert into effects values (:job_id, 1)", "writes"),
        ("delete from effects where job_id = :job_id returning 1", "writes"),
        ("select count(*) from effects where job_id = :job_id and n = ?2", "`?2`"),
        ("select count(*) from effects where job_id = :job_id and n = $n", "`$n`"),
        ("select count(*) from effects where job_idd = :job_id", "no such column"),
        ("selec :job_id", "syntax error"),
    ] {
        let error = blind(&probe(&spec(&file, query)).await, "job_1").await;
        assert!(error.contains(what), "{query}: {error}");
    }
    let rows: u32 =
        connection.query_row("select count(*) from effects", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[tokio::test]
async fn what_is_no_database_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text.db");
    std::fs::write(
        &file,
        "This is a text, and long enough to be looked at as a header.".repeat(20),
    )
    .unwrap();
    let error = blind(&probe(&spec(&file, COUNT)).await, "job_1").await;
    assert!(error.contains("not a SQLite database"), "{error}");
    let error = blind(&probe(&spec(folder.path(), COUNT)).await, "job_1").await;
    assert!(error.contains("is not a file"), "{error}");
    let error = blind(&probe(&spec(Path::new("~/dev.db"), COUNT)).await, "job_1").await;
    assert!(error.contains("`~` is not replaced"), "{error}");
    let slashes = ProbeSpec::Sql {
        database: format!("sqlite://{}", folder.path().join("missing.db").display()),
        query: COUNT.to_owned(),
    };
    let evidence = try_probe(&slashes, "job_1").await.unwrap();
    assert_eq!((evidence.probe.as_str(), evidence.count), ("sql", None));
    let missing = format!("no file {} yet", folder.path().join("missing.db").display());
    assert!(evidence.error.unwrap().contains(&missing));
}

#[tokio::test]
async fn what_can_never_be_used_is_refused() {
    let file = Path::new("dev.db");
    let error = refusal(&spec(file, "select count(*) from effects")).await;
    assert!(error.contains("other jobs' effects"), "{error}");
    let error = refusal(&spec(file, "select count(*) from effects where job_id = ':job_id'")).await;
    assert!(error.contains("only in quotes"), "{error}");
    for (database, what) in [
        ("sqlite:", "no path"),
        ("sqlite://", "no path"),
        ("sqlite::memory:", "in memory"),
        ("mysql://root:hush@localhost/x", "neither"),
        ("./dev.db", "neither"),
    ] {
        let spec = ProbeSpec::Sql { database: database.to_owned(), query: COUNT.to_owned() };
        let error = refusal(&spec).await;
        assert!(error.contains(what) && !error.contains("hush"), "{error}");
    }
}

#[tokio::test]
async fn nothing_is_waited_for_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locked.db");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch("create table effects (job_id text, n); begin exclusive").unwrap();
    let limits = (Duration::from_millis(50), Duration::from_millis(200));
    let look = |query: &str| {
        let probe = Sqlite::new(file.to_str().unwrap(), query).unwrap();
        let probe = probe.with_limits(limits.0, limits.1);
        async move { probe.counts(vec!["job_1".to_owned(), "job_2".to_owned()]).await }
    };
    for sight in look(COUNT).await {
        let error = sight.unwrap_err();
        assert!(error.contains("stayed locked by a writer for 50ms"), "{error}");
    }
    connection.execute_batch("commit").unwrap();
    assert_eq!(look(COUNT).await, [Ok(0), Ok(0)]);
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) \
                   select count(*) from n where :job_id <> ''";
    for sight in look(endless).await {
        let error = sight.unwrap_err();
        assert!(error.contains("took longer than 200ms"), "{error}");
    }
}
