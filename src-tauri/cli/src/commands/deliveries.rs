//! `hooktwice deliveries`: what came in.

mod export;
mod list;
mod show;
mod verify;

use crate::{
    cli::Global,
    exit::{Exit, Failure, Result},
    output::Output,
    people,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use clap::{Args, Subcommand};
use hooktwice_engine::{
    Error,
    model::{Delivery, Settings},
    store::{Role, Store},
};
use serde::Serialize;
use serde_json::json;

/// List, show, export and clear the deliveries that came
///
/// All of this works beside a listener that holds the data folder.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  hooktwice deliveries list --filter 'claim:duplicate status>=400'
  hooktwice deliveries show 12
  hooktwice deliveries body 12 > body.json
  hooktwice deliveries export --format curl 12 | sh")]
pub(crate) enum Deliveries {
    List(list::List),
    Show(show::Show),
    Body(Body),
    Export(export::Export),
    Clear(Clear),
    Verify(verify::Verify),
}

/// Print the exact bytes of a delivery's body
#[derive(Debug, Args)]
pub(crate) struct Body {
    /// The id or the number of the delivery
    id: String,
}

/// Delete every delivery that is not pinned; claims stay
#[derive(Debug, Args)]
pub(crate) struct Clear {}

impl Deliveries {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let folder = global.data_folder()?;
        let store = Store::open(&folder, Role::Guest, Settings::load(&folder)?.retention)?;
        let exit = match self {
            Self::List(list) => list.run(&store, &mut out),
            Self::Show(show) => show.run(&folder, &store, &mut out),
            Self::Body(body) => body.run(&store, &mut out),
            Self::Export(export) => export.run(&store, &mut out),
            Self::Clear(Clear {}) => clear(&store, &mut out).await,
            Self::Verify(verify) => verify.run(global, &folder, &store, &mut out),
        }?;
        out.flush()?;
        Ok(exit)
    }
}

impl Body {
    fn run(self, store: &Store, out: &mut Output) -> Result {
        let seq = find(store, &self.id)?;
        let body = body(store, seq)?;
        if out.is_json() {
            out.object(&json!({ "seq": seq, "body_base64": STANDARD.encode(&body) }))?;
        } else {
            out.bytes(&body)?;
        }
        Ok(Exit::Done)
    }
}

async fn clear(store: &Store, out: &mut Output) -> Result {
    let cleared = store.clear().await?;
    out.either(
        &json!({ "cleared": cleared }),
        format_args!("{cleared} deliveries deleted. Claims stay."),
    )?;
    Ok(Exit::Done)
}

/// A delivery as contract.md's line.
#[derive(Serialize)]
#[serde(tag = "type", rename = "delivery")]
struct Line<'a> {
    #[serde(flatten)]
    delivery: &'a Delivery,
}

/// Prints a delivery: the line of `listen` and of `deliveries list`, or its columns.
pub(crate) fn print(out: &mut Output, delivery: &Delivery) -> Result<()> {
    if out.is_json() {
        out.object(&Line { delivery })
    } else {
        out.text(people::delivery(delivery))
    }
}

/// The number of the delivery with that id or number.
pub(crate) fn find(store: &Store, id: &str) -> Result<i64> {
    store.find(id)?.ok_or_else(|| gone(id))
}

/// The exact bytes of a delivery's body.
pub(crate) fn body(store: &Store, seq: i64) -> Result<Bytes> {
    Ok(store.body(seq, None)?.ok_or_else(|| gone(seq))?.0)
}

/// There is no such delivery, or there is none any more.
pub(crate) fn gone(id: impl std::fmt::Display) -> Failure {
    Error::NotFound(format!(
        "There is no delivery {id} in this data folder. `hooktwice deliveries list` shows what there is."
    ))
    .into()
}
