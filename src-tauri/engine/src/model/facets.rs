//! What deliveries are, value by value.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum FacetKey {
    /// The signature's state.
    Signature,
    /// The claim.
    Claim,
    /// The class of what was answered: `2xx`.
    Status,
    /// The method, as sent.
    Method,
    /// The event.
    Event,
    /// The path.
    Path,
}

impl FacetKey {
    /// All of them, as they are shown.
    pub const ALL: [Self; 6] =
        [Self::Signature, Self::Claim, Self::Status, Self::Method, Self::Event, Self::Path];
}

/// The values of one key, counted under a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Facet {
    /// Whose values.
    pub key: FacetKey,
    /// The most frequent ones first, 20 at most; after them the deliveries that have none.
    pub values: Vec<FacetValue>,
    /// How many deliveries have a value that is not listed.
    #[ts(type = "number")]
    pub others: u64,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FacetValue {
    /// As stored, cut where it is longer than 1 KiB; `None` is no value.
    pub value: Option<String>,
    /// How many deliveries have it.
    #[ts(type = "number")]
    pub count: u64,
    /// The filter's term for it, which finds just these; `None` where there is none.
    pub term: Option<String>,
}
