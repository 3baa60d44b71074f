//! `hooktwice demo --provider`: a stand-in for Sume, with jobs that go well and jobs that go wrong.

use crate::{
    cli::Global,
    exit::{Exit, Failure, Result},
    output::Output,
    people,
    secret::SecretArgs,
    terminal,
};
use clap::Args;
use hooktwice_engine::{
    model::{ListenSettings, Schedule},
    secrets::Secret,
};
use hooktwice_provider::{Attempt, Config, Faults, Kind, NewJob, Provider};
use serde::Serialize;
use tokio::sync::mpsc;

pub(super) const EXAMPLES: &str = "\
Examples:
  hooktwice demo                                    the race, and what stops it
  hooktwice listen --secret-env WEBHOOK_SECRET      in one terminal, and in another:
  hooktwice demo --provider --secret-env WEBHOOK_SECRET

The stand-in says which variables `hooktwice sume` needs, and names its jobs. More jobs, in its own way, which is not
Sume's: POST /stand-in/jobs below its base URL, with the key in x-api-key and any of
{\"webhook_url\",\"finish_after_ms\",\"outcome\",\"faults\":{\"lose\",\"lose_all\",\"copies\",\"delay_ms\",\"overlap_ms\"}}.";

/// The path that the jobs' webhooks go to, where none is given.
const PATH: &str = "/hook";

/// A stand-in for Sume.
#[derive(Debug, Args)]
pub(super) struct ProviderArgs {
    /// Start a stand-in for Sume's API and deliveries, with a few jobs to play with
    #[arg(long)]
    provider: bool,

    /// Where the jobs' webhooks go [default: /hook at the listener of this data folder's settings]
    #[arg(long, requires = "provider", value_name = "URL")]
    url: Option<String>,

    /// The port of its API; 0 takes any free one
    #[arg(long, requires = "provider", default_value_t = 0)]
    port: u16,

    /// So many times faster go the gaps and timeouts of the schedule
    #[arg(long, requires = "provider", value_name = "N", default_value_t = 10.0, value_parser = scale)]
    time_scale: f64,

    /// A host that is not loopback and may be delivered to, as your tunnel's; may be given several times
    #[arg(long = "allow-host", requires = "provider", value_name = "HOST")]
    allow_hosts: Vec<String>,

    #[command(flatten)]
    secret: SecretArgs,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if (0.01..=10_000.0).contains(&scale) => Ok(scale),
        _ => Err("it is a number from 0.01 to 10000".to_owned()),
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    /// The key is the stand-in's own and opens nothing else.
    Provider {
        base_url: &'a str,
        api_key: &'a str,
        url: &'a str,
    },
    Job {
        job_id: &'a str,
        what: &'a str,
    },
    Attempt(&'a Attempt),
}

/// The jobs: what becomes of each one's webhook.
fn jobs() -> [(&'static str, NewJob); 4] {
    let job = |finish_after_ms, faults| NewJob {
        finish_after_ms: Some(finish_after_ms),
        faults,
        ..NewJob::default()
    };
    let well = Faults::default();
    [
        ("is delivered once", job(3_000, well)),
        ("is delivered twice at once", job(4_000, Faults { copies: 2, ..well })),
        (
            "is delivered by its second attempt; the first is lost",
            job(5_000, Faults { lose: 1, ..well }),
        ),
        (
            "is never delivered: watch it, then let it be redelivered",
            job(6_000, Faults { lose_all: true, ..well }),
        ),
    ]
}

impl ProviderArgs {
    pub(super) fn is_asked_for(&self) -> bool {
        self.provider
    }

    /// Without the stand-in there is nothing that a secret could sign.
    pub(super) fn nothing_else(&self) -> Result<()> {
        if self.secret.words().is_empty() {
            return Ok(());
        }
        Err(Failure::Usage("A secret is for the stand-in; add --provider.".into()))
    }

    pub(super) async fn run(self, global: &Global, mut out: Output) -> Result {
        let settings = global.settings()?;
        let url = self.url.unwrap_or_else(|| at_listener(&settings.listen));
        let secret = if let Some(secret) = self.secret.read()? {
            secret
        } else {
            terminal::say(
                "No secret is given, so deliveries are signed with one that nobody knows. Add --secret-env NAME, and the \
                 same to `hooktwice listen`, to see them verified.",
            );
            Secret::throwaway()?
        };
        let stop = terminal::ended_by_person()?;
        let (tell, mut told) = mpsc::unbounded_channel();
        let api_key = api_key()?;
        let provider = Provider::start(Config {
            port: self.port,
            schemes: settings.schemes,
            webhook_url: Some(url.clone()),
            allow_hosts: self.allow_hosts,
            schedule: Schedule { time_scale: self.time_scale, ..Schedule::default() },
            told: Some(tell),
            ..Config::new(&*api_key, secret)
        })
        .await?;
        let base_url = provider.base_url();
        out.either(
            &Line::Provider { base_url, api_key: &api_key, url: &url },
            format_args!(
                "A stand-in for Sume is there, until Ctrl+C. For `hooktwice sume` in another terminal:\n\n  \
                 export SUME_API_BASE_URL={base_url}\n  export SUME_API_KEY={api_key}\n\n\
                 Its jobs, with webhooks to {}:\n",
                people::clean(&url)
            ),
        )?;
        let mut ids = Vec::new();
        for (what, new) in jobs() {
            let job_id = provider.create(new).map_err(Failure::CannotTell)?;
            let line = Line::Job { job_id: &job_id, what };
            out.either(&line, format_args!("  {job_id}  {what}"))?;
            ids.push(job_id);
        }
        if !out.is_json() {
            out.text(format_args!(
                "\n  hooktwice sume watch --expect-within 20s {}\n",
                ids.join(" ")
            ))?;
        }
        out.flush()?;
        loop {
            let attempt = tokio::select! {
                () = stop.cancelled() => break,
                attempt = told.recv() => attempt,
            };
            let Some(attempt) = attempt else { break };
            out.either(&Line::Attempt(&attempt), in_words(&attempt))?;
            out.flush()?;
        }
        provider.stop().await;
        Ok(Exit::Done)
    }
}

/// The listener that this data folder's settings describe. One that listens everywhere is reached on this machine.
fn at_listener(listen: &ListenSettings) -> String {
    let host = match listen.host.as_str() {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    format!("http://{host}:{}{PATH}", listen.port)
}

/// A key of this run's own.
fn api_key() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::CannotTell(format!("The system gives no random bytes: {error}."))
    })?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("standin_{digits}"))
}

fn in_words(attempt: &Attempt) -> String {
    let what = match attempt.kind {
        Kind::Automatic => format!("attempt {}", attempt.n),
        Kind::Redelivery => "redelivery".into(),
        Kind::Test => "test delivery".into(),
    };
    let answer =
        |status: &Option<u16>| status.map_or("no answer".to_owned(), |code| code.to_string());
    let became = if attempt.lost {
        "lost on purpose".into()
    } else {
        attempt.statuses.iter().map(answer).collect::<Vec<_>>().join(", ")
    };
    let job = if attempt.job_id.is_empty() { "webhook.test" } else { &attempt.job_id };
    let mut text = format!("{job}: {what}, {became}");
    if let Some(error) = &attempt.error {
        text.push_str(&format!(" ({})", people::clean(error)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_that_listens_everywhere_is_reached_here() {
        let at = |host: &str| {
            at_listener(&ListenSettings { host: host.into(), ..ListenSettings::default() })
        };
        assert_eq!(at("127.0.0.1"), "http://127.0.0.1:4400/hook");
        assert_eq!(at("0.0.0.0"), "http://127.0.0.1:4400/hook");
        assert_eq!(at("::"), "http://[::1]:4400/hook");
    }
}
