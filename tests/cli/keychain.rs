//! Secrets in the system's keychain: gnome-keyring for real, with `secret-tool` as the other program that reads and
//! writes it.

#![cfg(target_os = "linux")]

pub(crate) mod session;

use crate::{
    harness::{Folder, Running, SECRET, SECRET_ENV, post, signed_with},
    serve::Served,
};
use serde_json::{Value, json};
use session::{Home, Session};
use std::{
    fs,
    time::{Duration, Instant},
};

const OLD: &str = "the older secret, which ends in a newline\n";
const NEW: &str = "the newer secret";
const BODY: &[u8] = br#"{"job_id":"a1"}"#;
/// What nobody unlocks or answers is told of well before a person would give up.
const SOON: Duration = Duration::from_secs(10);

fn serve(session: &Session<'_>, folder: &Folder) -> Served {
    let mut command = Served::command(folder);
    session.take_in(&mut command);
    Served::start(command)
}

fn set(served: &Served, name: &str, secret: &str) -> Value {
    let params = json!({ "scheme": "sume", "name": name, "secret": secret });
    ok(served.rpc("secret.set", &params))
}

fn named(served: &Served, command: &str, name: &str) -> Value {
    served.rpc(command, &json!({ "scheme": "sume", "name": name }))
}

fn ok(mut answer: Value) -> Value {
    assert!(answer["error"].is_null(), "{answer}");
    answer["ok"].take()
}

/// The secrets of Sume that a state shows, each with where it is kept.
fn kept(state: &Value) -> Vec<(&str, &str)> {
    let secrets = state["secrets"].as_array().unwrap().iter();
    let of_sume = secrets.filter(|secret| secret["scheme"] == "sume");
    of_sume
        .map(|secret| (secret["name"].as_str().unwrap(), secret["kept_in"].as_str().unwrap()))
        .collect()
}

/// Delivers a body signed now; its status.
fn deliver(url: &str, secret: &str, body: &[u8]) -> Option<u16> {
    post(&format!("{url}/hook"), &with(secret, body), body)
}

fn with(secret: &str, body: &[u8]) -> Vec<(String, String)> {
    signed_with(secret, jiff::Timestamp::now().as_second(), body)
}

/// `--header` for each header that signs a body now.
fn headers(secret: &str, body: &[u8]) -> Vec<String> {
    let lines = with(secret, body).into_iter().map(|(name, value)| format!("{name}: {value}"));
    lines.flat_map(|line| ["--header".to_owned(), line]).collect()
}

/// The signature of the newest delivery of a folder.
fn newest_signature(folder: &Folder) -> Value {
    folder.deliveries().last().unwrap()["signature"].clone()
}

fn verify(session: &Session<'_>, folder: &Folder, args: &[&str], headers: &[String]) -> Value {
    let body = folder.file("body", BODY);
    let mut all = vec!["verify", "--body-file", body.to_str().unwrap()];
    all.extend(args);
    all.extend(headers.iter().map(String::as_str));
    let said = session.run(folder, &all);
    let line = said.line();
    assert_eq!(said.code, i32::from(line["state"] != "valid"), "{said:?}");
    line
}

#[test]
fn c20_c21_typed_secrets_are_kept_and_the_next_start_verifies_with_each() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    let mut served = serve(&session, &folder);
    assert_eq!(kept(&set(&served, "old", OLD)), [("old", "keychain")]);
    let state = set(&served, "new", NEW);
    let both = [("new", "keychain"), ("old", "keychain")];
    assert_eq!(kept(&state), both);
    assert_eq!(state["secret"]["name"], "new");
    // Another program finds the same bytes, the newline too.
    assert_eq!(session.lookup("old").unwrap(), OLD.as_bytes());
    assert_eq!(session.lookup("new").unwrap(), NEW.as_bytes());
    assert_eq!(deliver(&served.listening, OLD, BODY), Some(204));
    let old = newest_signature(&folder);
    assert_eq!((&old["state"], &old["secret"]), (&"valid".into(), &"old".into()), "{old}");
    assert_eq!(served.run.terminate().0, 0);

    let settings = fs::read_to_string(folder.path().join("settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["secrets"], json!({ "sume": ["new", "old"] }));

    // The computer was started again, too.
    drop(session);
    let session = Session::unlocked(&home);
    let served = serve(&session, &folder);
    let state = ok(served.rpc("app.state", &json!({})));
    assert_eq!(kept(&state), both);
    for (secret, name) in [(OLD, "old"), (NEW, "new")] {
        let body = json!({ "job_id": name }).to_string();
        assert_eq!(deliver(&served.listening, secret, body.as_bytes()), Some(204), "{name}");
        let found = newest_signature(&folder);
        assert_eq!((&found["state"], &found["secret"]), (&"valid".into(), &name.into()));
    }
    // Its twin with a secret that nobody gave is no duplicate.
    assert_eq!(deliver(&served.listening, "a third one", BODY), Some(401));
    let line = folder.deliveries().pop().unwrap();
    assert_eq!(line["signature"]["state"], "invalid");
    assert_eq!((&line["claim"], &line["claim_reason"]), (&"none".into(), &"not-verified".into()));
}

#[test]
fn a_secret_that_is_typed_again_takes_the_place_of_the_one_of_its_name() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("sume", "what another program kept");
    let served = serve(&session, &folder);
    assert_eq!(kept(&set(&served, "sume", OLD)), [("sume", "keychain")]);
    assert_eq!(kept(&set(&served, "sume", NEW)), [("sume", "keychain")]);
    assert_eq!(session.lookup("sume").unwrap(), NEW.as_bytes());
    assert_eq!(deliver(&served.listening, NEW, BODY), Some(204));
    assert_eq!(deliver(&served.listening, OLD, BODY), Some(401));
}

