//! `hooktwice sume`: Sume's API, and the jobs whose webhooks are waited for.

mod watch;

use crate::{
    cli::Global,
    exit::{Exit, Failure, Result},
    output::Output,
    people,
};
use clap::{Args, Subcommand};
use hooktwice_engine::{
    model::{JobStatus, Settings, SumeAnswer},
    secrets::{Keychain as _, NamedSecret, Secret, SecretError, SystemKeychain},
    sume::{self, Api, ApiKey, Patience, SumeError},
};
use serde::Serialize;

/// Ask Sume's API: a test delivery, a redelivery, a job's status, or which webhooks were missed
///
/// The key comes from an environment variable, else from the keychain, where the window's Sume page keeps it. The base URL
/// is SUME_API_BASE_URL, else the one of the settings (https://api.sume.com/v1). What asks is tried again where that may
/// help, and Retry-After is kept to; what changes something is sent once. Exits 1 where Sume says no, 2 where there is no
/// key that it takes, 3 where it cannot be asked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice sume test-delivery --to https://example.com/hook
  hooktwice sume status job_1
  hooktwice sume watch job_1 job_2 --expect-within 90s
  hooktwice sume redeliver job_1

Without an account at Sume: `hooktwice demo --provider` starts a stand-in for it.")]
pub(crate) struct Sume {
    /// The environment variable that holds the API key [default: SUME_API_KEY, else the keychain's]
    #[arg(long, global = true, value_name = "NAME")]
    api_key_env: Option<String>,

    #[command(subcommand)]
    ask: Ask,
}

/// What is asked.
#[derive(Debug, Subcommand)]
enum Ask {
    /// Let Sume send a signed webhook.test to a URL
    TestDelivery {
        /// A URL that Sume can reach, as your tunnel's
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Let Sume send a job's terminal event again; it does not count as one of its ten attempts
    Redeliver {
        /// The job
        #[arg(value_name = "JOB_ID")]
        job_id: String,
    },
    /// See where a job is
    Status {
        /// The job
        #[arg(value_name = "JOB_ID")]
        job_id: String,
    },
    Watch(watch::Watch),
}

/// The lines for programs.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'a> {
    TestDelivery {
        to: &'a str,
        #[serde(flatten)]
        answer: &'a SumeAnswer,
    },
    Redeliver {
        job_id: &'a str,
        #[serde(flatten)]
        answer: &'a SumeAnswer,
    },
    /// `state` is what it comes to, `word` what Sume called it.
    Status {
        job_id: &'a str,
        state: hooktwice_engine::model::JobState,
        word: &'a str,
        #[serde(flatten)]
        answer: &'a SumeAnswer,
    },
}

impl Sume {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let settings = global.settings()?;
        let api = self.api(&settings).await?;
        match self.ask {
            Ask::TestDelivery { to } => {
                let answer = api.test_delivery(&to).await?;
                out.either(&Line::TestDelivery { to: &to, answer: &answer }, in_words(&answer))?;
            }
            Ask::Redeliver { job_id } => {
                let answer = api.redeliver(&job_id).await?;
                let line = Line::Redeliver { job_id: &job_id, answer: &answer };
                out.either(&line, in_words(&answer))?;
            }
            Ask::Status { job_id } => {
                let JobStatus { state, word, answer, .. } = api.status(&job_id).await?;
                let line = Line::Status { job_id: &job_id, state, word: &word, answer: &answer };
                out.either(&line, in_words(&answer))?;
            }
            Ask::Watch(watch) => return watch.run(global, &settings, &api, out).await,
        }
        out.flush()?;
        Ok(Exit::Done)
    }

    async fn api(&self, settings: &Settings) -> Result<Api> {
        let key = match &self.api_key_env {
            Some(name) => ApiKey::new(in_environment(name)?)?,
            None => match in_environment(sume::KEY_ENV) {
                Ok(key) => ApiKey::new(key)?,
                Err(_) => in_keychain(settings)?,
            },
        };
        let base = sume::base_url(&settings.sume.base_url);
        Ok(Api::new(&base, key, Patience::default()).await?)
    }
}

fn in_environment(name: &str) -> Result<NamedSecret> {
    match Secret::from_env(name) {
        Ok(secret) => Ok(NamedSecret::new(name, secret, "environment")),
        Err(SecretError::NotInEnvironment(_) | SecretError::Empty(_)) => {
            Err(SumeError::NoKey(name.to_owned()).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The key that was typed in the window.
fn in_keychain(settings: &Settings) -> Result<ApiKey> {
    let none = || Failure::from(SumeError::NoKey(sume::KEY_ENV.to_owned()));
    let name = settings.sume.key_name.as_deref().ok_or_else(none)?;
    let keychain = SystemKeychain::open()?;
    let secret = Secret::from_keychain(&keychain, name)?;
    Ok(ApiKey::new(NamedSecret::new(name, secret, keychain.kept_in()))?)
}

/// The sentence, and whom to name to Sume's support.
fn in_words(answer: &SumeAnswer) -> String {
    let mut text = people::clean(&answer.message);
    text.push_str(&format!(" ({}", answer.status));
    if let Some(id) = &answer.request_id {
        text.push_str(&format!(", request {}", people::clean(id)));
    }
    text + ")"
}
