//! Parameters and results that are the wire's own; the rest is [`crate::model`]'s.

use crate::model::{
    AppState, CheckReport, CheckSpec, ClaimRow, ClaimSelector, DeliverReport, DeliverSpec,
    Delivery, DeliveryCounts, DeliveryPage, ExportFormat, Facet, ImportReport, JobSchedule,
    PlanSpec, ProbeSpec, ReportFormat, RunReport, WatchedJob,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A command without parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Nothing {}

/// What a window shows first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct First {
    /// What the frame shows.
    pub state: AppState,
    /// The chips' counts.
    pub counts: DeliveryCounts,
    /// The newest deliveries, without a filter.
    pub deliveries: DeliveryPage,
    /// A curl command that sends a signed sample; nothing where the listener does not run.
    pub curl: Option<String>,
}

/// A delivery by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BySeq {
    /// The delivery's number.
    #[ts(type = "number")]
    pub seq: i64,
}

/// Some deliveries by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BySeqs {
    /// The deliveries' numbers.
    #[ts(type = "number[]")]
    pub seqs: Vec<i64>,
}

/// A part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BodyRange {
    /// The delivery's number.
    #[ts(type = "number")]
    pub seq: i64,
    /// From this byte.
    #[ts(type = "number")]
    pub offset: u64,
    /// At most so many bytes; no more than 1 MiB at once.
    #[ts(type = "number")]
    pub length: u64,
}

/// The bytes of a [`BodyRange`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BodySlice {
    /// The bytes in standard base64.
    pub base64: String,
    /// From this byte.
    #[ts(type = "number")]
    pub offset: u64,
    /// Of the whole body.
    #[ts(type = "number")]
    pub total: u64,
    /// Where the JSON breaks, in words with the byte, for the whole body; `None` where it does not or the body is empty.
    pub json_error: Option<String>,
}

/// Whether a delivery is kept by retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct PinParams {
    /// The delivery's number.
    #[ts(type = "number")]
    pub seq: i64,
    /// Keep it.
    pub pinned: bool,
}

/// How many changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Changed {
    /// How many.
    #[ts(type = "number")]
    pub changed: u64,
}

/// What was deleted or released and is kept for half a minute, to be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Discarded {
    /// How many there were.
    #[ts(type = "number")]
    pub changed: u64,
    /// They are too large or too many to be kept; nothing was done.
    pub too_large: bool,
}

/// Which claims are released so that they can be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DiscardClaims {
    /// Which; all where it is `None`.
    pub which: Option<ClaimSelector>,
}

/// Claims that were released and are kept for half a minute, to be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DiscardedClaims {
    /// How many there were.
    #[ts(type = "number")]
    pub changed: u64,
    /// Under which number they are kept; `None` where they are too many to be kept: nothing was done then.
    #[ts(type = "number | null")]
    pub undo: Option<u64>,
}

/// Released claims by the number that they are kept under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ByUndo {
    /// As in [`DiscardedClaims::undo`].
    #[ts(type = "number")]
    pub undo: u64,
}

/// A window of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Window {
    /// At most so many; 0 is no limit.
    pub limit: u32,
    /// Skip so many from the newest.
    pub offset: u32,
}

/// A text to copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Text {
    /// The text.
    pub text: String,
}

/// What starts a firing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FireParams {
    /// What to fire.
    pub plan: PlanSpec,
}

/// A run by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RunId {
    /// The run's id.
    pub id: String,
}

/// A scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct OfScheme {
    /// As in `--scheme`.
    pub scheme: String,
}

/// One of a scheme's secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SecretName {
    /// As in `--scheme`.
    pub scheme: String,
    /// The secret's name.
    pub name: String,
}

/// One of a scheme's secrets that is not to be used any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RemoveSecret {
    /// As in `--scheme`.
    pub scheme: String,
    /// The secret's name.
    pub name: String,
    /// Out of the keychain too.
    pub forget: bool,
}

/// A new secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SetSecret {
    /// The scheme that it is for, as in `--scheme`.
    pub scheme: String,
    /// Its name.
    pub name: String,
    /// Its bytes as typed; it goes one way only.
    pub secret: String,
}

impl std::fmt::Debug for SetSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetSecret")
            .field("scheme", &self.scheme)
            .field("name", &self.name)
            .field("secret", &"[redacted]")
            .finish()
    }
}

