//! `first-delivery`: one signed delivery, acknowledged in time, its effect once.

use crate::checking::{
    advice::Advice,
    bench::Bench,
    counting::Due,
    finding::{Finding, answer, span, times},
    job::{is_2xx, is_busy},
};
use crate::{
    clock::milliseconds,
    model::{CopyOutcome, CopyReport, Verdict},
};

/// What the first look for an effect may take.
const FIRST_LOOK_MS: f64 = 25.0;

pub(super) async fn first_delivery(bench: &Bench) -> Finding {
    let job = bench.job("the first delivery");
    let mut copy = bench.deliver(&job).await;
    let mut busy_first = false;
    if copy.status.is_some_and(is_busy) {
        busy_first = true;
        bench.acknowledge(&job).await;
        if let Some(last) = job.copies().pop() {
            copy = last;
        }
    }
    let acknowledged = job.acknowledged();
    if copy.outcome == CopyOutcome::NotSent {
        return Finding::unknown(format!(
            "The target {} cannot be reached: {}",
            bench.url(),
            copy.error.unwrap_or_default()
        ))
        .shown_by(&[&job]);
    }
    // Where it was refused nothing is due; an effect that is there all the same is worth telling.
    let patience = if acknowledged { bench.timeout } else { bench.settle() };
    bench.await_effects(&[&job], Some(patience)).await;
    let first_effect = job.trace().marks.into_iter().find(|mark| mark.kind == "effect");
    bench.learn(|facts| {
        facts.answer_ms = copy.total_ms;
        facts.effect_ms = first_effect.map(|mark| mark.at_ms);
        // An effect that was there at the first look came with the answer.
        let late = facts
            .effect_ms
            .zip(copy.total_ms)
            .is_some_and(|(effect, answer)| effect > answer + FIRST_LOOK_MS);
        facts.work_ms = facts.effect_ms.filter(|_| late);
    });
    let settle = bench.settle();
    let unseen = bench.count(&[&job], Due::Never).await;
    let seen = job.effects().unwrap_or(0);
    bench.set_sighted(seen > 0);
    let fetched = job.artifact.as_ref().map(|artifact| !artifact.downloads().is_empty());
    bench.learn(|facts| {
        facts.fetches_artifact = fetched;
        facts.settle_ms = Some(milliseconds(settle));
    });
    let finding = if !acknowledged {
        refused(&copy, seen, bench)
    } else if seen == 0 {
        blind(bench, unseen, &copy)
    } else if seen > 1 {
        Finding::fail(
            format!("One delivery was acknowledged, and its effect ran {}.", times(seen)),
            Advice::RunOnce,
        )
    } else {
        let took = span(copy.total_ms.unwrap_or_default());
        Finding::pass(format!("Acknowledged with {} after {took}, effect once.", answer(&copy)))
    };
    let finding = if busy_first {
        finding
            .note("It was answered \"come again\" at first, and acknowledged when it came again.")
    } else {
        finding
    };
    finding
        .note_warnings(&copy)
        .answers(&[&job])
        .shown_by(&[&job])
        .counted(bench, 1, &job)
        .await
        .fired(1, None)
}

/// No 2xx in time.
fn refused(copy: &CopyReport, effects: u32, bench: &Bench) -> Finding {
    let ran = match effects {
        0 => String::new(),
        count => {
            format!(", though the effect ran {}: the provider would send it again", times(count))
        }
    };
    let hint = match copy.status {
        Some(401 | 403) => " Is it the handler's own secret, and its scheme?",
        Some(400 | 422) => " Does it take this body? Give one of yours with --body-file.",
        Some(404 | 405) => " Is it the right path?",
        Some(410) => " A provider may take that for the end of the subscription.",
        Some(status) if (300..400).contains(&status) => {
            " A redirect is not followed and is no acknowledgement."
        }
        _ => "",
    };
    match copy.status {
        // What a handler means by a refusal is its own; only the reason can be told.
        Some(status) if !is_2xx(status) => Finding::new(
            Verdict::Fail,
            format!("Not acknowledged: the answer was {}{ran}.{hint}", answer(copy)),
        ),
        _ => {
            let limit = span(bench.timeout.as_secs_f64() * 1e3);
            let reason = format!("Not acknowledged within {limit}: {}{ran}.", answer(copy));
            Finding::fail(reason, Advice::AcknowledgeInTime)
        }
    }
}

fn blind(bench: &Bench, unseen: Option<String>, copy: &CopyReport) -> Finding {
    let probe = bench.probes.first().map_or("", |probe| probe.name());
    let why = unseen.unwrap_or_else(|| {
        format!("it counted 0 for {} after the delivery", span(bench.timeout.as_secs_f64() * 1e3))
    });
    Finding::new(
        Verdict::Unknown,
        format!(
            "Acknowledged with {}, but the {probe} probe saw no effect: {}. Try the probe alone (--try-effect JOB_ID).",
            answer(copy),
            why.trim_end_matches('.')
        ),
    )
}
