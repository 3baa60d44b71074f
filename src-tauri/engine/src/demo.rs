//! The demonstration: the same signed volley at a naive handler and at a claiming one, with the effects counted.
//!
//! Both are real listeners on free ports over real databases in a temporary folder, and what is shown is what was
//! measured. Nothing is left behind.

use crate::{
    clock::SystemClock,
    engine::run_blocking,
    error::{Error, Result},
    events::Events,
    firing::{self, Plan},
    head::RawHeader,
    listener::{self, Context, ListenConfig},
    model::{
        ClaimState, CopyReport, DeliveryQuery, DemoReport, DemoSide, JobIdType, JobKey, Limits,
        ListenSettings, Protocol, Release, Responder, Retention, RunSummary, SchemeSettings,
        Signing,
    },
    proof::Proofs,
    secrets::{NamedSecret, Secret},
    signing::{self, Signer},
    store::{Role, Store},
};
use bytes::Bytes;
use std::{collections::HashSet, path::Path, sync::Arc, time::Duration};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// How long the naive handler pauses between its look and its insert: as long as a call to another service takes, and
/// far longer than a volley over loopback needs to arrive.
const PAUSE_MS: u32 = 25;
/// How many copies may be asked for.
const COPIES: std::ops::RangeInclusive<u32> = 2..=100;
const PATH: &str = "/hook";
const JOB_ID: &str = "job_demo";
const BODY: &str = r#"{"event":"job.completed","job_id":"job_demo","status":"completed"}"#;

/// Fires so many copies of one delivery at each handler, one handler after the other.
///
/// # Errors
/// When the number is out of its range, or this machine gives no folder, port or random bytes.
pub async fn run(copies: u32) -> Result<DemoReport> {
    if !COPIES.contains(&copies) {
        return Err(Error::Input(format!(
            "{copies} copies cannot be shown: it has to be 2 to 100."
        )));
    }
    let folder = tempfile::tempdir().map_err(|error| {
        Error::Input(format!("There is no temporary folder for the demonstration: {error}."))
    })?;
    let signer = Signer {
        scheme: signing::scheme("sume", &SchemeSettings::default())?,
        secret: Secret::throwaway()?,
    };
    let naive = Responder::Naive { pause_ms: PAUSE_MS };
    let naive = Handler::start("naive", naive, &signer, &folder.path().join("naive"))
        .await?
        .volley(copies)
        .await?;
    let claim =
        Handler::start("claim", Responder::Claim, &signer, &folder.path().join("claim")).await?;
    let claim = claim.volley(copies).await?;
    let sentence = sentence(copies, naive.effects, claim.effects);
    Ok(DemoReport { naive, claim, sentence })
}

/// One of the two, while it runs.
struct Handler<'a> {
    name: &'static str,
    url: String,
    signer: &'a Signer,
    store: Store,
    stop: CancellationToken,
    served: tokio::task::JoinHandle<Result<(), listener::ListenError>>,
    /// The listener's configuration lives as long as this.
    _config: watch::Sender<Arc<ListenConfig>>,
}

impl<'a> Handler<'a> {
    async fn start(
        name: &'static str,
        responder: Responder,
        signer: &'a Signer,
        folder: &Path,
    ) -> Result<Self> {
        let folder = folder.to_owned();
        let store =
            run_blocking(move || Store::open(&folder, Role::Owner, Retention::default())).await??;
        let socket = listener::bind("127.0.0.1", 0).await?;
        let address = socket.local_addr().map_err(|error| {
            Error::Input(format!("The demonstration's socket has no address: {error}."))
        })?;
        let config = ListenConfig {
            settings: ListenSettings { responder, ..ListenSettings::default() },
            limits: Limits::default(),
            scheme: Arc::clone(&signer.scheme),
            secrets: vec![NamedSecret::new("demo", signer.secret.clone(), "memory")],
            known: Vec::new(),
            schemes: SchemeSettings::default(),
        };
        let (sender, receiver) = watch::channel(Arc::new(config));
        let context = Context {
            proofs: Proofs::default(),
            store: store.clone(),
            events: Events::default(),
            clock: Arc::new(SystemClock),
            ended: None,
        };
        let stop = CancellationToken::new();
        let served = tokio::spawn(listener::serve(socket, receiver, context, stop.clone()));
        let url = format!("{}{PATH}", listener::url(address));
        Ok(Self { name, url, signer, store, stop, served, _config: sender })
    }

