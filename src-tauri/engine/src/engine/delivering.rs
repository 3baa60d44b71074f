//! Deliveries by a provider's schedule, started from the pages, and the real ones of a job beside it.

use super::{Engine, lock};
use crate::{
    clock::rfc3339,
    error::{Error, Result},
    events::Event,
    ids,
    model::{
        AttemptReport, ClaimReason, DeliverReport, DeliverSpec, Delivery, JobSchedule, PlanSpec,
        Release, RunState, Schedule,
    },
    sume::{DeliverySummary, Scheduled, Told, lay},
};
use jiff::SignedDuration;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many that have ended are kept.
const KEPT: usize = 50;
/// How many may be on their way at once (C57).
const MOST_AT_ONCE: usize = 50;
/// Bytes of an answer's body that are kept of each attempt: all attempts go with every event.
const BODY: usize = 1024;

/// The deliveries by schedule of this run of the program, oldest first.
#[derive(Debug, Default, Clone)]
pub(super) struct ScheduledDeliveries(Arc<Mutex<Vec<Kept>>>);

#[derive(Debug)]
struct Kept {
    stop: CancellationToken,
    report: DeliverReport,
}

impl Kept {
    fn is_running(&self) -> bool {
        self.report.state == RunState::Running
    }
}

impl ScheduledDeliveries {
    /// Takes a new one, unless too many are on their way.
    fn begin(&self, report: DeliverReport) -> Result<CancellationToken> {
        let mut kept = lock(&self.0);
        if kept.iter().filter(|kept| kept.is_running()).count() >= MOST_AT_ONCE {
            return Err(Error::Input(format!(
                "{MOST_AT_ONCE} deliveries are on their way already. Stop some, or wait for their end."
            )));
        }
        let stop = CancellationToken::new();
        kept.push(Kept { stop: stop.clone(), report });
        Ok(stop)
    }

    /// Changes one, and says how it is then.
    fn change(&self, id: &str, change: impl FnOnce(&mut DeliverReport)) -> Option<DeliverReport> {
        let mut kept = lock(&self.0);
        let this = kept.iter_mut().find(|kept| kept.report.id == id)?;
        change(&mut this.report);
        Some(this.report.clone())
    }

    /// Forgets the oldest that have ended, where they are too many.
    fn forget(&self) {
        let mut kept = lock(&self.0);
        let ended = kept.iter().filter(|kept| !kept.is_running()).count();
        let mut over = ended.saturating_sub(KEPT);
        kept.retain(|kept| {
            let goes = over > 0 && !kept.is_running();
            over -= usize::from(goes);
            !goes
        });
    }

    pub(super) fn stop_all(&self) {
        for kept in lock(&self.0).iter() {
            kept.stop.cancel();
        }
    }
}

impl Engine {
    /// Starts a delivery by schedule; how it goes comes as events.
    ///
    /// # Errors
    /// When it cannot be carried out; nothing was sent.
    pub async fn deliver(&self, spec: DeliverSpec) -> Result<DeliverReport> {
        let DeliverSpec { plan, schedule } = spec;
        let plan = PlanSpec { copies: 1, release: Release::Sequential, ..plan };
        let scheduled = Scheduled::prepare(self.plan(&plan).await?, schedule).await?;
        let report = DeliverReport {
            id: ids::new_id().to_string(),
            started_at: rfc3339(self.inner.options.clock.now()),
            url: scheduled.url().to_owned(),
            schedule: scheduled.schedule().clone(),
            state: RunState::Running,
            attempts: Vec::new(),
            next_at: None,
            in_flight: None,
            delivered: None,
            reason: None,
        };
        let stop = self.inner.scheduled.begin(report.clone())?;
        self.publish(Some(report.clone()));
        self.inner.tasks.spawn(self.clone().follow(scheduled, report.id.clone(), stop));
        Ok(report)
    }

    async fn follow(self, scheduled: Scheduled, id: String, stop: CancellationToken) {
        let (tell, mut told) = mpsc::unbounded_channel();
        let listen = async {
            while let Some(told) = told.recv().await {
                self.publish(self.inner.scheduled.change(&id, |report| self.further(report, told)));
            }
        };
        let (summary, ()) = tokio::join!(scheduled.run(tell, stop), listen);
        self.publish(self.inner.scheduled.change(&id, |report| end(report, summary)));
        self.inner.scheduled.forget();
    }

