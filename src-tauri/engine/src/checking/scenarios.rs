//! The scenarios of contract.md, each with fresh jobs.

mod bodies;
mod concurrent;
mod distinct;
mod failing;
mod first;
mod forged;
mod instances;
mod repeats;
mod restarts;

use super::{bench::Bench, error::CheckError, finding::Finding, race};
use crate::model::ScenarioId;
use futures_util::FutureExt as _;

/// Carries one out. What it needs was looked at before.
pub(super) async fn carry_out(bench: &Bench, id: ScenarioId) -> Result<Finding, CheckError> {
    Ok(match id {
        ScenarioId::FirstDelivery => first::first_delivery(bench).boxed().await,
        ScenarioId::Retry => repeats::retry(bench).boxed().await,
        ScenarioId::LateRetry => repeats::late_retry(bench).boxed().await,
        ScenarioId::Concurrent => concurrent::concurrent(bench).boxed().await,
        ScenarioId::RaceSearch => race::search(bench).boxed().await,
        ScenarioId::ForgedSignature => forged::forged_signature(bench).boxed().await?,
        ScenarioId::MissingSignature => forged::missing_signature(bench).boxed().await?,
        ScenarioId::TamperedBody => forged::tampered_body(bench).boxed().await?,
        ScenarioId::ForgedThenReal => forged::forged_then_real(bench).boxed().await?,
        ScenarioId::StaleTimestamp => forged::stale_timestamp(bench).boxed().await?,
        ScenarioId::NoJobId => bodies::no_job_id(bench).boxed().await?,
        ScenarioId::DistinctJobs => distinct::distinct_jobs(bench).boxed().await,
        ScenarioId::ExactBytes => bodies::exact_bytes(bench).boxed().await?,
        ScenarioId::MalformedJson => bodies::malformed_json(bench).boxed().await?,
        ScenarioId::LargeBody => bodies::large_body(bench).boxed().await?,
        ScenarioId::WorkFails => failing::work_fails(bench).boxed().await,
        ScenarioId::SlowWork => failing::slow_work(bench).boxed().await,
        ScenarioId::OverlapThenFail => failing::overlap_then_fail(bench).boxed().await,
        ScenarioId::AcrossInstances => instances::across_instances(bench).boxed().await,
        ScenarioId::AfterRestart => restarts::after_restart(bench).boxed().await?,
        ScenarioId::CrashMidWork => restarts::crash_mid_work(bench).boxed().await?,
    })
}
