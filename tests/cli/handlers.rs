//! The sample handlers under volleys of the built command: what is right stays right, and what is wrong shows.

use crate::{
    harness::{Said, hooktwice},
    sample::{Handler, SECRET},
};
use serde_json::Value;

impl Handler {
    /// Fires copies of one signed delivery together and returns the lines: the copies', then the summary.
    fn fire(&self, job_id: &str, copies: usize) -> Vec<Value> {
        let body = self.folder.path().join("body.json");
        let event =
            serde_json::json!({"event": "job.completed", "job_id": job_id, "status": "completed"});
        std::fs::write(&body, event.to_string()).unwrap();
        let output = hooktwice()
            .args(["fire", "--json", "--release", "together", "--secret-env", "HOOK_SECRET"])
            .args(["--url", &format!("http://{}/hook", self.address)])
            .args(["--copies", &copies.to_string()])
            .arg("--body-file")
            .arg(&body)
            .arg("--data-dir")
            .arg(self.folder.path().join("data"))
            .env("HOOK_SECRET", SECRET)
            .output()
            .unwrap();
        let lines = Said::of(output).expect_code(0).lines();
        assert_eq!(lines.len(), copies + 1, "a line a copy, then the summary");
        lines
    }
}

/// Every copy's line says that it was answered 200.
fn all_200(lines: &[Value]) -> bool {
    let copies = lines.iter().filter(|line| line["type"] == "copy");
    copies.filter(|copy| copy["status"] == 200 && copy["outcome"] == "answered").count()
        == lines.len() - 1
}

#[test]
fn a_volley_at_the_python_claim_leaves_one_row_and_every_copy_is_200() {
    let handler = Handler::start("python_claim.py");
    let lines = handler.fire("job_volley", 20);
    assert!(all_200(&lines), "{lines:?}");
    assert_eq!(lines[20]["statuses"], serde_json::json!({"200": 20}));
    assert_eq!(handler.effects("job_volley"), 1);
    // Later copies of the job find the row as well.
    assert!(all_200(&handler.fire("job_volley", 3)));
    assert_eq!(handler.effects("job_volley"), 1);
    assert_eq!(handler.effects("job_other"), 0);
}

#[test]
fn the_same_volley_doubles_a_handler_that_looks_first_and_inserts_after_an_await() {
    let handler = Handler::start("node_look_then_insert.mjs");
    let lines = handler.fire("job_volley", 20);
    assert!(all_200(&lines), "{lines:?}");
    assert!(handler.effects("job_volley") >= 2, "20 copies within its 3 ms ran the effect once");
}

#[test]
fn one_copy_has_one_effect_in_every_handler() {
    for file in ["python_claim.py", "node_look_then_insert.mjs", "node_one_turn.mjs"] {
        let handler = Handler::start(file);
        assert!(all_200(&handler.fire("job_single", 1)), "{file}");
        assert!(all_200(&handler.fire("job_single", 1)), "{file}");
        assert_eq!(handler.effects("job_single"), 1, "{file}");
    }
}
