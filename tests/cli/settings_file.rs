//! `settings.json` as another version left it, or a hand.

use crate::{
    harness::{Folder, run_with},
    serve::Served,
};
use hooktwice_engine::model::Settings;
use serde_json::json;
use std::fs;

/// Commands that stand on the settings.
const COMMANDS: [&[&str]; 4] = [
    &["listen", "--port", "0"],
    &["sign", "--body-file", "-", "--secret-env", "HT_TEST_SECRET"],
    &["deliveries", "list"],
    &["claims", "list"],
];

fn with_settings(text: &str) -> (Folder, std::path::PathBuf) {
    let folder = Folder::new();
    let file = folder.file("settings.json", text.as_bytes());
    (folder, file)
}

/// What the files hold that were kept when something was saved over them.
fn aside(folder: &Folder) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let aside = names.filter(|path| path.to_str().unwrap().contains("settings.json.broken-"));
    aside.map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn a_file_that_is_not_understood_is_2_names_what_and_is_left_as_it_is() {
    for (text, named) in [
        ("{ port: 4400", "line 1"),
        (
            r#"{"listen":{"responder":{"kind":"queue"}}}"#,
            "listen.responder.kind: unknown variant `queue`",
        ),
        (r#"{"listen":{"port":70000}}"#, "listen.port: "),
        (r#"{"listen":{"tolerance_s":0}}"#, "listen.tolerance_s: The tolerance is 0"),
    ] {
        let (folder, file) = with_settings(text);
        for command in COMMANDS {
            let folder = folder.path().to_str().unwrap();
            let said = run_with(&[command, &["--data-dir", folder]].concat(), b"x").expect_code(2);
            assert!(said.err.contains(named), "{command:?}: {}", said.err);
            assert!(said.err.contains("settings.json"), "{command:?}: {}", said.err);
            assert_eq!(said.text(), "", "{command:?}");
        }
        assert_eq!(fs::read_to_string(file).unwrap(), text);
    }
}

#[test]
fn the_pages_are_served_all_the_same_and_say_what_is_not_understood() {
    let text =
        r#"{"listen":{"scheme":"newer","responder":{"kind":"queue","depth":5}},"sync":true}"#;
    let (folder, file) = with_settings(text);
    let served = Served::start(Served::command(&folder));
    let state = served.rpc("app.state", &json!({}));
    let problems = state["ok"]["settings_problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2, "{state}");
    assert!(problems[0].as_str().unwrap().starts_with("listen.responder.kind: "), "{state}");
    assert!(problems[1].as_str().unwrap().starts_with("listen.scheme: "), "{state}");
    assert_eq!(state["ok"]["settings"]["listen"]["scheme"], "sume");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    let next = served.rpc("settings.set", &state["ok"]["settings"]);
    assert_eq!(next["ok"]["settings_problems"], json!([]));
    let now: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!((&now["listen"]["scheme"], &now["sync"]), (&json!("sume"), &json!(true)));
    assert_eq!(aside(&folder), [text]);
}

#[test]
fn what_no_save_would_take_is_told_at_the_start_and_has_its_default() {
    for (text, keys) in [
        (r#"{"sume":{"base_url":"http://api.example"}}"#, &["sume.base_url"][..]),
        (r#"{"schemes":{"custom":{"signed":"{timestamp}"}}}"#, &["schemes.custom"]),
        (
            r#"{"listen":{"scheme":"custom"},"schemes":{"custom":{"signed":"{timestamp}"}}}"#,
            &["listen.scheme", "schemes.custom"],
        ),
    ] {
        let (folder, file) = with_settings(text);
        let served = Served::start(Served::command(&folder));
        let state = served.rpc("app.state", &json!({}))["ok"].take();
        let problems = state["settings_problems"].as_array().unwrap();
        let told: Vec<&str> =
            problems.iter().filter_map(|problem| problem.as_str()?.split(':').next()).collect();
        assert_eq!(told, keys, "{state}");
        let initial = serde_json::to_value(Settings::default()).unwrap();
        assert_eq!(state["settings"]["sume"], initial["sume"]);
        assert_eq!(state["settings"]["schemes"], initial["schemes"]);
        assert_eq!(state["settings"]["listen"]["scheme"], "sume");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);

        let next = served.rpc("settings.set", &state["settings"]);
        assert_eq!(next["ok"]["settings_problems"], json!([]), "{next}");
        assert_eq!(aside(&folder), [text]);
    }
}
