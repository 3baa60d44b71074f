//! `--try-effect`: what each probe sees of a job at this moment. Nothing is sent to the handler.

use crate::{
    exit::{Exit, Result},
    output::Output,
    people,
};
use hooktwice_engine::{
    checking,
    model::{Evidence, ProbeSpec},
};
use serde::Serialize;

/// A line a probe.
#[derive(Serialize)]
#[serde(tag = "type", rename = "probe")]
struct Line<'a> {
    #[serde(flatten)]
    evidence: &'a Evidence,
}

/// Tries the probes in their order, the deciding one first.
pub(super) async fn all(probes: &[ProbeSpec], job_id: &str, mut out: Output) -> Result {
    let mut all_saw = true;
    for probe in probes {
        let evidence = Box::pin(checking::try_probe(probe, job_id)).await?;
        all_saw &= evidence.count.is_some();
        out.either(&Line { evidence: &evidence }, in_words(&evidence))?;
        out.flush()?;
    }
    Ok(if all_saw { Exit::Done } else { Exit::Unknown })
}

fn in_words(evidence: &Evidence) -> String {
    let probe = &evidence.probe;
    match (evidence.count, &evidence.error) {
        (Some(count), _) => format!("{probe:<8} {count}"),
        (None, Some(error)) => format!("{probe:<8} could not tell: {}", people::clean(error)),
        (None, None) => format!("{probe:<8} could not tell"),
    }
}
