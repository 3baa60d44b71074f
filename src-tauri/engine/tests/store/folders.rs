//! Folders that are missing, taken, read-only, full, locked, damaged or newer.

use crate::support::*;
use hooktwice_engine::{
    error::ErrorCode,
    model::{ClaimState, DeliveryQuery, Ended},
    store::{Role, Store, StoreError},
};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

#[tokio::test]
async fn c80_a_missing_folder_is_made_for_this_user_only() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("Mein Ordner \u{1F600} 'ü%20?#").join("hooktwice");
    let store = owner(&folder);
    store.record(delivery("x")).await.unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    drop(store);
    assert_eq!(owner(&folder).list(&DeliveryQuery::default()).unwrap().total, 1);
}

fn refused(folder: &Path, role: Role) -> StoreError {
    Store::open(folder, role, EVERYTHING).unwrap_err()
}

#[test]
fn c81_a_file_in_the_place_of_the_folder_is_named() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    fs::write(&folder, "not a folder").unwrap();
    for role in [Role::Owner, Role::Guest] {
        let error = refused(&folder, role);
        assert_eq!(error.code(), ErrorCode::CannotWrite);
        assert!(error.to_string().contains(folder.to_str().unwrap()), "{error}");
    }
    assert_eq!(fs::read(&folder).unwrap(), b"not a folder");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooktwice.db");
    let text = "these are somebody's notes, not a database\n".repeat(500);
    fs::write(&file, &text).unwrap();
    for role in [Role::Owner, Role::Guest] {
        let error = refused(folder.path(), role);
        assert_eq!(error.code(), ErrorCode::CannotWrite);
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn a_newer_database_is_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    drop(owner(folder.path()));
    let newer = foreign(folder.path());
    newer.pragma_update(None, "user_version", 8).unwrap();
    // Once with the version in the log only, once in the file.
    let file = folder.path().join("hooktwice.db");
    for _ in 0..2 {
        let before = fs::read(&file).unwrap();
        for role in [Role::Owner, Role::Guest] {
            let error = refused(folder.path(), role);
            assert_eq!(error.code(), ErrorCode::DatabaseTooNew);
            assert!(error.to_string().contains("version 8"), "{error}");
        }
        assert!(fs::read(&file).unwrap() == before);
        newer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    }
}

#[test]
fn c84_a_second_owner_is_told_who_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let first = owner(folder.path());
    let error = refused(folder.path(), Role::Owner);
    assert_eq!(error.code(), ErrorCode::DataFolderInUse);
    assert!(error.to_string().contains(&format!("process {},", std::process::id())), "{error}");
    drop(first);
    drop(owner(folder.path()));
}

/// Runs a test again as a child that owns the folder, up to its word that it is ready.
fn start_child(test: &str, folder: &Path) -> Child {
    let mut child = again(test, folder).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(
        lines.map_while(Result::ok).any(|line| line.ends_with("ready")),
        "the child ended early"
    );
    child
}

/// Says that the child is ready and waits to be killed.
fn wait_to_be_killed() -> ! {
    println!("ready");
    loop {
        std::thread::park();
    }
}

