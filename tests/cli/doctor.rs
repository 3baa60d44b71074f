//! `hooktwice doctor`.

use crate::harness::{Folder, run};

#[test]
fn it_looks_at_everything() {
    let folder = Folder::new();
    let said = folder.run(&["doctor"]).expect_code(0);
    let checks = said.lines();
    for name in [
        "version",
        "data-folder",
        "settings",
        "listen-port",
        "pages-port",
        "keychain",
        "io-uring",
        "clock",
        "pages",
        "curl",
        "bore",
    ] {
        let check =
            checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(check["type"], "check");
        if check["state"] != "ok" {
            assert!(check["advice"].is_string(), "{check}");
        }
    }
}

#[test]
fn what_is_broken_is_1_and_says_what_to_do() {
    let folder = Folder::new();
    folder.file("settings.json", b"{");
    let said = folder.run(&["doctor"]).expect_code(1);
    let checks = said.lines();
    let settings = checks.iter().find(|check| check["name"] == "settings").unwrap();
    assert_eq!(settings["state"], "problem");
    assert!(settings["detail"].as_str().unwrap().contains("settings.json"), "{settings}");

    let file = folder.file("a-file", b"");
    let said = run(&["doctor", "--json", "--data-dir", file.to_str().unwrap()]).expect_code(1);
    let checks = said.lines();
    assert_eq!(
        checks.iter().find(|check| check["name"] == "data-folder").unwrap()["state"],
        "problem"
    );
}
