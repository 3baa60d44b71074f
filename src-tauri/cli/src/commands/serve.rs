//! `hooktwice serve`: the window's pages in a browser of this machine.

mod guard;
mod pages;
mod routes;

use crate::{
    cli::Global,
    exit::{Exit, Failure, Result},
    output::Output,
    secret::SecretArgs,
    terminal,
};
use clap::Args;
use guard::Guard;
use hooktwice_engine::{
    engine::{Engine, EngineOptions},
    listener,
    model::ListenerState,
};
pub(crate) use pages::are_embedded as has_pages;
use serde_json::json;

/// Show the window's pages in a browser, on loopback
///
/// Runs the listener too. The pages can do what the window can, so they want the token that is part of the printed URL;
/// it is new at each start. Other machines cannot reach them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice serve
  hooktwice serve --port 0 --listen-port 0 --json")]
pub(crate) struct Serve {
    /// The port of the pages; 0 takes any free one
    #[arg(long, default_value_t = 4401)]
    port: u16,

    /// The port of the listener; 0 takes any free one [default: 4400, or as set]
    #[arg(long)]
    listen_port: Option<u16>,

    #[command(flatten)]
    secret: SecretArgs,
}

impl Serve {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        if global.scheme.is_some() {
            return Err(Failure::Usage(
                "The pages have the scheme in their Settings; leave --scheme out.".into(),
            ));
        }
        let mut options = EngineOptions::new(global.data_folder()?);
        options.port = self.listen_port;
        options.secrets = self.secret.named()?;

        let ended_by_person = terminal::ended_by_person()?;
        let socket = listener::bind("127.0.0.1", self.port).await?;
        let port = socket.local_addr()?.port();
        let engine = Box::pin(Engine::start(options)).await?;
        let guard = Guard::new(port)?;
        say_where(&mut out, &engine, &guard).await?;

        let router = routes::router(engine.clone(), guard, ended_by_person.clone());
        let served = axum::serve(socket, router)
            .with_graceful_shutdown(ended_by_person.cancelled_owned())
            .await;
        engine.shutdown().await;
        served?;
        Ok(Exit::Done)
    }
}

async fn say_where(out: &mut Output, engine: &Engine, guard: &Guard) -> Result<()> {
    let state = engine.state().await?;
    for problem in &state.settings_problems {
        terminal::say(&format!("Of settings.json this is not understood: {problem}"));
    }
    let listening = match state.listener {
        ListenerState::Listening { url, .. } => Some(url),
        ListenerState::Stopped => None,
        ListenerState::Failed { message } => {
            terminal::say(&format!("The listener does not run: {message}"));
            None
        }
    };
    if out.is_json() {
        out.object(&json!({
            "type": "serving",
            "url": guard.url(),
            "token_url": guard.token_url(),
            "listening": listening,
        }))?;
    } else {
        out.text(format_args!("Open {}", guard.token_url()))?;
        if let Some(url) = listening {
            out.text(format_args!("Listening on {url}"))?;
        }
    }
    out.flush()
}
