//! Lines of JSON: everything that is kept, a delivery a line.

use super::Stored;
use crate::model::DeliveryDetail;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;

/// A delivery as one line of JSON, which an import reads; also that of `deliveries show --json`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "delivery")]
pub struct Line<'a> {
    #[serde(flatten)]
    detail: &'a DeliveryDetail,
    /// Only where path and query do not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_base64: Option<String>,
    /// Only where it was not, so that its head cannot be written again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_http: bool,
    body_base64: String,
}

impl<'a> From<&'a Stored> for Line<'a> {
    fn from(stored: &'a Stored) -> Self {
        Self {
            detail: &stored.detail,
            target_base64: stored.odd_target(),
            not_http: stored.head.is_none(),
            body_base64: STANDARD.encode(&stored.body),
        }
    }
}
