//! What an examination of a handler is asked for, and what it found. Names and meaning are contract.md's.

use super::{CopyOutcome, RunState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Names the scenarios once, in the contract's order.
macro_rules! scenarios {
    ($($id:ident $name:literal $what:literal,)+) => {
        /// One examination of a handler. In the contract's order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[ts(export)]
        pub enum ScenarioId {
            $(#[doc = $what] #[serde(rename = $name)] $id,)+
        }

        impl ScenarioId {
            /// All of them, in the contract's order.
            pub const ALL: &[Self] = &[$(Self::$id),+];

            /// As in `--only`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$id => $name,)+ }
            }

            /// What is sent, in a few words.
            pub fn what(self) -> &'static str {
                match self { $(Self::$id => $what,)+ }
            }

            /// The scenario of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|id| id.as_str() == name)
            }
        }
    };
}

scenarios! {
    FirstDelivery "first-delivery" "one signed delivery",
    Retry "retry" "the same body three more times, one after another",
    LateRetry "late-retry" "one retry, 50 ms to 2.5 s after the first",
    Concurrent "concurrent" "many copies at the same instant",
    RaceSearch "race-search" "pairs and volleys whose offsets search for the window",
    ForgedSignature "forged-signature" "wrong, truncated, empty and over-long signatures",
    MissingSignature "missing-signature" "no signature header",
    TamperedBody "tampered-body" "a valid signature of another body",
    ForgedThenReal "forged-then-real" "a forged delivery of a job, then its real one",
    StaleTimestamp "stale-timestamp" "signed, a day old",
    NoJobId "no-job-id" "a signed webhook.test without a job_id",
    DistinctJobs "distinct-jobs" "many jobs at once whose ids nearly are the same",
    ExactBytes "exact-bytes" "odd spaces, escapes, emoji, a last newline",
    MalformedJson "malformed-json" "signed bodies that are not JSON",
    LargeBody "large-body" "a signed body of 1 MiB",
    WorkFails "work-fails" "the work fails the first time",
    SlowWork "slow-work" "the work takes 3 s; given up after 1 s and sent again",
    OverlapThenFail "overlap-then-fail" "a duplicate while the work runs, which then fails",
    AcrossInstances "across-instances" "copies of one job at once, spread over the instances",
    AfterRestart "after-restart" "delivered, started again, delivered again",
    CrashMidWork "crash-mid-work" "killed during the work, started again, delivered again",
}

/// What a scenario, or a whole check, came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum Verdict {
    /// What had to be seen was seen.
    Pass,
    /// The handler is wrong here.
    Fail,
    /// It is a risk, or was not exercised.
    Warn,
    /// It could not be told.
    Unknown,
    /// It was not tried, with the reason.
    Skipped,
}

impl Verdict {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Unknown => "unknown",
            Self::Skipped => "skipped",
        }
    }
}

/// What sees the effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[ts(export)]
pub enum ProbeSpec {
    /// A query that gives a number.
    Sql {
        /// `sqlite:PATH` or `postgres://…`.
        database: String,
        /// With `:job_id` in it.
        query: String,
    },
    /// A URL whose JSON answer holds a number.
    Url {
        /// With `{job_id}` in it.
        url: String,
        /// RFC 6901; empty where the answer is the number.
        pointer: String,
    },
    /// A command that prints a number.
    Command {
        /// For a shell, with `{job_id}` in it.
        command: String,
    },
    /// Lines of a log.
    Log {
        /// The log's path.
        file: String,
        /// With `{job_id}` in it.
        pattern: String,
    },
    /// Downloads of the artifact.
    Canary {
        /// Where the body names it (RFC 6901).
        pointer: String,
    },
}

impl ProbeSpec {
    /// As in `evidence`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sql { .. } => "sql",
            Self::Url { .. } => "url",
            Self::Command { .. } => "command",
            Self::Log { .. } => "log",
            Self::Canary { .. } => "canary",
        }
    }
}

/// A check as a page or the command line asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CheckSpec {
    /// Instances of one handler; the first is used where one is enough.
    pub urls: Vec<String>,
    /// The body's exact bytes in base64, a template; `None` for the usual body.
    pub body_base64: Option<String>,
    /// Where the body holds its id (RFC 6901).
    pub id_pointer: String,
    /// Of a volley.
    pub copies: u32,
    /// Only these scenarios, and `first-delivery`; empty for all.
    pub only: Vec<String>,
    /// Not these.
    pub skip: Vec<String>,
    /// Milliseconds for `race-search`.
    #[ts(type = "number")]
    pub race_budget_ms: u64,
    /// Milliseconds that a count has to be still.
    #[ts(type = "number")]
    pub settle_ms: u64,
    /// Milliseconds for an answer, and for an effect that is due.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// Starts the handler, in a shell.
    pub start_command: Option<String>,
    /// Fixes order and offsets.
    pub seed: Option<u32>,
    /// Hosts besides loopback that may be fired at.
    pub allow_hosts: Vec<String>,
    /// The artifact's URL may be replaced with ours.
    pub canary: bool,
    /// What sees the effect; the first decides.
    pub effects: Vec<ProbeSpec>,
}

