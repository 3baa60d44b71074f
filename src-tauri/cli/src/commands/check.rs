//! `hooktwice check`: examines a handler over HTTP and says, with evidence, whether its effect runs once.

mod effects;
mod ending;
mod files;
mod printer;
mod progress;
mod spec;
mod style;
mod trying;
mod words;

use crate::{
    cli::Global,
    exit::{Exit, Result},
    output::Output,
    secret::SecretArgs,
    terminal::{self, Ending},
    units,
};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};
use effects::EffectArgs;
use files::FileArgs;
use hooktwice_engine::{
    checking,
    clock::{Clock as _, SystemClock, rfc3339},
    ids,
    model::ScenarioId,
    signing::Signer,
};
use printer::Printer;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// Examine a handler: does its effect run once?
///
/// Sends signed deliveries of fresh jobs, repeated, concurrent, forged, malformed and interrupted, counts how often the
/// effect of each job ran, and says for each scenario what was seen. Nothing that was not seen is a pass. What sees the
/// effect is given with --effect options; a query, URL, command or pattern names the job as :job_id or {job_id}.
///
/// Exits 0 when no scenario failed, 1 when one did, 2 when what was asked for cannot be used (nothing was sent), and 3
/// when it could not be told: the target is unreachable, no evidence of the effect was seen, or it was stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice check --url http://127.0.0.1:3000/hook --secret-env WEBHOOK_SECRET \\
      --effect-url 'http://127.0.0.1:3000/effects/{job_id}'
  hooktwice check --url http://127.0.0.1:3000/hook --secret-env WEBHOOK_SECRET \\
      --effect-sql sqlite:app.db --effect-query 'select count(*) from mails where job = :job_id' \\
      --start-command 'npm start' --junit check.xml
  hooktwice check --try-effect job_1 --effect-command 'grep -c {job_id} mail.log'")]
pub(crate) struct Check {
    /// The handler; several are instances of one, and all but across-instances use the first
    #[arg(long = "url", value_name = "URL", required_unless_present = "try_effect")]
    urls: Vec<String>,

    /// A template of the body, - is stdin: the id and the canary are replaced, every other byte stays
    /// [default: a small job.completed]
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,

    /// Where the job's id stands in the body (RFC 6901)
    #[arg(long, value_name = "POINTER", default_value = "/job_id")]
    id_pointer: String,

    /// How many copies a volley has
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=1000))]
    copies: u32,

    /// Only these scenarios, by comma, and first-delivery
    #[arg(long, value_name = "ID,…", value_delimiter = ',', value_parser = scenarios())]
    only: Vec<String>,

    /// Not these scenarios, by comma
    #[arg(long, value_name = "ID,…", value_delimiter = ',', value_parser = scenarios(), hide_possible_values = true)]
    skip: Vec<String>,

    /// How long race-search may look for the handler's window
    #[arg(long, value_name = "DUR", default_value = "20s", value_parser = units::millis)]
    race_budget: u32,

    /// How long a count has to be still before it is taken
    #[arg(long, value_name = "DUR", default_value = "500ms", value_parser = units::millis)]
    settle: u32,

    /// How long an answer, and an effect that is due, may take
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = units::millis)]
    timeout: u32,

    /// Starts the handler, in a shell; it is ended with everything that it started
    #[arg(long, value_name = "CMD")]
    start_command: Option<String>,

    /// Fixes order and offsets, never the job ids
    #[arg(long, value_name = "N")]
    seed: Option<u32>,

    /// A host that is not loopback and may be fired at; may be given several times
    #[arg(long = "allow-host", value_name = "HOST")]
    allow_hosts: Vec<String>,

    /// Leave the artifact's URL in the body alone; the scenarios that need it are skipped
    #[arg(long)]
    no_canary: bool,

    /// Send nothing; say what each --effect sees of this job now
    #[arg(long, value_name = "JOB_ID")]
    try_effect: Option<String>,

    #[command(flatten)]
    effects: EffectArgs,

    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    secret: SecretArgs,
}

/// The names that `--only` and `--skip` take, each with what it sends.
fn scenarios() -> PossibleValuesParser {
    let named = |id: &ScenarioId| PossibleValue::new(id.as_str()).help(id.what());
    PossibleValuesParser::new(ScenarioId::ALL.iter().map(named))
}

impl Check {
    pub(crate) async fn run(mut self, global: &Global, out: Output) -> Result {
        let effects = std::mem::take(&mut self.effects).probes()?;
        if let Some(job_id) = &self.try_effect {
            return trying::all(&effects, job_id, out).await;
        }
        let scheme = global.scheme()?;
        let secret_words = self.secret.words();
        let signer = Signer { scheme, secret: self.secret.required()? };
        let files = std::mem::take(&mut self.files).look()?;
        let spec = spec::make(self, effects)?;
        let plan = checking::prepare(spec, signer, &secret_words).await?;

        let Ending { soon: stop, now } = terminal::ending()?;
        let report = plan.report(ids::new_id().to_string(), rfc3339(SystemClock.now()));
        let (tell, told) = mpsc::unbounded_channel();
        // On a thread of its own: a slow reader of stdout must not disturb what is measured.
        let printing = tokio::task::spawn_blocking({
            let (printer, stop) = (Printer::new(out, report.clone()), stop.clone());
            move || printer.follow(told, &stop)
        });
        let ran = tokio::select! {
            ran = Box::pin(checking::run(plan, report, tell, stop)) => ran,
            // Dropped by now, the check has killed what it started.
            () = now.cancelled() => terminal::exit_now(),
        };
        let printer = match printing.await {
            Ok(printer) => printer,
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        };

        let report = match ran {
            Ok(report) => report,
            // Nothing was found out, so there is nothing to sum up or to write down.
            Err(error) if !printer.has_found_anything() => return Err(error.into()),
            Err(error) => printer.broken_off(error.to_string()),
        };
        let ended = ending::settle(report);
        let written = files.write(&ended.report);
        printer.finish(&ended, &written)
    }
}

/// A report that could not be written is no reason to forget that a scenario failed.
fn exit(verdict: Exit, all_written: bool) -> Exit {
    if all_written || verdict == Exit::No { verdict } else { Exit::Unknown }
}
