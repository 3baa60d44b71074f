//! `hooktwice sume` against the stand-in, over real sockets.

mod demo;
mod errors;
mod pages;
mod secrecy;
mod watch;

use crate::harness::{Folder, Listener, SECRET, Said};
use hooktwice_engine::{model::Schedule, secrets::Secret};
use hooktwice_provider::{Config, NewJob, Provider, Shape};
use serde_json::{Value, json};
use std::process::Command;
use tokio::runtime::Runtime;

const KEY: &str = "standin_0123456789abcdef";

/// A stand-in for Sume that signs with the tests' secret, a hundred times faster.
pub(crate) struct StandIn {
    runtime: Runtime,
    pub(crate) provider: Provider,
}

impl StandIn {
    fn start() -> Self {
        Self::with(|config| config)
    }

    /// Whose webhooks go to a listener.
    fn to(listener: &Listener) -> Self {
        Self::with(|config| Config { webhook_url: Some(listener.at("/hook")), ..config })
    }

    pub(crate) fn with(change: impl FnOnce(Config) -> Config) -> Self {
        let runtime = Runtime::new().unwrap();
        let config = Config::new(KEY, Secret::new(SECRET.into()));
        let schedule = Schedule { time_scale: 100.0, ..Schedule::default() };
        let config = change(Config { schedule, ..config });
        let provider = runtime.block_on(Provider::start(config)).unwrap();
        Self { runtime, provider }
    }

    /// `hooktwice sume …` over a folder, with this one's URL and key.
    fn command(&self, folder: &Folder, args: &[&str]) -> Command {
        let mut command = folder.command(&[&["sume"], args].concat());
        command.env("SUME_API_BASE_URL", self.provider.base_url()).env("SUME_API_KEY", KEY);
        command
    }

    pub(crate) fn run(&self, folder: &Folder, args: &[&str]) -> Said {
        Said::of(self.command(folder, args).output().unwrap())
    }

    /// A job that is not finished until it is told to be.
    fn job(&self) -> String {
        self.provider.create(NewJob::default()).unwrap()
    }

    pub(crate) fn finished(&self, new: NewJob) -> String {
        let id = self.provider.create(new).unwrap();
        self.provider.finish(&id);
        self.runtime.block_on(self.provider.ended(&id));
        id
    }

    /// Each request as `GET /v1/… 200`, its key aside.
    fn seen(&self) -> Vec<String> {
        let line = |seen: &hooktwice_provider::Seen| {
            format!("{} {} {}", seen.method, seen.path, seen.status)
        };
        self.provider.seen().iter().map(line).collect()
    }
}

#[test]
fn a_test_delivery_comes_signed_and_claims_nothing() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let sume = StandIn::start();
    let said = sume.run(&folder, &["test-delivery", "--to", &listener.at("/hook")]).expect_code(0);
    let line = said.line();
    assert_eq!((&line["type"], &line["status"]), (&json!("test-delivery"), &json!(202)));
    assert!(line["request_id"].as_str().unwrap().starts_with("req_"), "{line}");
    let came = listener.next();
    assert_eq!((&came["event"], &came["claim"]), (&json!("webhook.test"), &json!("none")));
    assert_eq!(came["signature"]["state"], "valid");
}

#[test]
fn a_status_is_read_wherever_it_stands() {
    let folder = Folder::new();
    for shape in [Shape::Plain, Shape::Data, Shape::DataJob] {
        let sume = StandIn::with(|config| Config { shape, ..config });
        let id = sume.job();
        let line = sume.run(&folder, &["status", &id]).expect_code(0).line();
        assert_eq!(
            (&line["type"], &line["state"]),
            (&json!("status"), &json!("open")),
            "{shape:?}"
        );
        sume.provider.finish(&id);
        let line = sume.run(&folder, &["status", &id]).expect_code(0).line();
        assert_eq!((&line["job_id"], &line["state"]), (&json!(id), &json!("completed")));
        assert!(line["word"].as_str().unwrap().eq_ignore_ascii_case("completed"));
        assert!(line["body"].as_str().unwrap().contains(line["word"].as_str().unwrap()));
    }
}

#[test]
fn people_get_a_sentence_with_the_request() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let id = sume.job();
    let mut command = crate::harness::hooktwice();
    command.args(["sume", "status", &id]).arg("--data-dir").arg(folder.path());
    command.env("SUME_API_BASE_URL", sume.provider.base_url()).env("HT_OTHER_KEY", KEY);
    command.args(["--api-key-env", "HT_OTHER_KEY"]);
    let said = Said::of(command.output().unwrap()).expect_code(0);
    assert!(
        said.text().starts_with(&format!("Sume says that {id} is PROCESSING. (200, request req_")),
        "{}",
        said.text()
    );
}

#[test]
fn an_id_is_one_segment_of_the_path() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let id = "a/../b?c#d é";
    sume.provider.create(NewJob { job_id: Some(id.into()), ..NewJob::default() }).unwrap();
    let line = sume.run(&folder, &["status", id]).expect_code(0).line();
    assert_eq!(line["job_id"], id);
    assert_eq!(sume.seen(), ["GET /v1/jobs/a%2F..%2Fb%3Fc%23d%20%C3%A9/status 200"]);
}

/// The state of a job's last line.
fn last<'a>(lines: &'a [Value], id: &str) -> &'a Value {
    lines.iter().rfind(|line| line["type"] == "watch" && line["job_id"] == id).unwrap()
}
