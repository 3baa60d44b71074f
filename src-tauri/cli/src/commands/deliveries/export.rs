//! `hooktwice deliveries export`: deliveries for other programs.

mod har;

use super::{body, find, gone, list::each, mask};
use crate::{
    exit::{Exit, Failure, Result},
    output::Output,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use clap::{Args, ValueEnum};
use hooktwice_engine::{
    export,
    head::{Head, RawHeader},
    model::DeliveryDetail,
    store::Store,
};
use serde::Serialize;
use serde_json::json;

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

/// A delivery with all that is kept of it, sensitive values masked or not.
struct Stored {
    detail: DeliveryDetail,
    head: Option<Head>,
    body: Bytes,
}

impl Export {
    pub(super) fn run(self, store: &Store, out: &mut Output) -> Result {
        let seqs = match self.ids.as_slice() {
            [] => all(store)?,
            ids => ids.iter().map(|id| find(store, id)).collect::<Result<_>>()?,
        };
        if self.format == Format::Har {
            return self.har(store, &seqs, out);
        }
        for seq in seqs {
            let stored = self.read(store, seq)?;
            match self.format {
                Format::Json => out.object(&Lossless::of(&stored))?,
                Format::Curl | Format::Har => curl(&stored, out)?,
            }
        }
        Ok(Exit::Done)
    }

    fn har(&self, store: &Store, seqs: &[i64], out: &mut Output) -> Result {
        let mut file = har::Writer::begin(out)?;
        for &seq in seqs {
            let stored = self.read(store, seq)?;
            file.entry(out, &har::entry(&stored.detail, &stored.body))?;
        }
        file.end(out)?;
        Ok(Exit::Done)
    }

    fn read(&self, store: &Store, seq: i64) -> Result<Stored> {
        let mut detail = store.show(seq)?.ok_or_else(|| gone(seq))?;
        let head = store.head(seq)?.ok_or_else(|| gone(seq))?;
        let body = body(store, seq)?;
        // A head that was refused for not being HTTP has nothing to mask by name.
        let mut head = Head::parse(&head).ok().map(|(head, _)| head);
        if !self.reveal {
            if let Some(head) = &mut head {
                head.headers = export::masked(&head.headers);
                detail.headers = head.headers.iter().map(RawHeader::to_named).collect();
            }
            mask(&mut detail.trailers);
            mask(&mut detail.response_headers);
        }
        Ok(Stored { detail, head, body })
    }
}

/// Every delivery's number, oldest first.
fn all(store: &Store) -> Result<Vec<i64>> {
    let mut seqs = Vec::new();
    each(store, "", 0, |row| {
        seqs.push(row.seq);
        Ok(())
    })?;
    seqs.reverse();
    Ok(seqs)
}

/// Everything that is kept: the line of `deliveries show --json`.
#[derive(Serialize)]
#[serde(tag = "type", rename = "delivery")]
struct Lossless<'a> {
    #[serde(flatten)]
    detail: &'a DeliveryDetail,
    body_base64: String,
}

impl<'a> Lossless<'a> {
    fn of(stored: &'a Stored) -> Self {
        Self { detail: &stored.detail, body_base64: STANDARD.encode(&stored.body) }
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
