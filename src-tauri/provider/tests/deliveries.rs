//! What the stand-in delivers: when, how often, and signed so that it verifies.

#![expect(clippy::unwrap_used, reason = "what a test stands on is not there: that is how it fails")]

use axum::{Router, extract::State, response::IntoResponse as _};
use bytes::Bytes;
use hooktwice_engine::{
    head::RawHeader,
    model::{Schedule, SchemeSettings, SignatureState},
    secrets::{NamedSecret, Secret},
    signing::{self, SignedRequest},
};
use hooktwice_provider::{Config, Faults, Kind, NewJob, Outcome, Provider};
use http::{HeaderMap, StatusCode};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{net::TcpListener, time::sleep};

const SECRET: &str = "test-secret";
const GAP_MS: u64 = 300;

/// A delivery as it came.
#[derive(Clone)]
struct Came {
    at: Instant,
    ended: Option<Instant>,
    headers: HeaderMap,
    body: Bytes,
}

/// A handler that answers by number: the nth delivery gets the nth answer, and the last answer repeats.
#[derive(Clone)]
struct Handler {
    came: Arc<Mutex<Vec<Came>>>,
    answers: Arc<Vec<(u16, Duration)>>,
}

impl Handler {
    async fn start(answers: &[(u16, u64)]) -> (Self, String) {
        let answers =
            answers.iter().map(|(status, ms)| (*status, Duration::from_millis(*ms))).collect();
        let handler = Self { came: Arc::default(), answers: Arc::new(answers) };
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?x=1", socket.local_addr().unwrap());
        let router = Router::new().fallback(take).with_state(handler.clone());
        tokio::spawn(async move { axum::serve(socket, router).await });
        (handler, url)
    }

    fn came(&self) -> Vec<Came> {
        self.came.lock().unwrap().clone()
    }

    fn verify(&self) {
        let scheme = signing::scheme("sume", &SchemeSettings::default()).unwrap();
        let secrets = [NamedSecret::new("s", Secret::new(SECRET.into()), "memory")];
        for came in self.came() {
            let headers: Vec<RawHeader> = came
                .headers
                .iter()
                .map(|(name, value)| RawHeader {
                    name: Bytes::copy_from_slice(name.as_str().as_bytes()),
                    value: Bytes::copy_from_slice(value.as_bytes()),
                })
                .collect();
            let request = SignedRequest {
                method: "POST",
                path: "/hook",
                query: "x=1",
                headers: &headers,
                body: &came.body,
            };
            let now = jiff::Timestamp::now();
            let report = signing::verify(&*scheme, &secrets, &request, now, 300);
            assert_eq!(report.state, SignatureState::Valid, "{report:?}");
        }
    }
}

async fn take(
    State(handler): State<Handler>,
    headers: HeaderMap,
    body: Bytes,
) -> axum::response::Response {
    let n = {
        let mut came = handler.came.lock().unwrap();
        came.push(Came { at: Instant::now(), ended: None, headers, body });
        came.len() - 1
    };
    let (status, pause) = handler.answers[n.min(handler.answers.len() - 1)];
    sleep(pause).await;
    handler.came.lock().unwrap()[n].ended = Some(Instant::now());
    StatusCode::from_u16(status).unwrap().into_response()
}

/// Sume's schedule a hundred times faster: 300 ms between two attempts, 100 ms for each.
async fn provider(url: &str) -> Provider {
    let schedule = Schedule { time_scale: 30_000.0 / GAP_MS as f64, ..Schedule::default() };
    let secret = Secret::new(SECRET.into());
    let config =
        Config { webhook_url: Some(url.into()), schedule, ..Config::new("standin_key", secret) };
    Provider::start(config).await.unwrap()
}

