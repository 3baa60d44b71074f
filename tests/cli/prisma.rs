//! The Prisma recipe as it is, over SQLite and over PostgreSQL: one row a job, and every copy of it is answered 204.

use crate::{
    harness::{Folder, Running, SECRET, SECRET_ENV, exchange, part, post, signed, until},
    postgres::Postgres,
};
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Command, Stdio},
};

const COUNT: &str = "select count(*) from sume_jobs where job_id = :job_id";

/// One of tests/handlers/prisma, on a free port.
pub(crate) struct Handler {
    pub(crate) url: String,
    folder: Folder,
    /// Where it keeps its rows, as `--effect-sql` names it.
    database: String,
    // Ended in this order: who uses the database first.
    _run: Running,
    _postgres: Option<Postgres>,
}

impl Handler {
    pub(crate) fn over_sqlite(file: &str) -> Self {
        let folder = Folder::new();
        let store = folder.path().join("jobs.db");
        let store = store.to_str().unwrap();
        let (run, url) = start(file, store);
        Self { url, database: format!("sqlite:{store}"), folder, _run: run, _postgres: None }
    }

    fn over_postgres(file: &str) -> Self {
        let postgres = Postgres::start();
        let database = postgres.url();
        let (run, url) = start(file, &database);
        Self { url, database, folder: Folder::new(), _run: run, _postgres: Some(postgres) }
    }

    /// How many rows a job has, as the handler says.
    pub(crate) fn rows(&self, job_id: &str) -> u64 {
        let (host, _) = part(&self.url);
        let request = format!("GET /effects/{job_id} HTTP/1.0\r\n\r\n");
        let answer = String::from_utf8(exchange(host, request.as_bytes())).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").expect(&answer);
        serde_json::from_str::<Value>(body).expect(&answer)["count"].as_u64().unwrap()
    }

    /// Fires twenty copies of one signed delivery at once; how they were answered.
    fn volley(&self, job_id: &str) -> Value {
        let event = json!({"event": "job.completed", "job_id": job_id, "status": "completed"});
        let body = self.folder.file("body.json", event.to_string().as_bytes());
        let body = body.to_str().unwrap();
        let args = ["fire", "--url", &self.url, "--body-file", body, "--copies", "20"];
        let lines = self.folder.run(&[&args[..], &SECRET_ENV].concat()).expect_code(0).lines();
        let summary = lines.last().unwrap();
        assert_eq!(summary["outcome_unknown"], 0, "{lines:?}");
        summary["statuses"].clone()
    }

    /// Runs `hooktwice check` with the SQL probe: its exit code, the scenarios' lines by name, and the verdict's line.
    fn check(&self, more: &[&str]) -> (i32, Vec<Value>, Value) {
        let args = ["check", "--url", &self.url, "--effect-query", COUNT];
        let effect = ["--effect-sql", &self.database];
        let said = self.folder.run(&[&args[..], &effect, &SECRET_ENV, more].concat());
        let mut lines = said.lines();
        let verdict = lines.pop().unwrap_or_else(|| panic!("{said:?}"));
        assert_eq!(verdict["type"], "verdict", "{said:?}");
        lines.retain(|line| line["type"] == "scenario");
        (said.code, lines, verdict)
    }
}

/// Starts a handler and waits for its line.
fn start(file: &str, store: &str) -> (Running, String) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let folder = here.join("tests/handlers/prisma");
    assert!(
        folder.join("node_modules/.prisma").exists(),
        "Prisma's clients are not generated; `cargo xtask setup` does it"
    );
    let mut command = Command::new("node");
    command.arg(folder.join(file)).args(["--port", "0"]).stdin(Stdio::null());
    command.env("HOOK_SECRET", SECRET).env("HOOK_STORE", store);
    let run = Running::spawn(command);
    let line = run.next();
    let url = line.as_str().and_then(|line| line.strip_prefix("listening ")).expect("its line");
    let url = format!("{url}/hook");
    (run, url)
}

/// A volley and the same once more, and then others: the first finds the database's connections unopened and its copies
/// come to it one by one, the later ones race.
fn one_row_of_every_volley(handler: &Handler) {
    let jobs = (0..10).map(|n| format!("job_{n}"));
    for job_id in std::iter::once("job_0".to_owned()).chain(jobs) {
        assert_eq!(handler.volley(&job_id), json!({"204": 20}), "{job_id}");
        assert_eq!(handler.rows(&job_id), 1, "{job_id}");
    }
    assert_eq!(handler.rows("job_never"), 0);
}

