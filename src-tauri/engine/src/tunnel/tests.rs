//! The supervisor against a program and a public URL that do as they are told; time passes by itself.

use super::*;
use crate::{
    clock::SystemClock,
    model::{TunnelPreset, TunnelSettings},
};
use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::mpsc,
    time::{Instant, advance, sleep},
};

const URL: &str = "http://bore.pub:3263";

/// A program that was started, from its own side.
struct Run {
    tell: mpsc::Sender<Output>,
    at: Instant,
}

impl Run {
    async fn say(&self, line: &str) {
        self.tell.send(Output::Line(line.into())).await.unwrap();
    }

    async fn end(&self, how: &str) {
        self.tell.send(Output::Ended(how.into())).await.unwrap();
    }
}

#[derive(Debug)]
struct Programs(mpsc::UnboundedSender<Run>);

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Run")
    }
}

/// A leash that is let go ends its program.
struct Hold(mpsc::Sender<Output>);

impl Drop for Hold {
    fn drop(&mut self) {
        let _ = self.0.try_send(Output::Ended("signal 15".into()));
    }
}

impl Spawner for Programs {
    fn spawn(&self, _: &Invocation) -> io::Result<Started> {
        let (tell, output) = mpsc::channel(1000);
        let hold = Box::new(Hold(tell.clone()));
        self.0.send(Run { tell, at: Instant::now() }).map_err(io::Error::other)?;
        // No process has this number.
        Ok(Started { group: 0, output, hold })
    }
}

/// A public URL that answers, or does not, and how often it was asked.
#[derive(Debug, Default)]
struct Outside {
    broken: Mutex<Option<&'static str>>,
    asked: AtomicUsize,
}

impl Outside {
    fn set(&self, broken: Option<&'static str>) {
        *self.broken.lock().unwrap() = broken;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Prover for Outside {
    fn prove<'a>(&'a self, _: &'a str) -> Proving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let broken = *self.broken.lock().unwrap();
        Box::pin(async move { broken.map_or(Ok(1.5), |why| Err(why.to_owned())) })
    }
}

struct Bench {
    tunnel: Tunnel,
    state: watch::Receiver<TunnelState>,
    runs: mpsc::UnboundedReceiver<Run>,
    outside: Arc<Outside>,
}

impl Bench {
    fn start() -> Self {
        Self::of(TunnelPreset::Bore)
    }

    fn of(preset: TunnelPreset) -> Self {
        let (programs, runs) = mpsc::unbounded_channel();
        let outside = Arc::new(Outside::default());
        let (tunnel, state) = start(preset, Arc::new(Programs(programs)), outside.clone());
        Self { tunnel, state, runs, outside }
    }

    async fn run(&mut self) -> Run {
        self.runs.recv().await.unwrap()
    }

    async fn until(&mut self, is_it: impl FnMut(&TunnelState) -> bool) -> TunnelState {
        self.state.wait_for(is_it).await.unwrap().clone()
    }

    async fn live(&mut self) -> TunnelState {
        self.until(|state| matches!(state, TunnelState::Live { .. })).await
    }

