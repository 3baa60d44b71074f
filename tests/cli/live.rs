//! Everything real but Sume: the stand-in finishes jobs, their deliveries come through bore to the listener, are
//! verified and claimed, and go on to the Prisma recipe.

use crate::{
    harness::{Folder, SECRET},
    prisma::Handler,
    sume::StandIn,
    tunnel::{Server, Tunnelled, path_with, tools},
};
use hooktwice_engine::model::Schedule;
use hooktwice_provider::{Config, Faults, NewJob};
use serde_json::{Value, json};

/// The listener with its tunnel and its handler, and Sume on the other side of the tunnel.
struct World {
    listener: Tunnelled,
    sume: StandIn,
    handler: Handler,
    folder: Folder,
    _bore: Server,
}

impl World {
    fn start() -> Self {
        let (bore, folder) = (Server::start(), Folder::new());
        let handler = Handler::over_sqlite("serve.mjs");
        let args = ["--tunnel", "bore=127.0.0.1", "--forward", &handler.url];
        let listener = Tunnelled::start(&folder, path_with(&[&tools()]), &args);
        let public = listener.live();
        assert_ne!(public, listener.url);
        let webhook_url = Some(format!("{public}/hook"));
        // Gaps are squeezed, and the handler's time is not: its first row takes a while.
        let schedule = Schedule { gap_ms: 50, ..Schedule::default() };
        let sume = StandIn::with(|config| Config { webhook_url, schedule, ..config });
        Self { listener, sume, handler, folder, _bore: bore }
    }

    /// The next delivery's line.
    fn came(&self) -> Value {
        let line = self.listener.run.next();
        assert_eq!(line["type"], "delivery", "{line}");
        line
    }

    fn redeliver(&self, job_id: &str) {
        let line = self.sume.run(&self.folder, &["redeliver", job_id]).expect_code(0).line();
        assert_eq!(line["status"], 202, "{line}");
    }

    /// What became of a delivery at the handler.
    fn forward(&self, seq: &Value) -> Value {
        let shown = self.folder.run(&["deliveries", "show", &seq.to_string()]);
        shown.expect_code(0).line()["forward"].clone()
    }
}

/// As it should be of every delivery here: verified, answered by the handler.
#[track_caller]
fn is_well(line: &Value, job_id: &str) {
    assert_eq!(line["signature"]["state"], "valid", "{line}");
    assert_eq!(line["signature"]["secret"], "HT_TEST_SECRET", "{line}");
    assert_eq!((&line["job_id"], &line["path"]), (&json!(job_id), &json!("/hook")), "{line}");
    assert_eq!((&line["status"], &line["ended"]), (&json!(204), &json!("answered")), "{line}");
}

#[test]
fn a_job_comes_through_bore_to_the_recipe_once_whatever_happens_to_its_webhook() {
    let mut world = World::start();

    // A job's webhook that comes twice at once.
    let faults = Faults { copies: 2, ..Faults::default() };
    let job = world.sume.finished(NewJob { faults, ..NewJob::default() });
    let mut both = [world.came(), world.came()];
    both.sort_by_key(|line| line["seq"].as_i64());
    both.iter().for_each(|line| is_well(line, &job));
    assert_eq!((&both[0]["claim"], &both[1]["claim"]), (&json!("won"), &json!("duplicate")));
    assert_eq!(both[1]["duplicate_of"], both[0]["seq"]);
    let attempt = world.sume.provider.job(&job).unwrap().attempts[0].clone();
    assert!(attempt.acknowledged, "{attempt:?}");
    assert_eq!(attempt.statuses, [Some(204), Some(204)]);

    // A Redeliver is flagged, and changes nothing.
    world.redeliver(&job);
    let again = world.came();
    is_well(&again, &job);
    assert_eq!((&again["claim"], &again["duplicate_of"]), (&json!("duplicate"), &both[0]["seq"]));
    assert_eq!(world.handler.rows(&job), 1);
    let forward = world.forward(&again["seq"]);
    assert_eq!(forward["url"], world.handler.url, "{forward}");
    assert_eq!((&forward["copies"][0]["status"], &forward["problem"]), (&json!(204), &Value::Null));

    // One whose webhook was lost is found by the watch list, and recovered.
    let faults = Faults { lose_all: true, ..Faults::default() };
    let lost = world.sume.finished(NewJob { faults, ..NewJob::default() });
    assert_eq!(world.handler.rows(&lost), 0);
    let watch = ["watch", &lost, "--expect-within", "200ms"];
    let lines = world.sume.run(&world.folder, &watch).expect_code(1).lines();
    assert_eq!(lines.last().unwrap()["missed"], json!([lost]));
    world.redeliver(&lost);
    let recovered = world.came();
    is_well(&recovered, &lost);
    assert_eq!(recovered["claim"], "won");
    assert_eq!(world.handler.rows(&lost), 1);
    let lines = world.sume.run(&world.folder, &watch).expect_code(0).lines();
    assert_eq!(lines.last().unwrap()["delivered"], json!([lost]));

    let (code, rest, err) = world.listener.run.terminate();
    assert_eq!(code, 0, "{err}");
    assert!(rest.iter().all(|line| line["type"] == "tunnel"), "{rest:?}");
    assert_eq!(world.folder.deliveries().len(), 4);
    assert!(!err.contains(SECRET), "{err}");
}
