//! What is fired at a handler, and what came of it.

use super::HeaderValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// How the copies are let go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[ts(export)]
pub enum Release {
    /// The last byte of every copy is held until all are there, then they go at once.
    Together,
    /// Each after the answer to the one before it.
    Sequential,
    /// Each so long after the one before it was let go, whether that was answered or not.
    Gap {
        /// Milliseconds.
        ms: f64,
    },
}

/// How the last bytes were let go: what was measured is shown with how it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum ReleaseMethod {
    /// One io_uring submission with a send for every socket.
    IoUring,
    /// A send for each: one after another, or each at its moment (by gap).
    SendLoop,
    /// Nothing was held: sequential, or one copy.
    Unheld,
}

/// What each copy is signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum Signing {
    /// Each copy with its own timestamp, just before it is sent.
    Each,
    /// All with one timestamp and one signature.
    Once,
    /// The headers that are given, untouched.
    Verbatim,
}

/// Which HTTP to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub enum Protocol {
    /// HTTP/1.1 in clear; what ALPN says over TLS.
    #[serde(rename = "auto")]
    Auto,
    /// HTTP/1.1.
    #[serde(rename = "1")]
    Http1,
    /// HTTP/2; in clear with prior knowledge.
    #[serde(rename = "2")]
    Http2,
}

/// A firing as a page asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct PlanSpec {
    /// `http://` or `https://`; path and query go as given.
    pub url: String,
    /// `POST` where nothing else is said.
    pub method: String,
    /// The body's exact bytes in base64; ignored where `delivery` is given and `edited` is not.
    pub body_base64: String,
    /// A stored delivery's `seq`: its target, headers and bytes are used.
    #[ts(type = "number | null")]
    pub delivery: Option<i64>,
    /// The body above replaces the stored delivery's.
    pub edited: bool,
    /// More headers, in order.
    pub headers: Vec<(String, HeaderValue)>,
    /// 1 to 1,000.
    pub copies: u32,
    /// How they are let go.
    pub release: Release,
    /// How they are signed.
    pub signing: Signing,
    /// Which HTTP.
    pub protocol: Protocol,
    /// Milliseconds from a copy's release to its whole answer.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// The person has said that this host, which is not loopback, may be fired at.
    pub allow_host: Option<String>,
}

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum CopyOutcome {
    /// A status came.
    Answered,
    /// It was sent and no answer came: it may have taken effect (C50).
    Unknown,
    /// It never left whole: it cannot have taken effect.
    NotSent,
}

/// One copy. All times are on one monotonic clock, from the moment of release (the first copy's).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CopyReport {
    /// From 1.
    pub n: u32,
    /// The port that it was sent from: tells the copies apart at the other end.
    pub local_port: Option<u16>,
    /// When the connection stood, in milliseconds; before the release it is below zero.
    pub connected_ms: Option<f64>,
    /// When all but the last byte was written, in milliseconds; before the release it is below zero.
    pub written_ms: Option<f64>,
    /// When the last byte left, in microseconds after the first copy's: the kernel's stamp of the packet on Linux, else
    /// the moment that its send returned. Where one submission sent all and the kernel gave no stamp, the end of the
    /// submission: the latest that it can have been.
    pub released_us: Option<f64>,
    /// When the first byte of the answer was read, in milliseconds after this copy's own release. Nothing is read before
    /// the last copy of a volley was let go.
    pub first_byte_ms: Option<f64>,
    /// When the answer was whole, or the copy was given up, in milliseconds after this copy's own release.
    pub total_ms: Option<f64>,
    /// What was answered.
    pub status: Option<u16>,
    /// What became of it.
    pub outcome: CopyOutcome,
    /// Why there is no answer, as a sentence.
    pub error: Option<String>,
    /// Answers that break HTTP, redirects that were not followed, and the like.
    pub warnings: Vec<String>,
    /// The `Location` of a redirect, and nothing else of the answer's headers.
    pub location: Option<String>,
    /// The first 4 KiB of the answer's body, as text.
    pub response_body: String,
}

impl CopyReport {
    /// A copy that could not even be tried, and why, as a sentence.
    pub fn not_sent(n: u32, why: String) -> Self {
        Self {
            n,
            local_port: None,
            connected_ms: None,
            written_ms: None,
            released_us: None,
            first_byte_ms: None,
            total_ms: None,
            status: None,
            outcome: CopyOutcome::NotSent,
            error: Some(why),
            warnings: Vec::new(),
            location: None,
            response_body: String::new(),
        }
    }
}

/// What came of all copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RunSummary {
    /// How many were asked for; exactly so many were fired, unless it was stopped (C76).
    pub copies: u32,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u32>,
    /// From the first release to the last, in microseconds.
    pub release_spread_us: f64,
    /// The most copies that were released and not yet answered at one moment.
    pub peak_in_flight: u32,
    /// Sent, and no answer came.
    pub outcome_unknown: u32,
    /// Never sent.
    pub not_sent: u32,
    /// How the last bytes were let go.
    pub released_by: ReleaseMethod,
    /// The person stopped it.
    pub stopped: bool,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum RunState {
    /// Copies are on their way.
    Running,
    /// Every copy has an outcome.
    Done,
    /// The person stopped it.
    Stopped,
    /// It could not be started, or broke.
    Failed,
}

/// A run as it is kept and shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RunReport {
    /// A UUID version 7.
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The target.
    pub url: String,
    /// How it was let go.
    pub release: Release,
    /// How many were asked for.
    pub copies_planned: u32,
    /// Where it is.
    pub state: RunState,
    /// The copies that have an outcome, by number.
    pub copies: Vec<CopyReport>,
    /// When every copy has an outcome.
    pub summary: Option<RunSummary>,
    /// Why it failed.
    pub error: Option<String>,
}
