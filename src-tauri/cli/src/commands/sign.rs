//! `hooktwice sign`: the headers that sign a body.

use crate::{
    cli::Global,
    covered::CoveredArgs,
    exit::{Exit, Result},
    input,
    output::Output,
    people,
    secret::SecretArgs,
};
use clap::{
    Args,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use hooktwice_engine::{head::RawHeader, ids, signing::Signer};
use jiff::Timestamp;
use serde_json::json;
use std::path::PathBuf;

/// Print the headers that sign a body
///
/// The signature is over the exact bytes: a last newline in the file is part of them, so send the file with curl's
/// --data-binary, never with -d.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice sign --body-file job.json --secret-env WEBHOOK_SECRET
  hooktwice sign --body-file job.json --secret-env WEBHOOK_SECRET > headers.txt
  curl http://127.0.0.1:4400/hook -H @headers.txt --data-binary @job.json
  hooktwice sign --scheme custom --method POST --target '/hook?x=1' --body-file job.json \\
      --secret-env WEBHOOK_SECRET

What `--scheme custom` signs, and in which headers, is set in the window under Settings, Scheme, or in settings.json of
the data folder, under schemes.custom; docs/custom-scheme.md shows one. Sume's header names stand there too, under
schemes.sume.")]
pub(crate) struct Sign {
    /// The file with the body's exact bytes; - is stdin
    #[arg(long, value_name = "FILE")]
    body_file: PathBuf,

    /// The Unix second to sign [default: now]
    #[arg(long, value_name = "UNIX", allow_negative_numbers = true)]
    timestamp: Option<i64>,

    /// The provider's id of the event [default: a fresh one]
    #[arg(long, value_name = "ID")]
    event_id: Option<String>,

    /// A header as it will be sent, where the custom scheme covers it; may be given several times
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = OsStringValueParser::new().try_map(input::header))]
    headers: Vec<RawHeader>,

    #[command(flatten)]
    covered: CoveredArgs,

    #[command(flatten)]
    secret: SecretArgs,
}

impl Sign {
    pub(crate) fn run(self, global: &Global, mut out: Output) -> Result {
        let scheme = global.scheme()?;
        let signer = Signer { scheme, secret: self.secret.required()? };
        let body = input::body(&self.body_file)?;
        let unix = self.timestamp.unwrap_or_else(|| Timestamp::now().as_second());
        let event_id = self.event_id.unwrap_or_else(|| ids::new_id().to_string());
        let signed =
            signer.sign_request(unix, &event_id, &self.covered.request(&self.headers, &body))?;
        let headers: Vec<_> = signed.iter().map(RawHeader::to_named).collect();
        if out.is_json() {
            out.object(&json!({ "headers": headers }))?;
        } else {
            for (name, value) in &headers {
                out.text(format_args!("{name}: {}", people::header_value(value)))?;
            }
        }
        out.flush()?;
        Ok(Exit::Done)
    }
}
