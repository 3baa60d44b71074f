//! Deliveries that go on to the developer's own handler.

use super::CopyReport;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where deliveries go on to, with [`super::Responder::Forward`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct ForwardSettings {
    /// `http://` or `https://`. A path in it is the place of every delivery; without one the delivery's own path is kept.
    /// The query is the delivery's own.
    pub url: String,
    /// How many times each delivery reaches the handler, at once; 1 to 100. The provider gets the first copy's answer.
    pub copies: u32,
    /// A delivery whose signature is not valid is answered 401 here and goes no further.
    pub valid_only: bool,
    /// Milliseconds that the handler has for its answer; 504 past it.
    pub timeout_ms: u32,
}

impl Default for ForwardSettings {
    fn default() -> Self {
        Self { url: String::new(), copies: 1, valid_only: false, timeout_ms: 30_000 }
    }
}

/// What became of a delivery that went on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ForwardReport {
    /// Where to, with path and query.
    pub url: String,
    /// One for each copy; the first one's answer is the provider's. Empty where none could be sent.
    pub copies: Vec<CopyReport>,
    /// Why the handler's answer is not the provider's: the handler is down, slow or answers nonsense; as a sentence.
    pub problem: Option<String>,
}
