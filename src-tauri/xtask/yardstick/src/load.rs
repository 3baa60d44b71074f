//! A load of signed deliveries: a fixed number of connections, each with one delivery in flight, for a fixed time.

use crate::sume::{Signer, body};
use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Method, Request, Uri, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{net::TcpStream, task::JoinSet};

#[derive(clap::Args)]
pub(crate) struct Load {
    /// `http://127.0.0.1:PORT/path`.
    #[arg(long)]
    url: Uri,
    #[arg(long, default_value_t = 64)]
    connections: u32,
    /// How long is counted.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// How long is sent before anything is counted.
    #[arg(long, default_value_t = 1.0)]
    warm_up: f64,
    /// Which jobs they are of.
    #[arg(long, value_enum, default_value_t = Jobs::Ordered)]
    jobs: Jobs,
}

/// Where a claim falls in an index depends on the order of the ids, so it is a part of the load.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Jobs {
    /// Each of its own, with ids that grow, as counters and time-ordered ids do.
    Ordered,
    /// Each of its own, with ids in no order, as random UUIDs are.
    Random,
    /// All of one job.
    One,
}

impl Jobs {
    /// The id of the `n`th delivery of a run.
    fn id(self, run: u32, n: u64) -> String {
        match self {
            Self::Ordered => format!("job_{run:08x}_{n:016x}"),
            // An odd factor maps every number to another one.
            Self::Random => format!("job_{:016x}_{run:08x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            Self::One => format!("job_{run:08x}"),
        }
    }
}

/// The time that counts.
#[derive(Clone, Copy)]
struct Window {
    from: Instant,
    to: Instant,
}

/// What came of one connection's deliveries within the window.
#[derive(Default)]
struct Tally {
    accepted: u64,
    other: u64,
}

impl Load {
    /// Sends, and prints the tally as JSON.
    pub(crate) async fn run(&self) -> anyhow::Result<()> {
        let authority = self.url.authority().context("--url has no host")?.to_string();
        let target = self.url.path().to_owned();
        let signer = Signer::from_env()?;
        // Job ids that no earlier run has used, so that a folder can be used again.
        let run = std::process::id();
        let from = Instant::now() + Duration::from_secs_f64(self.warm_up);
        let window = Window { from, to: from + Duration::from_secs_f64(self.seconds) };
        let numbers = Arc::new(AtomicU64::new(0));
        let mut connections = JoinSet::new();
        for _ in 0..self.connections {
            let mut sender = connect(&authority).await?;
            let (authority, target, signer) = (authority.clone(), target.clone(), signer.clone());
            let (jobs, numbers) = (self.jobs, Arc::clone(&numbers));
            connections.spawn(async move {
                let mut tally = Tally::default();
                loop {
                    let job_id = jobs.id(run, numbers.fetch_add(1, Ordering::Relaxed));
                    let accepted =
                        send(&mut sender, &authority, &target, &signer, body(&job_id)).await?;
                    let now = Instant::now();
                    if now >= window.to {
                        break;
                    }
                    if now >= window.from {
                        *(if accepted { &mut tally.accepted } else { &mut tally.other }) += 1;
                    }
                }
                anyhow::Ok(tally)
            });
        }
        let mut total = Tally::default();
        while let Some(tally) = connections.join_next().await {
            let tally = tally??;
            total.accepted += tally.accepted;
            total.other += tally.other;
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of seconds' work is far below 2^52"
        )]
        let per_second = total.accepted as f64 / self.seconds;
        println!(
            "{}",
            serde_json::json!({"per_second": per_second, "accepted": total.accepted, "other": total.other})
        );
        Ok(())
    }
}

async fn connect(authority: &str) -> anyhow::Result<http1::SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(authority)
        .await
        .with_context(|| format!("{authority} cannot be reached"))?;
    stream.set_nodelay(true)?;
    ensure!(
        stream.peer_addr()?.ip().is_loopback(),
        "a load is only for this machine; {authority} is not loopback"
    );
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Its end shows in the sender, which then fails.
    tokio::spawn(connection);
    Ok(sender)
}

/// Sends one delivery and says whether it was answered 2xx.
async fn send(
    sender: &mut http1::SendRequest<Full<Bytes>>,
    authority: &str,
    target: &str,
    signer: &Signer,
    body: String,
) -> anyhow::Result<bool> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(target)
        .header(header::HOST, authority)
        .header(header::CONTENT_TYPE, "application/json");
    for (name, value) in signer.headers(body.as_bytes()) {
        request = request.header(name, value);
    }
    sender.ready().await?;
    let mut answer = sender.send_request(request.body(Full::from(body))?).await?;
    let accepted = answer.status().is_success();
    while let Some(frame) = answer.frame().await {
        if frame?.into_data().is_ok_and(|data| data.len() > 1024 * 1024) {
            bail!("an answer of more than a mebibyte is not a listener's");
        }
    }
    Ok(accepted)
}
