//! `hooktwice deliver`: one delivery by a provider's schedule, until it is acknowledged.

use super::fire::Http;
use crate::{
    cli::Global,
    exit::{Exit, Result},
    input,
    output::{self, Output},
    people,
    secret::SecretArgs,
    terminal, units,
};
use bytes::Bytes;
use clap::{
    Args,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use hooktwice_engine::{
    firing::Plan,
    head::RawHeader,
    ids,
    model::{AttemptReport, CopyOutcome, Release, Schedule, Signing},
    signing::{self, Signer},
    sume::{DeliverySummary, Scheduled, Told, Why},
};
use jiff::{SignedDuration, Zoned};
use serde::Serialize;
use std::{path::PathBuf, time::Duration};
use tokio::sync::mpsc;

/// Deliver by a provider's schedule, until a handler acknowledges
///
/// Delivers as Sume does: up to ten attempts, 30 s from the end of one to the beginning of the next, 10 s for each, until
/// any 2xx. Each attempt is signed anew with the real time; the event's id stays the same. Redirects are not followed and
/// are no acknowledgement. Exits 0 when it was delivered, 1 when every attempt was made in vain, 3 when it was stopped
/// before.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice deliver --url http://127.0.0.1:3000/hook --body-file job.json --secret-env WEBHOOK_SECRET
  hooktwice deliver --url http://127.0.0.1:3000/hook --body-file job.json \\
      --time-scale 60 --secret-env WEBHOOK_SECRET   the whole window in about six seconds
  hooktwice deliver --url http://127.0.0.1:3000/hook --body-file job.json \\
      --attempts 3 --gap 0s --timeout 3s --secret-env WEBHOOK_SECRET
                                                    another provider's schedule

Both sides on one machine: hooktwice listen --fail-first 2, and deliver to it.")]
pub(crate) struct Deliver {
    /// The target; its path and query are sent as given
    #[arg(long)]
    url: String,

    /// The file with the body's exact bytes; - is stdin
    #[arg(long, value_name = "FILE")]
    body_file: PathBuf,

    /// The most attempts
    #[arg(long, value_name = "N", default_value_t = 10)]
    attempts: u32,

    /// From the end of an attempt to the beginning of the next
    #[arg(long, value_name = "DUR", default_value = "30s", value_parser = units::duration)]
    gap: Duration,

    /// From an attempt's release to its whole answer
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,

    /// So many times faster: gaps and timeout only, never the times that are signed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true)]
    time_scale: f64,

    /// A status that ends it without an acknowledgement, such as 410; may be given several times
    #[arg(long = "stop-on", value_name = "CODE")]
    stop_on: Vec<u16>,

    /// A header to send; may be given several times
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = OsStringValueParser::new().try_map(input::header))]
    headers: Vec<RawHeader>,

    /// Which HTTP: auto is 1.1 in clear and what TLS agrees on
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    http: Http,

    /// A host that is not loopback and may be delivered to; may be given several times
    #[arg(long = "allow-host", value_name = "HOST")]
    allow_hosts: Vec<String>,

    #[command(flatten)]
    secret: SecretArgs,
}

/// The lines of contract.md.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Attempt(&'a AttemptReport),
    Summary(&'a DeliverySummary),
}

impl Deliver {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let signer = Signer { secret: self.secret.required()?, scheme: global.scheme()? };
        let schedule = self.schedule();
        let scheduled = Scheduled::prepare(self.plan(signer)?, schedule).await?;
        let stop = terminal::ended_by_person()?;
        let (tell, told) = mpsc::unbounded_channel();
        // A closed pipe ends the delivery too: nobody would see what comes of it.
        let print = output::as_told(told, &stop, |told| print(&mut out, told));
        let (summary, printed) = tokio::join!(Box::pin(scheduled.run(tell, stop.clone())), print);
        printed?;
        out.either(&Line::Summary(&summary), &summary.reason)?;
        out.flush()?;
        Ok(match summary.why {
            Why::Acknowledged => Exit::Done,
            Why::Exhausted | Why::StoppedOn(_) => Exit::No,
            Why::Stopped => Exit::Unknown,
        })
    }

    fn schedule(&self) -> Schedule {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Schedule {
            attempts: self.attempts,
            gap_ms: ms(self.gap),
            timeout_ms: ms(self.timeout),
            time_scale: self.time_scale,
            stop_on: self.stop_on.clone(),
        }
    }

    fn plan(self, signer: Signer) -> Result<Plan> {
        let mut headers = self.headers;
        if !headers.iter().any(|header| header.is("content-type")) {
            headers.push(RawHeader::new("Content-Type", "application/json"));
        }
        // An event's id that was typed is the event's id.
        let event_id = signing::event_id(signer.scheme.as_ref(), &headers)
            .unwrap_or_else(|| format!("evt_{}", ids::new_id().simple()));
        let body: Bytes = input::body(&self.body_file)?;
        Ok(Plan {
            url: self.url,
            method: "POST".into(),
            headers,
            body,
            copies: 1,
            release: Release::Sequential,
            signing: Signing::Each,
            signer: Some(signer),
            event_id,
            protocol: self.http.into(),
            timeout: self.timeout,
            allow_hosts: self.allow_hosts,
        })
    }
}

fn print(out: &mut Output, told: &Told) -> Result<()> {
    let Told::Attempt { attempt, next_in } = told else { return Ok(()) };
    if out.is_json() {
        out.object(&Line::Attempt(attempt))?;
    } else {
        out.text(in_words(attempt, *next_in))?;
    }
    out.flush()
}

fn in_words(attempt: &AttemptReport, next_in: Option<Duration>) -> String {
    let copy = &attempt.copy;
    let outcome = match (copy.outcome, copy.status) {
        (CopyOutcome::Answered, Some(status)) => status.to_string(),
        (CopyOutcome::Answered, None) => "answered".into(),
        (CopyOutcome::Unknown, _) => "unknown".into(),
        (CopyOutcome::NotSent, _) => "not sent".into(),
    };
    let mut text = format!(
        "{number:<5} {outcome:<9} at +{at:<9} whole {whole:>9}",
        number = format!("#{}", copy.n),
        at = people::millis(attempt.at_ms),
        whole = copy.total_ms.map_or_else(|| "-".to_owned(), people::millis),
    );
    for line in copy.error.iter().chain(&copy.warnings) {
        text.push_str("\n      ");
        text.push_str(&people::clean(line));
    }
    if let Some(next_in) = next_in {
        let milliseconds = next_in.as_secs_f64() * 1e3;
        text.push_str(&format!("\n      next in {}", people::millis(milliseconds)));
        if let Ok(next_in) = SignedDuration::try_from(next_in)
            && let Ok(at) = Zoned::now().checked_add(next_in)
        {
            text.push_str(&format!(", at {}", at.strftime("%H:%M:%S")));
        }
    }
    text
}
