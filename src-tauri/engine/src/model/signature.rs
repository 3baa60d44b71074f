//! What was judged of a delivery's signature, at the time of receipt.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The verdict over one delivery's signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum SignatureState {
    /// One of the signatures matches the raw bytes, and its time is within the tolerance.
    Valid,
    /// A signature came and does not match, or cannot be one.
    Invalid,
    /// It matches, but its time is outside the tolerance, in the past or ahead (C18).
    Stale,
    /// The scheme's signature header is missing.
    Unsigned,
    /// It could not be checked: no secret is set, or the body is incomplete. Never the same as `Invalid`.
    Unchecked,
}

impl SignatureState {
    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Stale => "stale",
            Self::Unsigned => "unsigned",
            Self::Unchecked => "unchecked",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "valid" => Self::Valid,
            "invalid" => Self::Invalid,
            "stale" => Self::Stale,
            "unsigned" => Self::Unsigned,
            "unchecked" => Self::Unchecked,
            _ => return None,
        })
    }

    /// Whether a delivery in this state may reach the claim table: verified, or there is no secret to verify with.
    pub fn may_claim(self) -> bool {
        matches!(self, Self::Valid | Self::Unchecked)
    }
}

/// The verdict with its reason in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SignatureReport {
    /// The verdict.
    pub state: SignatureState,
    /// The scheme that was asked, as in `--scheme`.
    pub scheme: String,
    /// Why it is not `valid`, as a sentence; `None` when it is.
    pub reason: Option<String>,
    /// What would make it match, each proven by recomputing; empty when it is valid.
    pub hints: Vec<String>,
    /// The name of the secret that matched, of several that are set; `None` where none did.
    pub secret: Option<String>,
    /// Seconds from the signed time to the receipt; below zero is ahead; `None` where no time could be read.
    pub age_s: Option<f64>,
}

/// What exactly was signed, for the Signature tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SignatureDetail {
    /// The text before the body (for Sume: the timestamp header as it came, and a dot); `None` where a timestamp is due
    /// and none came.
    pub signed_prefix: Option<String>,
    /// The text after the body, where the scheme signs some.
    pub signed_suffix: String,
    /// The signature header as it came, one entry for each header line.
    pub received: Vec<String>,
    /// Seconds from the signed time to the receipt; below zero is ahead.
    pub age_s: Option<f64>,
    /// Seconds that it may be off.
    pub tolerance_s: u32,
    /// The verdict again, by the scheme and the secret that are set now, and with what else is stored of the job; `None`
    /// where it was valid at receipt or did not come whole.
    pub again: Option<SignatureReport>,
}

/// What a stored delivery is judged with, to see whether it would fit.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[ts(export)]
pub enum TrySecret {
    /// Those that are set for the scheme.
    InUse,
    /// One that is known, by its name.
    Named {
        /// Its name.
        name: String,
    },
    /// One that was typed, its bytes as they are; it goes one way only and is not kept.
    Typed {
        /// Its bytes.
        secret: String,
    },
}

impl std::fmt::Debug for TrySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::InUse => f.write_str("InUse"),
            Self::Named { name } => f.debug_struct("Named").field("name", name).finish(),
            Self::Typed { .. } => f.write_str("Typed([redacted])"),
        }
    }
}

/// A stored delivery to be judged by a scheme and a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct JudgeSpec {
    /// The delivery's number.
    #[ts(type = "number")]
    pub seq: i64,
    /// As in `--scheme`.
    pub scheme: String,
    /// With what.
    pub secret: TrySecret,
}
