//! Runs a tunnel's program, has its URL proven, watches it, and runs it again.
//!
//! A run goes from the start of the program to its end. It is over when the program ends, when it names no URL, or when
//! its URL does not lead here; then the group is ended and, after a pause, the next run begins.

use super::{Ground, Output, Plan, Started};
use crate::{clock::rfc3339, model::TunnelState, process};
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long a program may take to name its URL.
const NAMED: Duration = Duration::from_secs(60);
/// How long it may take from there to being connected, where it says so.
const CONNECTED: Duration = Duration::from_secs(15);
/// How long a URL may take to lead here: a new name has to get around.
const PROVEN: Duration = Duration::from_secs(60);
/// Between two proofs of a URL that does not lead here yet: the first pause, and the longest.
const AGAIN: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(5)];
/// Between two proofs of one that does.
const HEALTH: Duration = Duration::from_secs(30);
/// After a proof that failed, before the one that decides.
const SECOND_LOOK: Duration = Duration::from_secs(5);
/// Before the next run: the first pause, and the longest.
const BACK_OFF: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];
/// How long the leash may take to end the group: more than its own patience.
const LEASH: Duration = Duration::from_secs(5);
/// Lines that are kept for the person, and letters of each.
const KEPT: usize = 50;
const LETTERS: usize = 400;

#[derive(Debug)]
pub(super) struct Supervisor {
    plan: Plan,
    ground: Ground,
    state: watch::Sender<TunnelState>,
    /// The run was live long enough that its end is a new trouble, not the old one again.
    steady: AtomicBool,
}

/// How a run ended.
enum End {
    /// Somebody wants no more of it.
    Stopped,
    /// It may be tried again: what happened.
    Trouble(String),
    /// It cannot be started.
    Never(String),
}

/// What came of the lines of a program.
enum News {
    Url(String),
    Ended(String),
}

impl Supervisor {
    pub(super) fn new(plan: Plan, ground: Ground, state: watch::Sender<TunnelState>) -> Self {
        let supervisor = Self { plan, ground, state, steady: AtomicBool::new(false) };
        // Whoever started it sees that at once.
        supervisor.starting();
        supervisor
    }

    /// Until it is stopped, or cannot be started at all.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut failures = 0_u32;
        loop {
            self.steady.store(false, Ordering::Relaxed);
            let (end, lines) = self.one_run(&stop).await;
            let message = match end {
                End::Stopped => return,
                End::Never(message) => {
                    self.state.send_replace(TunnelState::Failed { message, lines });
                    return;
                }
                End::Trouble(message) => message,
            };
            failures = if self.steady.load(Ordering::Relaxed) { 1 } else { failures + 1 };
            let pause = back_off(failures);
            let retry_at = self.now() + pause;
            tracing::info!(%message, "the tunnel is started again");
            self.state.send_replace(TunnelState::Waiting {
                message: match self.plan.advice(&lines) {
                    Some(advice) => format!("{message} {advice}"),
                    None => message,
                },
                lines,
                retry_at: rfc3339(retry_at),
                failures,
            });
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(pause) => {}
            }
            self.starting();
        }
    }

    fn now(&self) -> jiff::Timestamp {
        self.ground.clock.now()
    }

    fn starting(&self) {
        let since = rfc3339(self.now());
        self.state.send_replace(TunnelState::Starting { command: self.plan.command(), since });
    }

    /// From the program's start until nothing of it is left.
    async fn one_run(&self, stop: &CancellationToken) -> (End, Vec<String>) {
        let mut program = match self.ground.spawner.spawn(&self.plan.invocation) {
            Ok(started) => Program::new(started),
            Err(error) => {
                let message = format!("{} cannot be started ({error}).", self.plan.name());
                return (End::Never(message), Vec::new());
            }
        };
        let end = tokio::select! {
            biased;
            () = stop.cancelled() => End::Stopped,
            message = self.watch(&mut program) => End::Trouble(message),
        };
        (end, program.end().await)
    }

    /// Until something is wrong with it: what.
    async fn watch(&self, program: &mut Program) -> String {
        let mut url = match timeout(NAMED, program.news(&self.plan, None)).await {
            Ok(News::Url(url)) => url,
            Ok(News::Ended(how)) => return self.ended(&how),
            Err(_) => {
                let seconds = NAMED.as_secs();
                return format!("{} has named no public URL in {seconds} s.", self.plan.name());
            }
        };
        loop {
            self.state.send_replace(TunnelState::Proving { url: url.clone() });
            let connected = program.connected.subscribe();
            let news = tokio::select! {
                news = program.news(&self.plan, Some(&url)) => news,
                message = self.prove(&url, connected) => return message,
            };
            match news {
                News::Ended(how) => return self.ended(&how),
                News::Url(another) => url = another,
            }
        }
    }

    fn ended(&self, how: &str) -> String {
        format!("{} has ended ({how}).", self.plan.name())
    }

    /// Until the URL does not lead here: why.
    async fn prove(&self, url: &str, mut connected: watch::Receiver<bool>) -> String {
        if self.plan.ready.is_some() {
            // Where it never says so, its URL tells.
            let _ = timeout(CONNECTED, connected.wait_for(|connected| *connected)).await;
        }
        let [mut pause, longest] = AGAIN;
        let began = Instant::now();
        let mut round_trip_ms = loop {
            match self.ground.prover.prove(url).await {
                Ok(took) => break took,
                Err(why) if began.elapsed() >= PROVEN => {
                    return format!("{url} does not lead here: {why}.");
                }
                Err(why) => tracing::debug!(url, why, "the tunnel does not lead here yet"),
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
        };
        let since = rfc3339(self.now());
        loop {
            self.state.send_replace(TunnelState::Live {
                url: url.to_owned(),
                since: since.clone(),
                proven_at: rfc3339(self.now()),
                round_trip_ms,
            });
            // Counted from the last answer: after a sleep of the machine there is one proof, and no burst (C85).
            sleep(HEALTH).await;
            round_trip_ms = match self.ground.prover.prove(url).await {
                Ok(took) => took,
                Err(_) => {
                    sleep(SECOND_LOOK).await;
                    match self.ground.prover.prove(url).await {
                        Ok(took) => took,
                        Err(why) => return format!("{url} no longer leads here: {why}."),
                    }
                }
            };
            self.steady.store(true, Ordering::Relaxed);
        }
    }
}

