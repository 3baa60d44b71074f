//! A store in a folder of its own, and deliveries to put in it.

use bytes::Bytes;
use hooktwice_engine::{
    model::{ClaimReason, Ended, JobIdType, JobKey, Retention, SignatureReport, SignatureState},
    store::{ClaimRequest, Finish, NewDelivery, Role, Store},
};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use uuid::Uuid;

pub(crate) const EVERYTHING: Retention = Retention { deliveries: 0, bytes: 0 };

pub(crate) fn owner(folder: &Path) -> Store {
    Store::open(folder, Role::Owner, EVERYTHING).unwrap()
}

pub(crate) fn guest(folder: &Path) -> Store {
    Store::open(folder, Role::Guest, EVERYTHING).unwrap()
}

/// A signed delivery of a job that asks for its claim.
pub(crate) fn delivery(job_id: &str) -> NewDelivery {
    let body =
        format!("{{\"event\":\"job.completed\",\"job_id\":{}}}", serde_json::Value::from(job_id));
    with_body(delivery_of("/hook", job_id, JobIdType::String), body.into_bytes())
}

pub(crate) fn delivery_of(path: &str, job_id: &str, job_id_type: JobIdType) -> NewDelivery {
    NewDelivery {
        id: Uuid::now_v7(),
        received_at: Timestamp::now(),
        received_mono_us: 7,
        head: Bytes::from(format!("POST {path} HTTP/1.1\r\nHost: here\r\nX-Odd: \u{e9}\r\n\r\n")),
        method: "POST".into(),
        path: path.into(),
        query: String::new(),
        body: Bytes::new(),
        body_sha256: Sha256::digest(b"").into(),
        trailers: Bytes::new(),
        peer: ([127, 0, 0, 1], 4711).into(),
        signature: SignatureReport {
            state: SignatureState::Valid,
            scheme: "sume".into(),
            reason: None,
            hints: Vec::new(),
            secret: None,
            age_s: None,
        },
        event: Some("job.completed".into()),
        job_id: Some(job_id.into()),
        job_id_type,
        claim: ClaimRequest::Insert,
        notes: Vec::new(),
        expected_size: None,
        ended: None,
    }
}

pub(crate) fn with_body(new: NewDelivery, body: impl Into<Vec<u8>>) -> NewDelivery {
    let body = Bytes::from(body.into());
    NewDelivery { body_sha256: Sha256::digest(&body).into(), body, ..new }
}

/// A delivery that claims nothing.
pub(crate) fn unclaimed(
    reason: ClaimReason,
    job_id: Option<&str>,
    job_id_type: JobIdType,
) -> NewDelivery {
    let new = delivery_of("/hook", "", job_id_type);
    NewDelivery { job_id: job_id.map(Into::into), claim: ClaimRequest::None(Some(reason)), ..new }
}

pub(crate) fn answered(status: u16) -> Finish {
    Finish {
        ended: Ended::Answered,
        status: Some(status),
        duration_ms: Some(0.75),
        response_head: Bytes::from_static(b"HTTP/1.1 204 No Content\r\nServer: us\r\n\r\n"),
        response_body: Bytes::from_static(b"fine"),
        notes: Vec::new(),
    }
}

pub(crate) fn key(job_id: &str) -> JobKey {
    JobKey { path: "/hook".into(), job_id: job_id.into(), job_id_type: JobIdType::String }
}

/// The database of a folder through a connection of another program.
pub(crate) fn foreign(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join("hooktwice.db")).unwrap()
}

/// Runs one test of this program once more, as a process of its own that can be killed: `role` tells it in the
/// environment that it is the child.
pub(crate) fn again(test: &str, folder: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).env(CHILD, folder);
    command
}

/// The folder that a child was given.
pub(crate) fn child() -> Option<std::path::PathBuf> {
    std::env::var_os(CHILD).map(Into::into)
}

const CHILD: &str = "HOOKTWICE_TEST_CHILD";

/// Waits until something is so, and says what was waited for when it never is.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !so() {
        assert!(std::time::Instant::now() < patience, "{what} never came");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
