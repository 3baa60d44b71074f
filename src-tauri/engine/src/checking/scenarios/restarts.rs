//! What a restart and a crash leave of a job, where we started the handler.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::Conduct,
    counting::Due,
    error::CheckError,
    finding::{Finding, answer, times},
    job::{Job, is_2xx},
    lifecycle::Stop,
};
use std::time::Duration;
use tokio::time::timeout;

/// How long the download in whose middle the handler is killed is awaited.
const FETCH: Duration = Duration::from_secs(5);

pub(super) async fn after_restart(bench: &Bench) -> Result<Finding, CheckError> {
    let job = bench.job("delivered, started again, delivered again");
    bench.deliver(&job).await;
    bench.acknowledge(&job).await;
    bench.count(&[&job], Due::Once).await;
    restart(bench, &job, Stop::Term).await?;
    let (second, _) = bench.come_again(&job, "after the restart", bench.timeout, || false).await;
    let judged = bench.judge(&[&job]).await;
    let count = job.effects().unwrap_or(0);
    let finding = if !judged.doubled.is_empty() {
        Finding::fail(
            format!(
                "After a restart the same job was taken for a new one: its effect ran {}.",
                times(count)
            ),
            Advice::DurableClaim,
        )
    } else if !second.status.is_some_and(is_2xx) {
        Finding::fail(
            format!("After a restart the duplicate was answered {}, and not 2xx.", answer(&second)),
            Advice::AcknowledgeDuplicates,
        )
    } else if !judged.lost.is_empty() {
        Finding::fail(
            "The job was acknowledged, and its effect never came.",
            Advice::AcknowledgeAfterKeeping,
        )
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else {
        Finding::pass(format!(
            "After a restart the duplicate was answered {}, effect once.",
            answer(&second)
        ))
    };
    Ok(finding.once(bench, &[&job], &judged).await)
}

pub(super) async fn crash_mid_work(bench: &Bench) -> Result<Finding, CheckError> {
    let job = bench.job_with("killed during its work", Conduct::HoldFirst);
    let Some(artifact) = job.artifact.clone() else {
        return Ok(Finding::skipped("The body names no artifact."));
    };
    let first = bench.deliver_within(&job, bench.timeout, "the handler is killed during its work");
    let kill = async {
        let fetched = timeout(FETCH, artifact.asked(1)).await.is_ok();
        // What is fetched from now on is served, whoever fetches it.
        artifact.set(Conduct::Serve);
        if fetched {
            restart(bench, &job, Stop::Kill).await?;
        }
        Ok::<bool, CheckError>(fetched)
    };
    let (first, fetched) = tokio::join!(first, kill);
    if !fetched? {
        return Ok(Finding::unknown(
            "This time the artifact was not fetched, so that there was no middle of the work.",
        )
        .answers(&[&job])
        .shown_by(&[&job]));
    }
    let second = bench.deliver_within(&job, bench.timeout, "after the crash").await;
    let judged = bench.judge(&[&job]).await;
    let count = job.effects().unwrap_or(0);
    let before = if first.status.is_some_and(is_2xx) { ", acknowledged before it," } else { "" };
    let finding = if !judged.doubled.is_empty() {
        Finding::fail(
            format!(
                "Killed during the work and delivered again{before} the effect ran {}.",
                times(count)
            ),
            Advice::SurviveCrash,
        )
    } else if !judged.lost.is_empty() {
        Finding::fail(
            format!(
                "Killed during the work{before} and delivered again: answered {}, and the effect never came.",
                answer(&second)
            ),
            Advice::SurviveCrash,
        )
    } else if !judged.refused.is_empty() {
        Finding::fail(
            format!("After a crash the job was never acknowledged: {}.", answer(&second)),
            Advice::SurviveCrash,
        )
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if !job.acknowledged() {
        Finding::warn(
            format!(
                "After a crash the effect ran once, but no copy was ever acknowledged: {}.",
                answer(&second)
            ),
            Advice::AcknowledgeDuplicates,
        )
    } else {
        Finding::pass("Killed during the work, started and delivered again: effect once.")
    };
    Ok(finding.once(bench, &[&job], &judged).await)
}

/// Ends the handler and starts it again; both are marked in the job.
async fn restart(bench: &Bench, job: &Job, how: Stop) -> Result<(), CheckError> {
    let mut handler = bench.handler.lock().await;
    let Some(handler) = handler.as_mut() else {
        return Err(CheckError::Machine(
            "The handler was not started here, so it cannot be started again.".into(),
        ));
    };
    job.mark(
        "handler",
        match how {
            Stop::Term => "the handler is asked to end",
            Stop::Kill => "the handler is killed",
        },
    );
    handler.stop(how).await?;
    handler.start_again().await?;
    job.mark("handler", "the handler answers again");
    Ok(())
}
