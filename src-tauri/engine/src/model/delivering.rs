//! A delivery by a provider's schedule: attempt after attempt until one is acknowledged.

use super::{CopyReport, PlanSpec, RunState};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A provider's schedule. The default is Sume's: ten attempts, 30 s from the end of one to the next, 10 s for each, until
/// any 2xx.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct Schedule {
    /// 1 to 100.
    pub attempts: u32,
    /// Milliseconds from the end of an attempt to the beginning of the next.
    #[ts(type = "number")]
    pub gap_ms: u64,
    /// Milliseconds that each attempt may take.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// So many times faster; squeezes gaps and timeouts only. Signed times are always the real time.
    pub time_scale: f64,
    /// Statuses that end it without an acknowledgement, as 410 does for some providers (C54). None for Sume.
    pub stop_on: Vec<u16>,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            attempts: 10,
            gap_ms: 30_000,
            timeout_ms: 10_000,
            time_scale: 1.0,
            stop_on: Vec::new(),
        }
    }
}

/// A delivery by schedule, as a page asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliverSpec {
    /// What is sent; of the plan's copies, release and timeout nothing is read.
    pub plan: PlanSpec,
    /// When.
    pub schedule: Schedule,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct AttemptReport {
    /// What became of it; `n` is the attempt's number, from 1.
    #[serde(flatten)]
    pub copy: CopyReport,
    /// When it began, in milliseconds after the first one, in real time.
    pub at_ms: f64,
    /// When it was due.
    pub due_ms: f64,
    /// Any 2xx.
    pub acknowledged: bool,
}

/// A delivery by schedule as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliverReport {
    /// A UUID version 7.
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The target.
    pub url: String,
    /// By which schedule.
    pub schedule: Schedule,
    /// Where it is.
    pub state: RunState,
    /// The attempts that have an outcome, in order.
    pub attempts: Vec<AttemptReport>,
    /// RFC 3339: when the next one begins, while one is waited for.
    pub next_at: Option<String>,
    /// An attempt is on its way: its number.
    pub in_flight: Option<u32>,
    /// `true` when an attempt was acknowledged; `false` when none was and no more come; `None` while it runs.
    pub delivered: Option<bool>,
    /// How it ended, as a sentence.
    pub reason: Option<String>,
}

/// The real deliveries of a job beside the provider's schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JobSchedule {
    /// By which schedule.
    pub schedule: Schedule,
    /// Each delivery of the job, oldest first.
    pub attempts: Vec<LaidAttempt>,
    /// How many automatic attempts are left; 0 once one was acknowledged.
    pub left: u32,
    /// The first delivery that was acknowledged in time.
    #[ts(type = "number | null")]
    pub acknowledged_by: Option<i64>,
    /// Milliseconds after the first delivery: the latest that the last automatic attempt can begin (270 s and the timeouts
    /// of those that were not answered).
    pub ends_ms: f64,
    /// RFC 3339: the same moment.
    pub ends_at: String,
}

/// One delivery beside the schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct LaidAttempt {
    /// The delivery.
    #[ts(type = "number")]
    pub seq: i64,
    /// Which of the automatic attempts it is, from 1; `None` for one that the schedule does not explain: a Redeliver, or
    /// a copy of another's making.
    pub attempt: Option<u32>,
    /// When it came, in milliseconds after the first delivery.
    pub at_ms: f64,
    /// When this attempt was due.
    pub due_ms: Option<f64>,
    /// How long its answer took, where there is one.
    pub took_ms: Option<f64>,
    /// Answered after the provider had given it up.
    pub too_slow: bool,
    /// The earlier delivery that was still being answered when this one came.
    #[ts(type = "number | null")]
    pub overlaps: Option<i64>,
}
