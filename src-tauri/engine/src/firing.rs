//! Fires signed copies of a delivery at a handler and measures what happens.
//!
//! Each copy has a connection of its own: there is no pool, nothing is resent, no redirect is followed, and proxy
//! variables are not read. [`gate`] holds the last byte of a copy back, [`release`] lets it go.

mod answer;
mod connect;
mod copy;
mod error;
mod exchange;
mod files;
mod frames;
mod gate;
mod kernel;
mod relay;
mod release;
mod request;
mod series;
mod stamps;
mod target;
mod timing;
mod volley;
mod wire;

pub use error::{FireError, MOST_COPIES};
pub use relay::{NoAnswer, PassedOn, Relay};

use crate::{
    head::RawHeader,
    model::{CopyReport, Protocol, Release, ReleaseMethod, RunSummary, Signing},
    signing::Signer,
};
use bytes::Bytes;
use connect::Connector;
use copy::{Run, Shot};
use relay::First;
use request::Request;
use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use target::{Addresses, Target};
use timing::Origin;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The longest gap, in milliseconds: a day.
const LONGEST_GAP_MS: f64 = 86_400_000.0;

/// What is fired, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// `http://` or `https://`; path and query are sent as given.
    pub url: String,
    /// As given.
    pub method: String,
    /// In order; framing, `Host` and hop-by-hop headers among them are not replayed (C03).
    pub headers: Vec<RawHeader>,
    /// The exact bytes.
    pub body: Bytes,
    /// 1 to 1,000.
    pub copies: u32,
    /// How they are let go.
    pub release: Release,
    /// How they are signed.
    pub signing: Signing,
    /// With what; not needed for `Verbatim`.
    pub signer: Option<Signer>,
    /// The provider's id of the event: the same over all copies.
    pub event_id: String,
    /// Which HTTP.
    pub protocol: Protocol,
    /// From a copy's release to its whole answer; connecting and writing may each take as long before it.
    pub timeout: Duration,
    /// Hosts besides loopback that may be fired at.
    pub allow_hosts: Vec<String>,
}

/// How this machine lets a volley go: by io_uring where the kernel has it and nothing forbids it.
pub fn release_method() -> ReleaseMethod {
    match kernel::send_at_once(&[]) {
        Some(_) => ReleaseMethod::IoUring,
        None => ReleaseMethod::SendLoop,
    }
}

/// The addresses that a URL is fired at, whosever they are; none where its name has none.
///
/// # Errors
/// When it is no URL that can be fired at.
pub async fn addresses(url: &str) -> Result<Vec<SocketAddr>, FireError> {
    let target = Target::parse(url)?;
    match target.resolve(std::slice::from_ref(&target.authority)).await? {
        Addresses::Known(known) => Ok(known),
        Addresses::Unknown(_) => Ok(Vec::new()),
    }
}

/// Looks a plan through without sending anything: what [`fire`] would refuse, this refuses.
///
/// # Errors
/// When the plan cannot be carried out.
pub async fn check(plan: &Plan) -> Result<(), FireError> {
    check_numbers(plan)?;
    let target = Target::parse(&plan.url)?;
    Request::new(plan, &target)?;
    target.resolve(&plan.allow_hosts).await?;
    Ok(())
}

fn check_numbers(plan: &Plan) -> Result<(), FireError> {
    if !(1..=MOST_COPIES).contains(&plan.copies) {
        return Err(FireError::Copies(plan.copies));
    }
    if plan.timeout.is_zero() {
        return Err(FireError::Timeout);
    }
    match plan.release {
        Release::Gap { ms } if !(0.0..=LONGEST_GAP_MS).contains(&ms) => Err(FireError::Gap(ms)),
        Release::Gap { .. } | Release::Together | Release::Sequential => Ok(()),
    }
}

/// Fires a plan. Each copy is told as soon as it has an outcome; dropping the future or cancelling `stop` ends it, and
/// what was not answered by then is `unknown` or `not-sent`.
///
/// # Errors
/// When the plan cannot be carried out; nothing was sent.
pub async fn fire(
    plan: Plan,
    copies: mpsc::UnboundedSender<CopyReport>,
    stop: CancellationToken,
) -> Result<(Vec<CopyReport>, RunSummary), FireError> {
    check_numbers(&plan)?;
    let shots = vec![shot(&plan).await?];
    let fired = carry_out(shots, plan.copies, plan.release, copies, stop, None).await?;
    Ok((fired.copies, fired.summary))
}

/// Fires one copy of each plan in one run, let go as `release` says: copies that are signed differently, that are given
/// up at different times, or that go to several instances of one handler. Copy `n` is the plan at `n - 1`; what the
/// plans say of copies and release is not read.
///
/// # Errors
/// When one of the plans cannot be carried out, or there is none; nothing was sent.
pub async fn fire_each(
    plans: &[Plan],
    release: Release,
    stop: CancellationToken,
) -> Result<FiredEach, FireError> {
    let count = u32::try_from(plans.len()).unwrap_or(u32::MAX);
    let mut shots = Vec::with_capacity(plans.len());
    for plan in plans {
        check_numbers(&Plan { copies: count, release, ..plan.clone() })?;
        shots.push(shot(plan).await?);
    }
    if shots.is_empty() {
        return Err(FireError::Copies(0));
    }
    let (tell, _) = mpsc::unbounded_channel();
    carry_out(shots, count, release, tell, stop, None).await
}

/// What came of a run, and when it was.
#[derive(Debug)]
pub struct FiredEach {
    /// By number.
    pub copies: Vec<CopyReport>,
    /// Of all.
    pub summary: RunSummary,
    /// The moment from which the copies' times are counted; `None` where nothing was let go.
    pub origin: Option<Instant>,
}

async fn shot(plan: &Plan) -> Result<Shot, FireError> {
    let target = Target::parse(&plan.url)?;
    let request = Request::new(plan, &target)?;
    let connector = Connector::new(
        &target,
        &plan.allow_hosts,
        plan.protocol,
        request.can_http2(),
        plan.timeout,
    )
    .await?;
    Ok(Shot { connector, request, timeout: plan.timeout })
}

async fn carry_out(
    shots: Vec<Shot>,
    count: u32,
    release: Release,
    copies: mpsc::UnboundedSender<CopyReport>,
    stop: CancellationToken,
    first: Option<First>,
) -> Result<FiredEach, FireError> {
    // What is passed on is bounded by whoever does so; looking at every open file each time would cost more than it.
    if first.is_none() || count > 1 {
        files::make_room(count)?;
    }
    let run = Arc::new(Run {
        shots,
        origin: Origin::default(),
        stop: stop.clone(),
        reports: copies,
        first,
    });
    let (mut fired, released_by) = match release {
        Release::Together if count > 1 => volley::fire(&run, count).await,
        Release::Together | Release::Sequential => {
            (series::sequential(&run, count).await, ReleaseMethod::Unheld)
        }
        Release::Gap { ms } => {
            let gap = Duration::from_secs_f64(ms / 1e3);
            (series::by_gap(&run, count, gap).await, ReleaseMethod::SendLoop)
        }
    };
    fired.sort_by_key(|copy| copy.report.n);
    let summary = timing::summary(count, &fired, released_by, stop.is_cancelled());
    let copies = fired.into_iter().map(|copy| copy.report).collect();
    Ok(FiredEach { copies, summary, origin: run.origin.get() })
}
