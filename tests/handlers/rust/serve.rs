//! The socket, and the question how often an effect ran.

use crate::{
    delivery::{self, Delivery},
    store::Store,
};
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Path, State},
    http::{Request, StatusCode},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde_json::json;
use std::{future::Future, net::Ipv4Addr, sync::Arc};
use tokio::net::TcpListener;

/// What keeps a handler from going on.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// More than any delivery has.
const MAX_BODY: usize = 16 << 20;

/// How a handler decides.
pub(crate) trait Decide: Send + Sync + Sized + 'static {
    /// Makes ready what it keeps.
    ///
    /// # Errors
    /// When the store cannot be used.
    fn new(store: Store) -> Result<Self, Failure>;

    /// Where its effects are.
    fn store(&self) -> &Store;

    /// Whether Sume sent this.
    fn is_signed(delivery: &Delivery) -> bool {
        delivery.is_fresh() && delivery.given() == delivery.expected()
    }

    /// Decides about a signed event with a job id.
    ///
    /// # Errors
    /// When the work failed, which is answered 500.
    fn deliver(
        &self,
        delivery: &Delivery,
        job_id: &str,
    ) -> impl Future<Output = Result<StatusCode, Failure>> + Send;
}

/// Serves until it is ended.
pub(crate) async fn serve<H: Decide>(handler: H, port: u16) -> Result<(), Failure> {
    delivery::secret()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("listening http://{}", listener.local_addr()?);
    let router = Router::new()
        .route("/effects/{job_id}", get(count::<H>))
        .fallback(take::<H>)
        .with_state(Arc::new(handler));
    Ok(axum::serve(listener, router).await?)
}

async fn count<H: Decide>(State(handler): State<Arc<H>>, Path(job_id): Path<String>) -> Response {
    match handler.store().connect().and_then(|db| db.count(&job_id)) {
        Ok(count) => Json(json!({ "count": count })).into_response(),
        Err(failure) => refuse(&failure).into_response(),
    }
}

async fn take<H: Decide>(State(handler): State<Arc<H>>, request: Request<Body>) -> StatusCode {
    if request.method() != "POST" {
        return StatusCode::NOT_FOUND;
    }
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let delivery = Delivery::new(&head.headers, body);
    // A task of its own: the server drops what it awaits when the sender hangs up, and work is not to end half-way.
    match tokio::spawn(async move { decide(&*handler, &delivery).await }).await {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => refuse(&failure),
        Err(panicked) => refuse(&panicked.into()),
    }
}

fn refuse(failure: &Failure) -> StatusCode {
    eprintln!("{failure}");
    StatusCode::INTERNAL_SERVER_ERROR
}

/// As Sume asks for it: verify, then parse, then the job.
async fn decide<H: Decide>(handler: &H, delivery: &Delivery) -> Result<StatusCode, Failure> {
    // The signature comes first, so that a forged body cannot use up a real job's id.
    if !H::is_signed(delivery) {
        return Ok(StatusCode::UNAUTHORIZED);
    }
    let Some(event) = delivery.event() else { return Ok(StatusCode::BAD_REQUEST) };
    match event.get("job_id").and_then(|id| id.as_str()) {
        None | Some("") => Ok(StatusCode::OK),
        Some(job_id) => handler.deliver(delivery, job_id).await,
    }
}
