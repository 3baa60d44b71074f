//! Proves a public URL: a request through it has to come back to this listener.

use crate::{clock::milliseconds, proof::Proofs};
use reqwest::{Client, header, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::{
    fmt,
    future::Future,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::spawn_blocking;
use url::{Host, Url};

/// For one request.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than an answer of ours, in bytes.
const LONGEST: u64 = 256;

/// How long it took in milliseconds, or why it did not come back: half a sentence.
pub type Proving<'a> = Pin<Box<dyn Future<Output = Result<f64, String>> + Send + 'a>>;

/// Asks through a tunnel.
pub trait Prover: Send + Sync + fmt::Debug {
    /// Sends one request to the public URL; it has to come back to the listener.
    fn prove<'a>(&'a self, url: &'a str) -> Proving<'a>;
}

/// Asks over HTTP, on a connection of its own each time.
#[derive(Debug, Clone)]
pub struct HttpProver {
    proofs: Proofs,
    patience: Duration,
}

impl HttpProver {
    /// The listener answers from the same questions.
    pub fn new(proofs: Proofs) -> Self {
        Self { proofs, patience: PATIENCE }
    }

    async fn ask(&self, url: &str) -> Result<f64, String> {
        let url = Url::parse(url).map_err(|error| format!("it is no URL ({error})"))?;
        let client = client(&url).await?;
        let question = self.proofs.ask();
        let asked = format!("{}{}", url.as_str().trim_end_matches('/'), question.path());
        let began = Instant::now();
        let sent = client
            .get(asked)
            .header(header::USER_AGENT, concat!("hooktwice/", env!("CARGO_PKG_VERSION")))
            // ngrok shows browsers a page of its own first.
            .header("ngrok-skip-browser-warning", "1")
            .timeout(self.patience)
            .send();
        let mut answer = sent.await.map_err(|error| self.in_words(&error))?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.in_words(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() as u64 > LONGEST {
                break;
            }
        }
        if status.is_success() && body == question.answer().as_bytes() {
            return Ok(milliseconds(began.elapsed()));
        }
        Err(format!("somebody else answers there, with {}", status.as_u16()))
    }

    fn in_words(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return format!("no answer came in {} s", self.patience.as_secs());
        }
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let what = if error.is_connect() { "it cannot be reached" } else { "the answer broke off" };
        format!("{what} ({cause})")
    }
}

impl Prover for HttpProver {
    fn prove<'a>(&'a self, url: &'a str) -> Proving<'a> {
        Box::pin(self.ask(url))
    }
}

/// Made anew each time, so that a proof never goes over what an earlier one left open.
async fn client(url: &Url) -> Result<Client, String> {
    let mut roots = RootCertStore::empty();
    if url.scheme() == "https" {
        let found = spawn_blocking(rustls_native_certs::load_native_certs).await;
        let found =
            found.map_err(|error| format!("the root certificates cannot be read ({error})"))?;
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(
                "this machine has no root certificates: install its ca-certificates package, \
                        or name a file in SSL_CERT_FILE"
                    .into(),
            );
        }
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up ({error})"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .http1_only()
        .pool_max_idle_per_host(0);
    if is_loopback(url) {
        client = client.no_proxy();
    }
    client.build().map_err(|error| format!("it cannot be asked ({error})"))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => IpAddr::from(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::from(ip).is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{
        Router,
        extract::State,
        http::{StatusCode, Uri},
        response::IntoResponse as _,
    };
    use tokio::net::TcpListener;

    /// Answers as the function says, which sees the question's path.
    async fn server(
        proofs: Proofs,
        answer: fn(&Proofs, &str) -> Option<(StatusCode, String)>,
    ) -> String {
        let router =
            Router::new().fallback(move |State(proofs): State<Proofs>, uri: Uri| async move {
                match answer(&proofs, uri.path()) {
                    Some(answer) => answer.into_response(),
                    None => std::future::pending().await,
                }
            });
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let serve = axum::serve(socket, router.with_state(proofs));
        tokio::spawn(async move { serve.await.unwrap() });
        url
    }

    async fn prove(
        answer: fn(&Proofs, &str) -> Option<(StatusCode, String)>,
    ) -> Result<f64, String> {
        let proofs = Proofs::default();
        let url = server(proofs.clone(), answer).await;
        let prover = HttpProver { proofs, patience: Duration::from_millis(300) };
        prover.prove(&url).await
    }

    #[tokio::test]
    async fn only_our_own_answer_proves_it() {
        let took = prove(|proofs, path| Some((StatusCode::OK, proofs.answer("GET", path)?))).await;
        assert!(took.unwrap() > 0.0);

        let echo = prove(|_, path| Some((StatusCode::OK, path.to_owned()))).await;
        assert_eq!(echo.unwrap_err(), "somebody else answers there, with 200");
        let nothing = prove(|_, _| Some((StatusCode::BAD_GATEWAY, "no tunnel here".into()))).await;
        assert_eq!(nothing.unwrap_err(), "somebody else answers there, with 502");
        let endless = prove(|_, _| Some((StatusCode::OK, "x".repeat(1_000_000)))).await;
        assert_eq!(endless.unwrap_err(), "somebody else answers there, with 200");
        let silent = prove(|_, _| None).await;
        assert_eq!(silent.unwrap_err(), "no answer came in 0 s");
    }

    #[tokio::test]
    async fn where_nobody_listens_the_system_says_why() {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        drop(socket);
        let error = HttpProver::new(Proofs::default()).prove(&url).await.unwrap_err();
        assert!(
            error.starts_with("it cannot be reached (") && error.contains("refused"),
            "{error}"
        );
    }

    #[test]
    fn proxies_are_not_asked_for_this_machine() {
        for (url, local) in [
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://localhost:1", true),
            ("https://a.example", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), local, "{url}");
        }
    }
}
