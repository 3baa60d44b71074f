//! Sume's signature and a body of its shape, from the provider's description alone.

use anyhow::Context as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::time::{SystemTime, UNIX_EPOCH};

/// Signs with the secret in `HOOK_SECRET`.
#[derive(Clone)]
pub(crate) struct Signer(Hmac<Sha256>);

impl Signer {
    /// The secret's bytes are hashed into the key once, not for each body.
    pub(crate) fn from_env() -> anyhow::Result<Self> {
        let secret = std::env::var("HOOK_SECRET")
            .context("HOOK_SECRET is not set; give the secret to sign with")?;
        Ok(Self(Hmac::new_from_slice(secret.as_bytes())?))
    }

    /// Timestamp and signature of a body that is signed now.
    pub(crate) fn headers(&self, body: &[u8]) -> [(&'static str, String); 2] {
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let mut digest = self.0.clone();
        digest.update(now.as_bytes());
        digest.update(b".");
        digest.update(body);
        let signature = format!("v1={}", hex::encode(digest.finalize().into_bytes()));
        [("X-Sume-Timestamp", now), ("X-Sume-Signature", signature)]
    }
}

/// A terminal event of about 300 bytes.
// Not `url`: the Python recipe would download it, and nothing is there.
pub(crate) fn body(job_id: &str) -> String {
    format!(
        concat!(
            r#"{{"event":"job.completed","job_id":"{0}","status":"completed","#,
            r#""status_url":"https://api.sume.com/v1/jobs/{0}/status","#,
            r#""artifacts":[{{"type":"video","href":"https://cdn.sume.com/artifacts/{0}/final.mp4","#,
            r#""duration_seconds":30,"width":1920,"height":1080}}]}}"#
        ),
        job_id
    )
}
