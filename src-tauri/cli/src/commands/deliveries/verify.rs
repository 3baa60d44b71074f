//! `hooktwice deliveries verify`: again, over the stored bytes, at the time of receipt.

use super::{body, find, gone};
use crate::{
    cli::Global,
    commands::verify::answer,
    exit::{Failure, Result},
    output::Output,
    secret::SecretArgs,
    units,
};
use clap::Args;
use hooktwice_engine::{
    head::Head,
    model::{Delivery, Ended, Settings, SignatureReport, SignatureState},
    signing::{self, SignedRequest},
    store::Store,
};
use jiff::Timestamp;
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
        let Settings { listen: settings, schemes, .. } = Settings::load(folder)?;
        let scheme =
            signing::scheme(global.scheme.as_deref().unwrap_or(&settings.scheme), &schemes)?;
        let secret = self.secret.required()?;
        let seq = find(store, &self.id)?;
        let delivery = store.show(seq)?.ok_or_else(|| gone(&self.id))?.delivery;
        if !came_whole(&delivery) {
            return answer(out, &not_whole(scheme.name(), seq));
        }
        let head = store.head(seq)?.ok_or_else(|| gone(&self.id))?;
        let body = body(store, seq)?;
        let (head, _) = Head::parse(&head).map_err(|error| {
            Failure::Usage(format!("Delivery #{seq} cannot be verified: {error}."))
        })?;
        let received_at: Timestamp = delivery.received_at.parse().map_err(|error| {
            Failure::Usage(format!("Delivery #{seq} has no readable time of receipt: {error}."))
        })?;
        let request = SignedRequest {
            method: &delivery.method,
            path: &delivery.path,
            query: &delivery.query,
            headers: &head.headers,
            body: &body,
        };
        let tolerance = self.tolerance.unwrap_or(settings.tolerance_s);
        let report =
            signing::verify(scheme.as_ref(), Some(&secret), &request, received_at, tolerance);
        answer(out, &report)
    }
}

/// A delivery that was refused with an answer had passed a limit, so there is no telling what else would have come.
/// One that was dropped on purpose (`listen --drop`) has no answer, and is whole.
fn came_whole(delivery: &Delivery) -> bool {
    match delivery.ended {
        Some(Ended::Incomplete) => false,
        Some(Ended::Refused) => delivery.status.is_none(),
        Some(Ended::Answered | Ended::SenderLeft | Ended::Interrupted) | None => true,
    }
}

/// What did not come whole cannot be checked, which is not the same as not valid.
fn not_whole(scheme: &str, seq: i64) -> SignatureReport {
    SignatureReport {
        state: SignatureState::Unchecked,
        scheme: scheme.to_owned(),
        reason: Some(format!("delivery #{seq} did not come whole, so there is nothing to check")),
        hints: Vec::new(),
    }
}
