//! As the pages ask for it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hooktwice_engine::{
    Result,
    api::dispatch,
    engine::{Engine, EngineOptions},
    events::Event,
};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Fixture {
    engine: Engine,
    _folder: TempDir,
}

impl Fixture {
    async fn start(settings: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        let mut options = EngineOptions::new(folder.path().to_owned());
        options.port = Some(0);
        Self { engine: Engine::start(options).await.unwrap(), _folder: folder }
    }

    async fn ask(&self, command: &str, params: Value) -> Result<Value> {
        dispatch(&self.engine, command, params).await
    }

    /// Imports a file in parts of so many bytes.
    async fn import(&self, name: &str, file: &[u8], part: usize) -> Result<Value> {
        let mut report = Value::Null;
        for (n, bytes) in file.chunks(part).enumerate() {
            let params = json!({
                "name": name, "upload": name, "offset": n * part, "total": file.len(),
                "base64": STANDARD.encode(bytes),
            });
            report = self.ask("deliveries.import", params).await?["report"].clone();
        }
        Ok(report)
    }

    async fn export(&self, filter: &str, format: &str, reveal: bool) -> String {
        let seqs = self.ask("deliveries.matching", json!({ "filter": filter })).await.unwrap();
        let mut left: Vec<Value> = seqs["seqs"].as_array().unwrap().clone();
        let (mut texts, mut ends) = (Vec::new(), None);
        while !left.is_empty() {
            let params = json!({ "seqs": left, "format": format, "reveal": reveal });
            let part = self.ask("deliveries.export", params).await.unwrap();
            let text = |name: &str| part[name].as_str().unwrap().to_owned();
            texts.push(text("text"));
            ends = Some((text("open"), text("between"), text("close")));
            left.drain(..usize::try_from(part["done"].as_u64().unwrap()).unwrap());
        }
        let (open, between, close) = ends.unwrap();
        format!("{open}{}{close}", texts.join(&between))
    }
}

fn har(bodies: &[String]) -> Vec<u8> {
    let entry = |body: &String| {
        json!({
            "startedDateTime": "2026-11-29T11:00:00Z",
            "request": {
                "method": "POST", "url": "http://h/hook", "httpVersion": "HTTP/1.1",
                "headers": [{ "name": "Cookie", "value": "hush" }],
                "postData": { "text": body },
            },
        })
    };
    let entries: Vec<_> = bodies.iter().map(entry).collect();
    json!({ "log": { "entries": entries } }).to_string().into_bytes()
}

#[tokio::test]
async fn c79_a_file_comes_and_goes_in_parts() {
    let fixture = Fixture::start(json!({})).await;
    let mut events = fixture.engine.events().subscribe(None);
    // More than a text holds, so that the export has several.
    let bodies: Vec<_> = (0..5)
        .map(|n| format!("{{\"job_id\":\"job_{n}\",\"fill\":\"{}\"}}", "x".repeat(600_000)))
        .collect();
    let report = fixture.import("my.har", &har(&bodies), 256 * 1024).await.unwrap();
    assert_eq!(report, json!({"imported": 5, "first": 1, "last": 5, "left_out": 0, "skipped": []}));
    let told = events.next_batch().await.unwrap().events;
    assert!(told.iter().any(|event| matches!(event, Event::DeliveriesChanged)), "{told:?}");

    // No attempt of Sume's schedule has come.
    let job = fixture.ask("deliveries.job", json!({"seq": 1})).await.unwrap();
    assert_eq!((&job["total"], &job["schedule"]), (&json!(1), &Value::Null));

    let masked = fixture.export("job:job_3", "har", false).await;
    assert!(!masked.contains("hush"), "masked unless it is asked for");
    // The second time, those of the first are in it too.
    for (format, count) in [("har", 5), ("json", 10)] {
        let file = fixture.export("", format, true).await;
        assert!(file.contains("hush") && file.len() > 3_000_000);
        let again = fixture.import("again", file.as_bytes(), 1024 * 1024).await.unwrap();
        assert_eq!(again["imported"], count);
        let last = again["last"].as_i64().unwrap();
        let (one, other) = (
            fixture.ask("deliveries.show", json!({"seq": 5})).await.unwrap(),
            fixture.ask("deliveries.show", json!({"seq": last})).await.unwrap(),
        );
        assert_eq!(one["body_sha256"], other["body_sha256"]);
        assert_eq!(one["headers"], other["headers"]);
        assert_eq!(other["received_at"], "2026-11-29T11:00:00.000000Z");
        assert_eq!(other["job_id"], "job_4");
        let note = other["notes"][0].as_str().unwrap();
        let start = format!("imported from again; there it was #{count}");
        assert!(note.starts_with(&start), "{note}");
    }
    // A claim that comes now is the first.
    assert_eq!(
        fixture.ask("claims.list", json!({"limit": 0, "offset": 0})).await.unwrap()["total"],
        0
    );
}

#[tokio::test]
async fn nothing_of_a_bad_file_is_stored() {
    let fixture = Fixture::start(json!({ "retention": { "deliveries": 2, "bytes": 0 } })).await;
    let good = har(&["a".into(), "b".into()]);
    let cut = &good[..good.len() - 4];
    let error = fixture.import("cut.har", cut, 100).await.unwrap_err();
    assert!(error.to_string().contains("not whole JSON"), "{error}");
    // More than is kept would push out what arrived.
    let many = har(&["a".into(), "b".into(), "c".into()]);
    let error = fixture.import("many.har", &many, 1000).await.unwrap_err();
    assert!(error.to_string().contains("3 requests, and only 2"), "{error}");
    let part = json!({"name": "x", "upload": "x", "offset": 10, "total": 20, "base64": ""});
    let error = fixture.ask("deliveries.import", part).await.unwrap_err();
    assert!(error.to_string().contains("another import was begun"), "{error}");
    let counts = fixture.ask("deliveries.counts", json!({"filter": ""})).await.unwrap();
    assert_eq!(counts["all"], 0);
    assert_eq!(fixture.import("good.har", &good, 7).await.unwrap()["last"], 2);
}
