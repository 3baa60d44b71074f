//! The effect seen as a number in the JSON answer of a URL.

use super::{Sight, number, tls};
use bytes::BytesMut;
use futures_util::{StreamExt as _, stream};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, Response, StatusCode, header, redirect};
use serde_json::Value;
use std::{error::Error, time::Duration};
use tokio::sync::Semaphore;

/// Where the id goes.
const PLACE: &str = "{job_id}";

/// Everything but RFC 3986's unreserved characters.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// For one answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many are asked for at once.
const AT_ONCE: usize = 8;

/// How much of an answer is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A URL and the place of the number in its answer.
#[derive(Debug)]
pub(super) struct Url {
    template: String,
    /// As it is shown: without a password and without the query, which may hold a token.
    shown: String,
    pointer: String,
    client: Client,
    asking: Semaphore,
    patience: Duration,
}

impl Url {
    pub(super) async fn new(template: &str, pointer: &str) -> Result<Self, String> {
        // What stands behind a `#` is never sent.
        let template = template.split('#').next().unwrap_or_default();
        let url = ::url::Url::parse(&template.replace(PLACE, "job")).map_err(|error| {
            format!("the URL cannot be read ({error}); give one like {EXAMPLE}")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!(
                "the URL begins with `{}:`, and only http and https can be asked; give one like {EXAMPLE}",
                url.scheme()
            ));
        }
        if !template.contains(PLACE) {
            return Err(format!(
                "the URL has no `{PLACE}`, so it would count other jobs' effects too; put it where the id goes, \
                 for example {EXAMPLE}"
            ));
        }
        let (scheme, rest) = template.split_once("://").unwrap_or(("http", template));
        let (authority, path) = rest.split_at(rest.find(['/', '?', '\\']).unwrap_or(rest.len()));
        if authority.contains(PLACE) {
            return Err(format!(
                "`{PLACE}` stands in the URL's host; put it in the path or the query, for example {EXAMPLE}"
            ));
        }
        let host = authority.rsplit('@').next().unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        let shown = format!("{scheme}://{host}{path}");
        let tls = if url.scheme() == "https" { tls::verified().await? } else { tls::unused()? };
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .http1_only()
            // A connection that is kept holds up a handler that takes one at a time, or that waits for them to end.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| {
                format!("the URL cannot be asked ({}); try again", innermost(&error))
            })?;
        let pointer = pointer.to_owned();
        let template = template.to_owned();
        let asking = Semaphore::new(AT_ONCE);
        Ok(Self { template, shown, pointer, client, asking, patience: PATIENCE })
    }

    /// For tests that do not want to wait.
    #[cfg(test)]
    pub(super) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) async fn counts(&self, ids: &[String]) -> Vec<Sight> {
        // Not by a closure: its future could not be shown to be sendable for every lifetime.
        let mut counts = Vec::with_capacity(ids.len());
        for id in ids {
            counts.push(self.count(id));
        }
        stream::iter(counts).buffered(AT_ONCE).collect().await
    }

    async fn count(&self, id: &str) -> Sight {
        // It is never closed, so this cannot fail; were it to, nothing would be limited.
        let _asking = self.asking.acquire().await;
        let url = self.template.replace(PLACE, &utf8_percent_encode(id, ENCODED).to_string());
        let asked = self.client.get(url).header(header::CONNECTION, "close").timeout(self.patience);
        let answer = asked.send().await.map_err(|error| self.unreachable(&error))?;
        match answer.status() {
            // No such job, or none yet.
            StatusCode::NOT_FOUND => Ok(0),
            status if status.is_success() => self.read(&self.body(answer).await?),
            status if status.is_redirection() => Err(format!(
                "{} answered {}, and redirects are not followed; give the URL that it leads to.",
                self.shown,
                status.as_u16()
            )),
            status => Err(format!(
                "{} answered {}; it has to answer 200 with the number, or 404 for a job that it does not know.",
                self.shown,
                status.as_u16()
            )),
        }
    }

    async fn body(&self, mut answer: Response) -> Result<BytesMut, String> {
        let mut body = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.unreachable(&error))? {
            if body.len() + chunk.len() > LONGEST {
                return Err(format!(
                    "{} answered with more than {LONGEST} bytes; let it answer with the number of one job.",
                    self.shown
                ));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn read(&self, body: &[u8]) -> Sight {
        let value: Value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(error) => {
                let text = String::from_utf8_lossy(body);
                // Digits that JSON does not take, such as 007, are a number all the same.
                return number::text(&text).ok().filter(|_| self.pointer.is_empty()).ok_or_else(|| {
                    format!(
                        "{} answered with something that is not JSON ({error}): {:?}. Let it answer with JSON that \
                         holds the number.",
                        self.shown,
                        number::clip(text.trim())
                    )
                });
            }
        };
        let Some(found) = value.pointer(&self.pointer) else {
            return Err(format!(
                "{} answered with JSON that has nothing at {}: {}. Correct the pointer.",
                self.shown,
                self.pointer,
                number::clip(&value.to_string())
            ));
        };
        let count = match found {
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(whole), _) => Ok(number::clamped(whole)),
                (None, Some(real)) => number::real(real),
                (None, None) => Err(number.to_string()),
            },
            Value::String(text) => number::text(text),
            other => Err(number::clip(&other.to_string())),
        };
        count.map_err(|what| {
            let place = if self.pointer.is_empty() { "as its answer" } else { &self.pointer };
            let place = place.strip_prefix('/').map_or(place.to_owned(), |_| format!("at {place}"));
            format!(
                "{} gave {what} {place}, which is no number of effects; let it answer with how many there were, 0 or \
                 more.",
                self.shown
            )
        })
    }

    fn unreachable(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return format!(
                "{} did not answer within {:?}; is the handler running, and quick enough to be asked?",
                self.shown, self.patience
            );
        }
        format!("{} cannot be asked: {}; start what answers there.", self.shown, innermost(error))
    }
}

/// For an error.
const EXAMPLE: &str = "http://127.0.0.1:3000/effects/{job_id}";

/// What lies at the bottom of an error. The layers above say where it passed, and the URL with all its secrets.
fn innermost(error: &reqwest::Error) -> String {
    let mut deepest: Option<&dyn Error> = error.source();
    while let Some(below) = deepest.and_then(Error::source) {
        deepest = Some(below);
    }
    deepest.map_or_else(|| "the request could not be made".to_owned(), ToString::to_string)
}