/// How many copies the demonstration fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DemoParams {
    /// 2 to 100.
    pub copies: u32,
}

/// The last runs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Runs {
    /// Newest first, without their copies.
    pub runs: Vec<RunReport>,
}

/// Every delivery of one job, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JobDeliveries {
    /// Oldest first; at most 500, the newest of them.
    pub deliveries: Vec<Delivery>,
    /// How many there are in all.
    #[ts(type = "number")]
    pub total: u64,
    /// They beside the provider's schedule; `None` where the job is not known.
    pub schedule: Option<JobSchedule>,
}

/// Claims, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ClaimPage {
    /// Newest first.
    pub claims: Vec<ClaimRow>,
    /// How many there are in all.
    #[ts(type = "number")]
    pub total: u64,
}

/// The filter box's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Filter {
    /// As at [`crate::model::DeliveryQuery::filter`].
    pub filter: String,
}

/// What the deliveries of a filter are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Facets {
    /// One of each key.
    pub facets: Vec<Facet>,
}

/// A delivery to copy as a curl command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CurlParams {
    /// The delivery's number.
    #[ts(type = "number")]
    pub seq: i64,
    /// Sensitive header values as they came, not masked.
    pub reveal: bool,
}

/// Deliveries to be written into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportParams {
    /// Their numbers, in the file's order.
    #[ts(type = "number[]")]
    pub seqs: Vec<i64>,
    /// As what.
    pub format: ExportFormat,
    /// Sensitive header values as they came, not masked.
    pub reveal: bool,
}

/// A part of a file. The file is `open`, the texts that are not empty with `between` between them, and `close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportPart {
    /// Some entries.
    pub text: String,
    /// How many of the numbers are done: a text is about a mebibyte long, and the rest is asked for again.
    #[ts(type = "number")]
    pub done: u64,
    /// How many of those are not kept any more.
    #[ts(type = "number")]
    pub gone: u64,
    /// Before the first entry of the file.
    pub open: String,
    /// Between two entries.
    pub between: String,
    /// After the last.
    pub close: String,
}

/// The numbers of the deliveries that match a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Matching {
    /// Oldest first.
    #[ts(type = "number[]")]
    pub seqs: Vec<i64>,
}

/// A part of a file of deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportParams {
    /// The file's name.
    pub name: String,
    /// The same for all parts of a file, and for no other file's.
    pub upload: String,
    /// Where in the file it begins.
    #[ts(type = "number")]
    pub offset: u64,
    /// The file's size. With its last byte it is imported.
    #[ts(type = "number")]
    pub total: u64,
    /// The bytes, in base64; of a large file a mebibyte or so (C79).
    pub base64: String,
}

/// What became of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportPart {
    /// Of the whole file, once it has come.
    pub report: Option<ImportReport>,
}

/// What starts a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CheckParams {
    /// What to examine, and how.
    pub spec: CheckSpec,
}

/// A check by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CheckId {
    /// The check's id.
    pub id: String,
}

/// The last checks, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Checks {
    /// Newest first, their scenarios without time lines.
    pub checks: Vec<CheckReport>,
}

/// A probe to be tried alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ProbeParams {
    /// Which.
    pub probe: ProbeSpec,
    /// What it is asked about.
    pub job_id: String,
}

/// A check's report to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ReportParams {
    /// The check's id.
    pub id: String,
    /// How.
    pub format: ReportFormat,
}

/// What starts a delivery by schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliverParams {
    /// What and when.
    pub spec: DeliverSpec,
}

/// Deliveries by schedule, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Delivered {
    /// Newest first.
    pub reports: Vec<DeliverReport>,
}

/// A key of Sume's API.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SetSumeKey {
    /// As typed; it goes one way only.
    pub key: String,
}

impl std::fmt::Debug for SetSumeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetSumeKey([redacted])")
    }
}

/// Where a test delivery goes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct TestDelivery {
    /// A URL that Sume can reach.
    pub url: String,
}

/// A job by Sume's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JobId {
    /// As Sume gave it.
    pub job_id: String,
}

/// Jobs to be watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WatchParams {
    /// As Sume gave them.
    pub job_ids: Vec<String>,
    /// Seconds until their webhooks are expected.
    pub expect_within_s: u32,
}

/// The watch list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Watched {
    /// The missed ones on top.
    pub jobs: Vec<WatchedJob>,
}
