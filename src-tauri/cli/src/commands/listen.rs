//! `hooktwice listen`: takes deliveries, keeps them, says what each was.

mod forward;
mod tunnel;

use crate::{
    cli::Global,
    exit::{Exit, Result},
    output::Output,
    secret::{self, SecretArgs},
    terminal, units,
};
use clap::Args;
use hooktwice_engine::{
    clock::SystemClock,
    events::Events,
    listener::{self, Context, ListenConfig},
    model::{Delivery, Responder, Settings, TunnelState},
    proof::Proofs,
    store::{Role, Store},
};
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    runtime::Handle,
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

/// How many lines are printed at once.
const BURST: usize = 1024;

/// Listen for deliveries, keep them, and flag the duplicates
///
/// Every request is kept with its exact bytes, whatever its path. The first verified delivery of a job claims it; each
/// later one is named a duplicate of it. A 2xx is answered only after the delivery and its claim are durable. SIGINT and
/// SIGTERM end the listener after the answers in flight.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice listen --secret-env WEBHOOK_SECRET          verify with the secret in $WEBHOOK_SECRET
  hooktwice listen --respond status=503                 see how a sender takes a refusal
  hooktwice listen --fail-first 2                       refuse the first two deliveries of each job, then take it
  hooktwice listen --forward http://localhost:3000      let each reach your handler, whose answer goes back
  hooktwice listen --forward http://localhost:3000 --copies 10     the same, ten times at one instant
  hooktwice listen --port 0 --json | jq -c 'select(.claim == \"duplicate\")'

What is not given here is as it was set in the window.")]
pub(crate) struct Listen {
    /// The address to listen on; anything but loopback can be reached by other machines [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,

    /// The port; 0 takes any free one [default: 4400]
    #[arg(long)]
    port: Option<u16>,

    /// What to answer: claim, naive (looks first, inserts later: the fault), or status=CODE [default: claim]
    #[arg(long, value_name = "HOW", value_parser = units::responder)]
    respond: Option<Responder>,

    /// Answer 500 to the first K deliveries of each job; they are claimed all the same
    #[arg(long, value_name = "K")]
    fail_first: Option<u32>,

    /// Wait so long before each answer, such as 500ms
    #[arg(long, value_name = "DUR", value_parser = units::millis)]
    delay: Option<u32>,

    /// Take each delivery and close the connection instead of answering
    #[arg(long)]
    drop: bool,

    /// Answer a provider that verifies this address with its challenge: `challenge` in a POST, hub.challenge in a GET
    #[arg(long)]
    answer_challenges: bool,

    #[command(flatten)]
    forward: forward::ForwardArgs,

    /// Where the job's id stands in the body (RFC 6901) [default: /job_id]
    #[arg(long, value_name = "POINTER")]
    id_pointer: Option<String>,

    /// How far a timestamp may be off, either way [default: 300s]
    #[arg(long, value_name = "DUR", value_parser = units::seconds)]
    tolerance: Option<u32>,

    /// The largest body that is taken, such as 10MiB; 413 past it [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    max_body: Option<u64>,

    #[command(flatten)]
    tunnel: tunnel::TunnelArgs,

    /// Print no line for each delivery
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    secret: SecretArgs,
}

impl Listen {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let folder = global.data_folder()?;
        let settings = self.over(Settings::load(&folder)?, global);
        settings.check()?;
        let scheme = global.scheme_of(&settings)?;
        let tunnel = self.tunnel.wanted(&settings.tunnel)?;
        let secrets = self.secret.named()?;
        self.forward.check(&settings.listen, !secrets.is_empty())?;
        let known = secret::known(&settings);
        if secrets.is_empty() {
            terminal::say(
                "No secret is given, so signatures are not checked. Add --secret-env NAME to check them.",
            );
        }

        let ended_by_person = terminal::ended_by_person()?;
        let store = Store::open(&folder, Role::Owner, settings.retention)?;
        let socket = listener::bind(&settings.listen.host, settings.listen.port).await?;
        let address = socket.local_addr()?;
        listener::check_forward(&settings.listen, address).await?;
        warn_if_exposed(address);
        forward::say_where(&settings.listen);

        let url = listener::url(address);
        out.either(
            &json!({ "type": "listening", "url": url }),
            format_args!("Listening on {url}"),
        )?;
        out.flush()?;

