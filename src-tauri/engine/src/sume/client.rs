//! Asks Sume's API: a key, a base URL, three routes.
//!
//! The key goes to the base URL's host and nowhere else: no redirect is followed, and a base URL in clear is taken for this
//! machine only. What only asks is tried again where that may help; what changes something is sent once.

use super::{
    base::{check_base_url, is_loopback},
    key::ApiKey,
    problem::{Refusal, SumeError},
    shape,
};
use crate::model::{JobStatus, SumeAnswer};
use bytes::BytesMut;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, Method, Response, header, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use serde_json::{Value, json};
use std::{
    error::Error,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{task::spawn_blocking, time::sleep};
use url::Url;

const KEY_HEADER: &str = "x-api-key";
/// The headers that may hold the id of a request.
const REQUEST_ID_HEADERS: [&str; 3] = ["x-request-id", "request-id", "x-correlation-id"];
/// Everything but RFC 3986's unreserved characters.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// How much of an answer is read, in bytes.
const READ: usize = 1024 * 1024;
/// How much of it is kept, in bytes.
const KEPT: usize = 64 * 1024;
/// The longest id of a job, in bytes.
const LONGEST_ID: usize = 1024;

/// How long the API may take, and how often it is asked again.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the whole answer.
    pub whole: Duration,
    /// How often a question is put at most; a write always once.
    pub tries: u32,
    /// Between the first two tries; each later wait is twice as long.
    pub first_wait: Duration,
    /// The longest `Retry-After` that is waited out; a longer one is told instead.
    pub longest_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            whole: Duration::from_secs(30),
            tries: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(20),
        }
    }
}

/// Sume's API.
#[derive(Debug, Clone)]
pub struct Api {
    base: Url,
    key: ApiKey,
    client: Client,
    patience: Patience,
}

/// An answer, whatever its status.
struct Answer {
    status: u16,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    text: String,
    json: Option<Value>,
}

impl Api {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// When the base URL cannot be used, or this machine trusts no certificate.
    pub async fn new(base: &str, key: ApiKey, patience: Patience) -> Result<Self, SumeError> {
        let base = check_base_url(base)?;
        let local = is_loopback(&base);
        let tls = tls(base.scheme() == "https").await?;
        let mut client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            // A retry of ours is counted and paced; reqwest's own is neither.
            .retry(reqwest::retry::never())
            .connect_timeout(patience.connect)
            .timeout(patience.whole)
            .user_agent(concat!("hooktwice/", env!("CARGO_PKG_VERSION")));
        if local {
            // Never through a proxy, where the key would be in clear; and both families, whatever the resolver says (C75).
            let port = base.port_or_known_default().unwrap_or(80);
            let both = [
                SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
                SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            ];
            client = client.no_proxy().resolve_to_addrs("localhost", &both);
        }
        let client = client.build().map_err(|error| SumeError::Setup(innermost(&error)))?;
        Ok(Self { base, key, client, patience })
    }

    /// Asks for a `webhook.test` to a URL.
    ///
    /// # Errors
    /// When the URL cannot be one, or the API does not take it.
    pub async fn test_delivery(&self, url: &str) -> Result<SumeAnswer, SumeError> {
        let url = url.trim();
        self.check_target(url)?;
        let what = "The test delivery";
        let path = ["webhooks", "test-deliveries"];
        let answer = self.ask(what, Method::POST, &path, Some(json!({ "url": url }))).await?;
        let answer = self.taken(what, answer)?;
        Ok(self.said(answer, &format!("Sume took the test delivery to {url}")))
    }

    /// Asks for a job's terminal event once more.
    ///
    /// # Errors
    /// When the id cannot be one, or the API does not take it.
    pub async fn redeliver(&self, job_id: &str) -> Result<SumeAnswer, SumeError> {
        let what = "The redelivery";
        let path = ["jobs", &in_path(job_id)?, "webhook", "redeliver"];
        let answer = self.ask(what, Method::POST, &path, None).await?;
        let answer = self.taken(what, answer)?;
        Ok(self.said(answer, &format!("Sume takes up the redelivery of {job_id}")))
    }