    async fn volley(self, copies: u32) -> Result<DemoSide> {
        // A demonstration that is dropped half-way takes its listener along.
        let stop = self.stop.clone().drop_guard();
        let (tell, _told) = mpsc::unbounded_channel();
        let fired = firing::fire(self.plan(copies), tell, self.stop.child_token()).await;
        drop(stop);
        if let Ok(Err(error)) = self.served.await {
            return Err(error.into());
        }
        let (copies, summary) = fired?;
        self.store.flush().await?;
        let store = self.store;
        let (effects, winners) = run_blocking(move || counted(&store)).await??;
        Ok(side(self.name, copies, &summary, effects, &winners))
    }

    fn plan(&self, copies: u32) -> Plan {
        Plan {
            url: self.url.clone(),
            method: "POST".into(),
            headers: vec![RawHeader::new("Content-Type", "application/json")],
            body: Bytes::from_static(BODY.as_bytes()),
            copies,
            release: Release::Together,
            signing: Signing::Each,
            signer: Some(self.signer.clone()),
            event_id: "evt_demo".into(),
            protocol: Protocol::Http1,
            timeout: Duration::from_secs(10),
            allow_hosts: Vec::new(),
        }
    }
}

/// How often the effect ran, and from which ports the copies came that ran it.
fn counted(store: &Store) -> Result<(u64, HashSet<u16>)> {
    let key = JobKey { path: PATH.into(), job_id: JOB_ID.into(), job_id_type: JobIdType::String };
    let effects = store.effects(&key)?;
    let mut winners = HashSet::new();
    for row in store.list(&DeliveryQuery::default())?.rows {
        if row.claim == ClaimState::Won
            && let Some(detail) = store.show(row.seq)?
        {
            winners
                .extend(detail.peer.rsplit(':').next().and_then(|port| port.parse::<u16>().ok()));
        }
    }
    Ok((effects, winners))
}

fn side(
    name: &str,
    copies: Vec<CopyReport>,
    summary: &RunSummary,
    effects: u64,
    winners: &HashSet<u16>,
) -> DemoSide {
    DemoSide {
        responder: name.into(),
        effects: u32::try_from(effects).unwrap_or(u32::MAX),
        release_spread_us: summary.release_spread_us,
        peak_in_flight: summary.peak_in_flight,
        ran_effect: copies
            .iter()
            .map(|copy| copy.local_port.is_some_and(|port| winners.contains(&port)))
            .collect(),
        copies,
    }
}

fn sentence(copies: u32, naive: u32, claim: u32) -> String {
    let times = |times: u32| if times == 1 { "once".to_owned() } else { format!("{times} times") };
    format!(
        "Of {copies} copies of one delivery that came at once, the naive handler ran its effect {}, and the claiming \
         handler {}.",
        times(naive),
        times(claim)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_naive_handler_doubles_and_the_claiming_one_does_not() {
        let report = run(20).await.unwrap();
        assert!(report.naive.effects > 1, "{}", report.sentence);
        assert_eq!(report.claim.effects, 1, "{}", report.sentence);
        for side in [&report.naive, &report.claim] {
            assert_eq!(side.copies.len(), 20);
            let marked = side.ran_effect.iter().filter(|ran| **ran).count();
            assert_eq!(marked, side.effects as usize, "{}", side.responder);
        }
    }

    #[tokio::test]
    async fn a_number_that_cannot_be_shown_is_refused() {
        for copies in [0, 1, 101] {
            assert!(run(copies).await.unwrap_err().to_string().contains("2 to 100"));
        }
    }
}
