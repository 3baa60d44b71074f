//! A delivery to try everything with, as Sume would send it.

use super::Engine;
use crate::{
    error::{Error, Result},
    export,
    head::RawHeader,
    ids,
    model::{PlanSpec, Protocol, Release, RunReport, Signing},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Where the sample is sent on the listener.
const PATH: &str = "/webhooks/sume";

/// The body of a finished job with a fresh id: the keys of contract.md's default body, in its order.
pub(super) fn sample_body() -> String {
    let id = ids::new_id().simple().to_string();
    // The last digits of a UUID version 7 are its random ones.
    let job = &id[id.len() - 12..];
    // Written as text: the order of the keys is part of it, and the id needs no escape.
    format!(
        concat!(
            r#"{{"event":"job.completed","job_id":"job_{job}","status":"completed","#,
            r#""status_url":"https://api.sume.com/v1/jobs/job_{job}/status","#,
            r#""artifacts":[{{"type":"video/mp4","url":"https://cdn.example/job_{job}/out.mp4"}}]}}"#
        ),
        job = job
    )
}

impl Engine {
    /// Signs a sample delivery and sends it to the listener itself.
    ///
    /// # Errors
    /// When the listener does not run.
    pub async fn fire_sample(&self) -> Result<RunReport> {
        let url = self.sample_url()?;
        let signing =
            if self.current_signer()?.is_some() { Signing::Each } else { Signing::Verbatim };
        self.fire_to_the_end(PlanSpec {
            url,
            method: "POST".into(),
            body_base64: STANDARD.encode(sample_body()),
            delivery: None,
            edited: false,
            headers: Vec::new(),
            copies: 1,
            release: Release::Together,
            signing,
            protocol: Protocol::Auto,
            timeout_ms: 10_000,
            // The listener is the person's own, also where it listens on an address that is not loopback.
            allow_host: Some(self.settings().listen.host),
        })
        .await
    }

    /// A curl command that sends a signed sample; its signature is good for the tolerance.
    ///
    /// # Errors
    /// When the listener does not run.
    pub fn sample_curl(&self) -> Result<String> {
        let url = self.sample_url()?;
        let body = sample_body();
        let mut headers = vec![RawHeader::new("Content-Type", "application/json")];
        if let Some(signer) = self.current_signer()? {
            let now = self.inner.options.clock.now().as_second();
            headers.extend(signer.sign(
                now,
                &format!("evt_{}", ids::new_id().simple()),
                body.as_bytes(),
            )?);
        }
        Ok(export::curl("POST", &url, &headers, body.as_bytes()))
    }

    fn sample_url(&self) -> Result<String> {
        self.listener_url()
            .map(|url| format!("{url}{PATH}"))
            .ok_or_else(|| Error::Input("The listener does not run. Start it first.".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::sample_body;

    #[test]
    fn the_sample_is_compact_in_the_contracts_order_with_a_fresh_id() {
        let body = sample_body();
        assert!(body.starts_with(r#"{"event":"job.completed","job_id":"job_"#), "{body}");
        assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{body}");
        assert_ne!(body, sample_body());
    }
}
