//! What the frame of the window shows.

use super::{Settings, TunnelState};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where the listener is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "lowercase")]
#[ts(export)]
pub enum ListenerState {
    /// It answers at this URL.
    Listening {
        /// `http://127.0.0.1:4400`
        url: String,
        /// It can be reached from other machines.
        exposed: bool,
    },
    /// The person stopped it.
    Stopped,
    /// It could not be started.
    Failed {
        /// Why, and what to do.
        message: String,
    },
}

/// A secret as it may be shown: never its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SecretInfo {
    /// Its name, as in `--secret-name`.
    pub name: String,
    /// The scheme that it is for; `None` is whichever is in use.
    pub scheme: Option<String>,
    /// The first four hex digits of a keyed digest of it: tells two secrets apart, gives neither away.
    pub fingerprint: String,
    /// It was made at this start and is gone with it.
    pub throwaway: bool,
    /// Where it is kept: `keychain`, `memory`, `environment`, `file`.
    pub kept_in: String,
    /// What is odd about it (white space at an end, a prefix), as a sentence.
    pub warning: Option<String>,
}

/// What the frame shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct AppState {
    /// Of this program.
    pub version: String,
    /// Where the listener is.
    pub listener: ListenerState,
    /// What is set.
    pub settings: Settings,
    /// What is signed with by the scheme in use; `None` signs and verifies nothing.
    pub secret: Option<SecretInfo>,
    /// Every secret that is known; of those of one scheme the first signs, and all verify.
    pub secrets: Vec<SecretInfo>,
    /// Where the tunnel is.
    pub tunnel: TunnelState,
    /// The key of Sume's API; `None` where there is none.
    pub sume_key: Option<SecretInfo>,
    /// Where everything is kept.
    pub data_folder: String,
    /// Subscribe from here to miss nothing after this state.
    #[ts(type = "number")]
    pub next_event: u64,
    /// How many claims there are.
    #[ts(type = "number")]
    pub claims: u64,
    /// Why nothing can be stored at the moment, where that is so (C81).
    pub storage_problem: Option<String>,
    /// What of `settings.json` is not understood and has its default, each as a sentence. The file stays as it is until
    /// something is saved.
    pub settings_problems: Vec<String>,
}
