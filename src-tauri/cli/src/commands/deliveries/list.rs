//! `hooktwice deliveries list`.

use super::print;
use crate::{
    exit::{Exit, Result},
    output::Output,
};
use clap::Args;
use hooktwice_engine::{
    model::{Delivery, DeliveryQuery},
    store::Store,
};

/// Rows that are read at once, so that a list of everything does not stand in memory.
const WINDOW: u32 = 5_000;

/// List deliveries, newest first, as `listen` prints them
#[derive(Debug, Args)]
#[command(after_help = "\
A filter is words and tokens: bare words search id, path, event and body; job: event: path: sig: claim: ended: method:
take a value, status and size a comparison. A leading - turns a term round.

Examples:
  hooktwice deliveries list --filter 'sig:invalid'
  hooktwice deliveries list --filter 'job:job_12 -claim:won size>10KiB' --limit 0 --json")]
pub(crate) struct List {
    /// At most so many; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,

    /// Only those that match
    #[arg(long, value_name = "EXPR", default_value = "", hide_default_value = true)]
    filter: String,
}

impl List {
    pub(super) fn run(self, store: &Store, out: &mut Output) -> Result {
        each(store, &self.filter, self.limit, |row| print(out, row))?;
        Ok(Exit::Done)
    }
}

/// Does something with each row, newest first, at most `limit` of them; 0 is no limit.
fn each(
    store: &Store,
    filter: &str,
    limit: u32,
    mut then: impl FnMut(&Delivery) -> Result<()>,
) -> Result<()> {
    let mut left = if limit == 0 { u32::MAX } else { limit };
    let mut before = None;
    while left > 0 {
        let limit = left.min(WINDOW);
        let query =
            DeliveryQuery { filter: filter.to_owned(), limit, before, ..DeliveryQuery::default() };
        let rows = store.list(&query)?.rows;
        rows.iter().try_for_each(&mut then)?;
        let Some(last) = rows.last().filter(|_| rows.len() == limit as usize) else { break };
        before = Some(last.seq);
        left -= limit;
    }
    Ok(())
}
