//! The data folder: made where it is missing, owned by one, refused with a reason.

use crate::harness::{Folder, Listener, Running, Said, hooktwice};
use std::{fs, path::Path};

#[test]
fn c80_a_fresh_home_with_an_odd_name_is_used() {
    let folder = Folder::new();
    let home = folder.path().join("a home of Zoë 家");
    fs::create_dir(&home).unwrap();
    let mut command = hooktwice();
    command
        .args(["listen", "--port", "0", "--json"])
        .env("HOME", &home)
        .env_remove("HOOKTWICE_DATA_DIR")
        .env_remove("XDG_DATA_HOME");
    let mut run = Running::spawn(command);
    assert_eq!(run.next()["type"], "listening");
    assert_eq!(run.terminate().0, 0);
    let mut found = Vec::new();
    walk(&home, &mut found);
    assert!(found.iter().any(|file| file.ends_with("hooktwice.db")), "{found:?}");
}

fn walk(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn the_environment_names_the_folder_too() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    listener.deliver("/hook", br#"{"job_id":"a1"}"#);
    listener.next();
    let mut command = hooktwice();
    command.args(["claims", "list", "--json"]).env("HOOKTWICE_DATA_DIR", folder.path());
    assert_eq!(Said::of(command.output().unwrap()).expect_code(0).line()["job_id"], "a1");
}

#[test]
fn c81_a_folder_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    let file = folder.file("a-file", b"");
    // Not even root can make a folder in /proc.
    for place in [file.to_str().unwrap(), "/proc/hooktwice-cannot-be-here"] {
        for command in
            [&["listen", "--port", "0"][..], &["serve", "--port", "0", "--listen-port", "0"]]
        {
            let said =
                Said::of(hooktwice().args(command).args(["--data-dir", place]).output().unwrap());
            let said = said.expect_code(2);
            assert!(said.err.contains(place), "{}", said.err);
            assert_eq!(said.text(), "");
        }
    }
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn c84_a_second_owner_is_told_who_has_it() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let second = folder.run(&["listen", "--port", "0"]).expect_code(2);
    assert!(second.err.contains(&listener.run.pid().to_string()), "{}", second.err);
    assert!(second.err.contains("--data-dir"), "{}", second.err);
    assert_eq!(listener.deliver("/hook", br#"{"job_id":"a1"}"#), 204);
}
