//! Judges a whole delivery over its raw bytes: the signature, the id, the digest.

use super::{ListenConfig, memory::Memory};
use crate::{
    head::Head,
    model::SignatureReport,
    payload::{self, Payload},
    signing::{self, SignedRequest, Verifier},
};
use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// From this size on, a body is judged on a thread of its own, so that the others' answers do not wait for its digest.
const LARGE: usize = 256 * 1024;

/// A delivery that is to be judged.
#[derive(Debug)]
pub(super) struct Case {
    /// Its head.
    pub(super) head: Head,
    /// Its target up to the first `?`.
    pub(super) path: String,
    /// Its target after that.
    pub(super) query: String,
    /// Its whole body.
    pub(super) body: Bytes,
    /// When its head was whole.
    pub(super) received_at: Timestamp,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Judged {
    /// The signature.
    pub(super) signature: SignatureReport,
    /// The event and the id.
    pub(super) payload: Payload,
    /// SHA-256 of the body.
    pub(super) sha256: [u8; 32],
    /// What is alike in all deliveries that differ in their id only.
    pub(super) shape: u64,
}

/// Judges; gives the case back.
///
/// # Errors
/// When the judging itself broke.
pub(super) async fn judge(
    case: Case,
    config: &Arc<ListenConfig>,
    memory: &Arc<Memory>,
) -> Result<(Case, Judged), tokio::task::JoinError> {
    if case.body.len() < LARGE {
        let judged = look(&case, config, memory);
        return Ok((case, judged));
    }
    let (config, memory) = (Arc::clone(config), Arc::clone(memory));
    spawn_blocking(move || {
        let judged = look(&case, &config, &memory);
        (case, judged)
    })
    .await
}

fn look(case: &Case, config: &ListenConfig, memory: &Memory) -> Judged {
    let request = SignedRequest {
        method: &case.head.method,
        path: &case.path,
        query: &case.query,
        headers: &case.head.headers,
        body: &case.body,
    };
    let verifier = Verifier {
        scheme: config.scheme.as_ref(),
        secrets: &config.secrets,
        tolerance_s: config.settings.tolerance_s,
        schemes: &config.schemes,
        known: &config.known,
        seen: &memory.clocks.last(),
    };
    let signature = verifier.verify(&request, case.received_at);
    memory.clocks.remember(case.received_at, &signature);
    let mut payload = payload::read(&case.body, &config.settings.id_pointer);
    payload.notes.extend(signing::note(config.scheme.as_ref(), &request));
    let id_span = payload.id_span.clone().filter(|_| payload.reason.is_none());
    let shape = memory.shapes.of(&case.path, &case.body, id_span);
    Judged { signature, payload, sha256: Sha256::digest(&case.body).into(), shape }
}