    /// Asks where a job is; again a few times where that may help.
    ///
    /// # Errors
    /// When the id cannot be one, or the API does not say.
    pub async fn status(&self, job_id: &str) -> Result<JobStatus, SumeError> {
        let mut wait = self.patience.first_wait;
        let mut tries = 1;
        loop {
            let error = match self.look(job_id).await {
                Ok(status) => return Ok(status),
                Err(error) => error,
            };
            let pause = error.retry_after().unwrap_or_default().max(wait);
            if tries >= self.patience.tries || !error.passes() || pause > self.patience.longest_wait
            {
                return Err(error);
            }
            tracing::debug!(%error, ?pause, "Sume's API is asked again");
            sleep(pause).await;
            tries += 1;
            wait *= 2;
        }
    }

    /// Asks where a job is, once.
    ///
    /// # Errors
    /// As [`Api::status`].
    pub(super) async fn look(&self, job_id: &str) -> Result<JobStatus, SumeError> {
        let what = "The job's status";
        let path = ["jobs", &in_path(job_id)?, "status"];
        let answer = self.ask(what, Method::GET, &path, None).await?;
        let answer = self.taken(what, answer)?;
        let Some(json) = &answer.json else {
            return Err(SumeError::NotUnderstood {
                what,
                base: self.base.to_string(),
                status: answer.status,
                reason: "something that is not JSON".into(),
            });
        };
        let (state, word) = shape::state(json);
        let word = self.key.redact(&word);
        let says = if word.is_empty() {
            format!("Sume's answer about {job_id} names no status")
        } else {
            format!("Sume says that {job_id} is {word}")
        };
        let answer = SumeAnswer { message: format!("{says}."), ..self.said(answer, &says) };
        Ok(JobStatus { job_id: job_id.to_owned(), state, word, answer })
    }

    fn check_target(&self, url: &str) -> Result<(), SumeError> {
        let wrong =
            |reason: &str| SumeError::Target { url: url.to_owned(), reason: reason.to_owned() };
        let parsed = Url::parse(url)
            .map_err(|error| wrong(&format!("{error}; give one like https://example.com/hook")))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(wrong("it begins with neither https:// nor http://"));
        }
        if is_loopback(&parsed) && !is_loopback(&self.base) {
            return Err(wrong(
                "that is this machine, which Sume cannot reach; start a tunnel and give its public URL",
            ));
        }
        Ok(())
    }

    async fn ask(
        &self,
        what: &'static str,
        method: Method,
        path: &[&str],
        body: Option<Value>,
    ) -> Result<Answer, SumeError> {
        let only_asks = method == Method::GET;
        let url = format!("{}/{}", self.base.as_str().trim_end_matches('/'), path.join("/"));
        let mut request = self
            .client
            .request(method, url)
            .header(KEY_HEADER, self.key.header()?)
            .header(header::ACCEPT, "application/json");
        if let Some(body) = body {
            request =
                request.header(header::CONTENT_TYPE, "application/json").body(body.to_string());
        } else if !only_asks {
            request = request.header(header::CONTENT_LENGTH, 0);
        }
        let failed = |error: reqwest::Error| self.unreachable(what, only_asks, &error);
        let response = request.send().await.map_err(failed)?;
        self.read(response).await.map_err(failed)
    }

    async fn read(&self, mut response: Response) -> Result<Answer, reqwest::Error> {
        let status = response.status().as_u16();
        let named = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let request_id = REQUEST_ID_HEADERS.iter().find_map(|name| named(name));
        let now =
            named("date").and_then(|date| shape::http_date(&date)).unwrap_or_else(Timestamp::now);
        let retry_after = named("retry-after").and_then(|value| shape::retry_after(&value, now));
        let mut body = BytesMut::new();
        let mut whole = true;
        while let Some(chunk) = response.chunk().await? {
            let room = READ - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                whole = false;
                break;
            }
        }
        let json = whole.then(|| serde_json::from_slice(&body).ok()).flatten();
        let mut text = self.key.redact(&String::from_utf8_lossy(&body));
        if text.len() > KEPT {
            text.truncate(text.floor_char_boundary(KEPT));
        }
        let request_id = request_id
            .or_else(|| shape::request_id(json.as_ref()?))
            .and_then(|id| shape::short(&self.key.redact(&id)));
        Ok(Answer { status, request_id, retry_after, text, json })
    }

    /// Any 2xx, else why it is none.
    fn taken(&self, what: &'static str, answer: Answer) -> Result<Answer, SumeError> {
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let json = answer.json.as_ref();
        let redact = |text: String| self.key.redact(&text);
        let message = json.and_then(shape::message).map(redact);
        Err(SumeError::Refused(Box::new(Refusal {
            what,
            status: answer.status,
            code: json.and_then(shape::code).map(redact),
            // A page of HTML says nothing in a sentence; a line of text does.
            message: message.or_else(|| {
                let plain = json.is_none() && !answer.text.trim_start().starts_with('<');
                plain.then(|| shape::short(&answer.text)).flatten()
            }),
            request_id: answer.request_id,
            retry_after: answer.retry_after,
        })))
    }

    fn said(&self, answer: Answer, what: &str) -> SumeAnswer {
        let words = answer.json.as_ref().and_then(shape::message);
        let words = words.map(|words| self.key.redact(&words));
        let message = match words {
            Some(words) => format!("{what}: {}.", words.trim_end_matches('.')),
            None => format!("{what}."),
        };
        SumeAnswer {
            status: answer.status,
            request_id: answer.request_id,
            message,
            body: answer.text,
        }
    }

    fn unreachable(
        &self,
        what: &'static str,
        only_asks: bool,
        error: &reqwest::Error,
    ) -> SumeError {
        let reason = if error.is_timeout() {
            format!("not within {} s", self.patience.whole.as_secs_f64())
        } else {
            innermost(error)
        };
        let hint = match (only_asks, error.is_connect()) {
            (_, true) => " Nothing was sent; check the network and the base URL.",
            (true, false) => "",
            (false, false) => {
                " It may have been taken all the same, and is not sent again by itself: look at what came before you ask again."
            }
        };
        SumeError::Unreachable { what, base: self.base.to_string(), reason, hint }
    }
}

