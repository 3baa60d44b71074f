//! C57: all at once.

use super::target::{Answer, Target};
use crate::harness::{Folder, Listener, SECRET_ENV, run_with};

#[test]
fn c57_five_hundred_at_once_are_five_hundred_rows() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &["--quiet"]);
    let url = listener.at("/hook");
    let fire = ["fire", "--json", "--url", &url, "--body-file", "-", "--copies", "500"];
    let lines =
        run_with(&[&fire[..], &SECRET_ENV].concat(), br#"{"job_id":"a1"}"#).expect_code(0).lines();
    assert_eq!(lines[500]["statuses"], serde_json::json!({"204": 500}));
    let deliveries = folder.deliveries();
    assert_eq!(deliveries.len(), 500);
    assert_eq!(deliveries.iter().filter(|delivery| delivery["claim"] == "won").count(), 1);
}

#[test]
fn c57_two_hundred_out_are_two_hundred_and_no_more() {
    let target = Target::start(|delivery| {
        delivery.work_once();
        Answer::Status(200)
    });
    let url = target.url();
    let fire = ["fire", "--json", "--url", &url, "--body-file", "-", "--copies", "200"];
    let lines =
        run_with(&[&fire[..], &SECRET_ENV].concat(), br#"{"job_id":"a1"}"#).expect_code(0).lines();
    assert_eq!(lines[200]["statuses"], serde_json::json!({"200": 200}));
    assert!(lines[200]["peak_in_flight"].as_u64().unwrap() <= 200, "{}", lines[200]);
    assert_eq!(target.posts(), 200);
    assert!(target.most_at_once() <= 200);
    assert_eq!(target.effects()["a1"], 1);
}
