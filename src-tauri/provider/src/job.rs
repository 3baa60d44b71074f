//! A job and what was tried to tell of it.

use crate::config::{Faults, Outcome};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Why a delivery was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// By the schedule.
    Automatic,
    /// By a Redeliver.
    Redelivery,
    /// A test delivery.
    Test,
}

/// A delivery that has an outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// Empty for a test delivery.
    pub job_id: String,
    /// Why.
    pub kind: Kind,
    /// Which of the automatic ones, from 1; 0 for the others.
    pub n: u32,
    /// When it began, in milliseconds after the job was finished.
    pub at_ms: f64,
    /// How long it took, in milliseconds.
    pub took_ms: f64,
    /// What each copy of it was answered; empty where it never left.
    pub statuses: Vec<Option<u16>>,
    /// Any 2xx.
    pub acknowledged: bool,
    /// It was lost on purpose.
    pub lost: bool,
    /// Why there is no answer.
    pub error: Option<String>,
}

/// Where a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Not finished.
    Processing,
    /// Finished, and its webhook is on its way.
    Delivering,
    /// Finished, and no automatic attempt comes any more.
    Ended,
}

/// A job.
#[derive(Debug, Clone, Serialize)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The id of its terminal event.
    pub event_id: String,
    /// Where its webhook goes.
    pub webhook_url: Option<String>,
    /// How it ends.
    pub outcome: Outcome,
    /// What goes wrong.
    pub faults: Faults,
    /// Where it is.
    pub stage: Stage,
    /// What was tried, in the order of its outcomes.
    pub attempts: Vec<Attempt>,
    #[serde(skip)]
    pub(crate) finished: Option<Instant>,
}

impl Job {
    /// The word for its state.
    pub fn status(&self) -> &'static str {
        match self.stage {
            Stage::Processing => "processing",
            Stage::Delivering | Stage::Ended => self.outcome.word(),
        }
    }

    /// Whether an attempt was acknowledged.
    pub fn delivered(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.acknowledged)
    }

    /// The automatic attempts.
    pub fn automatic(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(|attempt| attempt.kind == Kind::Automatic)
    }

    pub(crate) fn since_finished(&self, moment: Instant) -> Duration {
        self.finished.map(|finished| moment.saturating_duration_since(finished)).unwrap_or_default()
    }

    /// The bytes of its terminal event: the same for every attempt.
    pub(crate) fn body(&self, base_url: &str) -> String {
        // Written by hand, since the order of the keys is part of the bytes.
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let status_url = format!("{base_url}/jobs/{}/status", self.id);
        let artifacts = match self.outcome {
            Outcome::Completed => {
                let url = format!("{base_url}/stand-in/artifacts/{}", self.id);
                format!(r#"[{{"type":"video","url":{}}}]"#, text(&url))
            }
            Outcome::Failed | Outcome::Cancelled => "[]".into(),
        };
        format!(
            r#"{{"event":{event},"job_id":{id},"status":{status},"status_url":{status_url},"artifacts":{artifacts}}}"#,
            event = text(&format!("job.{}", self.outcome.word())),
            id = text(&self.id),
            status = text(self.outcome.word()),
            status_url = text(&status_url),
        )
    }
}
