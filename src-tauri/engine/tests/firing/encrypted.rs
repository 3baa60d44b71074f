//! TLS and HTTP/2: the same gate under them.

use crate::support::{fire, in_child, plan};
use bytes::Bytes;
use hooktwice_engine::{
    firing::{Plan, Relay},
    head::RawHeader,
    model::{CopyOutcome, Protocol, Release},
};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, Version, body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::{Semaphore, oneshot, watch},
};
use tokio_rustls::{TlsAcceptor, rustls};

/// A request as hyper's server saw it.
#[derive(Debug, Clone)]
struct Seen {
    version: Version,
    target: String,
    authority: Option<String>,
    headers: Vec<(String, String)>,
    body: Bytes,
}

/// A handler that answers none before it has `wanted` whole requests.
#[derive(Clone)]
struct Handler {
    wanted: usize,
    begun: watch::Sender<usize>,
    seen: Arc<Mutex<Vec<Seen>>>,
    whole: watch::Sender<usize>,
    /// How many connections may still be taken; the others are left standing before the first word.
    doors: Arc<Semaphore>,
}

impl Handler {
    fn new(wanted: usize) -> Self {
        Self {
            wanted,
            begun: watch::Sender::new(0),
            seen: Arc::default(),
            whole: watch::Sender::new(0),
            doors: Arc::new(Semaphore::new(wanted)),
        }
    }

    async fn answer(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        self.begun.send_modify(|count| *count += 1);
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let headers = parts.headers.iter();
        let headers = headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        self.seen.lock().unwrap().push(Seen {
            version: parts.version,
            target: parts.uri.path_and_query().unwrap().to_string(),
            authority: parts.uri.authority().map(ToString::to_string),
            headers,
            body,
        });
        self.whole.send_modify(|count| *count += 1);
        self.whole.subscribe().wait_for(|count| *count >= self.wanted).await.unwrap();
        Ok(Response::new(Full::from("ok")))
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, io: S, http2: bool) {
        let service = service_fn(move |request| self.clone().answer(request));
        let io = TokioIo::new(io);
        // A client that leaves is no fault here.
        let _ = if http2 {
            hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .serve_connection(io, service)
                .await
        } else {
            hyper::server::conn::http1::Builder::new().serve_connection(io, service).await
        };
    }
}

async fn clear_http2(handler: Handler) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?a=%2F", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            handler.doors.acquire().await.unwrap().forget();
            tokio::spawn(handler.clone().serve(socket, true));
        }
    });
    url
}

/// Fires two copies at a handler that takes only one connection at first: the copy on it must not be whole before the
/// other is there.
async fn holds(handler: Handler, plan: Plan, seen_early: bool) {
    handler.doors.forget_permits(1);
    let firing = tokio::spawn(fire(Plan { copies: 2, ..plan }));
    // The head comes at once: only the last byte of the body, or the frame that it is in, is owed. Encrypted, a small
    // request is one record, which cannot be read before it is whole.
    if seen_early {
        handler.begun.subscribe().wait_for(|begun| *begun == 1).await.unwrap();
    }
    let early = tokio::time::timeout(Duration::from_millis(100), async {
        handler.whole.subscribe().wait_for(|whole| *whole > 0).await.unwrap();
    });
    assert!(early.await.is_err(), "a copy was whole before the other was there");
    handler.doors.add_permits(1);
    let (copies, summary) = firing.await.unwrap().unwrap();
    assert_eq!((summary.statuses.get(&200), summary.peak_in_flight), (Some(&2), 2), "{copies:?}");
}

