//! A tunnel: a program of the person's that makes the listener reachable from outside.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which program, and how it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export)]
pub enum TunnelPreset {
    /// A quick tunnel of Cloudflare's `cloudflared`; no account is needed.
    Cloudflared,
    /// `ngrok http`; an account is needed.
    Ngrok,
    /// `bore local`, to `bore.pub` or a server of one's own.
    Bore,
    /// OpenSSH to localhost.run.
    LocalhostRun,
    /// OpenSSH to serveo.net.
    Serveo,
    /// OpenSSH to a host of one's own, which has to allow it (`GatewayPorts`).
    Ssh,
    /// A command of the person's, and a pattern that finds its URL.
    Command,
}

/// How a tunnel is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct TunnelSettings {
    /// Which program.
    pub preset: TunnelPreset,
    /// bore's server (`bore.pub` where empty), or ssh's `user@host`.
    pub server: String,
    /// For `Command`: run by a shell; `{port}` is the listener's port, `{url}` its URL.
    pub command: String,
    /// For `Command`: a regular expression; its first group, or else all that it matches, is the public URL.
    pub pattern: String,
    /// What is added to the public URL where it is shown to be pasted: path and query of the handler.
    pub path: String,
    /// Start it with the app.
    pub autostart: bool,
}

impl Default for TunnelSettings {
    fn default() -> Self {
        Self {
            preset: TunnelPreset::Cloudflared,
            server: String::new(),
            command: String::new(),
            pattern: r"https?://\S+".into(),
            path: "/".into(),
            autostart: false,
        }
    }
}

/// Where the tunnel is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "lowercase")]
#[ts(export)]
pub enum TunnelState {
    /// Nobody asked for one.
    Off,
    /// The program runs; its public URL is not known yet.
    Starting {
        /// What runs, as it would be typed.
        command: String,
        /// RFC 3339.
        since: String,
    },
    /// The URL is known; a request through it has not come back yet.
    Proving {
        /// The public URL.
        url: String,
    },
    /// A request through it came back.
    Live {
        /// The public URL.
        url: String,
        /// RFC 3339: since when without a break.
        since: String,
        /// RFC 3339: when a request last came back through it.
        proven_at: String,
        /// Milliseconds that it took.
        round_trip_ms: f64,
    },
    /// It came up and does not answer, or went away; it is started again.
    Waiting {
        /// What happened, and what to do.
        message: String,
        /// The last lines that the program wrote.
        lines: Vec<String>,
        /// RFC 3339: when it is started again.
        retry_at: String,
        /// How many starts have failed in a row.
        failures: u32,
    },
    /// It cannot be started, and trying again would not help: the program is missing, the command is wrong.
    Failed {
        /// What happened, and what to do.
        message: String,
        /// The last lines that the program wrote.
        lines: Vec<String>,
    },
}
