//! `hooktwice sume watch`: what was missed is found, and brought.

use super::{StandIn, last};
use crate::harness::{Folder, Listener, Running, Said};
use hooktwice_provider::{Faults, NewJob};
use serde_json::{Value, json};
use std::net::TcpListener;

fn lost() -> Faults {
    Faults { lose_all: true, ..Faults::default() }
}

#[test]
fn a_lost_webhook_is_found_and_brought_by_a_redelivery() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let sume = StandIn::to(&listener);
    let well = sume.finished(NewJob::default());
    let failed = sume.finished(NewJob {
        outcome: hooktwice_provider::Outcome::Failed,
        faults: lost(),
        ..NewJob::default()
    });
    assert_eq!(listener.next()["claim"], "won");

    let watch = ["watch", &well, &failed, "--expect-within", "1s"];
    let lines = sume.run(&folder, &watch).expect_code(1).lines();
    let delivered = last(&lines, &well);
    assert_eq!((&delivered["state"], &delivered["delivery"]), (&json!("delivered"), &json!(1)));
    let missed = last(&lines, &failed);
    assert_eq!((&missed["state"], &missed["word"]), (&json!("missed"), &json!("FAILED")));
    assert_eq!(missed["redeliver"], format!("hooktwice sume redeliver {failed}"));
    let summary = lines.last().unwrap();
    assert_eq!(summary["type"], "summary");
    assert_eq!((&summary["missed"], &summary["delivered"]), (&json!([failed]), &json!([well])));
    assert!(
        !sume.seen().iter().any(|line| line.contains(&well)),
        "its delivery is here: nothing is asked"
    );

    let line = sume.run(&folder, &["redeliver", &failed]).expect_code(0).line();
    assert_eq!((&line["type"], &line["status"]), (&json!("redeliver"), &json!(202)));
    let came = listener.next();
    assert_eq!((&came["job_id"], &came["claim"]), (&json!(failed), &json!("won")));
    assert_eq!(came["signature"]["state"], "valid");
    let lines = sume.run(&folder, &["watch", &failed]).expect_code(0).lines();
    assert_eq!(last(&lines, &failed)["state"], "delivered");
    assert_eq!(last(&lines, &failed)["delivery"], 2);

    // A second redelivery is a duplicate.
    sume.run(&folder, &["redeliver", &failed]).expect_code(0);
    assert_eq!(listener.next()["duplicate_of"], 2);
}

#[test]
fn a_delivery_that_comes_while_it_is_watched_settles_it() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let sume = StandIn::to(&listener);
    let id = sume.job();
    let mut watch =
        Running::spawn(sume.command(&folder, &["watch", &id, "--expect-within", "500ms"]));
    let mut line = watch.next();
    while line["state"] != "late" {
        line = watch.next();
    }
    sume.provider.finish(&id);
    while line["type"] != "summary" {
        line = watch.next();
    }
    assert_eq!(line["delivered"], json!([id]));
    assert_eq!(watch.ended(), 0);
}

#[test]
fn a_forged_delivery_settles_nothing_and_a_released_claim_does() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let sume = StandIn::to(&listener);
    let id = sume.finished(NewJob { faults: lost(), ..NewJob::default() });
    let body = json!({ "event": "job.completed", "job_id": id }).to_string();
    let forged = [("X-Sume-Signature".to_owned(), "v1=00".to_owned())];
    assert_eq!(crate::harness::post(&listener.at("/hook"), &forged, body.as_bytes()), Some(401));
    let watch = ["watch", &id, "--expect-within", "200ms"];
    let lines = sume.run(&folder, &watch).expect_code(1).lines();
    assert_eq!(last(&lines, &id)["state"], "missed");

    assert_eq!(listener.deliver("/hook", body.as_bytes()), 204);
    folder.run(&["claims", "clear"]).expect_code(0);
    let lines = sume.run(&folder, &watch).expect_code(0).lines();
    assert_eq!(last(&lines, &id)["state"], "delivered");
}

#[test]
fn a_job_that_sume_does_not_know_is_named() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let lines =
        sume.run(&folder, &["watch", "job_none", "--expect-within", "0s"]).expect_code(1).lines();
    let line = last(&lines, "job_none");
    assert_eq!(line["state"], "unknown");
    assert!(line["problem"].as_str().unwrap().contains("job_not_found"), "{line}");
    assert_eq!(lines.last().unwrap()["unknown"], json!(["job_none"]));
}

#[test]
fn a_person_may_end_it_and_the_jobs_stay_on_the_list() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let id = sume.job();
    let mut watch = Running::spawn(sume.command(&folder, &["watch", &id, "--expect-within", "1s"]));
    let first: Value = watch.next();
    assert_eq!(first["job_id"], id);
    let (code, lines, _) = watch.terminate();
    assert_eq!(code, 3);
    let summary = lines.last().unwrap();
    let still = [&summary["waiting"], &summary["late"]].map(|ids| ids.as_array().unwrap().len());
    assert_eq!(still.iter().sum::<usize>(), 1, "{summary}");
}

#[test]
fn without_the_api_it_ends_once_the_webhooks_are_due() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = sume.command(&folder, &["watch", "job_1", "--expect-within", "0s"]);
    let said =
        Said::of(command.env("SUME_API_BASE_URL", format!("http://{free}")).output().unwrap());
    assert!(said.err.contains("Nothing was sent"), "{}", said.err);
    said.expect_code(3);

    let mut command = sume.command(&folder, &["watch", "job_1", "--expect-within", "0s"]);
    let said = Said::of(command.env("SUME_API_KEY", "another_key").output().unwrap());
    said.expect_code(2);
}