        let proofs = Proofs::default();
        let (tunnel, tunnel_state) = tunnel::start(tunnel.as_ref(), address, proofs.clone())?;
        let (ended, lines) = mpsc::unbounded_channel();
        let printer = tokio::task::spawn_blocking({
            let (store, stop) = (store.clone(), ended_by_person.clone());
            move || print(lines, tunnel_state, &store, out, &stop)
        });
        let config = ListenConfig {
            settings: settings.listen,
            limits: settings.limits,
            scheme,
            secrets,
            known,
            schemes: settings.schemes,
        };
        let (_config, config) = watch::channel(Arc::new(config));
        let context = Context {
            store: store.clone(),
            events: Events::default(),
            clock: Arc::new(SystemClock),
            proofs,
            ended: (!self.quiet).then_some(ended),
        };
        let served = listener::serve(socket, config, context, ended_by_person).await;
        // After the answers in flight, which go back through it.
        if let Some(tunnel) = tunnel {
            tunnel.stop().await;
        }
        served?;
        store.flush().await?;
        match printer.await {
            Ok(printed) => printed.map(|()| Exit::Done),
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        }
    }

    /// The settings of the data folder, with what was typed in their place.
    fn over(&self, mut settings: Settings, global: &Global) -> Settings {
        let listen = &mut settings.listen;
        if let Some(host) = &self.host {
            listen.host.clone_from(host);
        }
        if let Some(pointer) = &self.id_pointer {
            listen.id_pointer.clone_from(pointer);
        }
        if let Some(scheme) = &global.scheme {
            listen.scheme.clone_from(scheme);
        }
        listen.port = self.port.unwrap_or(listen.port);
        listen.responder = self.respond.unwrap_or(listen.responder);
        self.forward.over(listen);
        listen.fail_first = self.fail_first.unwrap_or(listen.fail_first);
        listen.delay_ms = self.delay.unwrap_or(listen.delay_ms);
        listen.tolerance_s = self.tolerance.unwrap_or(listen.tolerance_s);
        listen.drop |= self.drop;
        listen.answer_challenges |= self.answer_challenges;
        settings.limits.body_bytes = self.max_body.unwrap_or(settings.limits.body_bytes);
        settings
    }
}

fn warn_if_exposed(address: SocketAddr) {
    if !address.ip().is_loopback() {
        terminal::say(&format!(
            "WARNING: {address} can be reached from other machines. Whoever reaches it can fill this disk up to the \
             retention limits. Leave --host out to listen on this machine only."
        ));
    }
}

/// Prints deliveries on a thread of its own: a reader of stdout that is slow holds up nobody's answer.
///
/// A line is printed when its ending is in the database too, so that whoever reads it can ask for the delivery at once.
/// It ends when neither can say any more.
fn print(
    mut ended: mpsc::UnboundedReceiver<Delivery>,
    mut tunnel: watch::Receiver<TunnelState>,
    store: &Store,
    mut out: Output,
    stop: &CancellationToken,
) -> Result<()> {
    let runtime = Handle::current();
    let mut some = Vec::new();
    let mut places = tunnel::Printer::default();
    while runtime.block_on(anything(&mut ended, &mut some, &mut tunnel)) {
        if let Err(error) = runtime.block_on(store.flush()) {
            tracing::warn!(%error, "endings could not be written");
        }
        // Not borrowed while it is printed: a slow reader must not hold up the tunnel.
        let place = tunnel.borrow_and_update().clone();
        let printed = some
            .drain(..)
            .try_for_each(|delivery| super::deliveries::print(&mut out, &delivery))
            .and_then(|()| places.print(&mut out, &place))
            .and_then(|()| out.flush());
        if let Err(failure) = printed {
            stop.cancel();
            return Err(failure);
        }
    }
    Ok(())
}

/// Waits for deliveries, or for the tunnel to be somewhere else; whether there is anything.
async fn anything(
    ended: &mut mpsc::UnboundedReceiver<Delivery>,
    some: &mut Vec<Delivery>,
    tunnel: &mut watch::Receiver<TunnelState>,
) -> bool {
    tokio::select! {
        received = ended.recv_many(some, BURST) => received > 0 || tunnel.changed().await.is_ok(),
        changed = tunnel.changed() => changed.is_ok() || ended.recv_many(some, BURST).await > 0,
    }
}
