//! The life of one copy, from its connection to its outcome.

use super::{
    answer::{Heard, status_line},
    connect::Connector,
    exchange::Exchange,
    gate::Keeper,
    relay::First,
    release::{Claim, Held, Sent},
    request::Request,
    timing::{Fired, Origin, ms},
};
use crate::model::{CopyOutcome, CopyReport};
use std::{
    pin::pin,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// How long a written copy is given to arrive at the other machine before it counts as there.
const ARRIVING: Duration = Duration::from_secs(1);
/// How often that is looked at; the first look is at once.
const LOOK: Duration = Duration::from_millis(1);
/// How long to read for an answer on a connection that was closed before the copy was whole.
const REFUSAL: Duration = Duration::from_millis(50);

/// What is sent, where to, and how long an answer is waited for.
#[derive(Debug)]
pub(super) struct Shot {
    pub(super) connector: Connector,
    pub(super) request: Request,
    pub(super) timeout: Duration,
}

/// What all copies of a run share.
#[derive(Debug)]
pub(super) struct Run {
    /// At least one. Copies take them in turn: one for all where all are alike, else one for each.
    pub(super) shots: Vec<Shot>,
    pub(super) origin: Origin,
    pub(super) stop: CancellationToken,
    pub(super) reports: mpsc::UnboundedSender<CopyReport>,
    /// Who gets the first copy's answer whole.
    pub(super) first: Option<First>,
}

/// Why a copy's life ended before its answer was whole.
#[derive(Debug)]
pub(super) enum End {
    /// Something broke; a sentence.
    Broke(String),
    /// The time for it went by; a sentence.
    Slow(String),
    /// The person stopped it.
    Stopped,
}

/// A copy that is back from whoever let it go, or could not.
struct Released {
    result: Result<(), String>,
    note: Option<&'static str>,
}

/// What is known of a copy while it lives, so that it can be judged at any moment.
#[derive(Debug, Default)]
struct Notes {
    connected: Option<Instant>,
    keeper: Option<Keeper>,
    warnings: Vec<&'static str>,
}

impl Run {
    /// What copy `n` (from 1) is.
    fn shot(&self, n: u32) -> &Shot {
        &self.shots[(n as usize - 1) % self.shots.len()]
    }

    /// Fires copy `n`. With `held`, its last byte is owed and the copy is handed over there when it is written.
    pub(super) async fn fire(&self, n: u32, held: Option<&mpsc::UnboundedSender<Held>>) -> Fired {
        let mut notes = Notes::default();
        let first = self.first.as_ref().filter(|_| n == 1);
        let heard = Mutex::new(first.map_or_else(Heard::default, First::heard));
        let end = self.live(n, held, &mut notes, &heard).await.err();
        let heard = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fired = self.judge(n, &notes, &heard, end.as_ref());
        if let Some(first) = first {
            first.tell(heard, end, fired.report.outcome);
        }
        // The caller may have lost interest in single copies; the run goes on.
        let _ = self.reports.send(fired.report.clone());
        fired
    }

    /// A copy that was not even begun when the run was stopped.
    pub(super) fn not_begun(&self, n: u32) -> Fired {
        let fired = self.judge(n, &Notes::default(), &Heard::default(), Some(&End::Stopped));
        let _ = self.reports.send(fired.report.clone());
        fired
    }

    async fn live(
        &self,
        n: u32,
        held: Option<&mpsc::UnboundedSender<Held>>,
        notes: &mut Notes,
        heard: &Mutex<Heard>,
    ) -> Result<(), End> {
        let shot = self.shot(n);
        let exchange = self.or_stop(prepare(shot)).await?.map_err(End::Broke)?;
        notes.connected = Some(Instant::now());
        let keeper = exchange.keeper().clone();
        notes.keeper = Some(keeper.clone());
        if held.is_some() {
            keeper.hold();
        }
        let headers = shot.request.headers().map_err(|error| End::Broke(error.to_string()))?;
        let mut answer = pin!(exchange.send(&shot.request, &headers, heard));

        let writing = async {
            tokio::select! {
                biased;
                ended = &mut answer => Some(ended.map_err(End::Broke)),
                () = keeper.sealed() => None,
            }
        };
        match self.or_stop(timeout(shot.timeout, writing)).await? {
            Ok(Some(answered_early)) => return answered_early,
            Ok(None) => {}
            Err(_) => {
                return Err(End::Slow(format!(
                    "It could not be written within {:?}.",
                    shot.timeout
                )));
            }
        }
        if let Some(held) = held {
            let sent = self.hand_over(n, &keeper, held).await?;
            notes.warnings.extend(sent.note);
            if let Err(why) = sent.result {
                // It may have been refused before it was whole; then the refusal is there to be read.
                return match timeout(REFUSAL, answer).await {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(_)) | Err(_) => Err(End::Broke(why)),
                };
            }
        }
        let released = keeper.times().released.unwrap_or_else(Instant::now);
        self.origin.set(released);
        let deadline = released + shot.timeout;
        match self.or_stop(timeout_at(deadline.into(), answer)).await? {
            Ok(ended) => ended.map_err(End::Broke),
            Err(_) => Err(End::Slow(format!("No whole answer came within {:?}.", shot.timeout))),
        }
    }

    /// Hands a written copy over and waits until it was let go. After a stop it is either still ours, and was not sent,
    /// or in the hands of who lets it go, and comes back in a moment.
    async fn hand_over(
        &self,
        n: u32,
        keeper: &Keeper,
        held: &mpsc::UnboundedSender<Held>,
    ) -> Result<Released, End> {
        let arriving = async {
            while !keeper.is_there() {
                sleep(LOOK).await;
            }
        };
        // What has not arrived by then (a handler that reads nothing) goes with the others all the same.
        let _ = self.or_stop(timeout(ARRIVING, arriving)).await?;
        let broke = |error: std::io::Error| {
            End::Broke(format!("The connection broke while the copy was held: {error}."))
        };
        let Some((socket, byte)) = keeper.take().map_err(broke)? else {
            return Err(End::Broke("The connection broke while the copy was held.".into()));
        };
        let claim = Claim::default();
        let (back, mut returned) = oneshot::channel();
        if held.send(Held { n, socket, byte, claim: claim.clone(), back }).is_err() {
            return Err(End::Stopped);
        }
        let sent = tokio::select! {
            sent = &mut returned => sent,
            () = self.stop.cancelled() => {
                if claim.take() {
                    return Err(End::Stopped);
                }
                returned.await
            }
        };
        let Ok(Sent { socket, result, note }) = sent else { return Err(End::Stopped) };
        keeper.put_back(socket, result.as_ref().ok().copied()).map_err(broke)?;
        Ok(Released { result: result.map(|_| ()), note })
    }

    async fn or_stop<T>(&self, future: impl Future<Output = T>) -> Result<T, End> {
        tokio::select! {
            biased;
            done = future => Ok(done),
            () = self.stop.cancelled() => Err(End::Stopped),
        }
    }

    fn judge(&self, n: u32, notes: &Notes, heard: &Heard, end: Option<&End>) -> Fired {
        let now = Instant::now();
        let times = notes.keeper.as_ref().map(Keeper::times).unwrap_or_default();
        let done = heard.done.unwrap_or(now);
        let why = end.map(|end| match end {
            End::Broke(why) | End::Slow(why) => why.clone(),
            End::Stopped => "The run was stopped.".to_owned(),
        });
        let unread = || status_line(&notes.keeper.as_ref()?.start());
        let mut warnings: Vec<String> =
            notes.warnings.iter().map(|&note| note.to_owned()).collect();
        warnings.extend(heard.warnings.iter().cloned());
        let (status, outcome) = match (heard.status, times.released) {
            (Some(status), _) => {
                warnings.extend(
                    why.iter().map(|why| format!("The answer's body was cut short. {why}")),
                );
                (Some(status), CopyOutcome::Answered)
            }
            (None, released) => match (unread(), released) {
                (Some(status), _) => {
                    let broken =
                        |why| format!("The answer breaks HTTP, and is judged by its status. {why}");
                    warnings.extend(why.as_ref().map(broken));
                    (Some(status), CopyOutcome::Answered)
                }
                (None, Some(_)) => (None, CopyOutcome::Unknown),
                (None, None) => (None, CopyOutcome::NotSent),
            },
        };
        if status.is_some() && times.released.is_none() {
            warnings.push("It was answered before its last byte was sent.".into());
        }
        let origin = self.origin.get();
        let since_origin = |at: Option<Instant>| Some(ms(origin?, at?));
        let since_release = |at: Instant| Some(ms(times.released?, at));
        let first_byte = times.first_byte.or(heard.status_at);
        let report = CopyReport {
            n,
            local_port: notes.keeper.as_ref().and_then(Keeper::local_port),
            connected_ms: since_origin(notes.connected),
            written_ms: since_origin(times.written),
            // Whole nanoseconds, as they were measured.
            released_us: since_origin(times.released).map(|ms| (ms * 1e6).round() / 1e3),
            first_byte_ms: first_byte.and_then(since_release),
            total_ms: since_release(done),
            status,
            outcome,
            error: if status.is_none() { why } else { None },
            warnings,
            location: heard.location.clone(),
            response_body: heard.body(),
        };
        Fired { report, released: times.released, done }
    }
}

async fn prepare(shot: &Shot) -> Result<Exchange, String> {
    Exchange::warm(shot.connector.open().await?).await
}
