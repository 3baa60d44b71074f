//! A delivery by a provider's schedule: attempt after attempt, each of them one fired copy, until one is acknowledged.

use super::schedule::{Squeezed, acknowledges};
use crate::{
    clock::milliseconds,
    error::{Error, Result},
    firing::{self, Plan},
    model::{AttemptReport, CopyOutcome, CopyReport, Release, Schedule, Signing},
};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use tokio::{sync::mpsc, time::sleep_until};
use tokio_util::sync::CancellationToken;

/// A delivery that can be carried out.
#[derive(Debug, Clone)]
pub struct Scheduled {
    plan: Plan,
    schedule: Schedule,
    squeezed: Squeezed,
}

/// How it goes.
#[derive(Debug, Clone)]
pub enum Told {
    /// An attempt is on its way.
    Begun {
        /// Its number, from 1.
        n: u32,
    },
    /// An attempt has an outcome.
    Attempt {
        /// What became of it.
        attempt: Box<AttemptReport>,
        /// How long it is to the next one; `None` where none comes.
        next_in: Option<Duration>,
    },
}

/// Why no more attempts come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// One was acknowledged.
    Acknowledged,
    /// All were made.
    Exhausted,
    /// The schedule stops on this status (C54).
    StoppedOn(u16),
    /// A person stopped it.
    Stopped,
}

/// What came of it: contract.md's summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliverySummary {
    /// An attempt was acknowledged.
    pub delivered: bool,
    /// How many were made.
    pub attempts: u32,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u32>,
    /// Sent, and no answer came: each may have taken effect (C50).
    pub outcome_unknown: u32,
    /// Never sent whole: they cannot have taken effect.
    pub not_sent: u32,
    /// A person stopped it before it came to an end.
    pub stopped: bool,
    /// How it ended, as a sentence.
    pub reason: String,
    /// The same, for a program.
    #[serde(skip)]
    pub why: Why,
}

impl Scheduled {
    /// Looks a delivery through without sending anything. Of the plan's copies, release and timeout nothing is read.
    ///
    /// # Errors
    /// When it cannot be carried out.
    pub async fn prepare(plan: Plan, schedule: Schedule) -> Result<Self> {
        let squeezed = Squeezed::of(&schedule)?;
        if plan.signing == Signing::Once {
            return Err(Error::Input(
                "A schedule signs each attempt anew, or sends the headers as they are; one signature for all is \
                 neither. To send a first signature again, fire by a gap with it."
                    .into(),
            ));
        }
        let timeout = squeezed.timeout;
        let plan = Plan { copies: 1, release: Release::Sequential, timeout, ..plan };
        firing::check(&plan).await?;
        Ok(Self { plan, schedule, squeezed })
    }

    /// Where it goes to.
    pub fn url(&self) -> &str {
        &self.plan.url
    }

    /// When its attempts come.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Delivers. There is never more than one attempt on its way. A gap is waited out on a monotonic clock from the end
    /// of an attempt, so that after a sleep of the machine one attempt comes, not all that were missed (C85).
    /// Cancelling `stop` ends it at any moment; an attempt that is on its way then is told without its answer.
    pub async fn run(
        self,
        tell: mpsc::UnboundedSender<Told>,
        stop: CancellationToken,
    ) -> DeliverySummary {
        let Self { plan, schedule, squeezed } = self;
        let mut made = Vec::new();
        let start = Instant::now();
        let mut due = start;
        let mut why = None;
        // The receiver may have lost interest; the delivery goes on.
        let tell = |told| drop(tell.send(told));
        for n in 1..=schedule.attempts {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = sleep_until(due.into()) => {}
            }
            tell(Told::Begun { n });
            let began = if n == 1 { start } else { Instant::now() };
            let copy = CopyReport { n, ..fire(&plan, &stop).await };
            let since_start = |at: Instant| milliseconds(at.saturating_duration_since(start));
            let attempt = AttemptReport {
                at_ms: since_start(began),
                due_ms: since_start(due),
                acknowledged: copy.status.is_some_and(acknowledges),
                copy,
            };
            due = Instant::now() + squeezed.gap;
            why = match attempt.copy.status {
                Some(status) if acknowledges(status) => Some(Why::Acknowledged),
                Some(status) if schedule.stop_on.contains(&status) => Some(Why::StoppedOn(status)),
                Some(_) | None if stop.is_cancelled() => Some(Why::Stopped),
                Some(_) | None => None,
            };
            let more = why.is_none() && n < schedule.attempts;
            tell(Told::Attempt {
                attempt: Box::new(attempt.clone()),
                next_in: more.then_some(squeezed.gap),
            });
            made.push(attempt);
            if !more {
                why = why.or(Some(Why::Exhausted));
                break;
            }
        }
        summary(&made, why.unwrap_or(Why::Stopped))
    }
}

/// One attempt: a copy on a connection of its own, signed now.
async fn fire(plan: &Plan, stop: &CancellationToken) -> CopyReport {
    let fired = firing::fire_each(std::slice::from_ref(plan), Release::Sequential, stop.clone());
    match fired.await {
        Ok(fired) => fired
            .copies
            .into_iter()
            .next()
            .unwrap_or_else(|| CopyReport::not_sent(1, "Nothing was sent.".into())),
        // It could be carried out when it was looked through: a name, say, is not known any more.
        Err(error) => CopyReport::not_sent(1, error.to_string()),
    }
}

fn summary(made: &[AttemptReport], why: Why) -> DeliverySummary {
    let mut statuses = BTreeMap::new();
    for status in made.iter().filter_map(|attempt| attempt.copy.status) {
        *statuses.entry(status).or_insert(0) += 1;
    }
    let count = |outcome| {
        made.iter().filter(|attempt| attempt.copy.outcome == outcome).fold(0, |n, _| n + 1)
    };
    let mut summary = DeliverySummary {
        delivered: why == Why::Acknowledged,
        attempts: made.iter().fold(0, |n, _| n + 1),
        statuses,
        outcome_unknown: count(CopyOutcome::Unknown),
        not_sent: count(CopyOutcome::NotSent),
        stopped: why == Why::Stopped,
        reason: String::new(),
        why,
    };
    summary.reason = in_words(&summary, made.last());
    summary
}

/// How it ended, as a sentence or two.
fn in_words(summary: &DeliverySummary, last: Option<&AttemptReport>) -> String {
    let attempts = match summary.attempts {
        1 => "1 attempt".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    let mut text = match (summary.why, last.and_then(|attempt| attempt.copy.status)) {
        (Why::Acknowledged, Some(status)) => {
            format!("Delivered: attempt {} was acknowledged with {status}.", summary.attempts)
        }
        (Why::Acknowledged, None) => format!("Delivered after {attempts}."),
        (Why::Exhausted, _) => format!("Not delivered: none of {attempts} was acknowledged."),
        (Why::StoppedOn(status), _) => format!(
            "Not delivered: attempt {} was answered {status}, which ends it.",
            summary.attempts
        ),
        (Why::Stopped, _) => format!(
            "Stopped by hand after {attempts}; whether it would have been delivered is not known."
        ),
    };
    if summary.outcome_unknown > 0 {
        let which = match summary.outcome_unknown {
            1 => "1 attempt was sent and never answered: it".to_owned(),
            unknown => format!("{unknown} attempts were sent and never answered: each"),
        };
        text.push_str(&format!(" {which} may have taken effect all the same."));
    }
    if summary.not_sent > 0 && summary.not_sent == summary.attempts {
        text.push_str(" Nothing was there to take them.");
    }
    text
}
