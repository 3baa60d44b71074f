//! `hooktwice deliveries verify`: again, over the stored bytes, at the time of receipt.

use super::{find, gone};
use crate::{
    cli::Global,
    commands::verify::answer,
    exit::Result,
    output::Output,
    secret::{self, SecretArgs},
    units,
};
use clap::Args;
use hooktwice_engine::{engine::Judging, model::Settings, store::Store};
use std::path::Path;

/// Verify a stored delivery again, over its exact bytes, at the time of its receipt
///
/// Exits 0 when its signature is valid, 1 when it is not, and 3 when it cannot be told, because the body did not come
/// whole.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hooktwice deliveries verify 12 --secret-env WEBHOOK_SECRET
  hooktwice deliveries verify 12 --secret-file old-secret --json")]
pub(crate) struct Verify {
    /// The id or the number of the delivery
    id: String,

    /// How far its timestamp may be off, either way [default: as set, else 300s]
    #[arg(long, value_name = "DUR", value_parser = units::seconds)]
    tolerance: Option<u32>,

    #[command(flatten)]
    secret: SecretArgs,
}

impl Verify {
    pub(super) fn run(
        self,
        global: &Global,
        folder: &Path,
        store: &Store,
        out: &mut Output,
    ) -> Result {
        let settings = Settings::load(folder)?;
        let judging = Judging {
            scheme: global.scheme_of(&settings)?,
            secrets: self.secret.all_required()?,
            known: secret::known(&settings),
            tolerance_s: self.tolerance.unwrap_or(settings.listen.tolerance_s),
            schemes: settings.schemes,
        };
        let seq = find(store, &self.id)?;
        let delivery = store.show(seq)?.ok_or_else(|| gone(&self.id))?.delivery;
        answer(out, &judging.judge(store, &delivery)?)
    }
}
