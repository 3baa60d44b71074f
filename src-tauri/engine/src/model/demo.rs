//! The demonstration: the same volley at a naive and at a claiming handler.

use super::CopyReport;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One side of the demonstration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DemoSide {
    /// `naive` or `claim`.
    pub responder: String,
    /// How often the effect ran; one is right.
    pub effects: u32,
    /// What became of each copy, with its times.
    pub copies: Vec<CopyReport>,
    /// From the first release to the last, in microseconds.
    pub release_spread_us: f64,
    /// The most copies in flight at one moment.
    pub peak_in_flight: u32,
    /// For copy n (from 0): whether it ran the effect.
    pub ran_effect: Vec<bool>,
}

/// The same volley at both handlers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DemoReport {
    /// Looks first, inserts later.
    pub naive: DemoSide,
    /// Inserts first.
    pub claim: DemoSide,
    /// One sentence for the room.
    pub sentence: String,
}