/// The pause before a run, after so many in a row have failed; not the same for everybody whose server went away.
fn back_off(failures: u32) -> Duration {
    let [first, longest] = BACK_OFF;
    let doublings = failures.saturating_sub(1).min(16);
    (first * 2_u32.pow(doublings)).min(longest).mul_f64(0.8 + 0.2 * fastrand::f64())
}

/// A program that runs.
struct Program {
    started: Started,
    kept: VecDeque<String>,
    /// It has said so.
    connected: watch::Sender<bool>,
    ended: bool,
}

impl Program {
    fn new(started: Started) -> Self {
        Self {
            started,
            kept: VecDeque::with_capacity(KEPT),
            connected: watch::Sender::new(false),
            ended: false,
        }
    }

    /// Reads on until it ends or names a URL other than the one that is known.
    async fn news(&mut self, plan: &Plan, known: Option<&str>) -> News {
        loop {
            match self.next().await {
                Output::Ended(how) => return News::Ended(how),
                Output::Line(line) => {
                    if plan.ready.as_ref().is_some_and(|ready| ready.is_match(&line)) {
                        self.connected.send_replace(true);
                    }
                    match plan.finder.find(&line, plan.local) {
                        Some(url) if known != Some(url.as_str()) => return News::Url(url),
                        Some(_) | None => {}
                    }
                }
            }
        }
    }

    /// The next of its output; the lines are kept.
    async fn next(&mut self) -> Output {
        let output = match self.started.output.recv().await {
            Some(output) => output,
            // Nobody tells any more.
            None => Output::ended(None, None),
        };
        match &output {
            Output::Line(line) => {
                if self.kept.len() == KEPT {
                    self.kept.pop_front();
                }
                self.kept.push_back(line.chars().take(LETTERS).collect());
            }
            Output::Ended(_) => self.ended = true,
        }
        output
    }

    /// Lets the leash end the group, kills what is left, and gives the last lines. An orphan without a leash is no
    /// exception: the group is empty afterwards.
    async fn end(mut self) -> Vec<String> {
        let hold = std::mem::replace(&mut self.started.hold, Box::new(()));
        drop(hold);
        let gone = async {
            while !self.ended {
                self.next().await;
            }
        };
        if timeout(LEASH, gone).await.is_err() {
            tracing::debug!(group = self.started.group, "a tunnel's leash does not end");
        }
        if let Err(error) = process::clear_group(self.started.group).await {
            tracing::warn!(%error, "a tunnel's processes could not be ended");
        }
        self.kept.into()
    }
}
