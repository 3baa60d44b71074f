//! `hooktwice listen --forward`.

use crate::{
    exit::{Failure, Result},
    terminal, units,
};
use clap::Args;
use hooktwice_engine::model::{ForwardSettings, ListenSettings, Responder};

/// Where deliveries go on to.
#[derive(Debug, Args)]
pub(super) struct ForwardArgs {
    /// Send every delivery on to this URL, and answer what is answered there; 502 or 504 where nothing is
    ///
    /// Method, headers and body go on as they came. A path in the URL takes the place of each delivery's own; without one
    /// (or with `/` alone) the delivery's path is kept. The query is always the delivery's own.
    #[arg(long, value_name = "URL", conflicts_with = "respond")]
    forward: Option<String>,

    /// Send each delivery on N times at once; the provider gets the first one's answer [default: 1]
    #[arg(long, value_name = "N")]
    copies: Option<u32>,

    /// Answer 401 to a delivery whose signature is not valid, and do not send it on; without this, every one goes on
    #[arg(long)]
    forward_valid_only: bool,

    /// How long the handler has for its answer; 504 past it [default: 30s]
    #[arg(long, value_name = "DUR", value_parser = units::millis)]
    forward_timeout: Option<u32>,
}

impl ForwardArgs {
    /// Puts what was typed in the settings' place.
    pub(super) fn over(&self, listen: &mut ListenSettings) {
        if let Some(url) = &self.forward {
            listen.forward.url.clone_from(url);
            listen.responder = Responder::Forward;
        }
        listen.forward.copies = self.copies.unwrap_or(listen.forward.copies);
        listen.forward.timeout_ms = self.forward_timeout.unwrap_or(listen.forward.timeout_ms);
        listen.forward.valid_only |= self.forward_valid_only;
    }

    /// Refuses what could not do what it says.
    pub(super) fn check(&self, listen: &ListenSettings, has_secret: bool) -> Result<()> {
        let forwards = listen.responder == Responder::Forward;
        let says_how =
            self.copies.is_some() || self.forward_valid_only || self.forward_timeout.is_some();
        if says_how && !forwards {
            return Err(Failure::Usage(
                "--copies, --forward-valid-only and --forward-timeout say how to forward, and nothing is forwarded. Add \
                 --forward URL."
                    .into(),
            ));
        }
        if forwards && listen.forward.valid_only && !has_secret {
            return Err(Failure::Usage(
                "Only valid signatures are to be forwarded, and without a secret none can be told from the others. Add \
                 --secret-env NAME."
                    .into(),
            ));
        }
        Ok(())
    }
}

/// Says where deliveries go on to, if they do.
pub(super) fn say_where(listen: &ListenSettings) {
    if listen.responder != Responder::Forward {
        return;
    }
    let ForwardSettings { url, copies, .. } = &listen.forward;
    let times = match copies {
        1 => String::new(),
        copies => format!(", {copies} times at once"),
    };
    terminal::say(&format!("Every delivery goes on to {url}{times}."));
}
