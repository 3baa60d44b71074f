//! Plain data that the engine, the pages and the command line share. Knows nothing of how it comes about.
//!
//! Everything here that crosses to the pages derives `TS`; the generated types are committed in
//! `ui/src/bindings` and a difference fails the tests. Integers are `u32`, `f64` or text on the wire, never a
//! 64-bit number that a page would round.

mod checking;
mod claim;
mod delivering;
mod delivery;
mod demo;
mod exchange;
mod facets;
mod firing;
mod forwarding;
mod job;
mod schemes;
mod settings;
mod signature;
mod state;
mod sume;
mod tunnel;

pub use checking::{
    CheckReport, CheckSpec, Evidence, HandlerFacts, Overall, ProbeSpec, ReportFormat, ScenarioId,
    ScenarioReport, Trace, TraceCopy, TraceMark, Verdict,
};
pub use claim::{ClaimRow, ClaimSelector, RestoredClaims};
pub use delivering::{
    AttemptReport, DeliverReport, DeliverSpec, JobSchedule, LaidAttempt, Schedule,
};
pub use delivery::{
    ClaimReason, ClaimState, Delivery, DeliveryCounts, DeliveryDetail, DeliveryPage, DeliveryQuery,
    Ended, HeaderValue, NamedHeader, Notes,
};
pub use demo::{DemoReport, DemoSide};
pub use exchange::{ExportFormat, ImportReport, SkippedEntry};
pub use facets::{Facet, FacetKey, FacetValue};
pub use firing::{
    CopyOutcome, CopyReport, PlanSpec, Protocol, Release, ReleaseMethod, RunReport, RunState,
    RunSummary, Signing,
};
pub use forwarding::{ForwardReport, ForwardSettings};
pub use job::{JobIdType, JobKey};
pub use schemes::{
    CustomAlgorithm, CustomEncoding, CustomForm, CustomSecret, CustomTimestamp, SchemeSettings,
    SumeForm,
};
pub use settings::{Limits, ListenSettings, NotifySettings, Responder, Retention, Settings};
pub use signature::{JudgeSpec, SignatureDetail, SignatureReport, SignatureState, TrySecret};
pub use state::{AppState, ListenerState, SecretInfo};
pub use sume::{JobState, JobStatus, SumeAnswer, SumeSettings, WatchState, WatchedJob};
pub use tunnel::{TunnelPreset, TunnelSettings, TunnelState};
