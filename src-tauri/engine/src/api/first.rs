//! What a window shows first, in one answer.

use super::First;
use crate::{engine::Engine, error::Result, model::DeliveryQuery};

/// More rows than most windows are high; those after them are asked for when the list is there.
const ROWS: u32 = 50;

/// What a window shows first.
///
/// # Errors
/// When the database cannot be read.
pub async fn first(engine: &Engine) -> Result<First> {
    // The state goes before the rest: what is stored between the two is told by an event from the state's number on.
    let state = engine.state().await?;
    let query = DeliveryQuery { limit: ROWS, ..DeliveryQuery::default() };
    let read = engine.read(move |store| Ok((store.counts("")?, store.list(&query)?)));
    let (counts, deliveries) = read.await?;
    Ok(First { state, counts, deliveries, curl: engine.sample_curl().ok() })
}