fn on_http2(url: &str, copies: u32) -> Plan {
    Plan { copies, protocol: Protocol::Http2, ..plan(url) }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_http2_each_copy_has_a_connection_and_all_are_in_flight() {
    let handler = Handler::new(10);
    let url = clear_http2(handler.clone()).await;
    let (copies, summary) = fire(on_http2(&url, 10)).await.unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&10), "{copies:?}");
    assert_eq!(summary.peak_in_flight, 10);
    let seen = handler.seen.lock().unwrap();
    assert!(
        seen.iter().all(|seen| seen.version == Version::HTTP_2 && seen.target == "/hook?a=%2F")
    );
    assert!(
        copies.iter().all(|copy| copy.response_body == "ok" && copy.first_byte_ms.unwrap() >= 0.0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn on_http2_the_last_frame_is_owed() {
    let handler = Handler::new(2);
    let url = clear_http2(handler.clone()).await;
    holds(handler, on_http2(&url, 2), true).await;
}

#[tokio::test]
async fn http2_carries_bodies_of_any_size_and_the_headers_that_are_its_own() {
    for size in [0, 1, 16_384, 1_000_000] {
        for release in [Release::Together, Release::Sequential] {
            let handler = Handler::new(if release == Release::Together { 3 } else { 1 });
            handler.doors.add_permits(2);
            let url = clear_http2(handler.clone()).await;
            let body = Bytes::from(vec![b'x'; size]);
            let headers = [
                ("X-A", "1"),
                ("x-a", "2"),
                ("Host", "old"),
                ("Connection", "close"),
                ("Content-Length", "9"),
            ];
            let headers = headers.map(|(name, value)| RawHeader::new(name, value)).to_vec();
            let plan = Plan { body: body.clone(), release, headers, ..on_http2(&url, 3) };
            let (copies, summary) = fire(plan).await.unwrap();
            assert_eq!(summary.statuses.get(&200), Some(&3), "{size} bytes: {copies:?}");
            for seen in handler.seen.lock().unwrap().iter() {
                assert_eq!(seen.body, body);
                let values = |wanted: &str| {
                    let named = seen.headers.iter().filter(|(name, _)| name == wanted);
                    named.map(|(_, value)| value.clone()).collect::<Vec<_>>()
                };
                assert_eq!(values("x-a"), ["1", "2"]);
                assert!(values("host").is_empty() && values("connection").is_empty());
                assert!(url.contains(seen.authority.as_ref().unwrap()));
            }
        }
    }
}

#[tokio::test]
async fn a_clear_http1_handler_does_not_get_http2_by_itself() {
    let handler = Handler::new(1);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = handler.clone();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        serving.serve(socket, false).await;
    });
    let (copies, _) = fire(plan(&url)).await.unwrap();
    assert_eq!(copies[0].status, Some(200));
    assert_eq!(handler.seen.lock().unwrap()[0].version, Version::HTTP_11);
}

/// A server on this machine with a certificate for `localhost`, which speaks what ALPN chooses of `protocols`.
async fn encrypted(
    handler: Handler,
    key: &rcgen::CertifiedKey<rcgen::KeyPair>,
    protocols: &[&[u8]],
) -> String {
    let certificate = key.cert.der().clone();
    let private =
        rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let mut config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![certificate], private)
    .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            handler.doors.acquire().await.unwrap().forget();
            let (acceptor, handler) = (acceptor.clone(), handler.clone());
            tokio::spawn(async move {
                // A client that does not trust the certificate leaves here.
                let Ok(stream) = acceptor.accept(socket).await else { return };
                let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                handler.serve(stream, http2).await;
            });
        }
    });
    format!("https://localhost:{port}/hook")
}

/// Where the parent tells its child to write the one root that it trusts. Never `SSL_CERT_FILE` itself: a machine may
/// have it set, to the roots of everything else on it.
const OWN_ROOT: &str = "HOOKTWICE_TEST_ROOT";

