//! A delivery as it came: its signature, its event, and the first half of the work.

use crate::serve::Failure;
use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode, Uri, header::HOST},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use sha2::Sha256;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;

const TOLERANCE_S: u64 = 300;

/// What deliveries are signed with.
pub(crate) fn secret() -> Result<String, Failure> {
    std::env::var("HOOK_SECRET").map_err(|error| format!("HOOK_SECRET: {error}").into())
}

/// A POST as it came.
pub(crate) struct Delivery {
    timestamp: String,
    signature: String,
    body: Bytes,
}

impl Delivery {
    pub(crate) fn new(headers: &HeaderMap, body: Bytes) -> Self {
        let text = |name| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        Self { timestamp: text("x-sume-timestamp"), signature: text("x-sume-signature"), body }
    }

    /// Whether it says that it was signed within the tolerance.
    pub(crate) fn is_fresh(&self) -> bool {
        let digits =
            !self.timestamp.is_empty() && self.timestamp.bytes().all(|b| b.is_ascii_digit());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        digits && self.timestamp.parse::<u64>().is_ok_and(|at| now.abs_diff(at) <= TOLERANCE_S)
    }

    /// The signature that came.
    pub(crate) fn given(&self) -> &str {
        &self.signature
    }

    /// The signature that Sume would have made. A sample compares it as text; a handler in the open does so in constant
    /// time.
    pub(crate) fn expected(&self) -> String {
        let secret = secret().unwrap_or_default();
        // HMAC takes a key of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
            return String::new();
        };
        mac.update(self.timestamp.as_bytes());
        mac.update(b".");
        mac.update(&self.body);
        format!("v1={}", hex::encode(mac.finalize().into_bytes()))
    }

    /// The event, when the body is a JSON object.
    pub(crate) fn event(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The first half of the work: fetches the event's first artifact whole, if it names one.
    ///
    /// # Errors
    /// When the answer is not a 200 or breaks off.
    pub(crate) async fn download(&self) -> Result<(), Failure> {
        let event = Value::from(self.event().unwrap_or_default());
        match event.pointer("/artifacts/0/url").and_then(Value::as_str) {
            Some(url) => fetch(url.parse()?).await,
            None => Ok(()),
        }
    }
}

/// Over a connection of its own, past any proxy.
async fn fetch(url: Uri) -> Result<(), Failure> {
    let authority = url.authority().ok_or("the artifact's URL has no host")?;
    let address = (authority.host(), authority.port_u16().unwrap_or(80));
    let stream = TokioIo::new(TcpStream::connect(address).await?);
    let (mut sender, connection) = http1::handshake(stream).await?;
    tokio::spawn(connection);
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let request = hyper::Request::get(path).header(HOST, authority.as_str());
    let answer = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
    if answer.status() != StatusCode::OK {
        return Err(format!("{url} was answered {}", answer.status()).into());
    }
    answer.into_body().collect().await?;
    Ok(())
}
