//! Deliveries by schedule through the wire, as the pages start, watch and stop them, and the Job tab's figures.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops")]

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hooktwice_engine::{
    api::dispatch,
    engine::{Engine, EngineOptions},
    events::Event,
    model::{DeliverReport, RunState},
};
use serde_json::{Value, json};
use tempfile::TempDir;

async fn start(folder: &TempDir) -> Engine {
    let mut options = EngineOptions::new(folder.path().to_owned());
    options.port = Some(0);
    Engine::start(options).await.unwrap()
}

async fn ask(engine: &Engine, command: &str, params: Value) -> Value {
    dispatch(engine, command, params).await.unwrap_or_else(|error| panic!("{command}: {error}"))
}

/// The listener answers the first so many deliveries of a job with 500.
async fn fail_first(engine: &Engine, fail_first: u32) {
    let mut settings = engine.settings();
    settings.listen.fail_first = fail_first;
    engine.set_settings(settings).await.unwrap();
}

fn spec(url: &str, schedule: &Value) -> Value {
    json!({"spec": {"schedule": schedule, "plan": {
        "url": url, "method": "POST", "body_base64": STANDARD.encode(r#"{"job_id":"job_1"}"#), "delivery": null,
        "edited": false, "headers": [], "copies": 7, "release": {"kind": "together"}, "signing": "each",
        "protocol": "auto", "timeout_ms": 1, "allow_host": null,
    }}})
}

fn hook(engine: &Engine) -> String {
    format!("{}/hook", engine.listener_url().unwrap())
}

/// Every event of a delivery, until one is as it is wanted.
async fn events(
    engine: &Engine,
    id: &str,
    wanted: impl Fn(&DeliverReport) -> bool,
) -> Vec<DeliverReport> {
    let mut events = engine.events().subscribe(Some(0));
    let mut seen = Vec::new();
    loop {
        for event in events.next_batch().await.unwrap().events {
            let Event::Delivering { report } = event else { continue };
            if report.id != id {
                continue;
            }
            let found = wanted(&report);
            seen.push(*report);
            if found {
                return seen;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_see_each_step_and_the_job_is_laid_over_the_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let engine = start(&folder).await;
    fail_first(&engine, 1).await;
    // Ten seconds for each attempt as it goes, so that a busy machine is no timeout.
    let schedule = json!({"time_scale": 1000.0, "timeout_ms": 10_000_000});
    let begun = ask(&engine, "deliver.start", spec(&hook(&engine), &schedule)).await;
    assert_eq!((&begun["state"], &begun["schedule"]["attempts"]), (&json!("running"), &json!(10)));
    let id = begun["id"].as_str().unwrap();

    let seen = events(&engine, id, |report| report.delivered.is_some()).await;
    let steps: Vec<_> = seen
        .iter()
        .map(|report| (report.in_flight, report.attempts.len(), report.next_at.is_some()))
        .collect();
    assert_eq!(
        steps,
        [
            (None, 0, false),
            (Some(1), 0, false),
            (None, 1, true),
            (Some(2), 1, false),
            (None, 2, false),
            (None, 2, false),
        ]
    );
    let last = seen.last().unwrap();
    assert_eq!((last.state, last.delivered), (RunState::Done, Some(true)));
    assert_eq!(last.attempts[0].copy.status, Some(500));
    assert!(!last.attempts[0].acknowledged && last.attempts[1].acknowledged);
    assert_eq!(last.reason.as_deref(), Some("Delivered: attempt 2 was acknowledged with 204."));
    let kept = ask(&engine, "deliver.runs", json!({})).await;
    assert_eq!(kept["reports"][0], serde_json::to_value(last).unwrap());

    // Both came within a second, so that by Sume's own schedule the second is no attempt.
    // The answer is out before its record is.
    let job = loop {
        let job = ask(&engine, "deliveries.job", json!({"seq": 2})).await;
        if !job["deliveries"][1]["ended"].is_null() {
            break job;
        }
        tokio::task::yield_now().await;
    };
    let laid = &job["schedule"];
    assert_eq!(laid["schedule"]["gap_ms"], 30_000);
    assert_eq!(
        (&laid["attempts"][0]["attempt"], &laid["attempts"][1]["attempt"]),
        (&json!(1), &Value::Null)
    );
    assert_eq!((&laid["left"], &laid["acknowledged_by"]), (&json!(9), &json!(2)));
    engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_stopped_in_its_gap_and_the_end_of_the_program_stops_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let engine = start(&folder).await;
    fail_first(&engine, 100).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let begun = ask(&engine, "deliver.start", spec(&hook(&engine), &json!({}))).await;
        ids.push(begun["id"].as_str().unwrap().to_owned());
    }
    for id in &ids {
        events(&engine, id, |report| report.next_at.is_some()).await;
    }
    ask(&engine, "deliver.stop", json!({"id": ids[0]})).await;
    let seen = events(&engine, &ids[0], |report| report.delivered.is_some()).await;
    let stopped = seen.last().unwrap();
    assert_eq!((stopped.state, stopped.delivered), (RunState::Stopped, Some(false)));
    assert_eq!((stopped.attempts.len(), &stopped.next_at), (1, &None));
    let again = dispatch(&engine, "deliver.stop", json!({"id": ids[0]})).await.unwrap_err();
    assert!(again.to_string().contains("has ended"), "{again}");

    let runs = ask(&engine, "deliver.runs", json!({})).await;
    let listed: Vec<_> = runs["reports"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!(listed, [&json!(ids[1]), &json!(ids[0])], "newest first");
    // It would go on for four more minutes.
    engine.shutdown().await;
    assert_eq!(engine.delivered()[0].state, RunState::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_delivered_is_refused_and_nothing_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let engine = start(&folder).await;
    let url = hook(&engine);
    let mut once = spec(&url, &json!({}));
    once["spec"]["plan"]["signing"] = json!("once");
    for (params, named) in [
        (spec(&url, &json!({"attempts": 0})), "0 attempts"),
        (spec("http://192.0.2.1/", &json!({})), "192.0.2.1"),
        (spec("nonsense", &json!({})), "nonsense"),
        (once, "signs each attempt anew"),
    ] {
        let refused = dispatch(&engine, "deliver.start", params).await.unwrap_err().to_string();
        assert!(refused.contains(named), "{refused}");
    }
    assert!(engine.delivered().is_empty());
    engine.shutdown().await;
}
