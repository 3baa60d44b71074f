//! Sume's API, and the jobs whose webhooks are waited for.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where Sume's API is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct SumeSettings {
    /// Without a slash at its end.
    pub base_url: String,
    /// The keychain's entry that holds the API key; `None` where none was kept.
    pub key_name: Option<String>,
    /// Seconds until a job's webhook is expected, counted from when it was put on the watch list.
    pub expect_within_s: u32,
}

impl Default for SumeSettings {
    fn default() -> Self {
        Self { base_url: "https://api.sume.com/v1".into(), key_name: None, expect_within_s: 90 }
    }
}

/// What Sume's API answered to something that was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SumeAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Sume's id of the request, for its support; `None` where none came.
    pub request_id: Option<String>,
    /// What it says in short, as a sentence.
    pub message: String,
    /// The answer's body as text, at most 64 KiB.
    pub body: String,
}

/// Where a job is, as Sume's API says, whatever the case and the place it said it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum JobState {
    /// Not begun, or on its way.
    Open,
    /// Finished well.
    Completed,
    /// Finished badly.
    Failed,
    /// Called off.
    Cancelled,
    /// A word that is not known here.
    Unknown,
}

/// A job's status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JobStatus {
    /// The job.
    pub job_id: String,
    /// What it comes to.
    pub state: JobState,
    /// Sume's own word, as it came; empty where there was none.
    pub word: String,
    /// The answer.
    pub answer: SumeAnswer,
}

/// What is known of a watched job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum WatchState {
    /// Finished, and no delivery of it is here: the webhook was missed.
    Missed,
    /// Later than it was expected.
    Late,
    /// Not finished yet, or so lately that its webhook may be on its way.
    Waiting,
    /// Its webhook is here.
    Delivered,
    /// Sume does not know it, or its status cannot be had.
    Unknown,
}

/// A job on the watch list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WatchedJob {
    /// The job.
    pub job_id: String,
    /// RFC 3339.
    pub added_at: String,
    /// RFC 3339: when its webhook is expected.
    pub expected_at: String,
    /// What is known.
    pub state: WatchState,
    /// Sume's own word at the last look.
    pub word: Option<String>,
    /// RFC 3339: the last look.
    pub checked_at: Option<String>,
    /// RFC 3339: the next look; `None` when none is needed.
    pub next_at: Option<String>,
    /// The first delivery of it that is here.
    #[ts(type = "number | null")]
    pub delivery: Option<i64>,
    /// What went wrong at the last look, as a sentence.
    pub problem: Option<String>,
}
