//! `hooktwice claims`: the claim table.

use crate::{
    cli::Global,
    exit::{Exit, Result},
    output::Output,
    people, terminal,
};
use clap::{Args, Subcommand, ValueEnum};
use hooktwice_engine::{
    model::{ClaimRow, ClaimSelector, JobIdType, Settings},
    store::{Role, Store},
};
use serde_json::json;

/// List the claimed jobs, and give claims back
///
/// A claim's key is the path and the job's id with its JSON type: the number 1 and the string "1" are two jobs. All of
/// this works beside a listener that holds the data folder.
#[derive(Debug, Subcommand)]
pub(crate) enum Claims {
    List(List),
    Release(Release),
    Clear(Clear),
}

/// List the claims, newest first
#[derive(Debug, Args)]
pub(crate) struct List {}

/// Give a job's claim back, so that its next delivery wins again
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice claims release job_1                    under every path
  hooktwice claims release job_1 --path /hook
  hooktwice claims release 100 --type number        the number, not the string")]
pub(crate) struct Release {
    /// The id's exact text
    job_id: String,

    /// The JSON type of the id
    #[arg(long = "type", value_name = "TYPE", default_value = "string")]
    job_id_type: IdType,

    /// Only under this path, as it was sent
    #[arg(long)]
    path: Option<String>,
}

/// The types that can claim.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum IdType {
    String,
    Number,
}

/// Give every claim back
#[derive(Debug, Args)]
pub(crate) struct Clear {}

impl Claims {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let folder = global.data_folder()?;
        let store = Store::open(&folder, Role::Guest, Settings::load(&folder)?.retention)?;
        match self {
            Self::List(List {}) => list(&store, &mut out)?,
            Self::Release(release) => release.run(&store, &mut out).await?,
            Self::Clear(Clear {}) => {
                let released = store.clear_claims().await?;
                say_released(&mut out, released)?;
            }
        }
        out.flush()?;
        Ok(Exit::Done)
    }
}

fn list(store: &Store, out: &mut Output) -> Result<()> {
    for claim in store.claims(0, 0)?.0 {
        if out.is_json() {
            out.object(&claim)?;
        } else {
            out.text(row(&claim))?;
        }
    }
    Ok(())
}

fn row(claim: &ClaimRow) -> String {
    let id = match claim.job_id_type {
        JobIdType::Number => format!("{} (number)", people::clean(&claim.job_id)),
        _ => people::clean(&claim.job_id),
    };
    format!(
        "{id:<24} {path:<20} won by #{winner:<6} {time}  {deliveries} verified {word}",
        path = people::clean(&claim.path),
        winner = claim.first_delivery,
        time = people::time_of_day(&claim.claimed_at),
        deliveries = claim.deliveries,
        word = if claim.deliveries == 1 { "delivery" } else { "deliveries" },
    )
}

impl Release {
    async fn run(self, store: &Store, out: &mut Output) -> Result<()> {
        let job_id_type = match self.job_id_type {
            IdType::String => JobIdType::String,
            IdType::Number => JobIdType::Number,
        };
        let job_id = self.job_id.clone();
        let released = store
            .release(ClaimSelector { job_id: self.job_id, job_id_type, path: self.path })
            .await?;
        say_released(out, released)?;
        if released == 0 {
            let likely = store.claims(0, 0)?.0.into_iter().find(|claim| claim.job_id == job_id);
            terminal::say(&match likely {
                Some(claim) => format!(
                    "There is no such claim, but one of the {} {} under {}: see --type and --path.",
                    claim.job_id_type.as_str(),
                    people::clean(&claim.job_id),
                    people::clean(&claim.path)
                ),
                None => "There is no such claim. `hooktwice claims list` shows what there is."
                    .to_owned(),
            });
        }
        Ok(())
    }
}

fn say_released(out: &mut Output, released: u64) -> Result<()> {
    let word = if released == 1 { "claim" } else { "claims" };
    out.either(&json!({ "released": released }), format_args!("{released} {word} given back."))
}
