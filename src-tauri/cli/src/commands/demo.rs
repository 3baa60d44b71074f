//! `hooktwice demo`: the naive and the claiming handler under the same volley; or a stand-in for Sume to play with.

mod provider;

use crate::{
    cli::Global,
    exit::{Exit, Result},
    output::Output,
};
use clap::Args;
use hooktwice_engine::{demo, model::DemoSide};
use serde::Serialize;

/// See what a race is, and what stops it
///
/// Starts two handlers on this machine, fires the same signed volley at each, and counts how often the effect ran: the
/// naive one looks for the job first and inserts it later, the claiming one inserts and looks at what the insert says.
/// Nothing is kept. Exits 0 when the naive handler ran its effect more than once and the claiming one exactly once.
///
/// With --provider it is a stand-in for Sume instead, until it is ended: it finishes four jobs, delivers one of them, one
/// twice at once, one by its second attempt only and one never, and answers `hooktwice sume`.
#[derive(Debug, Args)]
#[command(after_help = provider::EXAMPLES)]
pub(crate) struct Demo {
    /// How many copies are fired at each handler
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=100))]
    copies: u32,

    #[command(flatten)]
    provider: provider::ProviderArgs,
}

/// A line a handler. What became of each copy is `fire`'s to tell.
#[derive(Serialize)]
#[serde(tag = "type", rename = "demo")]
struct Line<'a> {
    responder: &'a str,
    copies: usize,
    effects: u32,
    release_spread_us: f64,
    peak_in_flight: u32,
}

impl Demo {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        if self.provider.is_asked_for() {
            return self.provider.run(global, out).await;
        }
        self.provider.nothing_else()?;
        let report = Box::pin(demo::run(self.copies)).await?;
        for side in [&report.naive, &report.claim] {
            out.either(&line(side), in_words(side))?;
        }
        if !out.is_json() {
            out.text(format_args!("\n{}", report.sentence))?;
        }
        out.flush()?;
        let shown = report.naive.effects > 1 && report.claim.effects == 1;
        Ok(if shown { Exit::Done } else { Exit::No })
    }
}

fn line(side: &DemoSide) -> Line<'_> {
    Line {
        responder: &side.responder,
        copies: side.copies.len(),
        effects: side.effects,
        release_spread_us: side.release_spread_us,
        peak_in_flight: side.peak_in_flight,
    }
}

fn in_words(side: &DemoSide) -> String {
    format!(
        "{responder:<6} {copies} copies released within {spread:.0} µs: the effect ran {times}",
        responder = side.responder,
        copies = side.copies.len(),
        spread = side.release_spread_us,
        times =
            if side.effects == 1 { "once".to_owned() } else { format!("{} times", side.effects) },
    )
}
