//! An axum handler that reads the body, answers 204 and keeps nothing: the most that this HTTP stack can do here.

use axum::{Router, http::StatusCode, routing::any};
use bytes::Bytes;
use tokio::net::TcpListener;

/// Serves a free port of loopback until it is ended.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let socket = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("listening http://{}", socket.local_addr()?);
    let app = Router::new().fallback(any(|_body: Bytes| async { StatusCode::NO_CONTENT }));
    Ok(axum::serve(socket, app).await?)
}
