//! The engine through its wire, as the pages use it: real sockets, a real database, nothing in between.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops")]

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hooktwice_engine::{
    Error, ErrorCode, Result,
    api::{COMMANDS, dispatch},
    engine::{Engine, EngineOptions},
    events::Event,
};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Fixture {
    engine: Engine,
    folder: TempDir,
}

impl Fixture {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = start(&folder).await.unwrap();
        Self { engine, folder }
    }

    /// Ends the engine; the folder is free for another one then.
    async fn end(self) -> TempDir {
        self.engine.shutdown().await;
        drop(self.engine);
        self.folder
    }

    async fn ask(&self, command: &str, params: Value) -> Value {
        self.try_ask(command, params).await.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    async fn try_ask(&self, command: &str, params: Value) -> Result<Value> {
        dispatch(&self.engine, command, params).await
    }

    async fn rows(&self) -> Vec<Value> {
        let page = self.ask("deliveries.list", json!({"limit": 0})).await;
        page["rows"].as_array().unwrap().clone()
    }

    fn url(&self) -> String {
        self.engine.listener_url().unwrap()
    }

    fn volley(&self, body: &str, copies: u32) -> Value {
        plan(&format!("{}/hook", self.url()), body, copies)
    }
}

async fn start(folder: &TempDir) -> Result<Engine> {
    let mut options = EngineOptions::new(folder.path().to_owned());
    options.port = Some(0);
    Engine::start(options).await
}

fn plan(url: &str, body: &str, copies: u32) -> Value {
    json!({"plan": {
        "url": url, "method": "POST", "body_base64": STANDARD.encode(body), "delivery": null, "edited": false,
        "headers": [], "copies": copies, "release": {"kind": "together"}, "signing": "each", "protocol": "auto",
        "timeout_ms": 10_000, "allow_host": null,
    }})
}

