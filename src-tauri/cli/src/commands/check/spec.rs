//! From what was typed to what is checked.

use super::Check;
use crate::{exit::Result, input, terminal};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hooktwice_engine::model::{CheckSpec, ProbeSpec, ScenarioId};

/// Makes the spec; reads the body.
///
/// # Errors
/// When the body cannot be read.
pub(super) fn make(check: Check, effects: Vec<ProbeSpec>) -> Result<CheckSpec> {
    let first = ScenarioId::FirstDelivery.as_str();
    if check.skip.iter().any(|id| id == first) {
        terminal::say(&format!(
            "{first} is not skipped: what the others find means nothing without it."
        ));
    }
    let body_base64 = match &check.body_file {
        Some(path) => Some(STANDARD.encode(input::body(path)?)),
        None => None,
    };
    Ok(CheckSpec {
        urls: check.urls,
        body_base64,
        id_pointer: check.id_pointer,
        copies: check.copies,
        only: check.only,
        skip: check.skip,
        race_budget_ms: check.race_budget.into(),
        settle_ms: check.settle.into(),
        timeout_ms: check.timeout.into(),
        start_command: check.start_command,
        seed: check.seed,
        allow_hosts: check.allow_hosts,
        canary: !check.no_canary,
        effects,
    })
}
