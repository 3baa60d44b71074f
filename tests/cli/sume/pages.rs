//! The same for the pages, through `hooktwice serve`.

use super::{KEY, StandIn};
use crate::{
    harness::{Folder, SECRET_ENV, until},
    serve::Served,
};
use hooktwice_provider::{Faults, NewJob};
use serde_json::{Value, json};

fn serve(folder: &Folder, sume: &StandIn) -> Served {
    let mut command = Served::command(folder);
    // No keychain answers at an address like this, so that the key stays in memory.
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    command.args(SECRET_ENV).env("SUME_API_BASE_URL", sume.provider.base_url());
    command.env_remove("SUME_API_KEY");
    Served::start(command)
}

fn ok(mut answer: Value) -> Value {
    assert!(answer["error"].is_null(), "{answer}");
    answer["ok"].take()
}

fn state(served: &Served, id: &str) -> Value {
    let list = ok(served.rpc("sume.watched", &json!({})));
    let found = list["jobs"].as_array().unwrap().iter().find(|job| job["job_id"] == id);
    found.cloned().unwrap_or_default()
}

#[test]
fn a_missed_webhook_is_on_the_list_over_restarts_until_it_is_redelivered() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let mut served = serve(&folder, &sume);
    assert_eq!(ok(served.rpc("app.state", &json!({})))["sume_key"], Value::Null);
    let error = served.rpc("sume.status", &json!({ "job_id": "job_1" }));
    assert_eq!(error["error"]["code"], "no-secret");

    let refused = served.rpc("sume.set_key", &json!({ "key": "a key\n" }));
    assert_eq!(refused["error"]["code"], "no-secret", "{refused}");
    let odd = served.rpc("sume.set_key", &json!({ "key": [KEY] })).to_string();
    assert!(odd.contains("bad-input") && !odd.contains(KEY), "{odd}");
    let set = ok(served.rpc("sume.set_key", &json!({ "key": KEY })));
    assert_eq!(set["sume_key"]["kept_in"], "memory");
    assert!(!set.to_string().contains(KEY), "a page never sees it");

    let lost = Faults { lose_all: true, ..Faults::default() };
    let hook = |served: &Served| Some(format!("{}/hook", served.listening));
    let id =
        sume.finished(NewJob { webhook_url: hook(&served), faults: lost, ..NewJob::default() });
    let watch = json!({ "job_ids": [id], "expect_within_s": 1 });
    let list = ok(served.rpc("sume.watch", &watch));
    assert_eq!(list["jobs"][0]["state"], "waiting", "{list}");
    until("it is missed", || (state(&served, &id)["state"] == "missed").then_some(()));
    let port = served.listening.rsplit(':').next().unwrap().to_owned();
    assert_eq!(served.run.terminate().0, 0);

    // At the address that the job's webhook goes to.
    let mut command = folder.command(&["serve", "--port", "0", "--listen-port", &port]);
    command.args(SECRET_ENV).env("SUME_API_BASE_URL", sume.provider.base_url());
    command.env("SUME_API_KEY", KEY);
    let served = Served::start(command);
    assert_eq!(state(&served, &id)["state"], "missed");
    until("the environment's key is in use", || {
        let key = ok(served.rpc("app.state", &json!({})))["sume_key"].take();
        (key["kept_in"] == "environment").then_some(())
    });
    let answer = ok(served.rpc("sume.redeliver", &json!({ "job_id": id })));
    assert_eq!(answer["status"], 202);
    let job = until("it is delivered", || {
        Some(state(&served, &id)).filter(|job| job["state"] == "delivered")
    });
    assert!(job["delivery"].is_number(), "{job}");
    let list = ok(served.rpc("sume.unwatch", &json!({ "job_id": id })));
    assert_eq!(list["jobs"], json!([]));
    assert_eq!(served.rpc("sume.unwatch", &json!({ "job_id": id }))["error"]["code"], "not-found");
    let gone = ok(served.rpc("sume.forget_key", &json!({})));
    assert_eq!(gone["sume_key"], Value::Null);
}

#[test]
fn settings_take_no_base_url_that_would_send_the_key_in_clear() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let served = serve(&folder, &sume);
    let mut settings = ok(served.rpc("app.state", &json!({})))["settings"].take();
    settings["sume"]["base_url"] = "http://api.example/v1".into();
    let refused = served.rpc("settings.set", &settings);
    assert!(refused["error"]["message"].as_str().unwrap().contains("in clear"), "{refused}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_typed_key_is_kept_in_the_keychain_and_found_by_the_command() {
    use crate::{
        harness::Said,
        keychain::session::{Home, Session},
    };
    let (home, folder, sume) = (Home::new(), Folder::new(), StandIn::start());
    let session = Session::unlocked(&home);
    let start = || {
        let mut command = Served::command(&folder);
        session.take_in(&mut command);
        command.env("SUME_API_BASE_URL", sume.provider.base_url()).env_remove("SUME_API_KEY");
        Served::start(command)
    };
    let mut served = start();
    let state = ok(served.rpc("sume.set_key", &json!({ "key": KEY })));
    assert_eq!(state["sume_key"]["kept_in"], "keychain");
    let mut settings = state["settings"].clone();
    // A page that did not know of the key yet does not lose it.
    settings["sume"]["key_name"] = Value::Null;
    let state = ok(served.rpc("settings.set", &settings));
    assert_eq!(state["settings"]["sume"]["key_name"], "sume-api-key");
    assert_eq!(session.lookup("sume-api-key").unwrap(), KEY.as_bytes());
    assert_eq!(served.run.terminate().0, 0);

    let id = sume.job();
    let mut command = sume.command(&folder, &["status", &id]);
    session.take_in(&mut command);
    let said = Said::of(command.env_remove("SUME_API_KEY").output().unwrap());
    assert_eq!(said.expect_code(0).line()["state"], "open");

    let served = start();
    until("the next start finds it", || {
        let key = ok(served.rpc("app.state", &json!({})))["sume_key"].take();
        (key["kept_in"] == "keychain").then_some(())
    });
    ok(served.rpc("sume.forget_key", &json!({})));
    assert!(session.lookup("sume-api-key").is_none());
}