/// The usual ones, without a target and without a probe.
impl Default for CheckSpec {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            body_base64: None,
            id_pointer: "/job_id".into(),
            copies: 20,
            only: Vec::new(),
            skip: Vec::new(),
            race_budget_ms: 20_000,
            settle_ms: 500,
            timeout_ms: 10_000,
            start_command: None,
            seed: None,
            allow_hosts: Vec::new(),
            canary: true,
            effects: Vec::new(),
        }
    }
}

/// What one probe saw of one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Evidence {
    /// `sql`, `url`, `command`, `log`, `canary`.
    pub probe: String,
    /// How often the effect ran; `None` where it could not be seen.
    pub count: Option<u32>,
    /// Why it could not be seen, as a sentence.
    pub error: Option<String>,
}

/// One copy on a time line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct TraceCopy {
    /// The instance that it went to, from 1.
    pub instance: u32,
    /// What was special about it; empty for an ordinary signed copy.
    pub label: String,
    /// When its last byte left, in milliseconds from the trace's beginning; `None` where it never did.
    pub sent_ms: Option<f64>,
    /// When its answer began.
    pub first_byte_ms: Option<f64>,
    /// When it was answered or given up.
    pub done_ms: f64,
    /// What was answered.
    pub status: Option<u16>,
    /// What became of it.
    pub outcome: CopyOutcome,
    /// Why there is no answer.
    pub error: Option<String>,
}

/// Something else that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct TraceMark {
    /// In milliseconds from the trace's beginning.
    pub at_ms: f64,
    /// How long it took, where it took time.
    pub lasted_ms: Option<f64>,
    /// `download`, `effect`, `handler`.
    pub kind: String,
    /// In words.
    pub text: String,
}

/// What happened to one job, on one clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Trace {
    /// The job.
    pub job_id: String,
    /// What this job stands for: `the pair 1.2 ms apart`.
    pub label: String,
    /// In the order in which they were sent.
    pub copies: Vec<TraceCopy>,
    /// Downloads, effects, starts and ends of the handler.
    pub marks: Vec<TraceMark>,
    /// How often its effect ran in the end.
    pub effects: Option<u32>,
}

/// One scenario, waiting, running or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ScenarioReport {
    /// Which.
    pub id: ScenarioId,
    /// `None` until it is done.
    pub verdict: Option<Verdict>,
    /// One line: why; while it runs, what it does.
    pub reason: String,
    /// Of each job.
    pub expected_effects: Option<u32>,
    /// Of the job that differs most.
    pub observed_effects: Option<u32>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u32>,
    /// What each probe saw of that job, the deciding one first.
    pub evidence: Vec<Evidence>,
    /// Why it is a risk, and the pattern that fixes it.
    pub advice: Option<String>,
    /// The command that shows it again.
    pub repro: Option<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// How long it took.
    pub duration_ms: Option<f64>,
    /// The jobs that show it, at most a few.
    pub traces: Vec<Trace>,
}

/// What a whole check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Overall {
    /// `pass`, `fail` or `unknown`.
    pub verdict: Verdict,
    /// By name.
    pub passed: Vec<ScenarioId>,
    /// By name.
    pub failed: Vec<ScenarioId>,
    /// By name.
    pub warned: Vec<ScenarioId>,
    /// By name.
    pub unknown: Vec<ScenarioId>,
    /// By name.
    pub skipped: Vec<ScenarioId>,
}

/// What was measured of the handler.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct HandlerFacts {
    /// From a delivery to its answer, in milliseconds: of the first, then the middle of some when it was warm.
    pub answer_ms: Option<f64>,
    /// From the first delivery to its effect, in milliseconds, as it was seen.
    pub effect_ms: Option<f64>,
    /// From a delivery to its effect where that came after the answer, in milliseconds.
    pub work_ms: Option<f64>,
    /// How long a count has to be still, in milliseconds.
    pub settle_ms: Option<f64>,
    /// It fetches the artifact.
    pub fetches_artifact: Option<bool>,
    /// It takes one delivery at a time.
    pub one_at_a_time: Option<bool>,
    /// Volleys that were fired, over all scenarios.
    pub volleys: u32,
    /// Pairs that were fired, over all scenarios.
    pub pairs: u32,
    /// Deliveries that were sent, over all scenarios.
    pub deliveries: u32,
}

/// A check as it is kept and shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CheckReport {
    /// A UUID version 7.
    pub id: String,
    /// Of this program.
    pub version: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Seconds that it took.
    pub duration_s: Option<f64>,
    /// Where it is.
    pub state: RunState,
    /// What was asked for, with the seed that was used.
    pub spec: CheckSpec,
    /// How deliveries were signed.
    pub scheme: String,
    /// The `hooktwice check` command that does the same.
    pub command: String,
    /// What was measured of the handler.
    pub facts: HandlerFacts,
    /// In the contract's order.
    pub scenarios: Vec<ScenarioReport>,
    /// When it is done.
    pub overall: Option<Overall>,
    /// The end of what the handler wrote, where we started it.
    pub handler_output: Option<String>,
    /// Why it could not be carried out.
    pub error: Option<String>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum ReportFormat {
    /// One page, with nothing outside it.
    Html,
    /// For a pull request.
    Markdown,
    /// JUnit XML.
    Junit,
    /// As it is.
    Json,
}
