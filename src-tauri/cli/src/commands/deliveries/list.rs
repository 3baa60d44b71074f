//! `hooktwice deliveries list`.

use super::print;
use crate::{
    exit::{Exit, Result},
    output::Output,
};
use clap::Args;
use hooktwice_engine::{model::DeliveryQuery, store::Store};

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
        let mut left = if self.limit == 0 { u32::MAX } else { self.limit };
        let mut before = None;
        while left > 0 {
            let limit = left.min(WINDOW);
            let query = DeliveryQuery { filter: self.filter.clone(), limit, before, offset: 0 };
            let rows = store.list(&query)?.rows;
            for row in &rows {
                print(out, row)?;
            }
            let Some(last) = rows.last().filter(|_| rows.len() == limit as usize) else { break };
            before = Some(last.seq);
            left -= limit;
        }
        Ok(Exit::Done)
    }
}
