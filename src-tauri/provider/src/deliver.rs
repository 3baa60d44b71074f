//! Delivers a job's terminal event by the schedule, and does on purpose what goes wrong.

use crate::{
    job::{Attempt, Job, Kind, Stage},
    server::Inner,
};
use bytes::Bytes;
use hooktwice_engine::{
    clock::milliseconds,
    firing::{self, Plan},
    head::RawHeader,
    model::{CopyOutcome, Protocol, Release, Signing},
    signing::Signer,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::mpsc, task::JoinHandle, time::sleep};

/// One delivery that is to be sent.
struct Shipment {
    kind: Kind,
    n: u32,
    url: String,
    event_id: String,
    body: String,
    copies: u32,
}

impl Inner {
    /// All automatic attempts of a job, until one is acknowledged.
    pub(crate) async fn deliver(self: Arc<Self>, job: Job) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = self.clone().attempts(&job) => {}
        }
        self.change(|state| {
            if let Some(job) = state.jobs.get_mut(&job.id) {
                job.stage = Stage::Ended;
            }
        });
    }

    async fn attempts(self: Arc<Self>, job: &Job) {
        let faults = job.faults;
        let Some(url) = job.webhook_url.clone().filter(|_| !faults.lose_all) else { return };
        sleep(Duration::from_millis(faults.delay_ms)).await;
        let mut overlapped: Option<JoinHandle<bool>> = None;
        let last = self.config.schedule.attempts;
        for n in 1..=last {
            if n <= faults.lose {
                self.lost(job, n);
            } else {
                let shipment = self.shipment(job, Kind::Automatic, n, &url);
                match faults.overlap_ms {
                    Some(after) if overlapped.is_none() => {
                        let (inner, id) = (self.clone(), job.clone());
                        overlapped =
                            Some(tokio::spawn(async move { inner.send(&id, shipment).await }));
                        sleep(Duration::from_millis(after)).await;
                        continue;
                    }
                    _ => {
                        if self.send(job, shipment).await {
                            break;
                        }
                    }
                }
            }
            if overlapped.as_ref().is_some_and(JoinHandle::is_finished) && self.delivered(&job.id) {
                break;
            }
            if n < last {
                sleep(self.config.scaled(self.config.schedule.gap_ms)).await;
            }
        }
        if let Some(overlapped) = overlapped {
            let _ = overlapped.await;
        }
    }

    /// One more delivery of a job that is finished.
    pub(crate) async fn redeliver(self: Arc<Self>, job: Job, url: String) {
        let shipment = Shipment { copies: 1, ..self.shipment(&job, Kind::Redelivery, 0, &url) };
        tokio::select! {
            () = self.stop.cancelled() => {}
            _ = self.send(&job, shipment) => {}
        }
    }

    /// A `webhook.test`.
    pub(crate) async fn test(self: Arc<Self>, job: Job, url: String) {
        let body = r#"{"event":"webhook.test"}"#.into();
        let shipment = Shipment { body, ..self.shipment(&job, Kind::Test, 0, &url) };
        tokio::select! {
            () = self.stop.cancelled() => {}
            _ = self.send(&job, shipment) => {}
        }
    }

    fn delivered(&self, id: &str) -> bool {
        self.state().jobs.get(id).is_some_and(Job::delivered)
    }

    fn shipment(&self, job: &Job, kind: Kind, n: u32, url: &str) -> Shipment {
        Shipment {
            kind,
            n,
            url: url.to_owned(),
            event_id: job.event_id.clone(),
            body: job.body(&self.base_url),
            copies: job.faults.copies.max(1),
        }
    }

    fn lost(&self, job: &Job, n: u32) {
        self.note(Attempt {
            job_id: job.id.clone(),
            kind: Kind::Automatic,
            n,
            at_ms: milliseconds(job.since_finished(Instant::now())),
            took_ms: 0.0,
            statuses: Vec::new(),
            acknowledged: false,
            lost: true,
            error: None,
        });
    }

    /// Sends, and notes what came of it; whether it was acknowledged.
    async fn send(&self, job: &Job, shipment: Shipment) -> bool {
        let Shipment { kind, n, url, event_id, body, copies } = shipment;
        let began = Instant::now();
        let plan = Plan {
            url,
            method: "POST".into(),
            headers: vec![RawHeader::new("Content-Type", "application/json")],
            body: Bytes::from(body),
            copies,
            release: Release::Together,
            signing: Signing::Each,
            signer: Some(Signer {
                scheme: Arc::clone(&self.scheme),
                secret: self.config.secret.clone(),
            }),
            event_id,
            protocol: Protocol::Auto,
            timeout: self.config.scaled(self.config.schedule.timeout_ms),
            allow_hosts: self.config.allow_hosts.clone(),
        };
        let (tell, _told) = mpsc::unbounded_channel();
        let fired = firing::fire(plan, tell, self.stop.clone()).await;
        let (statuses, error) = match fired {
            Ok((copies, _)) => {
                let error = copies.iter().find_map(|copy| copy.error.clone());
                let status = |copy: &hooktwice_engine::model::CopyReport| {
                    copy.status.filter(|_| copy.outcome == CopyOutcome::Answered)
                };
                (copies.iter().map(status).collect(), error)
            }
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let acknowledged =
            statuses.iter().flatten().any(|status: &u16| (200..300).contains(status));
        self.note(Attempt {
            job_id: job.id.clone(),
            kind,
            n,
            at_ms: milliseconds(job.since_finished(began)),
            took_ms: milliseconds(began.elapsed()),
            statuses,
            acknowledged,
            lost: false,
            error,
        });
        acknowledged
    }
}