#[tokio::test]
async fn c48_a_killed_owner_leaves_its_claims_and_its_lock() {
    if let Some(folder) = child() {
        let store = owner(&folder);
        store.finish(store.record(delivery("done")).await.unwrap().seq, answered(204));
        store.flush().await.unwrap();
        store.record(delivery("a")).await.unwrap();
        wait_to_be_killed();
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        start_child("folders::c48_a_killed_owner_leaves_its_claims_and_its_lock", folder.path());
    let error = refused(folder.path(), Role::Owner);
    assert!(error.to_string().contains(&format!("process {},", child.id())), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();

    let store = owner(folder.path());
    let interrupted = store.show(2).unwrap().unwrap().delivery;
    assert_eq!((interrupted.ended, interrupted.status), (Some(Ended::Interrupted), None));
    assert_eq!(interrupted.notes, ["the program ended before this was answered"]);
    assert_eq!(store.show(1).unwrap().unwrap().delivery.ended, Some(Ended::Answered));
    let again = store.record(delivery("a")).await.unwrap();
    assert_eq!((again.seq, again.claim, again.duplicate_of), (3, ClaimState::Duplicate, Some(2)));
}

/// Waits for what the store writes down by itself when nothing comes in.
async fn answered_up_to(folder: &Path) -> i64 {
    let connection = rusqlite::Connection::open(folder.join("hooktwice.db")).unwrap();
    let sql = "SELECT value FROM marks WHERE name = 'answered'";
    loop {
        if let Ok(seq) = connection.query_row(sql, [], |row| row.get(0)) {
            return seq;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn c48_what_was_interrupted_is_found_whatever_an_earlier_start_has_seen() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    store.record(delivery("a")).await.unwrap();
    drop(store);
    // The second start has seen that everything up to the first is answered, and keeps it in mind.
    let store = owner(folder.path());
    assert_eq!(store.show(1).unwrap().unwrap().delivery.ended, Some(Ended::Interrupted));
    assert_eq!(answered_up_to(folder.path()).await, 1);
    store.record(delivery("b")).await.unwrap();
    let last = store.record(delivery("c")).await.unwrap();
    store.finish(last.seq, answered(204));
    drop(store);
    // So the third looks at what came after it only, and at all of that.
    let store = owner(folder.path());
    let ended = |seq| store.show(seq).unwrap().unwrap().delivery.ended;
    assert_eq!(
        [ended(1), ended(2), ended(3)],
        [Some(Ended::Interrupted), Some(Ended::Interrupted), Some(Ended::Answered)]
    );
}

#[tokio::test]
async fn dropping_the_store_writes_what_was_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let delivery = store.record(delivery("x")).await.unwrap();
    store.finish(delivery.seq, answered(204));
    drop(store);
    let ended = owner(folder.path()).show(delivery.seq).unwrap().unwrap().delivery.ended;
    assert_eq!(ended, Some(Ended::Answered));
}

/// Disks of a test's own: a mount namespace that is gone with its process. Needs Linux and the right to mount, which
/// root has and most users have in a user namespace.
#[cfg(target_os = "linux")]
mod disks {
    use super::*;

    /// Runs a test again where `mount` has been run on its folder.
    fn in_namespace(test: &str, mount: &str) {
        let home = tempfile::tempdir().unwrap();
        let again = again(test, home.path());
        let ran = |script: &str| {
            let mut unshare = std::process::Command::new("unshare");
            unshare.args(["--map-root-user", "--mount", "sh", "-ec", script, "sh"]);
            unshare.arg(again.get_program()).args(again.get_args());
            unshare.envs(again.get_envs().filter_map(|(name, value)| Some((name, value?))));
            unshare.env("FOLDER", home.path()).status().is_ok_and(|status| status.success())
        };
        assert!(
            ran("mount -t tmpfs tmpfs \"$FOLDER\""),
            "this test needs a mount namespace of its own: run it as root, or allow user namespaces"
        );
        assert!(ran(&format!("{mount}\nexec \"$@\"")), "the test in the namespace failed");
    }

    #[tokio::test]
    async fn c81_a_full_disk_acknowledges_nothing_that_it_did_not_keep() {
        let Some(folder) = child() else {
            let test = "folders::disks::c81_a_full_disk_acknowledges_nothing_that_it_did_not_keep";
            in_namespace(test, "mount -t tmpfs -o size=4m tmpfs \"$FOLDER\"");
            return;
        };
        let ballast = folder.join("ballast");
        fs::write(&ballast, vec![1; 2 << 20]).unwrap();
        let store = owner(&folder);
        let sent = |n: usize| with_body(delivery(&format!("job_{n}")), vec![b'x'; 50_000]);
        let mut kept = 0;
        let error = loop {
            match store.record(sent(kept)).await {
                Ok(delivery) => {
                    kept += 1;
                    assert_eq!(delivery.seq, i64::try_from(kept).unwrap());
                }
                Err(error) => break error,
            }
        };
        assert!(kept > 3, "{error}");
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
        assert_eq!(error.code(), ErrorCode::CannotWrite);
        assert!(
            error.to_string().contains("hooktwice.db is full")
                || error.to_string().contains("full"),
            "{error}"
        );
        assert_eq!(store.problem(), Some(error.to_string()));
        let total = store.list(&DeliveryQuery::default()).unwrap().total;
        assert_eq!((total, store.claims(0, 0).unwrap().1), (kept as u64, kept as u64));

        fs::remove_file(&ballast).unwrap();
        let next = store.record(sent(kept)).await.unwrap();
        assert_eq!((next.claim, next.seq), (ClaimState::Won, i64::try_from(kept).unwrap() + 1));
        assert_eq!(store.problem(), None);
    }

    #[tokio::test]
    async fn c81_a_read_only_folder_is_refused_in_words() {
        let Some(folder) = child() else {
            let test = "folders::disks::c81_a_read_only_folder_is_refused_in_words";
            let make = "mount -t tmpfs tmpfs \"$FOLDER\"\n\"$@\"\n\
                        mount -o remount,ro \"$FOLDER\"";
            in_namespace(test, make);
            return;
        };
        if !folder.join("hooktwice.db").exists() {
            // The first run makes it.
            owner(&folder).record(delivery("x")).await.unwrap();
            return;
        }
        for role in [Role::Owner, Role::Guest] {
            let error = refused(&folder, role);
            assert_eq!(error.code(), ErrorCode::CannotWrite);
            let words = error.to_string();
            assert!(words.contains(folder.to_str().unwrap()), "{words}");
            assert!(words.to_lowercase().contains("read-only"), "{words}");
        }
    }
}
