//! One HTTP request that reached the listener.

use super::{ForwardReport, JobIdType, SignatureReport};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Sentences about whatever is odd in a delivery.
pub type Notes = Vec<String>;

/// What the claim table said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum ClaimState {
    /// The insert won: this delivery runs the effect.
    Won,
    /// The key was claimed already.
    Duplicate,
    /// Nothing was claimed; [`ClaimReason`] says why.
    None,
}

impl ClaimState {
    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Duplicate => "duplicate",
            Self::None => "none",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "won" => Self::Won,
            "duplicate" => Self::Duplicate,
            "none" => Self::None,
            _ => return None,
        })
    }
}

/// Why a delivery claimed nothing (contract.md, `claim_reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum ClaimReason {
    /// The signature is not valid (C37).
    NotVerified,
    /// Nothing stands at the id pointer (C42).
    MissingId,
    /// `null` stands there (C31).
    NullId,
    /// An empty string, or only white space (C32).
    EmptyId,
    /// Neither a string nor a number (C35).
    IdType,
    /// Over 4 KiB (C43).
    IdTooLong,
    /// The key stands twice in its object.
    AmbiguousId,
    /// The body is not JSON (C25, C72, C73).
    NotJson,
    /// There is no body (C24, C62).
    NoBody,
    /// GET, HEAD and OPTIONS claim nothing (C68, C69).
    Method,
    /// It did not arrive: it was read from a file.
    Imported,
}

impl ClaimReason {
    /// Every reason, for reading a stored word back.
    pub const ALL: [Self; 11] = [
        Self::NotVerified,
        Self::MissingId,
        Self::NullId,
        Self::EmptyId,
        Self::IdType,
        Self::IdTooLong,
        Self::AmbiguousId,
        Self::NotJson,
        Self::NoBody,
        Self::Method,
        Self::Imported,
    ];

    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotVerified => "not-verified",
            Self::MissingId => "missing-id",
            Self::NullId => "null-id",
            Self::EmptyId => "empty-id",
            Self::IdType => "id-type",
            Self::IdTooLong => "id-too-long",
            Self::AmbiguousId => "ambiguous-id",
            Self::NotJson => "not-json",
            Self::NoBody => "no-body",
            Self::Method => "method",
            Self::Imported => "imported",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum Ended {
    /// The answer was written.
    Answered,
    /// The sender was gone before the answer could be written.
    SenderLeft,
    /// The body stopped early; nothing was verified or claimed.
    Incomplete,
    /// A limit was passed (413, 431, 408, 503), or the request is not HTTP (400).
    Refused,
    /// This program was killed between the commit and the answer; found at the next start (C48).
    Interrupted,
}

impl Delivery {
    /// Whether its body came whole. One that was refused with an answer had passed a limit, so there is no telling what
    /// else would have come; one that was dropped on purpose (`listen --drop`) has no answer, and is whole.
    pub fn came_whole(&self) -> bool {
        match self.ended {
            Some(Ended::Incomplete) => false,
            Some(Ended::Refused) => self.status.is_none(),
            Some(Ended::Answered | Ended::SenderLeft | Ended::Interrupted) | None => true,
        }
    }
}

impl Ended {
    /// The word of the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::SenderLeft => "sender-left",
            Self::Incomplete => "incomplete",
            Self::Refused => "refused",
            Self::Interrupted => "interrupted",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "answered" => Self::Answered,
            "sender-left" => Self::SenderLeft,
            "incomplete" => Self::Incomplete,
            "refused" => Self::Refused,
            "interrupted" => Self::Interrupted,
            _ => return None,
        })
    }
}