fn job(faults: Faults) -> NewJob {
    NewJob { finish_after_ms: Some(0), faults, ..NewJob::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_attempts_by_the_schedule_each_signed_anew() {
    let (handler, url) = Handler::start(&[(500, 0)]).await;
    let provider = provider(&url).await;
    let id = provider.create(job(Faults::default())).unwrap();
    let job = provider.ended(&id).await;
    assert!(!job.delivered());
    let came = handler.came();
    assert_eq!((came.len(), job.automatic().count()), (10, 10));
    for pair in came.windows(2) {
        let gap = pair[1].at.duration_since(pair[0].at).as_millis() as f64;
        assert!(gap >= GAP_MS as f64, "{gap} ms");
        assert!(gap < GAP_MS as f64 * 2.0, "{gap} ms");
    }
    handler.verify();
    let event = |came: &Came| came.headers["x-sume-event-id"].clone();
    assert!(came.iter().all(|other| event(other) == event(&came[0]) && other.body == came[0].body));
    let body: serde_json::Value = serde_json::from_slice(&came[0].body).unwrap();
    assert_eq!(
        (&body["event"], &body["job_id"]),
        (&"job.completed".into(), &serde_json::Value::from(id))
    );
    let text = String::from_utf8(came[0].body.to_vec()).unwrap();
    assert!(text.starts_with(r#"{"event":"job.completed","job_id":""#), "{text}");
    provider.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_2xx_ends_it_and_a_redelivery_does_not_count() {
    let (handler, url) = Handler::start(&[(503, 0), (302, 0), (204, 0)]).await;
    let provider = provider(&url).await;
    let id =
        provider.create(NewJob { outcome: Outcome::Failed, ..job(Faults::default()) }).unwrap();
    let ended = provider.ended(&id).await;
    assert!(ended.delivered());
    assert_eq!((ended.automatic().count(), ended.status()), (3, "failed"));

    let answer = ask(&provider, &format!("/jobs/{id}/webhook/redeliver")).await;
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    let job = provider.until(&id, |job| job.attempts.len() == 4).await;
    assert_eq!((job.attempts[3].kind, job.attempts[3].n), (Kind::Redelivery, 0));
    assert_eq!(job.automatic().count(), 3);
    handler.verify();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_handler_is_given_up_and_tried_again() {
    let (handler, url) = Handler::start(&[(204, 150), (204, 0)]).await;
    let provider = provider(&url).await;
    let id = provider.create(job(Faults::default())).unwrap();
    let job = provider.ended(&id).await;
    assert_eq!(job.attempts[0].statuses, [None], "100 ms are over");
    assert_eq!(job.attempts[1].statuses, [Some(204)]);
    assert_eq!(handler.came().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_lost_doubled_and_delayed_on_purpose() {
    let (handler, url) = Handler::start(&[(204, 0)]).await;
    let provider = provider(&url).await;

    let id = provider.create(job(Faults { lose: 2, ..Faults::default() })).unwrap();
    let ended = provider.ended(&id).await;
    assert_eq!(
        ended.attempts.iter().map(|attempt| attempt.lost).collect::<Vec<_>>(),
        [true, true, false]
    );
    assert_eq!(handler.came().len(), 1, "two of them never left");

    let id = provider.create(job(Faults { lose_all: true, ..Faults::default() })).unwrap();
    assert!(provider.ended(&id).await.attempts.is_empty());
    assert_eq!(handler.came().len(), 1);

    let id = provider.create(job(Faults { copies: 2, ..Faults::default() })).unwrap();
    assert_eq!(provider.ended(&id).await.attempts[0].statuses, [Some(204), Some(204)]);
    let came = handler.came();
    assert_eq!(came.len(), 3);
    assert!(came[2].at.duration_since(came[1].at) < Duration::from_millis(50), "at once");

    let id = provider.create(job(Faults { delay_ms: 200, ..Faults::default() })).unwrap();
    assert!(provider.ended(&id).await.attempts[0].at_ms >= 200.0);
    handler.verify();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_attempt_overlaps_the_first() {
    let (handler, url) = Handler::start(&[(204, 80), (204, 0)]).await;
    let provider = provider(&url).await;
    let id = provider.create(job(Faults { overlap_ms: Some(20), ..Faults::default() })).unwrap();
    let job = provider.ended(&id).await;
    assert_eq!(job.attempts.len(), 2, "{job:?}");
    let came = handler.came();
    assert!(came[1].at < came[0].ended.unwrap(), "the first was being answered still");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_delivered_is_said() {
    let provider = provider("http://192.0.2.1/hook").await;
    let id = provider.create(job(Faults::default())).unwrap();
    let job = provider.until(&id, |job| !job.attempts.is_empty()).await;
    assert!(job.attempts[0].error.as_ref().unwrap().contains("--allow-host"));
    assert!(provider.create(NewJob { job_id: Some(id), ..NewJob::default() }).is_err());
    provider.stop().await;
}

/// A POST with the key; the whole answer.
async fn ask(provider: &Provider, path: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let host = provider.base_url().trim_start_matches("http://").trim_end_matches("/v1");
    let mut socket = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!(
        "POST /v1{path} HTTP/1.1\r\nHost: {host}\r\nx-api-key: standin_key\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    answer
}