/// In the parent, the file in its temporary folder; in the child, the same.
fn own_root(file: &std::path::Path) -> String {
    std::env::var(OWN_ROOT).unwrap_or_else(|_| file.to_str().unwrap().to_owned())
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn over_tls_the_last_byte_is_held_on_both_protocols() {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    let path = own_root(&file);
    let environment = [(OWN_ROOT, path.as_str()), ("SSL_CERT_FILE", path.as_str())];
    if !in_child("encrypted::over_tls_the_last_byte_is_held_on_both_protocols", &environment) {
        return;
    }
    std::fs::write(&path, key.cert.pem()).unwrap();
    run(async {
        let both: &[&[u8]] = &[b"h2", b"http/1.1"];
        let rows: [(Protocol, &[&[u8]], Version); 4] = [
            (Protocol::Auto, both, Version::HTTP_2),
            (Protocol::Http1, both, Version::HTTP_11),
            (Protocol::Http2, both, Version::HTTP_2),
            (Protocol::Auto, &[b"http/1.1"], Version::HTTP_11),
        ];
        for (protocol, offered, version) in rows {
            let handler = Handler::new(8);
            let url = encrypted(handler.clone(), &key, offered).await;
            let plan = Plan { copies: 8, protocol, ..plan(&url) };
            let (copies, summary) = fire(plan).await.unwrap();
            assert_eq!(summary.statuses.get(&200), Some(&8), "{copies:?}");
            assert_eq!(summary.peak_in_flight, 8);
            assert!(handler.seen.lock().unwrap().iter().all(|seen| seen.version == version));
        }
        for protocol in [Protocol::Http1, Protocol::Http2] {
            let handler = Handler::new(2);
            let url = encrypted(handler.clone(), &key, both).await;
            holds(handler, Plan { protocol, ..plan(&url) }, false).await;
        }
        let only1 = encrypted(Handler::new(1), &key, &[b"http/1.1"]).await;
        let (copies, _) = fire(Plan { protocol: Protocol::Http2, ..plan(&only1) }).await.unwrap();
        assert_eq!(copies[0].outcome, CopyOutcome::NotSent);
    });
}

#[test]
fn a_certificate_that_is_not_trusted_stops_before_anything_is_sent() {
    let trusted = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    let path = own_root(&file);
    let environment = [(OWN_ROOT, path.as_str()), ("SSL_CERT_FILE", path.as_str())];
    if !in_child(
        "encrypted::a_certificate_that_is_not_trusted_stops_before_anything_is_sent",
        &environment,
    ) {
        return;
    }
    std::fs::write(&path, trusted.cert.pem()).unwrap();
    run(async {
        let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let handler = Handler::new(3);
        let url = encrypted(handler.clone(), &other, &[b"http/1.1"]).await;
        for copies in [1, 2] {
            let (reports, summary) = fire(Plan { copies, ..plan(&url) }).await.unwrap();
            assert_eq!(summary.not_sent, copies, "{reports:?}");
            assert!(reports[0].error.as_ref().unwrap().contains("certificate"), "{reports:?}");
        }
        assert!(handler.seen.lock().unwrap().is_empty());
    });
}

#[test]
fn what_is_passed_on_goes_over_tls_and_comes_back_whole() {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    let path = own_root(&file);
    let environment = [(OWN_ROOT, path.as_str()), ("SSL_CERT_FILE", path.as_str())];
    let test = "encrypted::what_is_passed_on_goes_over_tls_and_comes_back_whole";
    if !in_child(test, &environment) {
        return;
    }
    std::fs::write(&path, key.cert.pem()).unwrap();
    run(async {
        let handler = Handler { wanted: 3, ..Handler::new(6) };
        let url = encrypted(handler.clone(), &key, &[b"h2", b"http/1.1"]).await;
        let relay = Relay::default();
        // The roots are read once.
        for _ in 0..2 {
            let (tell, told) = oneshot::channel();
            let plan = Plan { copies: 3, ..plan(&url) };
            let sent = relay.send(plan, Bytes::from_static(b"/other?a"), 1, tell);
            let (copies, first) = tokio::join!(sent, told);
            let first = first.unwrap().unwrap();
            assert_eq!(
                (first.head.status.as_u16(), &first.body[..], first.is_longer),
                (200, &b"o"[..], true)
            );
            assert!(copies.unwrap().iter().all(|copy| copy.status == Some(200)));
            std::fs::write(&path, "").unwrap();
        }
        let seen = handler.seen.lock().unwrap();
        assert!(
            seen.iter().all(|seen| seen.version == Version::HTTP_11 && seen.target == "/other?a")
        );
    });
}
