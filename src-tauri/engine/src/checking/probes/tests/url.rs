//! A real server on a free port.

use super::{super::url::Url, blind, count, in_child, probe, refusal, see};
use crate::model::ProbeSpec;
use axum::{
    Router,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    routing::get,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::watch,
};

fn spec(url: &str, pointer: &str) -> ProbeSpec {
    ProbeSpec::Url { url: url.to_owned(), pointer: pointer.to_owned() }
}

/// Serves on a free port until the test ends.
async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    root
}

/// Answers with what the path says: `/200/…/ID`.
async fn answering(status: u16, body: &'static str) -> String {
    let answer = move || async move { (StatusCode::from_u16(status).unwrap(), body) };
    serve(Router::new().route("/effects/{id}", get(answer))).await + "/effects/{job_id}"
}

#[tokio::test]
async fn the_number_is_found_in_the_answer() {
    for (body, pointer, expected) in [
        (r#"{"count":2}"#, "/count", 2),
        (r#"{"job":{"effects":[{"n":"12"}]}}"#, "/job/effects/0/n", 12),
        (r#"{"a/b":3.0}"#, "/a~1b", 3),
        ("4", "", 4),
        ("\"5\"", "", 5),
        (" 006\n", "", 6),
        ("99999999999", "", u32::MAX),
        ("1e30", "", u32::MAX),
    ] {
        let probe = probe(&spec(&answering(200, body).await, pointer)).await;
        assert_eq!(count(&probe, "job_1").await, expected, "{body}");
    }
    let probe = probe(&spec(&answering(404, "what?").await, "/count")).await;
    assert_eq!(count(&probe, "job_1").await, 0, "no such job yet");
}

#[tokio::test]
async fn what_came_instead_is_told() {
    for (status, body, pointer, what) in [
        (200, r#"{"count":2}"#, "/number", "nothing at /number: {\"count\":2}"),
        (200, r#"{"count":null}"#, "/count", "gave null at /count"),
        (200, r#"{"count":-1}"#, "/count", "gave -1"),
        (200, r#"{"count":1.5}"#, "/count", "gave 1.5"),
        (200, r#"{"count":"many"}"#, "/count", "gave the text \"many\""),
        (200, r#"{"count":[1]}"#, "/count", "gave [1]"),
        (200, "[]", "", "gave [] as its answer"),
        (200, "<!doctype html>", "", "not JSON"),
        (200, "006", "/count", "not JSON"),
        (200, "", "/count", "not JSON"),
        (500, r#"{"count":1}"#, "/count", "answered 500"),
        (401, "", "/count", "answered 401"),
        (307, "", "/count", "answered 307, and redirects are not followed"),
    ] {
        let probe = probe(&spec(&answering(status, body).await, pointer)).await;
        let error = blind(&probe, "job_1").await;
        assert!(error.contains(what), "{status} {body}: {error}");
    }
    let large: &'static str = Box::leak(" ".repeat(2_000_000).into_boxed_str());
    let error = blind(&probe(&spec(&answering(200, large).await, "")).await, "job_1").await;
    assert!(error.contains("more than 1048576 bytes"), "{error}");
}

#[tokio::test]
async fn an_id_is_encoded_and_secrets_are_not_shown() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answer = |State(asked): State<Arc<Mutex<Vec<_>>>>,
                  Path(id): Path<String>,
                  RawQuery(query): RawQuery,
                  headers: HeaderMap| async move {
        asked.lock().unwrap().push((id, query, headers));
        (StatusCode::IM_A_TEAPOT, "")
    };
    let router = Router::new().route("/e/{id}", get(answer)).with_state(asked.clone());
    let root = serve(router).await.replace("http://", "http://me:hush1@");
    let probe =
        probe(&spec(&format!("{root}/e/{{job_id}}?of={{job_id}}&token=hush2#hush3"), "")).await;
    for id in ["job_é/1?x=#%2F", "job_1"] {
        let error = blind(&probe, id).await;
        assert!(error.contains("/e/{job_id} answered 418"), "{error}");
        assert!(!error.contains("hush"), "{error}");
    }
    let asked = asked.lock().unwrap();
    let (id, query, headers) = &asked[0];
    assert_eq!(id, "job_é/1?x=#%2F");
    assert_eq!(query.as_deref(), Some("of=job_%C3%A9%2F1%3Fx%3D%23%252F&token=hush2"));
    assert_eq!(headers[header::AUTHORIZATION], "Basic bWU6aHVzaDE=");
    assert_eq!(headers[header::CONNECTION], "close");
    assert_eq!(asked[1].0, "job_1");
}

#[tokio::test]
async fn a_few_are_asked_for_at_a_time_and_answered_in_order() {
    let now = watch::Sender::new(0_usize);
    let peak = Arc::new(AtomicUsize::new(0));
    let state = (now.clone(), peak.clone());
    let answer = |State((now, peak)): State<(watch::Sender<usize>, Arc<AtomicUsize>)>,
                  Path(id): Path<String>| async move {
        now.send_modify(|now| *now += 1);
        peak.fetch_max(*now.borrow(), Ordering::SeqCst);
        // The first ones wait for each other: so many do come at once.
        let first = id.parse::<u32>().unwrap() < 8;
        if first {
            now.subscribe().wait_for(|now| *now >= 8).await.unwrap();
        }
        if !first {
            now.send_modify(|now| *now -= 1);
        }
        id
    };
    let root = serve(Router::new().route("/{id}", get(answer)).with_state(state)).await;
    let probe = probe(&spec(&format!("{root}/{{job_id}}"), "")).await;
    let ids: Vec<String> = (0..40).map(|id| id.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let sights = see(&probe, &ids[..8]).await;
    assert_eq!(sights, (0..8).map(Ok).collect::<Vec<_>>());
    assert_eq!(peak.swap(0, Ordering::SeqCst), 8);
    now.send_replace(0);
    let (one, other) = tokio::join!(see(&probe, &ids[8..24]), see(&probe, &ids[24..]));
    assert_eq!([one, other].concat(), (8..40).map(Ok).collect::<Vec<_>>());
    assert!(peak.load(Ordering::SeqCst) <= 8, "{peak:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_or_says_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}/{{job_id}}");
    let silent = Url::new(&url, "").await.unwrap().with_patience(Duration::from_millis(100));
    let error = silent.counts(&["job_1".to_owned()]).await.remove(0).unwrap_err();
    assert!(error.contains("did not answer within 100ms"), "{error}");
    let asking = probe(&spec(&url, "")).await;
    let (error, ()) = tokio::join!(blind(&asking, "job_1"), async {
        // The one that gave up stands in the queue before it.
        for _ in 0..2 {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 4096]).await;
            let _ = socket.write_all(b"not HTTP\r\n\r\n").await;
        }
    });
    assert!(error.contains("cannot be asked"), "{error}");
    drop(listener);
    let error = blind(&asking, "job_1").await;
    assert!(error.contains("refused"), "{error}");
}

#[tokio::test]
async fn what_can_never_be_asked_is_refused() {
    for (url, pointer, what) in [
        ("http://h/effects", "/count", "other jobs' effects"),
        ("http://h/effects#{job_id}", "/count", "other jobs' effects"),
        ("http://{job_id}.h/effects", "/count", "the URL's host"),
        ("http://u:{job_id}@h/effects", "/count", "the URL's host"),
        ("ftp://h/{job_id}", "/count", "`ftp:`"),
        ("/effects/{job_id}", "/count", "cannot be read"),
        ("", "/count", "cannot be read"),
        ("http://h/{job_id}", "count", "begin with `/`"),
        ("http://h/{job_id}", "/a~", "`~`"),
    ] {
        let error = refusal(&spec(url, pointer)).await;
        assert!(
            error.starts_with("The url probe cannot be used: ") && error.contains(what),
            "{error}"
        );
    }
}

/// Over TLS, in a process of its own that trusts one certificate.
#[test]
fn a_certificate_has_to_be_trusted() {
    const ROOT: &str = "HOOKTWICE_TEST_ROOT";
    let folder = tempfile::tempdir().unwrap();
    let root = std::env::var(ROOT)
        .unwrap_or_else(|_| folder.path().join("root.pem").display().to_string());
    let environment = [(ROOT, root.as_str()), ("SSL_CERT_FILE", root.as_str())];
    let this = "checking::probes::tests::url::a_certificate_has_to_be_trusted";
    if !in_child(this, &environment) {
        return;
    }
    let key = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (trusted, other) = (key(), key());
    std::fs::write(&root, trusted.cert.pem()).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let there = probe(&spec(&encrypted(&trusted).await, "")).await;
        assert_eq!(count(&there, "job_1").await, 3);
        let there = probe(&spec(&encrypted(&other).await, "")).await;
        let error = blind(&there, "job_1").await;
        assert!(error.contains("certificate"), "{error}");
    });
}

/// A server that answers 3 over TLS.
async fn encrypted(key: &rcgen::CertifiedKey<rcgen::KeyPair>) -> String {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let private =
        rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![key.cert.der().clone()], private)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("localhost:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            // One that does not trust us leaves in the middle of the handshake.
            let Ok(mut stream) = acceptor.accept(socket).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3").await;
            let _ = stream.shutdown().await;
        }
    });
    format!("https://localhost:{port}/effects/{{job_id}}")
}