    async fn waiting(&mut self) -> (String, Vec<String>, u32) {
        match self.until(|state| matches!(state, TunnelState::Waiting { .. })).await {
            TunnelState::Waiting { message, lines, failures, .. } => (message, lines, failures),
            other => panic!("{other:?}"),
        }
    }
}

fn start(
    preset: TunnelPreset,
    spawner: Arc<dyn Spawner>,
    prover: Arc<dyn Prover>,
) -> (Tunnel, watch::Receiver<TunnelState>) {
    let settings = TunnelSettings { preset, server: "bore.pub".into(), ..Default::default() };
    let plan = Plan::new(&settings, Local::of("127.0.0.1:4400".parse().unwrap())).unwrap();
    let (state, seen) = watch::channel(TunnelState::Off);
    let ground = Ground { spawner, prover, clock: Arc::new(SystemClock) };
    (Tunnel::start(plan, ground, state), seen)
}

fn url_of(state: &TunnelState) -> &str {
    match state {
        TunnelState::Proving { url } | TunnelState::Live { url, .. } => url,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn it_starts_proves_and_is_live_and_ends_when_it_is_stopped() {
    let mut bench = Bench::start();
    let TunnelState::Starting { command, .. } = bench.state.borrow().clone() else { panic!() };
    assert_eq!(command, "bore local 4400 --local-host 127.0.0.1 --to bore.pub");
    bench.outside.set(Some("no answer"));
    let run = bench.run().await;
    run.say("listening at bore.pub:3263").await;
    let proving = bench.until(|state| matches!(state, TunnelState::Proving { .. })).await;
    assert_eq!(url_of(&proving), URL);
    bench.outside.set(None);
    let TunnelState::Live { url, since, proven_at, round_trip_ms } = bench.live().await else {
        panic!()
    };
    assert_eq!((url.as_str(), since.len(), round_trip_ms), (URL, proven_at.len(), 1.5));
    bench.tunnel.stop().await;
    assert_eq!(*bench.state.borrow(), TunnelState::Off);
    assert!(run.tell.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_program_that_ends_is_run_again_later_and_later_and_shows_its_last_lines() {
    let mut bench = Bench::start();
    let mut before = None;
    for n in 1..=9_u32 {
        let run = bench.run().await;
        if let Some(before) = before {
            let pause = run.at.duration_since(before).as_secs_f64();
            let longest = f64::from(2_u32.pow(n - 2)).min(60.0);
            assert!((longest * 0.79..longest * 1.01).contains(&pause), "{n}: {pause}");
        }
        for line in 0..60 {
            run.say(&format!("line {line}")).await;
        }
        run.end("exit code 2").await;
        let (message, lines, failures) = bench.waiting().await;
        before = Some(Instant::now());
        assert_eq!((message.as_str(), failures), ("bore has ended (exit code 2).", n));
        assert_eq!(
            (lines.len(), lines[0].as_str(), lines[49].as_str()),
            (50, "line 10", "line 59")
        );
    }
    assert_eq!(bench.outside.asked(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_program_that_names_no_url_is_ended_and_run_again() {
    let mut bench = Bench::start();
    let run = bench.run().await;
    run.say("connecting").await;
    let (message, lines, _) = bench.waiting().await;
    assert_eq!(message, "bore has named no public URL in 60 s.");
    assert_eq!(lines, ["connecting"]);
    assert_eq!(run.at.elapsed().as_secs(), 60);
    bench.run().await;
}

#[tokio::test(start_paused = true)]
async fn a_url_that_does_not_lead_here_is_given_a_minute() {
    let mut bench = Bench::start();
    bench.outside.set(Some("somebody else answers there, with 200"));
    let run = bench.run().await;
    run.say("listening at bore.pub:3263").await;
    let (message, _, _) = bench.waiting().await;
    assert_eq!(
        message,
        "http://bore.pub:3263 does not lead here: somebody else answers there, with 200."
    );
    assert!((60..70).contains(&run.at.elapsed().as_secs()), "{:?}", run.at.elapsed());
    assert!(bench.outside.asked() < 20, "{}", bench.outside.asked());
}

#[tokio::test(start_paused = true)]
async fn two_proofs_that_fail_in_a_row_end_a_run_and_one_does_not() {
    let mut bench = Bench::start();
    bench.run().await.say("listening at bore.pub:3263").await;
    bench.live().await;
    sleep(Duration::from_secs(29)).await;
    bench.outside.set(Some("no answer came in 10 s"));
    sleep(Duration::from_secs(2)).await;
    bench.outside.set(None);
    let asked = bench.outside.asked();
    sleep(Duration::from_secs(6)).await;
    assert_eq!((asked, bench.outside.asked()), (2, 3));
    assert_eq!(url_of(&bench.live().await), URL);

    bench.outside.set(Some("no answer came in 10 s"));
    let (message, _, failures) = bench.waiting().await;
    assert_eq!(message, "http://bore.pub:3263 no longer leads here: no answer came in 10 s.");
    assert_eq!(failures, 1);
    bench.outside.set(None);
    bench.run().await.say("listening at bore.pub:4000").await;
    assert_eq!(url_of(&bench.live().await), "http://bore.pub:4000", "another URL than before");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_live_for_a_while_begins_the_pauses_anew() {
    let mut bench = Bench::start();
    for failures in 1..=3 {
        bench.run().await.end("exit code 1").await;
        assert_eq!(bench.waiting().await.2, failures);
    }
    let run = bench.run().await;
    run.say("listening at bore.pub:3263").await;
    bench.live().await;
    let asked = bench.outside.asked();
    while bench.outside.asked() == asked {
        advance(Duration::from_secs(10)).await;
        tokio::task::yield_now().await;
    }
    run.end("signal 9").await;
    assert_eq!(bench.waiting().await.2, 1);
}

#[tokio::test(start_paused = true)]
async fn a_url_that_changes_while_it_runs_is_proven_anew() {
    let mut bench = Bench::start();
    let run = bench.run().await;
    run.say("listening at bore.pub:3263").await;
    bench.live().await;
    run.say("listening at bore.pub:3263").await;
    run.say("listening at bore.pub:5000").await;
    let live = bench.until(
        |state| matches!(state, TunnelState::Live { url, .. } if url == "http://bore.pub:5000"),
    );
    live.await;
    assert_eq!(bench.outside.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn cloudflared_is_not_asked_before_it_is_connected() {
    let mut bench = Bench::of(TunnelPreset::Cloudflared);
    let run = bench.run().await;
    run.say("INF |  https://purple-rain.trycloudflare.com  |").await;
    bench.until(|state| matches!(state, TunnelState::Proving { .. })).await;
    advance(Duration::from_secs(5)).await;
    assert_eq!(bench.outside.asked(), 0);
    run.say("INF Registered tunnel connection connIndex=0").await;
    bench.live().await;
    assert_eq!(bench.outside.asked(), 1);
    assert!(run.at.elapsed() < Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn c85_after_a_sleep_of_the_machine_there_is_one_proof_and_no_burst() {
    let mut bench = Bench::start();
    bench.run().await.say("listening at bore.pub:3263").await;
    bench.live().await;
    let asked = bench.outside.asked();
    advance(Duration::from_secs(7200)).await;
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.outside.asked(), asked + 1);
    assert_eq!(url_of(&bench.live().await), URL);
}

#[derive(Debug)]
struct Nobody;

impl Spawner for Nobody {
    fn spawn(&self, _: &Invocation) -> io::Result<Started> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[tokio::test]
async fn what_cannot_be_started_at_all_is_not_tried_again() {
    let (tunnel, mut state) =
        start(TunnelPreset::Bore, Arc::new(Nobody), Arc::<Outside>::default());
    let failed = state.wait_for(|state| matches!(state, TunnelState::Failed { .. })).await;
    let failed = failed.unwrap().clone();
    let TunnelState::Failed { message, lines } = failed else { panic!() };
    assert_eq!((message.as_str(), lines.len()), ("bore cannot be started (permission denied).", 0));
    tunnel.stop().await;
}
