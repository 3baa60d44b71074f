//! The words of the command line. Each command's own options stand in its file under `commands`.

use crate::{
    commands::{
        check, claims, completions, deliver, deliveries, demo, doctor, fire, leash, listen, serve,
        sign, sume, verify,
    },
    exit::Result,
};
use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser},
};
use hooktwice_engine::{
    model::Settings,
    paths,
    signing::{self, Scheme},
};
use std::{path::PathBuf, sync::Arc};

/// Does your webhook handler run its effect once?
///
/// Hooktwice listens for webhooks that are delivered at least once, keeps every delivery with its exact bytes, claims
/// each job for the first delivery of it and names every later one a duplicate. It signs and fires repeated and
/// concurrent deliveries at your own handler, and checks that its effect runs once.
#[derive(Debug, Parser)]
#[command(name = "hooktwice", version, propagate_version = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  hooktwice demo                                    see what a race is, and what stops it
  hooktwice listen --secret-env WEBHOOK_SECRET      listen on http://127.0.0.1:4400
  hooktwice fire --url http://127.0.0.1:3000/hook --body-file job.json \\
      --copies 20 --secret-env WEBHOOK_SECRET       fire 20 signed copies at once
  hooktwice check --url http://127.0.0.1:3000/hook --secret-env WEBHOOK_SECRET \\
      --effect-url 'http://127.0.0.1:3000/effects/{job_id}'
                                                    see whether your handler's effect runs once
  hooktwice deliveries list                         what came in

Exit codes: 0 done; 1 the answer is no; 2 usage or configuration is wrong, nothing was sent; 3 it could not be told.";

/// What every command understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Where everything is kept [default: the system's application data folder]
    #[arg(long, global = true, env = "HOOKTWICE_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Print one JSON object a line on stdout, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// How deliveries are signed [default: what is set in the window, else sume]
    #[arg(long, global = true, value_name = "NAME", value_parser = schemes())]
    pub(crate) scheme: Option<String>,
}

/// The names that `--scheme` takes, each with what it signs.
fn schemes() -> PossibleValuesParser {
    let named = |name: &'static str| match what(name) {
        Some(what) => PossibleValue::new(name).help(what),
        None => PossibleValue::new(name),
    };
    PossibleValuesParser::new(signing::names().into_iter().map(named))
}

/// What a scheme signs, and in which header; in a few words.
fn what(scheme: &str) -> Option<&'static str> {
    Some(match scheme {
        "sume" => "time and body, in X-Sume-Signature; the header names are settings",
        "standard-webhooks" => "id, time and body, in webhook-signature or svix-signature",
        "stripe" => "time and body, in Stripe-Signature",
        "github" => "the body, in X-Hub-Signature-256",
        "shopify" => "the body, in X-Shopify-Hmac-Sha256",
        "slack" => "time and body, in X-Slack-Signature",
        "custom" => "what settings.json or the window's Settings say; see `hooktwice sign --help`",
        _ => return None,
    })
}

impl Global {
    /// The data folder: the one that was named, or the system's.
    ///
    /// # Errors
    /// When the system has none, for example without a home.
    pub(crate) fn data_folder(&self) -> Result<PathBuf> {
        match &self.data_dir {
            Some(folder) => Ok(folder.clone()),
            None => Ok(paths::data_folder()?),
        }
    }

    /// The scheme that was asked for, else the one that is set; header names and the custom form are the data folder's
    /// settings.
    ///
    /// # Errors
    /// When the settings cannot be used.
    pub(crate) fn scheme(&self) -> Result<Arc<dyn Scheme>> {
        self.scheme_of(&self.settings()?)
    }

    /// The data folder's settings.
    ///
    /// # Errors
    /// When they cannot be used.
    pub(crate) fn settings(&self) -> Result<Settings> {
        Ok(match self.data_folder() {
            Ok(folder) => Settings::load(&folder)?,
            // Without a home there is no settings file either.
            Err(_) => Settings::default(),
        })
    }

    /// As [`Global::scheme`], of settings that are at hand.
    ///
    /// # Errors
    /// When the scheme cannot be used as it is set.
    pub(crate) fn scheme_of(&self, settings: &Settings) -> Result<Arc<dyn Scheme>> {
        let name = self.scheme.as_deref().unwrap_or(&settings.listen.scheme);
        Ok(signing::scheme(name, &settings.schemes)?)
    }
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Listen(listen::Listen),
    #[command(subcommand)]
    Deliveries(deliveries::Deliveries),
    #[command(subcommand)]
    Claims(claims::Claims),
    Sign(sign::Sign),
    Verify(verify::Verify),
    Fire(fire::Fire),
    Deliver(deliver::Deliver),
    Check(Box<check::Check>),
    Sume(sume::Sume),
    Demo(demo::Demo),
    Serve(serve::Serve),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    #[command(hide = true)]
    Leash(leash::Leash),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_words_fit_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_scheme_says_what_it_signs() {
        for name in signing::names() {
            assert!(what(name).is_some(), "{name}");
        }
    }

    #[test]
    fn no_option_takes_the_secret_itself() {
        let mut command = Cli::command();
        command.build();
        for sub in command.get_subcommands() {
            for option in sub.get_arguments().filter_map(|argument| argument.get_long()) {
                assert_ne!(option, "secret", "{}", sub.get_name());
            }
        }
    }
}