#[test]
fn sign_verify_and_listen_take_secrets_by_name() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("old", OLD);
    session.store("new", NEW);
    let both = ["--secret-name", "new", "--secret-name", "old"];
    assert_eq!(verify(&session, &folder, &both, &headers(OLD, BODY))["secret"], "old");
    assert_eq!(verify(&session, &folder, &both[..2], &headers(OLD, BODY))["state"], "invalid");

    // The first that is named signs.
    let body = folder.file("body", BODY);
    let sign = ["sign", "--timestamp", "1700000000", "--body-file", body.to_str().unwrap()];
    let signed = session.run(&folder, &[&sign[..], &both].concat()).expect_code(0).line();
    let is_of = |secret| {
        let due = signed_with(secret, 1_700_000_000, BODY);
        signed["headers"].as_array().unwrap().contains(&json!([due[1].0, due[1].1]))
    };
    assert!(is_of(NEW) && !is_of(OLD), "{signed}");

    let mut command = folder.command(&["listen", "--port", "0"]);
    session.take_in(command.args(both));
    let listener = Running::spawn(command);
    let url = listener.next()["url"].as_str().unwrap().to_owned();
    for (secret, status, name) in
        [(OLD, 204, json!("old")), (NEW, 204, json!("new")), (SECRET, 401, Value::Null)]
    {
        assert_eq!(deliver(&url, secret, BODY), Some(status));
        assert_eq!(listener.next()["signature"]["secret"], name);
    }
}

#[test]
fn a_secret_of_another_program_is_used_and_forgotten_only_when_asked() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("theirs", OLD);
    let served = serve(&session, &folder);
    assert_eq!(kept(&ok(named(&served, "secret.use", "theirs"))), [("theirs", "keychain")]);
    assert_eq!(deliver(&served.listening, OLD, BODY), Some(204));
    assert_eq!(newest_signature(&folder)["secret"], "theirs");

    let remove = |forget: bool| {
        let params = json!({ "scheme": "sume", "name": "theirs", "forget": forget });
        ok(served.rpc("secret.remove", &params))
    };
    assert_eq!(kept(&remove(false)), []);
    assert_eq!(deliver(&served.listening, OLD, BODY), Some(401));
    assert_eq!(session.lookup("theirs").unwrap(), OLD.as_bytes());
    ok(named(&served, "secret.use", "theirs"));
    let state = remove(true);
    assert_eq!(kept(&state), []);
    assert_eq!(state["settings"]["secrets"], json!({}));
    assert_eq!(session.lookup("theirs"), None);
}

#[test]
fn a_name_that_is_not_there_is_2_and_named() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("there", NEW);
    let body = folder.file("body", BODY);
    let body = body.to_str().unwrap();
    for args in [
        &["sign", "--body-file", body, "--secret-name", "absent"][..],
        &["sign", "--body-file", body, "--secret-name", "there", "--secret-name", "absent"],
        &["listen", "--port", "0", "--secret-name", "absent"],
    ] {
        let said = session.run(&folder, args).expect_code(2);
        assert!(said.err.contains("the keychain holds no secret named `absent`"), "{}", said.err);
        assert_eq!(said.text(), "");
    }
    let served = serve(&session, &folder);
    let answer = named(&served, "secret.use", "absent");
    assert_eq!(answer["error"]["code"], "no-secret", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`absent`"), "{answer}");
}

