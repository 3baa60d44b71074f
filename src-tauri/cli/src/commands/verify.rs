//! `hooktwice verify`: whether a signature fits a body, and if not, why.

use crate::{
    cli::Global,
    covered::CoveredArgs,
    exit::{Exit, Failure, Result},
    input,
    output::Output,
    people,
    secret::{self, SecretArgs},
    units,
};
use clap::{
    Args,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use hooktwice_engine::{
    head::RawHeader,
    model::{SignatureReport, SignatureState},
    signing::Verifier,
};
use jiff::Timestamp;
use serde_json::json;
use std::path::PathBuf;

/// Verify a signature over a body, and say why it does not fit
///
/// Exits 0 when it is valid and 1 when it is not. Each hint is proven by recomputing the signature.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice verify --body-file job.json --secret-env WEBHOOK_SECRET \\
      --header 'X-Sume-Timestamp: 1700000000' --header 'X-Sume-Signature: v1=…' --now 1700000000
  hooktwice verify --scheme github --body-file job.json --secret-env WEBHOOK_SECRET \\
      --header 'X-Hub-Signature-256: sha256=…'")]
pub(crate) struct Verify {
    /// The file with the body's exact bytes; - is stdin
    #[arg(long, value_name = "FILE")]
    body_file: PathBuf,

    /// A header as it came; may be given several times
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = OsStringValueParser::new().try_map(input::header))]
    headers: Vec<RawHeader>,

    /// The Unix second of receipt [default: now]
    #[arg(long, value_name = "UNIX", allow_negative_numbers = true)]
    now: Option<i64>,

    /// How far the timestamp may be off, either way
    #[arg(long, value_name = "DUR", value_parser = units::seconds, default_value = "300s")]
    tolerance: u32,

    #[command(flatten)]
    covered: CoveredArgs,

    #[command(flatten)]
    secret: SecretArgs,
}

impl Verify {
    pub(crate) fn run(self, global: &Global, mut out: Output) -> Result {
        let settings = global.settings()?;
        let scheme = global.scheme_of(&settings)?;
        let secrets = self.secret.all_required()?;
        let known = secret::known(&settings);
        let received_at = match self.now {
            Some(unix) => Timestamp::from_second(unix)
                .map_err(|error| Failure::Usage(format!("--now cannot be {unix}: {error}.")))?,
            None => Timestamp::now(),
        };
        let body = input::body(&self.body_file)?;
        let request = self.covered.request(&self.headers, &body);
        let verifier = Verifier {
            scheme: scheme.as_ref(),
            secrets: &secrets,
            tolerance_s: self.tolerance,
            schemes: &settings.schemes,
            known: &known,
            seen: &[],
        };
        answer(&mut out, &verifier.verify(&request, received_at))
    }
}

/// Prints a verdict over a signature. 0 is valid; "could not be checked" is never "not valid".
pub(crate) fn answer(out: &mut Output, report: &SignatureReport) -> Result {
    if out.is_json() {
        let SignatureReport { state, reason, hints, secret, age_s, .. } = report;
        out.object(&json!({
            "state": state, "reason": reason, "hints": hints, "secret": secret, "age_s": age_s,
        }))?;
    } else {
        out.text(match &report.reason {
            Some(reason) => format!("{}: {}", report.state.as_str(), people::clean(reason)),
            None => report.state.as_str().to_owned(),
        })?;
        for hint in &report.hints {
            out.text(format_args!("  hint: {}", people::clean(hint)))?;
        }
    }
    out.flush()?;
    Ok(match report.state {
        SignatureState::Valid => Exit::Done,
        SignatureState::Invalid | SignatureState::Stale | SignatureState::Unsigned => Exit::No,
        SignatureState::Unchecked => Exit::Unknown,
    })
}
