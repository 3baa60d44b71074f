//! `hooktwice fire`: copies of a delivery, at once.

mod plan;

use crate::{
    cli::Global,
    exit::{Exit, Result},
    input,
    output::{self, Output},
    people,
    secret::SecretArgs,
    terminal, units,
};
use clap::{
    Args, ValueEnum,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use hooktwice_engine::{
    firing,
    head::RawHeader,
    model::{CopyOutcome, CopyReport, Protocol, Release, RunSummary, Signing},
};
use serde::Serialize;
use std::{path::PathBuf, time::Duration};
use tokio::sync::mpsc;

/// Fire signed copies of a delivery at a handler
///
/// With `--release together`, the default, every copy has its own connection and holds its last byte back until all are
/// there; then they go at once. Redirects are not followed, nothing is sent twice, and proxy variables are ignored for
/// loopback. Exits 0 when every copy was answered, whatever the status, else 3.
///
/// A stored delivery goes with its target, headers and bytes as they came: --url then says only where to (default: where
/// its Host header says). Without a secret its signature headers go as they are; with one they are made anew.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice fire --url http://127.0.0.1:3000/hook --body-file job.json \\
      --copies 20 --secret-env WEBHOOK_SECRET
  hooktwice fire --url http://127.0.0.1:3000/hook --body-file job.json \\
      --copies 3 --release gap=500ms --secret-env WEBHOOK_SECRET
  hooktwice fire --url http://127.0.0.1:3000 --delivery 12 --copies 2
  printf '{\"job_id\":\"job_1\"}' | \\
      hooktwice fire --url http://127.0.0.1:4400/hook --body-file -")]
pub(crate) struct Fire {
    /// The target; its path and query are sent as given
    #[arg(long, required_unless_present = "delivery")]
    url: Option<String>,

    /// The file with the body's exact bytes; - is stdin
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "delivery",
        required_unless_present = "delivery"
    )]
    body_file: Option<PathBuf>,

    /// The id or the number of a stored delivery, to fire as it came
    #[arg(long, value_name = "ID")]
    delivery: Option<String>,

    /// How many copies
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    copies: u32,

    /// How they are let go: together, sequential (each after the answer to the one before), or gap=DUR
    #[arg(long, value_name = "HOW", default_value = "together", value_parser = units::release)]
    release: Release,

    /// Whether each copy has its own timestamp and signature, all share one, or headers go as given
    /// [default: each with a secret, else verbatim]
    #[arg(long, value_name = "WHAT")]
    sign: Option<Sign>,

    /// A header to send; may be given several times, and replaces a stored one of its name
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = OsStringValueParser::new().try_map(input::header))]
    headers: Vec<RawHeader>,

    /// Which HTTP: auto is 1.1 in clear and what TLS agrees on
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    http: Http,

    /// From a copy's release to its whole answer
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,

    /// A host that is not loopback and may be fired at; may be given several times
    #[arg(long = "allow-host", value_name = "HOST")]
    allow_hosts: Vec<String>,

    #[command(flatten)]
    secret: SecretArgs,
}

/// `--sign`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sign {
    Each,
    Once,
    Verbatim,
}

impl From<Sign> for Signing {
    fn from(sign: Sign) -> Self {
        match sign {
            Sign::Each => Self::Each,
            Sign::Once => Self::Once,
            Sign::Verbatim => Self::Verbatim,
        }
    }
}

/// `--http`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Http {
    Auto,
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
}

impl From<Http> for Protocol {
    fn from(http: Http) -> Self {
        match http {
            Http::Auto => Self::Auto,
            Http::One => Self::Http1,
            Http::Two => Self::Http2,
        }
    }
}

/// The lines of contract.md.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Copy(&'a CopyReport),
    Summary(&'a RunSummary),
}

impl Fire {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let plan = plan::make(self, global)?;
        firing::check(&plan).await?;
        let stop = terminal::ended_by_person()?;
        let (tell, told) = mpsc::unbounded_channel();
        // A closed pipe stops the firing too: the copies that were held are never let go.
        let print = output::as_told(told, &stop, |copy| print_copy(&mut out, copy));
        let (fired, printed) =
            tokio::join!(Box::pin(firing::fire(plan, tell, stop.clone())), print);
        let (_, summary) = fired?;
        printed?;
        out.either(&Line::Summary(&summary), in_words(&summary))?;
        out.flush()?;
        let answered: u32 = summary.statuses.values().sum();
        Ok(if answered == summary.copies { Exit::Done } else { Exit::Unknown })
    }
}

fn print_copy(out: &mut Output, copy: &CopyReport) -> Result<()> {
    if out.is_json() {
        out.object(&Line::Copy(copy))?;
    } else {
        out.text(copy_in_words(copy))?;
    }
    out.flush()
}

fn copy_in_words(copy: &CopyReport) -> String {
    let outcome = match (copy.outcome, copy.status) {
        (CopyOutcome::Answered, Some(status)) => status.to_string(),
        (CopyOutcome::Answered, None) => "answered".into(),
        (CopyOutcome::Unknown, _) => "unknown".into(),
        (CopyOutcome::NotSent, _) => "not sent".into(),
    };
    let number = format!("#{}", copy.n);
    let ms = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), people::millis);
    let mut text = format!(
        "{number:<5} {outcome:<9} released {released:>10}   first byte {first:>9}   whole {whole:>9}",
        released = copy.released_us.map_or_else(|| "-".to_owned(), |us| format!("+{us:.1} µs")),
        first = ms(copy.first_byte_ms),
        whole = ms(copy.total_ms),
    );
    for line in copy.error.iter().chain(&copy.warnings) {
        text.push_str("\n      ");
        text.push_str(&people::clean(line));
    }
    text
}

/// One sentence: what happened to how many.
fn in_words(summary: &RunSummary) -> String {
    let answered: u32 = summary.statuses.values().sum();
    let copies = if summary.copies == 1 { "copy" } else { "copies" };
    let statuses: Vec<String> =
        summary.statuses.iter().map(|(status, count)| format!("{count} × {status}")).collect();
    let mut text = format!("{answered} of {} {copies} answered", summary.copies);
    if !statuses.is_empty() {
        text.push_str(&format!(" ({})", statuses.join(", ")));
    }
    if summary.outcome_unknown > 0 {
        text.push_str(&format!(
            "; {} sent with no answer, which may have taken effect",
            summary.outcome_unknown
        ));
    }
    if summary.not_sent > 0 {
        text.push_str(&format!("; {} not sent", summary.not_sent));
    }
    if summary.stopped {
        text.push_str("; stopped");
    }
    if summary.copies > 1 {
        text.push_str(&format!(
            ". Released within {:.1} µs, at most {} in flight at once",
            summary.release_spread_us, summary.peak_in_flight
        ));
    }
    text.push('.');
    text
}