/// A job's id as one segment of a path.
fn in_path(id: &str) -> Result<String, SumeError> {
    let wrong = |reason| Err(SumeError::JobId { id: id.to_owned(), reason });
    if id.is_empty() {
        return wrong("it is empty");
    }
    if id.len() > LONGEST_ID {
        let id = id.chars().take(40).collect::<String>() + "…";
        return Err(SumeError::JobId { id, reason: "it is over 1 KiB long" });
    }
    if id.trim() != id {
        return wrong("it has white space at an end");
    }
    // Encoded or not, these are steps in a path and would ask another route.
    if matches!(id, "." | "..") {
        return wrong("in a URL's path it is a step, not a name");
    }
    Ok(utf8_percent_encode(id, ENCODED).to_string())
}

/// Whether an id can be a job's.
///
/// # Errors
/// When it cannot.
pub(super) fn check_id(id: &str) -> Result<(), SumeError> {
    in_path(id).map(|_| ())
}

/// The other side proves its name by a certificate that this machine trusts.
async fn tls(used: bool) -> Result<ClientConfig, SumeError> {
    let mut roots = RootCertStore::empty();
    if used {
        let found = spawn_blocking(rustls_native_certs::load_native_certs)
            .await
            .map_err(|error| SumeError::Setup(error.to_string()))?;
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(SumeError::Setup(
                "no root certificates were found on this machine; install its ca-certificates package, or name a file in SSL_CERT_FILE".into(),
            ));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SumeError::Setup(format!("TLS cannot be set up: {error}")))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// What lies at the bottom of an error; the layers above only say where it passed.
fn innermost(error: &reqwest::Error) -> String {
    let mut deepest: Option<&dyn Error> = error.source();
    while let Some(below) = deepest.and_then(Error::source) {
        deepest = Some(below);
    }
    deepest.map_or_else(|| "the request could not be made".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests;
