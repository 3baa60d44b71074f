//! Each probe against the real thing: SQLite files, a PostgreSQL of its own, a server, a shell, a growing log.

mod canary;
mod cluster;
mod command;
mod log;
mod postgres;
mod sqlite;
mod url;

use super::{Probe, Sight, Subject};
use crate::{checking::CheckError, model::ProbeSpec};
use std::process::Command;

/// A probe that can be used.
async fn probe(spec: &ProbeSpec) -> Probe {
    Probe::new(spec).await.unwrap()
}

/// Why a probe cannot be used.
async fn refusal(spec: &ProbeSpec) -> String {
    match Probe::new(spec).await {
        Err(error @ CheckError::Probe { .. }) => error.to_string(),
        other => panic!("{spec:?} gave {other:?}"),
    }
}

/// What it sees of some jobs.
async fn see(probe: &Probe, ids: &[&str]) -> Vec<Sight> {
    let subjects: Vec<Subject> =
        ids.iter().map(|id| Subject { job_id: (*id).to_owned(), artifact: None }).collect();
    let sights = probe.counts(&subjects).await;
    assert_eq!(sights.len(), ids.len());
    sights
}

/// The count of one job.
async fn count(probe: &Probe, id: &str) -> u32 {
    see(probe, &[id]).await.remove(0).unwrap()
}

/// Why one job's effect cannot be seen.
async fn blind(probe: &Probe, id: &str) -> String {
    let error = see(probe, &[id]).await.remove(0).unwrap_err();
    assert!(error.ends_with(['.', '?']), "not a sentence: {error}");
    error
}

/// Runs a test again in a process of its own, with its environment changed; says whether this is it.
pub(super) fn in_child(test: &str, environment: &[(&str, &str)]) -> bool {
    const MARK: &str = "HOOKTWICE_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(MARK, "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} failed in its own process:\n{said}{wrong}");
    assert!(said.contains("1 passed"), "{test} is not the name of a test:\n{said}");
    false
}
