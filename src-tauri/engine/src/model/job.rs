//! The id that a webhook's effect hangs on.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The JSON type of what stood at the id pointer (contract.md, `job_id_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum JobIdType {
    /// A JSON string; the key is its decoded text.
    String,
    /// A JSON number; the key is its text as it was sent, so `1e2` and `100` are two ids (C36).
    Number,
    /// `null` stood there (C31).
    Null,
    /// Nothing stood there, or the body could not be read.
    Missing,
    /// `true`, `false`, an object or an array (C35).
    Other,
}

impl JobIdType {
    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Null => "null",
            Self::Missing => "missing",
            Self::Other => "other",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "string" => Self::String,
            "number" => Self::Number,
            "null" => Self::Null,
            "missing" => Self::Missing,
            "other" => Self::Other,
            _ => return None,
        })
    }
}

/// What a claim is made under: the path as it was sent, the id's text and its JSON type.
///
/// Two paths are two scopes (C44), a number is never the string of the same digits (C36), and nothing is cut,
/// folded or rounded (C43).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JobKey {
    /// The request target up to the first `?`, nothing decoded.
    pub path: String,
    /// The id's text.
    pub job_id: String,
    /// `String` or `Number`; nothing else can claim.
    pub job_id_type: JobIdType,
}
