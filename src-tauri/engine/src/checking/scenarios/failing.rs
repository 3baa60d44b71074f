//! Work that fails, takes long, or fails beside a duplicate: made by the canary, without a change to the handler.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    canary::{Conduct, LetGo},
    counting::Due,
    finding::{Finding, answer, plural, times},
    job::is_2xx,
};
use std::time::Duration;
use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};

/// How long a slow artifact takes.
const SLOW: Duration = Duration::from_secs(3);
/// After which time the first delivery of it is given up.
const GIVEN_UP: Duration = Duration::from_secs(1);
/// How long a duplicate is given to be answered while the first download is held.
const HELD: Duration = Duration::from_millis(1500);
/// How long a download is awaited after the answer.
const FETCH: Duration = Duration::from_secs(5);
/// How long a handler that is full may take to have a place.
const PLACE: Duration = Duration::from_secs(30);

pub(super) async fn work_fails(bench: &Bench) -> Finding {
    let job = bench.job_with("its first download fails", Conduct::FailFirst);
    let first = bench.deliver(&job).await;
    let refused = !first.status.is_some_and(is_2xx);
    let judged = bench.judge(&[&job]).await;
    let count = job.effects().unwrap_or(0);
    let fetched = job.artifact.as_ref().map_or(0, |artifact| artifact.downloads().len());
    let finding = if fetched == 0 {
        Finding::unknown("This time the artifact was not fetched, so that nothing failed.")
    } else if !judged.doubled.is_empty() {
        Finding::fail(
            format!("The work failed once, and the effect ran {} in the end.", times(count)),
            Advice::OneTransaction,
        )
    } else if !judged.lost.is_empty() {
        let reason = if refused {
            format!(
                "The work failed and was answered {}; the retry was acknowledged, and the effect never ran.",
                answer(&first)
            )
        } else {
            format!(
                "The work failed, was acknowledged with {}, and the effect never ran.",
                answer(&first)
            )
        };
        Finding::fail(reason, Advice::ReleaseOnFailure)
    } else if !judged.refused.is_empty() {
        Finding::fail(
            format!(
                "The work failed once ({}), and no retry was acknowledged after it.",
                answer(&first)
            ),
            Advice::ReleaseOnFailure,
        )
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if !job.acknowledged() {
        Finding::warn(
            format!(
                "The work failed once ({}) and ran in the end, but no copy was ever acknowledged.",
                answer(&first)
            ),
            Advice::AcknowledgeDuplicates,
        )
    } else if refused {
        Finding::pass(format!(
            "The work failed and was answered {}; a retry ran it, effect once.",
            answer(&first)
        ))
    } else {
        Finding::pass(
            "The work failed after it was acknowledged, and was tried again: effect once.",
        )
    };
    finding.once(bench, &[&job], &judged).await
}

pub(super) async fn slow_work(bench: &Bench) -> Finding {
    let job = bench.job_with("3 s of work, given up after 1 s", Conduct::After(SLOW));
    let again_at = Instant::now() + GIVEN_UP;
    let first = bench.deliver_within(&job, GIVEN_UP, "given up after 1 s").await;
    sleep_until(again_at).await;
    bench.deliver_within(&job, bench.timeout, "sent again").await;
    let judged = bench.judge(&[&job]).await;
    let in_time = first.status.is_some();
    let count = job.effects().unwrap_or(0);
    let finding = if !judged.doubled.is_empty() {
        Finding::fail(
            format!(
                "A delivery that took too long was sent again, and the effect ran {}.",
                times(count)
            ),
            Advice::ClaimAcrossTime,
        )
    } else if !judged.lost.is_empty() {
        Finding::fail(
            "A delivery that took too long was given up and sent again; it was acknowledged, and the effect never came.",
            Advice::AcknowledgeAfterKeeping,
        )
    } else if let Some(why) = &judged.unseen {
        Finding::unknown(why.clone())
    } else if !job.acknowledged() {
        Finding::warn(
            format!(
                "A delivery that took too long was sent again and never acknowledged; the effect ran {}.",
                times(count)
            ),
            Advice::AcknowledgeDuplicates,
        )
    } else if in_time {
        Finding::pass(format!(
            "Answered {} while 3 s of work went on, effect once.",
            answer(&first)
        ))
    } else {
        Finding::warn(
            "Effect once, but while 3 s of work went on no answer came within a second.",
            Advice::QuickThenSlow,
        )
    };
    finding.once(bench, &[&job], &judged).await
}

pub(super) async fn overlap_then_fail(bench: &Bench) -> Finding {
    let job =
        bench.job_with("a duplicate while the work is held, which then fails", Conduct::HoldFirst);
    let Some(artifact) = job.artifact.clone() else {
        return Finding::skipped("The body names no artifact.");
    };
    let answered = Notify::new();
    let first = async {
        // A handler that has no place for it yet gets it again, until its work begins.
        let begun = || !artifact.downloads().is_empty();
        let (copy, _) = bench.come_again(&job, "the first", PLACE, begun).await;
        answered.notify_one();
        copy
    };
    let rest = async {
        // Work that is acknowledged first begins a moment later.
        let never = async {
            answered.notified().await;
            sleep(FETCH).await;
        };
        let fetched = tokio::select! {
            () = artifact.asked(1) => true,
            () = never => false,
        };
        if !fetched {
            // Whatever fetches it later is in nobody's way.
            artifact.set(Conduct::Serve);
            return None;
        }
        let duplicate = bench.deliver_within(&job, bench.timeout, "the duplicate");
        tokio::pin!(duplicate);
        // One that waits for the first is answered after it.
        let early = tokio::select! {
            copy = &mut duplicate => Some(copy),
            () = sleep(HELD) => None,
        };
        artifact.let_go(LetGo::Fail);
        Some(match early {
            Some(copy) => (copy, true),
            None => (duplicate.await, false),
        })
    };
    let (first, rest) = tokio::join!(first, rest);
    let Some((duplicate, overlapped)) = rest else {
        return Finding::unknown(
            "This time the artifact was not fetched, so that nothing could be held.",
        )
        .answers(&[&job])
        .shown_by(&[&job]);
    };
    let acknowledged = job.acknowledged();
    let said =
        format!("the first was answered {}, the duplicate {}", answer(&first), answer(&duplicate));
    let finding = if acknowledged {
        // The provider is content and comes no more.
        let unseen = bench.count(&[&job], Due::Once).await;
        match (unseen, job.effects().unwrap_or(0)) {
            (Some(why), _) => Finding::unknown(why),
            (None, 0) => {
                let when = if overlapped {
                    "while the first was still at work"
                } else {
                    "after the first"
                };
                Finding::warn(
                    format!(
                        "Acknowledged and lost: a duplicate {when} ended the provider's attempts, and the work then failed ({said})."
                    ),
                    Advice::OverlapLoses,
                )
            }
            (None, 1) => Finding::pass(format!(
                "The work failed beside a duplicate, and ran in the end, effect once: {said}."
            )),
            (None, count) => Finding::warn(
                format!(
                    "The work failed beside a duplicate, and the effect ran {}: {said}.",
                    times(count)
                ),
                Advice::OneTransaction,
            ),
        }
    } else {
        let judged = bench.judge(&[&job]).await;
        let again = plural(job.copies().len().saturating_sub(2), "retry", "retries");
        match (&judged.unseen, job.effects().unwrap_or(0)) {
            (Some(why), _) => Finding::unknown(why.clone()),
            (None, 1) => Finding::pass(format!(
                "Both were refused ({said}), and {again} ran it, effect once."
            )),
            (None, 0) => Finding::warn(
                format!("Both were refused ({said}), and {again} did not bring the effect."),
                Advice::ReleaseOnFailure,
            ),
            (None, count) => Finding::warn(
                format!("Both were refused ({said}), and the effect ran {}.", times(count)),
                Advice::OneTransaction,
            ),
        }
    };
    finding.answers(&[&job]).shown_by(&[&job]).counted(bench, 1, &job).await
}