/// Every scenario that can be tried without a canary, a second instance or a start command.
fn passes(handler: &Handler) {
    let (code, scenarios, verdict) = handler.check(&["--race-budget", "5s"]);
    assert_eq!(verdict["verdict"], "pass", "{verdict} {scenarios:#?}");
    assert_eq!(code, 0, "{verdict}");
    for none in ["failed", "unknown", "warned"] {
        assert_eq!(verdict[none], json!([]), "{scenarios:#?}");
    }
    // The recipe leaves the artifact to whoever reads the row.
    let untried = [
        "work-fails",
        "slow-work",
        "overlap-then-fail",
        "across-instances",
        "after-restart",
        "crash-mid-work",
    ];
    assert_eq!(verdict["skipped"], json!(untried));
    let first = named(&scenarios, "first-delivery");
    let seen = &first["evidence"][0];
    assert_eq!((&seen["probe"], &seen["count"]), (&json!("sql"), &json!(1)), "{first}");
    assert_eq!(named(&scenarios, "race-search")["observed_effects"], 1, "{scenarios:#?}");
}

fn named<'a>(scenarios: &'a [Value], id: &str) -> &'a Value {
    scenarios.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn the_upsert_over_sqlite_makes_one_row_of_a_volley_and_answers_every_copy_204() {
    one_row_of_every_volley(&Handler::over_sqlite("serve.mjs"));
}

#[test]
fn the_upsert_over_postgres_makes_one_row_of_a_volley_and_answers_every_copy_204() {
    one_row_of_every_volley(&Handler::over_postgres("serve.mjs"));
}

#[test]
fn the_upsert_writes_nothing_that_is_not_a_signed_event_of_a_job() {
    let handler = Handler::over_sqlite("serve.mjs");
    let event = br#"{"event":"job.completed","job_id":"job_1"}"#;
    let send = |headers: &[(String, String)], body: &[u8]| post(&handler.url, headers, body);
    assert_eq!(send(&[], event), Some(401));
    assert_eq!(send(&signed(b"another body"), event), Some(401));
    assert_eq!(handler.rows("job_1"), 0);
    for body in [&b"{"[..], b"", b"[]", b"null", b"\xEF\xBB\xBF{}", b"{\"a\":\"\xFF\"}"] {
        assert_eq!(send(&signed(body), body), Some(400), "{}", body.escape_ascii());
    }
    for body in [&br#"{"event":"webhook.test"}"#[..], br#"{"job_id":null}"#, br#"{"job_id":""}"#] {
        assert_eq!(send(&signed(body), body), Some(204), "{}", body.escape_ascii());
    }
    // And then the real one.
    assert_eq!(send(&signed(event), event), Some(204));
    assert_eq!(handler.rows("job_1"), 1);
}

// Over SQLite nothing comes between the look and the insert: the driver asks the file and waits in the same turn.
#[test]
fn c28_the_key_keeps_one_row_where_its_error_is_let_out_and_a_copy_is_500() {
    let handler = Handler::over_postgres("no_catch.mjs");
    let mut volleys = 0;
    let statuses = until("a copy loses the race", || {
        volleys += 1;
        let job_id = format!("job_{volleys}");
        let statuses = handler.volley(&job_id);
        assert_eq!(handler.rows(&job_id), 1, "{statuses}");
        statuses.get("500").is_some().then_some(statuses)
    });
    assert!(statuses["204"].as_u64().unwrap() >= 1, "{statuses}");
}

#[test]
fn c28_check_tells_the_one_effect_from_the_duplicates_that_are_refused() {
    let handler = Handler::over_postgres("no_catch.mjs");
    let (code, scenarios, verdict) = handler.check(&["--only", "concurrent"]);
    let concurrent = named(&scenarios, "concurrent");
    assert_eq!(concurrent["verdict"], "warn", "{concurrent}");
    assert_eq!(concurrent["observed_effects"], 1, "{concurrent}");
    assert!(concurrent["statuses"]["500"].as_u64().is_some(), "{concurrent}");
    assert_eq!(verdict["verdict"], "pass", "{verdict}");
    assert_eq!(verdict["warned"], json!(["concurrent"]), "{verdict}");
    assert_eq!(code, 0);
}

#[test]
fn check_passes_the_upsert_over_sqlite() {
    passes(&Handler::over_sqlite("serve.mjs"));
}

#[test]
fn check_passes_the_upsert_over_postgres() {
    passes(&Handler::over_postgres("serve.mjs"));
}