/// Waits for the end of a run by its events.
async fn end_of_run(engine: &Engine, id: &str) -> Value {
    let mut events = engine.events().subscribe(Some(0));
    loop {
        for event in events.next_batch().await.unwrap().events {
            if let Event::Run { run } = event
                && run.id == id
                && run.summary.is_some()
            {
                return serde_json::to_value(run).unwrap();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_is_useful_at_once() {
    let fixture = Fixture::start().await;
    let state = fixture.ask("app.state", json!({})).await;
    assert_eq!(state["listener"]["state"], "listening");
    assert_eq!(
        (&state["secret"]["throwaway"], &state["secret"]["kept_in"]),
        (&json!(true), &json!("memory"))
    );

    let run = fixture.ask("sample.fire", json!({})).await;
    assert_eq!(run["summary"]["statuses"], json!({"204": 1}), "{run}");
    let rows = fixture.rows().await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["signature"]["state"], &rows[0]["claim"]),
        (&json!("valid"), &json!("won"))
    );

    let curl = fixture.ask("sample.curl", json!({})).await;
    assert!(curl["text"].as_str().unwrap().contains("X-Sume-Signature: v1="), "{curl}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_question_has_all_that_a_window_shows_first() {
    let fixture = Fixture::start().await;
    let run = fixture.ask("fire.start", fixture.volley(r#"{"job_id":"a1"}"#, 60)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    let mut first = fixture.ask("app.first", json!({})).await;
    assert_eq!(first["state"], fixture.ask("app.state", json!({})).await);
    assert_eq!(first["counts"], fixture.ask("deliveries.counts", json!({"filter": ""})).await);
    assert_eq!(first["counts"]["duplicates"], 59);
    let newest = fixture.ask("deliveries.list", json!({"limit": 50})).await;
    assert_eq!((&first["deliveries"], newest["rows"][0]["seq"].as_i64()), (&newest, Some(60)));
    assert!(first["curl"].as_str().unwrap().contains("X-Sume-Signature: v1="), "{first}");

    fixture.ask("listener.stop", json!({})).await;
    first = fixture.ask("app.first", json!({})).await;
    assert_eq!((&first["curl"], &first["deliveries"]), (&Value::Null, &newest));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_volley_at_the_listener_wins_once_and_is_kept() {
    let fixture = Fixture::start().await;
    let run = fixture.ask("fire.start", fixture.volley(r#"{"job_id":"a1"}"#, 20)).await;
    let id = run["id"].as_str().unwrap().to_owned();
    let run = end_of_run(&fixture.engine, &id).await;
    assert_eq!(run["summary"]["statuses"], json!({"204": 20}), "{run}");

    let rows = fixture.rows().await;
    let won = rows.iter().filter(|row| row["claim"] == "won").count();
    let duplicates = rows.iter().filter(|row| row["claim"] == "duplicate").count();
    assert_eq!((rows.len(), won, duplicates), (20, 1, 19));

    let kept = fixture.ask("fire.run", json!({"id": id})).await;
    assert_eq!(kept["copies"].as_array().unwrap().len(), 20);
    assert_eq!(fixture.ask("fire.runs", json!({})).await["runs"][0]["id"], json!(id));
    let claims = fixture.ask("claims.list", json!({"limit": 0, "offset": 0})).await;
    assert_eq!((&claims["total"], &claims["claims"][0]["deliveries"]), (&json!(1), &json!(20)));
    let kin = fixture.ask("deliveries.job", json!({"seq": 5})).await;
    assert_eq!(kin["total"], 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn c02_a_stored_delivery_is_fired_again_byte_for_byte() {
    let fixture = Fixture::start().await;
    let body = "{\"job_id\":\"a\\/1\"}";
    let run = fixture.ask("fire.start", fixture.volley(body, 1)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;

    let mut again = fixture.volley("", 1);
    again["plan"]["delivery"] = json!(1);
    let run = fixture.ask("fire.start", again).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;

    let rows = fixture.rows().await;
    assert_eq!((&rows[0]["job_id"], &rows[0]["duplicate_of"]), (&json!("a/1"), &json!(1)));
    assert_eq!(
        (&rows[0]["body_differs"], &rows[0]["signature"]["state"]),
        (&json!(false), &json!("valid"))
    );
    let slice = fixture.ask("deliveries.body", json!({"seq": 2, "offset": 0, "length": 100})).await;
    assert_eq!(STANDARD.decode(slice["base64"].as_str().unwrap()).unwrap(), body.as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn c37_a_forged_delivery_holds_nothing_and_a_claim_can_be_released() {
    let fixture = Fixture::start().await;
    let mut forged = fixture.volley(r#"{"job_id":"a1"}"#, 1);
    forged["plan"]["signing"] = json!("verbatim");
    forged["plan"]["headers"] = json!([["X-Sume-Timestamp", "1"], ["X-Sume-Signature", "v1=00"]]);
    for plan in [forged, fixture.volley(r#"{"job_id":"a1"}"#, 1)] {
        let run = fixture.ask("fire.start", plan).await;
        end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    }
    let rows = fixture.rows().await;
    assert_eq!((&rows[1]["claim"], &rows[1]["status"]), (&json!("none"), &json!(401)));
    assert_eq!(rows[0]["claim"], "won");

    let selector = json!({"job_id": "a1", "job_id_type": "string", "path": null});
    assert_eq!(fixture.ask("claims.release", selector).await["changed"], 1);
    let run = fixture.ask("fire.start", fixture.volley(r#"{"job_id":"a1"}"#, 1)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    assert_eq!(fixture.rows().await[0]["claim"], "won");
}

#[tokio::test(flavor = "multi_thread")]
async fn c77_a_port_in_use_is_said_and_another_can_be_chosen() {
    let fixture = Fixture::start().await;
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    let mut settings = fixture.ask("app.state", json!({})).await["settings"].clone();
    settings["listen"]["port"] = json!(port);
    let state = fixture.ask("settings.set", settings.clone()).await;
    assert_eq!(state["listener"]["state"], "failed");
    assert!(state["listener"]["message"].as_str().unwrap().contains(&port.to_string()), "{state}");

    settings["listen"]["port"] = json!(0);
    let state = fixture.ask("settings.set", settings).await;
    assert_eq!(state["listener"]["state"], "listening");
    assert_eq!(
        fixture.ask("sample.fire", json!({})).await["summary"]["statuses"],
        json!({"204": 1})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c84_a_second_engine_on_the_folder_is_refused_by_name() {
    let fixture = Fixture::start().await;
    let error = start(&fixture.folder).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DataFolderInUse);
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    let folder = fixture.end().await;
    start(&folder).await.unwrap().shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_hold_for_the_next_delivery_and_the_next_start() {
    let fixture = Fixture::start().await;
    let mut settings = fixture.ask("app.state", json!({})).await["settings"].clone();
    settings["listen"]["responder"] = json!({"kind": "status", "code": 503});
    fixture.ask("settings.set", settings.clone()).await;
    assert_eq!(
        fixture.ask("sample.fire", json!({})).await["summary"]["statuses"],
        json!({"503": 1})
    );

    settings["listen"]["responder"] = json!({"kind": "status", "code": 42});
    let error = fixture.try_ask("settings.set", settings).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadInput);

    let folder = fixture.end().await;
    let engine = start(&folder).await.unwrap();
    assert_eq!(
        serde_json::to_value(engine.settings().listen.responder).unwrap(),
        json!({"kind": "status", "code": 503})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_in_and_never_comes_out() {
    let fixture = Fixture::start().await;
    let secret = "a-secret-that-is-nowhere";
    let state = fixture
        .ask("secret.set", json!({"scheme": "sume", "name": "mine", "secret": secret}))
        .await;
    assert_eq!(state["secret"]["name"], "mine");
    fixture.ask("sample.fire", json!({})).await;
    let mut heard = String::new();
    for command in ["app.state", "sample.curl", "fire.runs"] {
        heard += &fixture.ask(command, json!({})).await.to_string();
    }
    heard += &serde_json::to_string(&fixture.engine.events().subscribe(Some(0)).next_batch().await)
        .unwrap();
    fixture.engine.shutdown().await;
    for entry in std::fs::read_dir(fixture.folder.path()).unwrap() {
        heard += &String::from_utf8_lossy(&std::fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(!heard.contains(secret));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_delivery_is_judged_by_another_secret_and_scheme_and_its_verdict_stays() {
    let fixture = Fixture::start().await;
    let set = |name: &str, secret: &str| json!({"scheme": "sume", "name": name, "secret": secret});
    fixture.ask("secret.set", set("old", "old secret")).await;
    let run = fixture.ask("fire.start", fixture.volley(r#"{"job_id":"a"}"#, 1)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    // Another start of this scheme's secrets: what was valid then is not now.
    fixture.ask("secret.remove", json!({"scheme": "sume", "name": "old", "forget": true})).await;
    fixture.ask("secret.set", set("new", "new secret")).await;
    let judge = async |scheme: &str, secret: Value| {
        let asked = json!({"seq": 1, "scheme": scheme, "secret": secret});
        fixture.ask("deliveries.judge", asked).await
    };
    let now = judge("sume", json!({"kind": "in-use"})).await;
    assert_eq!((&now["state"], &now["secret"]), (&json!("invalid"), &Value::Null));
    let typed = judge("sume", json!({"kind": "typed", "secret": "old secret"})).await;
    assert_eq!((&typed["state"], &typed["secret"]), (&json!("valid"), &json!("the typed one")));
    let named = judge("sume", json!({"kind": "named", "name": "new"})).await;
    assert_eq!(named["state"], "invalid");
    let other = judge("github", json!({"kind": "typed", "secret": "old secret"})).await;
    assert_eq!(other["state"], "unsigned");
    assert_eq!(other["hints"], json!(["valid as sume: set the scheme to sume"]));
    let row = &fixture.rows().await[0]["signature"];
    assert_eq!((&row["state"], &row["secret"]), (&json!("valid"), &json!("old")));

    let unknown = json!({"seq": 1, "scheme": "sume", "secret": {"kind": "named", "name": "no"}});
    let error = fixture.try_ask("deliveries.judge", unknown).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoSecret);
}

#[tokio::test(flavor = "multi_thread")]
async fn c14_what_can_be_no_secret_of_a_scheme_is_refused_when_it_is_entered() {
    let fixture = Fixture::start().await;
    for secret in ["whsec_", "whsec_xyz!"] {
        let params = json!({"scheme": "standard-webhooks", "name": "bad", "secret": secret});
        let error = fixture.try_ask("secret.set", params).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadInput, "{error}");
    }
    let state = fixture.ask("app.state", json!({})).await;
    assert_eq!(state["secrets"].as_array().unwrap().len(), 1, "the throwaway one alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_says_so() {
    let fixture = Fixture::start().await;
    let error = fixture.try_ask("no.such", json!({})).await.unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error}");
    let error = fixture.try_ask("deliveries.show", json!({"seq": "one"})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadInput);
    let error = fixture.try_ask("deliveries.show", json!({"seq": 99})).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    let error =
        fixture.try_ask("fire.start", plan("http://192.0.2.1/", "{}", 1)).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::HostNotAllowed);
    assert!(COMMANDS.contains(&"app.state"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_stopped_and_keeps_what_it_knows() {
    let fixture = Fixture::start().await;
    // A target that takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let run = fixture.ask("fire.start", plan(&url, "{}", 3)).await;
    let id = run["id"].as_str().unwrap().to_owned();
    fixture.ask("fire.stop", json!({"id": id})).await;
    let run = end_of_run(&fixture.engine, &id).await;
    assert_eq!((&run["state"], &run["summary"]["stopped"]), (&json!("stopped"), &json!(true)));
    assert_eq!(run["copies"].as_array().unwrap().len(), 3);
    assert_eq!(
        fixture.try_ask("fire.stop", json!({"id": id})).await.unwrap_err().code(),
        ErrorCode::NotFound
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_is_judged_again_among_the_stored_deliveries_of_its_job() {
    let fixture = Fixture::start().await;
    let signed = r#"{"job_id":"a1","status":"done"}"#;
    let run = fixture.ask("fire.start", fixture.volley(signed, 1)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    let first = fixture.ask("deliveries.show", json!({"seq": 1})).await;
    let headers = first["headers"].as_array().unwrap().iter();
    let headers: Vec<_> = headers
        .filter(|header| header[0].as_str().unwrap().to_lowercase().starts_with("x-sume-"))
        .collect();

    let mut forged = fixture.volley(r#"{"job_id":"a1"}"#, 1);
    forged["plan"]["headers"] = json!(headers);
    forged["plan"]["signing"] = json!("verbatim");
    let run = fixture.ask("fire.start", forged).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    let at_receipt = fixture.rows().await[0]["signature"].clone();
    assert_eq!((&at_receipt["state"], &at_receipt["hints"]), (&json!("invalid"), &json!([])));

    let again = fixture.ask("deliveries.signature", json!({"seq": 2})).await["again"].clone();
    let hint = "the signature belongs to delivery #1 of this job, whose body is another";
    assert_eq!((&again["state"], &again["hints"]), (&json!("invalid"), &json!([hint])));
    let valid = fixture.ask("deliveries.signature", json!({"seq": 1})).await;
    assert_eq!(valid["again"], json!(null));
}

#[tokio::test]
async fn a_listener_does_not_forward_to_itself() {
    let fixture = Fixture::start().await;
    let state = fixture.ask("app.state", json!({})).await;
    let url = fixture.url();
    let port = url.rsplit(':').next().unwrap();
    for itself in
        [url.clone(), format!("http://localhost:{port}/hook"), format!("http://[::1]:{port}")]
    {
        let mut settings = state["settings"].clone();
        settings["listen"]["responder"] = json!({"kind": "forward"});
        settings["listen"]["forward"]["url"] = json!(itself);
        let error = fixture.try_ask("settings.set", settings).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadInput);
        assert!(error.to_string().contains(&itself), "{error}");
    }
    // The port that it would move to counts as well.
    let mut settings = state["settings"].clone();
    settings["listen"]["responder"] = json!({"kind": "forward"});
    settings["listen"]["forward"]["url"] = json!("http://localhost:4499");
    settings["listen"]["port"] = json!(4499);
    assert!(fixture.try_ask("settings.set", settings.clone()).await.is_err());
    settings["listen"]["forward"]["url"] = json!("");
    assert!(fixture.try_ask("settings.set", settings.clone()).await.is_err(), "it needs a place");
    assert_eq!(fixture.ask("app.state", json!({})).await["settings"], state["settings"]);

    let handler = Fixture::start().await;
    let mut settings = state["settings"].clone();
    settings["listen"]["responder"] = json!({"kind": "forward"});
    settings["listen"]["forward"]["url"] = json!(handler.url());
    fixture.ask("settings.set", settings).await;
    let run = fixture.ask("fire.start", fixture.volley(r#"{"job_id":"a1"}"#, 1)).await;
    end_of_run(&fixture.engine, run["id"].as_str().unwrap()).await;
    let came = handler.rows().await;
    assert_eq!((came.len(), &came[0]["job_id"]), (1, &json!("a1")));
    fixture.engine.store().flush().await.unwrap();
    let forward = fixture.ask("deliveries.show", json!({"seq": 1})).await["forward"].clone();
    assert_eq!(forward["url"], json!(format!("{}/hook", handler.url())));
    assert_eq!(forward["copies"][0]["status"], fixture.rows().await[0]["status"]);
}
