//! How a job's copies are sent: one, together, a pair apart, and again until one is acknowledged.

use super::{
    bench::Bench,
    job::{Job, is_2xx, is_busy},
};
use crate::{
    firing::{self, FiredEach, Plan},
    head::RawHeader,
    model::{CopyReport, Protocol, Release, Signing},
    payload,
    signing::SignedRequest,
};
use bytes::Bytes;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The most copies on their way at one moment, over everything that goes on side by side (C57).
pub(super) const MOST_IN_FLIGHT: u32 = 200;
/// How long a handler that answers "come again" is given, where its answers do not end before.
const BUSY_PATIENCE: Duration = Duration::from_secs(30);
/// The first pause before a refused delivery is sent again, and the longest.
const AGAIN: (Duration, Duration) = (Duration::from_millis(150), Duration::from_secs(1));

/// Which Unix second the copies of one job are signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seconds {
    /// All with one: they differ in nothing.
    Same,
    /// Each with a later one than the copy before it.
    Later,
}

impl Bench {
    /// A delivery of a body, as it is signed.
    pub(super) fn request<'a>(&'a self, body: &'a [u8]) -> SignedRequest<'a> {
        let target = target(self.url());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        SignedRequest { method: "POST", path, query, headers: &[], body }
    }

    /// The headers that sign a body for a job at a second.
    pub(super) fn sign(&self, job: &Job, second: i64, body: &[u8]) -> Vec<RawHeader> {
        // It was signed with once before anything was sent: what can be wrong with a secret was found then.
        let request = self.request(body);
        self.signer.sign_request(second, &job.event_id, &request).unwrap_or_default()
    }

    /// Whether a delivery says when it was signed; GitHub's and Shopify's do not.
    pub(super) fn signs_time(&self) -> bool {
        let request = self.request(b"");
        let at = |second| self.signer.sign_request(second, "evt", &request).ok();
        at(0) != at(1)
    }

    /// The header that names the kind of event, where the provider sends one: libraries refuse a delivery without.
    pub(super) fn event_header(&self, body: &[u8]) -> Option<RawHeader> {
        let name = self.signer.scheme.event_header()?;
        let event = payload::read(body, &self.spec.id_pointer).event;
        // What cannot stand in a header names no event of a provider.
        let event = event.filter(|event| event.bytes().all(|byte| byte.is_ascii_graphic()));
        let event = event.filter(|event| !event.is_empty());
        Some(RawHeader::new(name, event.unwrap_or_else(|| "job.completed".into())))
    }

    fn plan(&self, url: &str, body: Bytes, signed: Vec<RawHeader>, timeout: Duration) -> Plan {
        let mut headers = vec![
            RawHeader::new("Content-Type", "application/json"),
            RawHeader::new("User-Agent", concat!("hooktwice/", env!("CARGO_PKG_VERSION"))),
        ];
        headers.extend(self.event_header(&body));
        headers.extend(signed);
        Plan {
            url: url.to_owned(),
            method: "POST".into(),
            headers,
            body,
            copies: 1,
            release: Release::Together,
            signing: Signing::Verbatim,
            signer: None,
            event_id: String::new(),
            protocol: Protocol::Auto,
            timeout,
            allow_hosts: self.spec.allow_hosts.clone(),
        }
    }

    async fn fire(&self, plans: &[Plan], release: Release) -> (Vec<CopyReport>, Instant) {
        let count = u32::try_from(plans.len()).unwrap_or(u32::MAX);
        let begun = Instant::now();
        let permit = self.in_flight.acquire_many(count.min(MOST_IN_FLIGHT)).await;
        self.learn_quietly(|facts| facts.deliveries += count);
        let fired = firing::fire_each(plans, release, self.stop.clone()).await;
        drop(permit);
        match fired {
            Ok(FiredEach { copies, origin, .. }) => (copies, origin.unwrap_or(begun)),
            Err(error) => {
                let why = error.to_string();
                ((1..=count).map(|n| CopyReport::not_sent(n, why.clone())).collect(), begun)
            }
        }
    }

    /// Sends one copy of a job, signed with a later second than those before it.
    pub(super) async fn deliver(&self, job: &Job) -> CopyReport {
        self.deliver_within(job, self.timeout, "").await
    }

    /// As [`Bench::deliver`], given up after a time.
    pub(super) async fn deliver_within(
        &self,
        job: &Job,
        timeout: Duration,
        label: &str,
    ) -> CopyReport {
        let body = job.body();
        let signed = self.sign(job, job.next_second(), &body);
        self.send(job, body, signed, timeout, label).await
    }

