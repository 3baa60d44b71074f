//! `hooktwice deliveries export`: deliveries for other programs.

use super::{find, gone};
use crate::{
    exit::{Exit, Failure, Result},
    output::Output,
};
use clap::{Args, ValueEnum};
use hooktwice_engine::{
    export::{self, Stored},
    model::ExportFormat,
    store::Store,
};
use serde_json::json;
use std::io;

/// Export deliveries as JSON lines, as a HAR file, or as curl commands
///
/// JSON has everything that is kept, a delivery a line. HAR 1.2 is for other HTTP tools. A curl command sends the exact
/// bytes again. The values of sensitive headers are masked unless --reveal is given; signatures never are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice deliveries export --format curl 12 | sh
  hooktwice deliveries export --format har > deliveries.har
  hooktwice deliveries export --format json --reveal > all.ndjson")]
pub(crate) struct Export {
    /// As what
    #[arg(long, value_name = "FORMAT")]
    format: Format,

    /// The ids or numbers of the deliveries [default: all, oldest first]
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Leave the values of sensitive headers (authorization, cookies, API keys) as they are
    #[arg(long)]
    reveal: bool,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Har,
    Curl,
}

impl Export {
    pub(super) fn run(self, store: &Store, out: &mut Output) -> Result {
        let seqs = match self.ids.as_slice() {
            [] => store.matching("")?,
            ids => ids.iter().map(|id| find(store, id)).collect::<Result<_>>()?,
        };
        match self.format {
            Format::Json => self.file(ExportFormat::Json, store, &seqs, out)?,
            Format::Har => self.file(ExportFormat::Har, store, &seqs, out)?,
            Format::Curl => {
                for seq in seqs {
                    curl(&self.read(store, seq)?, out)?;
                }
            }
        }
        Ok(Exit::Done)
    }

    /// Written as it is read, so that a large file does not stand in memory.
    fn file(
        &self,
        format: ExportFormat,
        store: &Store,
        seqs: &[i64],
        out: &mut Output,
    ) -> Result<()> {
        let frame = export::frame(format);
        out.bytes(frame.open.as_bytes())?;
        for (n, &seq) in seqs.iter().enumerate() {
            let stored = self.read(store, seq)?;
            let entry = export::entry(format, &stored).map_err(io::Error::from)?;
            if n > 0 {
                out.bytes(frame.between.as_bytes())?;
            }
            out.bytes(entry.as_bytes())?;
        }
        out.bytes(frame.close.as_bytes())
    }

    fn read(&self, store: &Store, seq: i64) -> Result<Stored> {
        Stored::read(store, seq, self.reveal)?.ok_or_else(|| gone(seq))
    }
}

fn curl(stored: &Stored, out: &mut Output) -> Result<()> {
    let delivery = &stored.detail.delivery;
    let Some(head) = &stored.head else {
        return Err(Failure::Usage(format!(
            "Delivery #{} is not whole HTTP, so there is no command that sends it again.",
            delivery.seq
        )));
    };
    let host = head
        .values("host")
        .next()
        .map_or("127.0.0.1:4400".into(), |host| String::from_utf8_lossy(host));
    let url = format!("http://{host}{}", String::from_utf8_lossy(&head.target));
    let command = export::curl(&head.method, &url, &head.headers, &stored.body);
    if out.is_json() {
        out.object(
            &json!({ "type": "curl", "seq": delivery.seq, "id": delivery.id, "command": command }),
        )
    } else {
        out.text(command)
    }
}
