//! What the pages ask: one call, one stream, and their files.

use super::{guard, pages};
use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Query, Request, State},
    http::{
        HeaderValue,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use hooktwice_engine::{api, engine::Engine, events::Batch};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{convert::Infallible, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A body of 10 MiB in base64, with room for the rest.
const LARGEST_CALL: usize = 32 * 1024 * 1024;

/// Everything is these pages' own. The editor writes its styles into the page, so styles may stand inline.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                   img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
                   form-action 'none'; frame-ancestors 'none'";

#[derive(Clone)]
struct Pages {
    engine: Engine,
    /// Ends the streams, which would otherwise hold the program up for ever.
    ended: CancellationToken,
}

/// All routes, behind the guard.
pub(super) fn router(engine: Engine, guard: guard::Guard, ended: CancellationToken) -> Router {
    Router::new()
        .route("/rpc", post(rpc))
        .route("/events", get(events))
        .fallback(get(pages::file))
        .layer(DefaultBodyLimit::max(LARGEST_CALL))
        .layer(middleware::from_fn_with_state(Arc::new(guard), guard::check))
        .layer(middleware::from_fn(harden))
        .with_state(Pages { engine, ended })
}

/// What stands on every answer, refusals among them.
async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[derive(Deserialize)]
struct Call {
    command: String,
    #[serde(default)]
    params: Value,
}

async fn rpc(State(pages): State<Pages>, Json(call): Json<Call>) -> Json<Value> {
    let params = if call.params.is_null() { json!({}) } else { call.params };
    match Box::pin(api::dispatch(&pages.engine, &call.command, params)).await {
        Ok(result) => Json(json!({ "ok": result })),
        Err(error) => Json(json!({ "error": error.to_wire() })),
    }
}

#[derive(Deserialize)]
struct From {
    from: Option<u64>,
}

/// Batches as lines of JSON, until the page goes or the program ends.
async fn events(State(pages): State<Pages>, Query(From { from }): Query<From>) -> Response {
    let mut subscription = pages.engine.events().subscribe(from);
    let batches = async_stream::stream! {
        loop {
            let batch = tokio::select! {
                () = pages.ended.cancelled() => break,
                batch = subscription.next_batch() => batch,
            };
            let Some(line) = batch.and_then(|batch| line(&batch)) else { break };
            yield Ok::<_, Infallible>(line);
        }
    };
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(batches)).into_response()
}

fn line(batch: &Batch) -> Option<Bytes> {
    let mut line = serde_json::to_vec(batch).ok()?;
    line.push(b'\n');
    Some(line.into())
}