    /// Sends one copy with headers and a body as they are given.
    pub(super) async fn send(
        &self,
        job: &Job,
        body: Bytes,
        signed: Vec<RawHeader>,
        timeout: Duration,
        label: &str,
    ) -> CopyReport {
        let plan = self.plan(self.url(), body, signed, timeout);
        let (mut copies, origin) = self.fire(&[plan], Release::Together).await;
        let report =
            copies.pop().unwrap_or_else(|| CopyReport::not_sent(1, "It was not sent.".into()));
        job.sent(report.clone(), origin, 0, label);
        report
    }

    /// Sends copies of one job at the same instant, spread over instances; they differ in nothing.
    pub(super) async fn volley(&self, job: &Job, copies: u32, urls: &[String]) -> Vec<CopyReport> {
        self.learn_quietly(|facts| facts.volleys += 1);
        let body = job.body();
        let signed = self.sign(job, job.next_second(), &body);
        let plans: Vec<Plan> = (0..copies as usize)
            .map(|n| self.plan(&urls[n % urls.len()], body.clone(), signed.clone(), self.timeout))
            .collect();
        let (reports, origin) = self.fire(&plans, Release::Together).await;
        for (n, report) in reports.iter().enumerate() {
            job.sent(report.clone(), origin, n % urls.len(), "");
        }
        reports
    }

    /// Sends two copies of one job, the second so long after the first was let go.
    pub(super) async fn pair(&self, job: &Job, gap: Duration, seconds: Seconds) -> Vec<CopyReport> {
        self.learn_quietly(|facts| facts.pairs += 1);
        let body = job.body();
        let first = job.next_second();
        let second = if seconds == Seconds::Later { job.next_second() } else { first };
        let plans = [first, second].map(|second| {
            self.plan(self.url(), body.clone(), self.sign(job, second, &body), self.timeout)
        });
        let release = Release::Gap { ms: gap.as_secs_f64() * 1e3 };
        let (reports, origin) = self.fire(&plans, release).await;
        for report in &reports {
            job.sent(report.clone(), origin, 0, "");
        }
        reports
    }

    /// Sends one copy of each job at the same instant.
    pub(super) async fn all_at_once(&self, jobs: &[Job]) {
        self.learn_quietly(|facts| facts.volleys += 1);
        let plans: Vec<Plan> = jobs
            .iter()
            .map(|job| {
                let body = job.body();
                let signed = self.sign(job, job.next_second(), &body);
                self.plan(self.url(), body, signed, self.timeout)
            })
            .collect();
        let (reports, origin) = self.fire(&plans, Release::Together).await;
        for (job, report) in jobs.iter().zip(reports) {
            job.sent(report, origin, 0, "");
        }
    }

    /// Sends a job again, as a provider does, until a copy of it is acknowledged; whether one was. One that answers
    /// "come again" is given longer than one that refuses.
    pub(super) async fn acknowledge(&self, job: &Job) -> bool {
        let begun = Instant::now();
        let mut pause = AGAIN.0;
        let mut busy = job.copies().last().and_then(|copy| copy.status).is_some_and(is_busy);
        while !job.acknowledged() {
            let patience = if busy { self.timeout.max(BUSY_PATIENCE) } else { self.timeout };
            if begun.elapsed() > patience || self.stop.is_cancelled() {
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(AGAIN.1);
            let copy = self.deliver_within(job, self.timeout, "sent again").await;
            busy = copy.status.is_some_and(is_busy);
        }
        true
    }

    /// One more copy of a job, and where it is told to come again another, for as long as the patience lasts and `is_in`
    /// does not say that the job found its place all the same. The last copy, and how often it was told to come again.
    pub(super) async fn come_again(
        &self,
        job: &Job,
        label: &str,
        patience: Duration,
        is_in: impl Fn() -> bool,
    ) -> (CopyReport, u32) {
        let begun = Instant::now();
        let mut pause = AGAIN.0;
        let mut busy = 0;
        loop {
            let copy = self.deliver_within(job, self.timeout, label).await;
            let again = copy.status.is_some_and(is_busy) && !is_in();
            if !again || begun.elapsed() >= patience {
                return (copy, busy);
            }
            busy += 1;
            sleep(pause).await;
            pause = (pause * 2).min(AGAIN.1);
        }
    }

    /// One good delivery of a fresh job, to see whether the handler still works.
    pub(super) async fn good_delivery(&self) -> (Job, bool) {
        let job = self.job("the good delivery after it");
        let copy = self.deliver(&job).await;
        let good = match copy.status {
            Some(status) if is_2xx(status) => true,
            Some(status) if is_busy(status) => self.acknowledge(&job).await,
            Some(_) | None => false,
        };
        (job, good)
    }
}

/// A URL's path and query as they are sent.
fn target(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |slash| &rest[slash..])
}