#[test]
fn another_known_secret_is_named() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("spare", NEW);
    folder.file("settings.json", br#"{"secrets":{"sume":["absent","spare"]}}"#);
    let due = json!(["another known secret matches: spare"]);
    let said = verify(&session, &folder, &SECRET_ENV, &headers(NEW, BODY));
    assert_eq!(said["hints"], due, "{said}");

    let mut command = folder.command(&["listen", "--port", "0"]);
    session.take_in(command.args(SECRET_ENV));
    let listener = Running::spawn(command);
    let url = listener.next()["url"].as_str().unwrap().to_owned();
    assert_eq!(deliver(&url, NEW, BODY), Some(401));
    assert_eq!(listener.next()["signature"]["hints"], due);
}

/// What `--secret-name` says where the keychain cannot be asked, and that it says so soon.
fn refused(session: &Session<'_>, folder: &Folder) -> String {
    let body = folder.file("body", BODY);
    let start = Instant::now();
    let args = ["sign", "--body-file", body.to_str().unwrap(), "--secret-name", "new"];
    let said = session.run(folder, &args).expect_code(2);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    said.err
}

#[test]
fn a_keyring_that_nobody_unlocks_is_done_without() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("new", NEW);
    drop(session);

    let session = Session::locked(&home);
    let said = refused(&session, &folder);
    assert!(said.contains("locked") && said.contains("`new`"), "{said}");
    // What only explains is left out.
    folder.file("settings.json", br#"{"secrets":{"sume":["new"]}}"#);
    let said = verify(&session, &folder, &SECRET_ENV, &headers(NEW, BODY));
    assert_eq!(said["hints"], json!([]));

    let start = Instant::now();
    let served = serve(&session, &folder);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let state = ok(served.rpc("app.state", &json!({})));
    assert_eq!(state["secret"]["throwaway"], true);
    let answer = named(&served, "secret.use", "new");
    assert!(answer["error"]["message"].as_str().unwrap().contains("locked"), "{answer}");
    // What is typed is kept in memory, and the names of the settings wait for the next start.
    assert_eq!(kept(&set(&served, "typed", OLD)), [("typed", "memory")]);
    assert_eq!(deliver(&served.listening, OLD, BODY), Some(204));
    drop(served);
    drop(session);

    let session = Session::unlocked(&home);
    let served = serve(&session, &folder);
    let state = ok(served.rpc("app.state", &json!({})));
    assert_eq!(kept(&state), [("new", "keychain")]);
    assert_eq!(session.lookup("typed"), None);
}

#[test]
fn where_no_keychain_runs_secrets_are_in_memory_and_the_state_says_so() {
    let (home, folder) = (Home::new(), Folder::new());
    let mut command = Served::command(&folder);
    home.take_in(&mut command);
    let mut served = Served::start(command);
    let state = set(&served, "typed", NEW);
    assert_eq!(kept(&state), [("typed", "memory")]);
    assert_eq!(state["settings"]["secrets"], json!({}));
    assert_eq!(deliver(&served.listening, NEW, BODY), Some(204));
    let answer = named(&served, "secret.use", "typed");
    assert_eq!(answer["error"]["code"], "no-secret", "{answer}");
    assert_eq!(served.run.terminate().0, 0);

    let body = folder.file("body", BODY);
    let mut command =
        folder.command(&["sign", "--body-file", body.to_str().unwrap(), "--secret-name", "typed"]);
    home.take_in(&mut command);
    let said = crate::harness::Said::of(command.output().unwrap()).expect_code(2);
    assert!(said.err.contains("no system keychain answers here"), "{}", said.err);
}

#[test]
fn a_keychain_that_says_nothing_holds_nobody_up() {
    let (home, folder) = (Home::new(), Folder::new());
    let session = Session::unlocked(&home);
    session.store("new", NEW);
    folder.file("settings.json", br#"{"secrets":{"sume":["new","other","third"]}}"#);
    session.hush();
    let said = refused(&session, &folder);
    assert!(said.contains("did not answer within 3 s"), "{said}");
    let start = Instant::now();
    let served = serve(&session, &folder);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(kept(&set(&served, "typed", OLD)), [("typed", "memory")]);
    assert_eq!(verify(&session, &folder, &SECRET_ENV, &headers(SECRET, BODY))["state"], "valid");
}
