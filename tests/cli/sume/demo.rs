//! `hooktwice demo --provider`.

use super::last;
use crate::harness::{Folder, Listener, Running, SECRET_ENV, Said};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn the_stand_in_can_be_played_with() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let url = listener.at("/hook");
    let mut command = folder.command(&["demo", "--provider", "--url", &url, "--time-scale", "100"]);
    command.args(SECRET_ENV);
    let mut demo = Running::spawn(command);
    let first = demo.next();
    assert_eq!((&first["type"], &first["url"]), (&json!("provider"), &json!(url)));
    let jobs: Vec<Value> = (0..4).map(|_| demo.next()).collect();
    let id = |n: usize| jobs[n]["job_id"].as_str().unwrap();
    let sume = |args: &[&str]| {
        let mut command = folder.command(&[&["sume"], args].concat());
        command.env("SUME_API_BASE_URL", first["base_url"].as_str().unwrap());
        command.env("SUME_API_KEY", first["api_key"].as_str().unwrap());
        Said::of(command.output().unwrap())
    };
    sume(&["status", id(0)]).expect_code(0);

    let mut came: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..4 {
        let line = listener.next();
        assert_eq!(line["signature"]["state"], "valid");
        *came.entry(line["job_id"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let counts = [0, 1, 2, 3].map(|n| came.get(id(n)).copied().unwrap_or_default());
    assert_eq!(counts, [1, 2, 1, 0], "once, twice at once, by the second attempt, never");

    let watch = ["watch", id(0), id(1), id(2), id(3), "--expect-within", "2s"];
    let lines = sume(&watch).expect_code(1).lines();
    assert_eq!(last(&lines, id(3))["state"], "missed");
    sume(&["redeliver", id(3)]).expect_code(0);
    assert_eq!(listener.next()["job_id"], id(3));

    // Every attempt is told: two, one, one lost and one after it, and the redelivery.
    let told: Vec<Value> = (0..5).map(|_| demo.next()).collect();
    assert_eq!(told.iter().filter(|line| line["lost"] == true).count(), 1, "{told:?}");
    assert_eq!(told[4]["kind"], "redelivery", "{told:?}");
    assert_eq!(demo.terminate().0, 0);
}

#[test]
fn its_options_need_it() {
    let said = crate::harness::run(&["demo", "--url", "http://127.0.0.1:1/"]).expect_code(2);
    assert!(said.err.contains("--provider"), "{}", said.err);
    let said = crate::harness::run(&[&["demo"][..], &SECRET_ENV].concat()).expect_code(2);
    assert!(said.err.contains("--provider"), "{}", said.err);
}
