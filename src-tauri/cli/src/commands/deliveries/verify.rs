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
    model::{Settings, SignatureReport, SignatureState},
    signing::{Sibling, SignedRequest, Verifier},
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
        let settings = Settings::load(folder)?;
        let scheme = global.scheme_of(&settings)?;
        let secret = self.secret.required()?;
        let seq = find(store, &self.id)?;
        let delivery = store.show(seq)?.ok_or_else(|| gone(&self.id))?.delivery;
        if !delivery.came_whole() {
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
        let verifier = Verifier {
            scheme: scheme.as_ref(),
            secret: Some(&secret),
            tolerance_s: self.tolerance.unwrap_or(settings.listen.tolerance_s),
            schemes: &settings.schemes,
            known: &[],
        };
        let siblings = store.bodies_of_job(&delivery).map(|(seq, body)| Sibling { seq, body });
        answer(out, &verifier.verify_among(&request, received_at, siblings))
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
