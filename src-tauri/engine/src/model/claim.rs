//! The claim table as people see it.

use super::JobIdType;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A claim with the deliveries that came for it (contract.md, `claims list`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ClaimRow {
    /// The path of the key.
    pub path: String,
    /// The id of the key.
    pub job_id: String,
    /// Its JSON type.
    pub job_id_type: JobIdType,
    /// The `seq` of the delivery that won.
    #[ts(type = "number")]
    pub first_delivery: i64,
    /// RFC 3339, UTC, microseconds.
    pub claimed_at: String,
    /// How many verified deliveries came, the winner among them.
    #[ts(type = "number")]
    pub deliveries: u64,
}

/// Which claims to release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ClaimSelector {
    /// The id's text.
    pub job_id: String,
    /// `String` where nothing is said.
    pub job_id_type: JobIdType,
    /// Only under this path; `None` is under every path.
    pub path: Option<String>,
}

/// What became of claims that were to be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RestoredClaims {
    /// Put back as they were.
    #[ts(type = "number")]
    pub restored: u64,
    /// Claimed anew meanwhile, and left as they are.
    #[ts(type = "number")]
    pub taken: u64,
}
