//! Why a file cannot be read.

use super::LARGEST;

/// Why nothing of a file was imported: what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Over [`LARGEST`].
    #[error(
        "the file has {size} bytes, and at most {} MiB are read; export fewer requests into it",
        LARGEST / (1024 * 1024)
    )]
    TooLarge {
        /// In bytes.
        size: u64,
    },
    /// There is nothing in it.
    #[error("the file is empty; export it once more")]
    Empty,
    /// It is not UTF-8.
    #[error(
        "the file is not UTF-8 text (byte {at}), so it is no HAR and no export of Hooktwice; drop it on the window to \
         fire it as a body"
    )]
    NotText {
        /// The first byte that is not.
        at: usize,
    },
    /// It begins as JSON and breaks.
    #[error("the file is not whole JSON: {error}; nothing was imported; export it once more")]
    NotJson {
        /// Where and how.
        #[source]
        error: serde_json::Error,
    },
    /// It is something else.
    #[error(
        "the file is neither a HAR (an object with \"log\") nor an export of Hooktwice (lines with \"type\":\"delivery\"); \
         save the requests as HAR, or use `hooktwice deliveries export`"
    )]
    Neither,
    /// Something follows the HAR's object.
    #[error(
        "something follows the HAR's object in the file; nothing was imported; export it once more"
    )]
    MoreAfterHar,
    /// The HAR has no entries.
    #[error("the HAR's log does not fit: {why}; nothing was imported; export it once more")]
    Log {
        /// As serde says it.
        why: String,
    },
    /// An entry is not of the format.
    #[error(
        "entry {entry} does not fit: {why}; nothing was imported; mend it, or export the file once more"
    )]
    Entry {
        /// From 1.
        entry: u64,
        /// The place in it, and what is wrong there.
        why: String,
    },
    /// There are more than are kept.
    #[error(
        "the file has {found} requests, and only {kept} deliveries are kept, so the first would be deleted at once; \
         raise that limit in the settings, or export fewer"
    )]
    TooMany {
        /// How many.
        found: usize,
        /// The limit.
        kept: u64,
    },
    /// Another one was begun before it was whole.
    #[error("another import was begun before all of the file had come; import it once more")]
    Interrupted,
}