    fn publish(&self, report: Option<DeliverReport>) {
        if let Some(report) = report {
            self.inner.events.publish(Event::Delivering { report: Box::new(report) });
        }
    }

    fn further(&self, report: &mut DeliverReport, told: Told) {
        match told {
            Told::Begun { n } => {
                report.in_flight = Some(n);
                report.next_at = None;
            }
            Told::Attempt { attempt, next_in } => {
                report.in_flight = None;
                report.next_at = next_in.and_then(|next_in| self.in_so_long(next_in));
                report.attempts.push(shortened(*attempt));
            }
        }
    }

    /// RFC 3339, by the wall clock.
    fn in_so_long(&self, duration: Duration) -> Option<String> {
        let duration = SignedDuration::try_from(duration).ok()?;
        self.inner.options.clock.now().checked_add(duration).ok().map(rfc3339)
    }

    /// Stops one: no more attempts.
    ///
    /// # Errors
    /// When no such delivery is on its way.
    pub fn stop_delivering(&self, id: &str) -> Result<()> {
        let kept = lock(&self.inner.scheduled.0);
        match kept.iter().find(|kept| kept.report.id == id && kept.is_running()) {
            Some(kept) => {
                kept.stop.cancel();
                Ok(())
            }
            None => Err(Error::NotFound(format!(
                "The delivery {id} is not on its way: it has ended, or never was."
            ))),
        }
    }

    /// The ones of this run of the program, newest first.
    pub fn delivered(&self) -> Vec<DeliverReport> {
        lock(&self.inner.scheduled.0).iter().rev().map(|kept| kept.report.clone()).collect()
    }

    /// The deliveries of a job beside Sume's schedule, where it is Sume that delivers and all of them are here. One that
    /// was read from a file is no attempt of it.
    pub fn job_schedule(&self, deliveries: &[Delivery], total: u64) -> Option<JobSchedule> {
        let imported = |one: &&Delivery| one.claim_reason == Some(ClaimReason::Imported);
        let arrived: Vec<_> = deliveries.iter().filter(|one| !imported(one)).cloned().collect();
        let is_sumes = arrived.iter().any(|delivery| delivery.signature.scheme == "sume");
        if !is_sumes || total > deliveries.len() as u64 {
            return None;
        }
        lay(&arrived, Schedule::default(), self.inner.options.clock.now())
    }
}

fn end(report: &mut DeliverReport, summary: DeliverySummary) {
    report.state = if summary.stopped { RunState::Stopped } else { RunState::Done };
    report.in_flight = None;
    report.next_at = None;
    report.delivered = Some(summary.delivered);
    report.reason = Some(summary.reason);
}

fn shortened(mut attempt: AttemptReport) -> AttemptReport {
    let body = &mut attempt.copy.response_body;
    body.truncate(body.floor_char_boundary(BODY));
    attempt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(n: usize) -> DeliverReport {
        DeliverReport {
            id: n.to_string(),
            started_at: String::new(),
            url: String::new(),
            schedule: Schedule::default(),
            state: RunState::Running,
            attempts: Vec::new(),
            next_at: None,
            in_flight: None,
            delivered: None,
            reason: None,
        }
    }

    #[test]
    fn c57_so_many_at_once_and_no_more() {
        let deliveries = ScheduledDeliveries::default();
        for n in 0..MOST_AT_ONCE {
            deliveries.begin(report(n)).unwrap();
        }
        let refused = deliveries.begin(report(MOST_AT_ONCE)).unwrap_err().to_string();
        assert!(refused.contains("50 deliveries"), "{refused}");
        deliveries.change("7", |report| report.state = RunState::Done).unwrap();
        deliveries.begin(report(MOST_AT_ONCE)).unwrap();
    }

    #[test]
    fn the_oldest_that_have_ended_are_forgotten_and_none_that_runs() {
        let deliveries = ScheduledDeliveries::default();
        deliveries.begin(report(0)).unwrap();
        for n in 1..=KEPT + 3 {
            deliveries.begin(report(n)).unwrap();
            deliveries.change(&n.to_string(), |report| report.state = RunState::Done);
            deliveries.forget();
        }
        let ids: Vec<String> =
            lock(&deliveries.0).iter().map(|kept| kept.report.id.clone()).collect();
        assert_eq!(ids.len(), KEPT + 1);
        assert_eq!((ids[0].as_str(), ids[1].as_str()), ("0", "4"));
    }
}