/// A delivery as a row of the list: the line of contract.md's `listen`, without its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Delivery {
    /// The number in this data folder, from 1.
    #[ts(type = "number")]
    pub seq: i64,
    /// A UUID version 7.
    pub id: String,
    /// The wall clock when the head had been read: RFC 3339, UTC, microseconds.
    pub received_at: String,
    /// As sent.
    pub method: String,
    /// The target up to the first `?`, as sent, nothing decoded. Bytes that are not UTF-8 are shown as U+FFFD.
    pub path: String,
    /// The target after the first `?`; empty where there is none.
    pub query: String,
    /// Bytes of body that came.
    #[ts(type = "number")]
    pub size: u64,
    /// The signature, as judged at receipt.
    pub signature: SignatureReport,
    /// The `event` at the root of the body, else of the scheme's header, where there is one.
    pub event: Option<String>,
    /// The id's text, for every body that can be read, verified or not.
    pub job_id: Option<String>,
    /// Its JSON type.
    pub job_id_type: JobIdType,
    /// What the claim table said.
    pub claim: ClaimState,
    /// Why nothing was claimed.
    pub claim_reason: Option<ClaimReason>,
    /// The `seq` of the delivery that won, for a duplicate only.
    #[ts(type = "number | null")]
    pub duplicate_of: Option<i64>,
    /// For a duplicate: its body is not, byte for byte, that of the winner (C05, C40).
    pub body_differs: bool,
    /// How it ended; `None` while it is being answered.
    pub ended: Option<Ended>,
    /// What Content-Length promised, where the body stopped early or was refused.
    #[ts(type = "number | null")]
    pub expected_size: Option<u64>,
    /// The status that was answered.
    pub status: Option<u16>,
    /// From the head read to the answer written, in milliseconds, on a monotonic clock.
    pub duration_ms: Option<f64>,
    /// Whatever else is odd, in words.
    pub notes: Notes,
    /// Kept by retention and by "clear".
    #[serde(default)]
    pub pinned: bool,
}

/// A header's value: text where it is UTF-8, else its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
#[ts(export)]
pub enum HeaderValue {
    /// UTF-8.
    Text(String),
    /// Anything else, as `{"base64":"…"}`.
    Bytes {
        /// The bytes in standard base64.
        base64: String,
    },
}

/// A header as it was sent: `["Name", value]`, in its place, with its case.
pub type NamedHeader = (String, HeaderValue);

/// A delivery with everything but its body, which is asked for in slices (C79).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliveryDetail {
    /// The row.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// In order, repeated ones kept.
    pub headers: Vec<NamedHeader>,
    /// After a chunked body.
    pub trailers: Vec<NamedHeader>,
    /// `1.0` or `1.1`.
    pub http_version: String,
    /// Address and port of the sender.
    pub peer: String,
    /// Hex.
    pub body_sha256: String,
    /// What was answered: headers in order.
    pub response_headers: Vec<NamedHeader>,
    /// What was answered: the body, as text.
    pub response_body: String,
    /// What became of it at the handler that it went on to; `None` where it did not.
    pub forward: Option<ForwardReport>,
}

/// What to list: newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct DeliveryQuery {
    /// The filter box's text: bare words search id, path, event and body; tokens `job:`, `event:`, `path:`,
    /// `sig:`, `claim:`, `ended:`, `status>=500`, `size>10KiB`, `method:`. A leading `-` turns a term round.
    pub filter: String,
    /// At most so many rows; 0 is no limit.
    pub limit: u32,
    /// Only rows older than this number.
    #[ts(type = "number | null")]
    pub before: Option<i64>,
    /// Skip so many rows from the newest (for a window of rows).
    pub offset: u32,
    /// The rows as soon as they are found, without the count of the rest.
    #[ts(as = "Option<bool>", optional)]
    pub quick: bool,
}

/// A window of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliveryPage {
    /// Newest first.
    pub rows: Vec<Delivery>,
    /// How many match in all; at least so many where there are `more`.
    #[ts(type = "number")]
    pub total: u64,
    /// Further ones match, which were not counted (only where that was `quick`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub more: bool,
}

/// The chips beside the filter, counted under the same filter text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DeliveryCounts {
    /// All that match.
    #[ts(type = "number")]
    pub all: u64,
    /// Those whose claim is `duplicate`.
    #[ts(type = "number")]
    pub duplicates: u64,
    /// Those whose signature is `invalid`, `stale` or `unsigned`.
    #[ts(type = "number")]
    pub bad_signature: u64,
    /// Those that did not end with a 2xx.
    #[ts(type = "number")]
    pub failed: u64,
}
