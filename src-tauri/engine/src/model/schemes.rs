//! How a provider signs, where that is a setting.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The schemes that can be set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct SchemeSettings {
    /// Sume's header names and form.
    pub sume: SumeForm,
    /// The scheme that is called `custom`.
    pub custom: CustomForm,
}

/// Sume's header names and form: what it has published for its earlier API, until it is set otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct SumeForm {
    /// Of the signed time.
    pub timestamp_header: String,
    /// Of the signature.
    pub signature_header: String,
    /// Of the event's id.
    pub event_id_header: String,
    /// What stands before the digest.
    pub tag: String,
}

impl Default for SumeForm {
    fn default() -> Self {
        Self {
            timestamp_header: "X-Sume-Timestamp".into(),
            signature_header: "X-Sume-Signature".into(),
            event_id_header: "X-Sume-Event-Id".into(),
            tag: "v1=".into(),
        }
    }
}

/// A scheme, described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export)]
pub struct CustomForm {
    /// What is signed: text with `{timestamp}`, `{id}`, `{method}`, `{path}`, `{query}`, `{header:NAME}`, and `{body}` once.
    pub signed: String,
    /// Of the signature.
    pub signature_header: String,
    /// Where the signed time stands.
    pub timestamp: CustomTimestamp,
    /// Of the event's id; empty where there is none.
    pub id_header: String,
    /// Which HMAC.
    pub algorithm: CustomAlgorithm,
    /// How the digest is written.
    pub encoding: CustomEncoding,
    /// What stands before the digest: `v1=`, `sha256=`; empty for nothing.
    pub prefix: String,
    /// One character that parts several signatures in a line; empty where only one can come.
    pub separator: String,
    /// How a secret is read.
    pub secret: CustomSecret,
}

impl Default for CustomForm {
    fn default() -> Self {
        Self {
            signed: "{timestamp}.{body}".into(),
            signature_header: "X-Signature".into(),
            timestamp: CustomTimestamp::Header { name: "X-Timestamp".into() },
            id_header: String::new(),
            algorithm: CustomAlgorithm::Sha256,
            encoding: CustomEncoding::Hex,
            prefix: String::new(),
            separator: ",".into(),
            secret: CustomSecret::Text,
        }
    }
}

/// Where a signed time stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[ts(export)]
pub enum CustomTimestamp {
    /// No time is signed.
    None,
    /// In a header of its own.
    Header {
        /// The header.
        name: String,
    },
    /// Beside the signature, as `t=1700000000`.
    Parameter {
        /// What stands before the `=`.
        name: String,
    },
}

/// Which HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum CustomAlgorithm {
    /// HMAC-SHA1.
    Sha1,
    /// HMAC-SHA256.
    Sha256,
    /// HMAC-SHA512.
    Sha512,
}

/// How a digest is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum CustomEncoding {
    /// In hex, read in either case.
    Hex,
    /// In base64, padded.
    Base64,
}

/// How a secret is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export)]
pub enum CustomSecret {
    /// Its bytes as they are.
    Text,
    /// Decoded from base64.
    Base64,
    /// Decoded from hex.
    Hex,
}
