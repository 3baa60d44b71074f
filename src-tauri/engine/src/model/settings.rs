//! What a person can set. Written to `settings.json` in the data folder; the command line sees the same.

use super::{ForwardSettings, SchemeSettings, SumeSettings, TunnelSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// What answers a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[ts(export)]
pub enum Responder {
    /// Verify, claim by insert, answer: the cure.
    Claim,
    /// Look first, pause, insert later: the fault, to be seen.
    Naive {
        /// How long it pauses between the look and the insert, in milliseconds.
        pause_ms: u32,
    },
    /// Always this status; claims are still made.
    Status {
        /// 200 to 599.
        code: u16,
    },
    /// The developer's own handler, which gets every delivery; [`ForwardSettings`] says where it is.
    Forward,
}

/// How the listener listens and answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct ListenSettings {
    /// An address; loopback unless asked otherwise.
    pub host: String,
    /// 0 is any free port.
    pub port: u16,
    /// What answers.
    pub responder: Responder,
    /// Where deliveries go on to, where the responder is `Forward`.
    pub forward: ForwardSettings,
    /// The first so many deliveries of each job are answered 500; they claim as ever.
    /// Those without an id are counted together, by path.
    pub fail_first: u32,
    /// Waits so long before each answer, in milliseconds.
    pub delay_ms: u32,
    /// Takes the delivery and closes the connection instead of answering.
    pub drop: bool,
    /// Answers a provider that verifies the address with the challenge that it sent, in place of what else would be
    /// answered. Such a request is no delivery of a job.
    pub answer_challenges: bool,
    /// Where the id stands (RFC 6901).
    pub id_pointer: String,
    /// Seconds that a timestamp may be off, either way.
    pub tolerance_s: u32,
    /// The scheme, as in `--scheme`.
    pub scheme: String,
}

impl Default for ListenSettings {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            port: 4400,
            responder: Responder::Claim,
            forward: ForwardSettings::default(),
            fail_first: 0,
            delay_ms: 0,
            drop: false,
            answer_challenges: false,
            id_pointer: "/job_id".into(),
            tolerance_s: 300,
            scheme: "sume".into(),
        }
    }
}

/// What the listener takes at most; each has its answer and its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct Limits {
    /// Bytes of body; 413 past it.
    #[ts(type = "number")]
    pub body_bytes: u64,
    /// Bytes of request line and headers; 431 past it.
    pub head_bytes: u32,
    /// How many headers; 431 past it.
    pub headers: u16,
    /// Connections at once; 503 past it.
    pub connections: u32,
    /// Seconds without a byte of a request that has begun; 408 past it.
    pub idle_s: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 10 * 1024 * 1024,
            head_bytes: 64 * 1024,
            headers: 256,
            connections: 1024,
            idle_s: 30,
        }
    }
}

/// How much is kept; the oldest go first, never a pinned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct Retention {
    /// Deliveries; 0 is no limit.
    #[ts(type = "number")]
    pub deliveries: u64,
    /// Bytes of bodies and heads; 0 is no limit.
    #[ts(type = "number")]
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { deliveries: 200_000, bytes: 2 * 1024 * 1024 * 1024 }
    }
}

/// What the window tells of while nobody looks at it. Nothing, unless asked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct NotifySettings {
    /// A delivery whose job was claimed already.
    pub duplicates: bool,
    /// A delivery whose signature is invalid, stale or missing.
    pub bad_signatures: bool,
    /// Also while the window has the focus.
    pub in_front: bool,
}

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct Settings {
    /// How the listener listens and answers.
    pub listen: ListenSettings,
    /// What it takes at most.
    pub limits: Limits,
    /// How much is kept.
    pub retention: Retention,
    /// How a provider signs, where that is a setting.
    pub schemes: SchemeSettings,
    /// The keychain's secrets of each scheme, by name; the first one signs, all verify. A scheme without one has a
    /// throwaway secret, made at each start.
    pub secrets: BTreeMap<String, Vec<String>>,
    /// How the listener is reached from outside.
    pub tunnel: TunnelSettings,
    /// Where Sume's API is.
    pub sume: SumeSettings,
    /// What the window tells of.
    pub notify: NotifySettings,
}
