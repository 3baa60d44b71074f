//! The API's routes, and the stand-in's own.

use crate::{
    config::{NewJob, Refusal, Shape},
    job::{Job, Stage},
    server::{Inner, Seen},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use hooktwice_engine::ids;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

type Shared = State<Arc<Inner>>;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

pub(crate) fn router(inner: Arc<Inner>) -> Router {
    let api = Router::new()
        .route("/webhooks/test-deliveries", post(test_delivery))
        .route("/jobs/{id}/webhook/redeliver", post(redeliver))
        .route("/jobs/{id}/status", get(status))
        .route("/stand-in/jobs", post(create))
        .route("/stand-in/jobs/{id}", get(show))
        .route("/stand-in/refusals", post(refuse));
    Router::new()
        .nest("/v1", api)
        .fallback(async || error(StatusCode::NOT_FOUND, "not_found", "There is no such route."))
        .layer(middleware::from_fn_with_state(inner.clone(), guard))
        .with_state(inner)
}

/// Numbers the request, refuses it where that was asked for or the key is wrong, and notes what it was answered.
async fn guard(State(inner): Shared, request: Request, next: Next) -> Response {
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let with_key = has_key(&inner, request.headers());
    let control = path.starts_with("/v1/stand-in/");
    let refusal = if control { None } else { next_refusal(&inner) };
    let response = match refusal {
        Some(refusal) => refused(&refusal),
        None if !with_key => {
            error(StatusCode::UNAUTHORIZED, "invalid_api_key", "The API key is missing or wrong.")
        }
        None => next.run(request).await,
    };
    let response = numbered(response);
    let status = response.status().as_u16();
    inner.change(|state| state.seen.push(Seen { method, path, with_key, status }));
    response
}

fn has_key(inner: &Inner, headers: &HeaderMap) -> bool {
    headers.get(API_KEY).is_some_and(|key| key.as_bytes() == inner.config.api_key.as_bytes())
}

fn next_refusal(inner: &Inner) -> Option<Refusal> {
    inner.change(|state| {
        let refusal = state.refusals.front_mut().filter(|refusal| refusal.times > 0)?;
        refusal.times -= 1;
        let used = refusal.clone();
        if used.times == 0 {
            state.refusals.pop_front();
        }
        Some(used)
    })
}

fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = error(status, &refusal.code, &refusal.message);
    for (name, value) in
        [(header::RETRY_AFTER, &refusal.retry_after), (header::LOCATION, &refusal.location)]
    {
        if let Some(value) = value.as_ref().and_then(|value| HeaderValue::from_str(value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// An answer's value, before it has a request id.
#[derive(Clone)]
struct Said(Value);

fn say(status: StatusCode, value: Value) -> Response {
    let mut response = status.into_response();
    response.extensions_mut().insert(Said(value));
    response
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    say(status, json!({ "error": { "code": code, "message": message } }))
}

/// Puts the request's id into the header and the body.
fn numbered(response: Response) -> Response {
    let id = format!("req_{}", ids::new_id().simple());
    let (mut parts, mut body) = response.into_parts();
    if let Some(Said(mut value)) = parts.extensions.remove::<Said>() {
        if let Some(object) = value.as_object_mut() {
            object.insert("request_id".into(), Value::from(id.clone()));
        }
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        body = Body::from(value.to_string());
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        parts.headers.insert(REQUEST_ID, value);
    }
    Response::from_parts(parts, body)
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Box<Response>> {
    serde_json::from_slice(body).map_err(|why| {
        let words = format!("The body cannot be read: {why}.");
        Box::new(error(StatusCode::BAD_REQUEST, "invalid_body", &words))
    })
}

fn found(inner: &Inner, id: &str) -> Result<Job, Box<Response>> {
    inner.state().jobs.get(id).cloned().ok_or_else(|| {
        Box::new(error(StatusCode::NOT_FOUND, "job_not_found", "There is no such job."))
    })
}

async fn test_delivery(State(inner): Shared, body: Bytes) -> Response {
    #[derive(serde::Deserialize)]
    struct Asked {
        url: String,
    }
    let asked: Asked = match read(&body) {
        Ok(asked) => asked,
        Err(refused) => return *refused,
    };
    if !asked.url.starts_with("http://") && !asked.url.starts_with("https://") {
        let words = "The URL has to begin with https:// or http://.";
        return error(StatusCode::UNPROCESSABLE_ENTITY, "invalid_url", words);
    }
    let event_id = format!("evt_{}", ids::new_id().simple());
    let no_job = Job {
        id: String::new(),
        event_id: event_id.clone(),
        webhook_url: None,
        outcome: crate::Outcome::Completed,
        faults: crate::Faults::default(),
        stage: Stage::Ended,
        attempts: Vec::new(),
        finished: None,
    };
    inner.spawn(inner.clone().test(no_job, asked.url));
    say(StatusCode::ACCEPTED, json!({ "data": { "event": "webhook.test", "event_id": event_id } }))
}

async fn redeliver(State(inner): Shared, Path(id): Path<String>) -> Response {
    let job = match found(&inner, &id) {
        Ok(job) => job,
        Err(refused) => return *refused,
    };
    if job.stage == Stage::Processing {
        let words = "The job is not finished, so that there is no event to deliver again.";
        return error(StatusCode::CONFLICT, "job_not_terminal", words);
    }
    let Some(url) = job.webhook_url.clone() else {
        let words = "The job has no webhook_url.";
        return error(StatusCode::UNPROCESSABLE_ENTITY, "no_webhook", words);
    };
    let event_id = job.event_id.clone();
    inner.spawn(inner.clone().redeliver(job, url));
    say(StatusCode::ACCEPTED, json!({ "data": { "job_id": id, "event_id": event_id } }))
}

async fn status(State(inner): Shared, Path(id): Path<String>) -> Response {
    let job = match found(&inner, &id) {
        Ok(job) => job,
        Err(refused) => return *refused,
    };
    let word = job.status();
    let value = match inner.config.shape {
        Shape::Plain => json!({ "job_id": id, "status": word }),
        Shape::Data => json!({ "data": { "job_id": id, "status": word } }),
        Shape::DataJob => json!({ "data": { "job": { "id": id, "status": word.to_uppercase() } } }),
    };
    say(StatusCode::OK, value)
}

async fn create(State(inner): Shared, body: Bytes) -> Response {
    let new: NewJob = match read(&body) {
        Ok(new) => new,
        Err(refused) => return *refused,
    };
    match inner.create(new) {
        Ok(job) => say(StatusCode::CREATED, json!({ "data": job })),
        Err(words) => error(StatusCode::CONFLICT, "job_exists", &words),
    }
}

async fn show(State(inner): Shared, Path(id): Path<String>) -> Response {
    match found(&inner, &id) {
        Ok(job) => say(StatusCode::OK, json!({ "data": job })),
        Err(refused) => *refused,
    }
}

async fn refuse(State(inner): Shared, body: Bytes) -> Response {
    match read::<Refusal>(&body) {
        Ok(refusal) => {
            inner.change(|state| state.refusals.push_back(refusal));
            say(StatusCode::CREATED, json!({ "data": {} }))
        }
        Err(refused) => *refused,
    }
}
