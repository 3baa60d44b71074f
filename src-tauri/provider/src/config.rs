//! What a stand-in is told: how it delivers, and what goes wrong.

use crate::job::Attempt;
use hooktwice_engine::{
    model::{Schedule, SchemeSettings},
    secrets::Secret,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::sync::mpsc;

/// How a stand-in is started.
#[derive(Debug, Clone)]
pub struct Config {
    /// On loopback; 0 takes any free one.
    pub port: u16,
    /// What `x-api-key` has to be.
    pub api_key: String,
    /// What deliveries are signed with.
    pub secret: Secret,
    /// The header names and the form of the signature.
    pub schemes: SchemeSettings,
    /// Where the webhooks of jobs go that name no URL of their own.
    pub webhook_url: Option<String>,
    /// Hosts besides loopback that may be delivered to.
    pub allow_hosts: Vec<String>,
    /// When attempts are made.
    pub schedule: Schedule,
    /// Where a job's status stands in an answer.
    pub shape: Shape,
    /// Is told of every attempt that has an outcome.
    pub told: Option<mpsc::UnboundedSender<Attempt>>,
}

impl Config {
    /// Sume's schedule on any free port.
    pub fn new(api_key: impl Into<String>, secret: Secret) -> Self {
        Self {
            port: 0,
            api_key: api_key.into(),
            secret,
            schemes: SchemeSettings::default(),
            webhook_url: None,
            allow_hosts: Vec::new(),
            schedule: Schedule::default(),
            shape: Shape::default(),
            told: None,
        }
    }

    /// A time of the schedule as it passes here.
    pub(crate) fn scaled(&self, ms: u64) -> Duration {
        let scaled = ms as f64 / 1000.0 / self.schedule.time_scale;
        // A scale that is no number, or nothing, leaves the time as it is.
        Duration::try_from_secs_f64(scaled).unwrap_or(Duration::from_millis(ms))
    }
}

/// Where a job's status stands in an answer, and how it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// `{"status": "completed"}`
    Plain,
    /// `{"data": {"status": "completed"}}`
    Data,
    /// `{"data": {"job": {"status": "COMPLETED"}}}`
    #[default]
    DataJob,
}

/// How a job ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Well.
    #[default]
    Completed,
    /// Badly.
    Failed,
    /// Called off.
    Cancelled,
}

impl Outcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A job to be made.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewJob {
    /// Made up where there is none.
    pub job_id: Option<String>,
    /// Where its webhook goes; the stand-in's own URL where there is none.
    pub webhook_url: Option<String>,
    /// Milliseconds until it is finished, in real time; `None` waits for [`crate::Provider::finish`].
    pub finish_after_ms: Option<u64>,
    /// How it ends.
    pub outcome: Outcome,
    /// What goes wrong with its webhook.
    pub faults: Faults,
}

/// What goes wrong with a job's webhook. The times are real, whatever the schedule's scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// So many of the first attempts never arrive, and are refused as far as the schedule knows.
    pub lose: u32,
    /// None of them ever arrives, and the provider believes that all is well.
    pub lose_all: bool,
    /// Each attempt goes out so many times at once; 1 is none too many.
    pub copies: u32,
    /// The first attempt waits so long after the job is finished, in milliseconds.
    pub delay_ms: u64,
    /// The second attempt begins so many milliseconds after the first began, whether that was answered or not.
    pub overlap_ms: Option<u64>,
}

impl Default for Faults {
    fn default() -> Self {
        Self { lose: 0, lose_all: false, copies: 1, delay_ms: 0, overlap_ms: None }
    }
}

/// How the next requests to the API are refused, before anything is looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// As in the error's body.
    pub code: String,
    /// As in the error's body.
    pub message: String,
    /// `Retry-After`, as it is sent.
    pub retry_after: Option<String>,
    /// `Location`, as it is sent.
    pub location: Option<String>,
    /// How many requests.
    pub times: u32,
}

impl Default for Refusal {
    fn default() -> Self {
        Self {
            status: 429,
            code: "rate_limited".into(),
            message: "Too many requests.".into(),
            retry_after: Some("1".into()),
            location: None,
            times: 1,
        }
    }
}
