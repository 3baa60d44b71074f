//! Files of deliveries: what goes out, what comes in.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a file of deliveries is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum ExportFormat {
    /// A line of JSON a delivery, with everything that is kept.
    Json,
    /// HAR 1.2, for other HTTP tools.
    Har,
}

/// What became of a file that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportReport {
    /// How many deliveries were stored.
    #[ts(type = "number")]
    pub imported: u64,
    /// The number of the first; `None` where none was.
    #[ts(type = "number | null")]
    pub first: Option<i64>,
    /// The number of the last.
    #[ts(type = "number | null")]
    pub last: Option<i64>,
    /// How many entries were left out.
    #[ts(type = "number")]
    pub left_out: u64,
    /// The first hundred of those.
    pub skipped: Vec<SkippedEntry>,
}

/// An entry of a file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SkippedEntry {
    /// From 1, in the file's order.
    #[ts(type = "number")]
    pub entry: u64,
    /// Why, as a clause.
    pub why: String,
}
