//! One request and its answer on one connection, with hyper.

use super::{answer::Heard, connect::Connection, gate::Keeper, request::Request, wire::Wire};
use crate::head::RawHeader;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use std::{future::poll_fn, pin::pin, sync::Mutex, time::Duration};
use tokio::{io::AsyncReadExt, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long an HTTP/2 server has for its settings, which it must send first.
const SETTLE: Duration = Duration::from_secs(1);
/// How long to look for bytes after an answer that has no body: they may come in a packet of their own.
const LINGER: Duration = Duration::from_millis(3);
/// The same where the server is about to close, and the end of the stream says that there are none.
const LINGER_CLOSING: Duration = Duration::from_millis(50);

/// A connection that is ready to be asked.
pub(super) enum Exchange {
    /// What is spoken is settled.
    Http1(Connection),
    /// Both sides' settings are known, so that nothing needs to follow the request.
    Http2 {
        sender: http2::SendRequest<Full<Bytes>>,
        keeper: Keeper,
        /// Ends hyper's tasks when the copy ends, wherever that is.
        ends: DropGuard,
    },
}

impl Exchange {
    /// Warms a connection as far as its protocol has something to say before the request.
    pub(super) async fn warm(connection: Connection) -> Result<Self, String> {
        if !connection.http2 {
            return Ok(Self::Http1(connection));
        }
        let Connection { io, keeper, .. } = connection;
        let tasks = Tasks(CancellationToken::new());
        let ends = tasks.0.clone().drop_guard();
        let wire = Wire::http2(io, keeper.clone());
        let (sender, connection) = http2::handshake(tasks.clone(), TokioIo::new(wire))
            .await
            .map_err(|error| explain(&error))?;
        let connection_ended = CancellationToken::new();
        let ended = connection_ended.clone();
        hyper::rt::Executor::execute(&tasks, async move {
            // Its error, when there is one, also comes out at the request.
            let _ = connection.await;
            ended.cancel();
        });
        tokio::select! {
            () = keeper.settled() => Ok(Self::Http2 { sender, keeper, ends }),
            () = connection_ended.cancelled() => Err("It does not speak HTTP/2: the connection ended at once.".into()),
            () = tokio::time::sleep(SETTLE) => Err(format!("It does not speak HTTP/2: no settings came within {SETTLE:?}.")),
        }
    }

    /// Sends one copy and reads its answer into `heard`; an error says why there is no more of it.
    pub(super) async fn send(
        self,
        request: &Request,
        headers: &[RawHeader],
        heard: &Mutex<Heard>,
    ) -> Result<(), String> {
        match self {
            Self::Http1(Connection { io, keeper, .. }) => {
                let wire = Wire::http1(io, keeper, request.http1_head(headers), request.body.len());
                http1(wire, request.http1(), heard).await
            }
            Self::Http2 { mut sender, ends: _ends, .. } => {
                let response = sender
                    .send_request(request.http2(headers)?)
                    .await
                    .map_err(|error| explain(&error))?;
                Heard::read(heard, response).await.map_err(|error| explain(&error))
            }
        }
    }

    /// The gate under it.
    pub(super) fn keeper(&self) -> &Keeper {
        match self {
            Self::Http1(connection) => &connection.keeper,
            Self::Http2 { keeper, .. } => keeper,
        }
    }
}

async fn http1(
    wire: Wire,
    request: http::Request<Full<Bytes>>,
    heard: &Mutex<Heard>,
) -> Result<(), String> {
    let mut builder = http1::Builder::new();
    // An answer is judged by its status; how it is written is the handler's affair.
    builder
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .max_headers(1000);
    let (mut sender, mut connection) =
        builder.handshake(TokioIo::new(wire)).await.map_err(|error| explain(&error))?;
    let mut ended = false;
    {
        let mut answer = pin!(async {
            let response = sender.send_request(request).await?;
            Heard::read(heard, response).await
        });
        poll_fn(|cx| {
            if !ended {
                // Its error, when there is one, also comes out at the request.
                ended = connection.poll_without_shutdown(cx).is_ready();
            }
            answer.as_mut().poll(cx)
        })
        .await
        .map_err(|error| explain(&error))?;
    }
    let linger = {
        let heard = Heard::lock(heard);
        if heard.is_cut {
            return Ok(());
        }
        heard.linger(LINGER, LINGER_CLOSING)
    };
    let parts = connection.into_parts();
    let mut left_over = !parts.read_buf.is_empty();
    if let (false, Some(linger)) = (left_over, linger) {
        let mut io = parts.io.into_inner();
        left_over = matches!(timeout(linger, io.read(&mut [0])).await, Ok(Ok(1..)));
    }
    if left_over {
        Heard::lock(heard).left_over();
    }
    Ok(())
}

/// What hyper says, with its cause, as a sentence.
fn explain(error: &hyper::Error) -> String {
    if error.is_incomplete_message() {
        return "The connection was closed before a whole answer came.".into();
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    format!("The exchange broke: {text}.")
}

/// Where hyper's HTTP/2 runs; it ends when the copy does, and no later.
#[derive(Debug, Clone)]
pub(super) struct Tasks(CancellationToken);

impl<F> hyper::rt::Executor<F> for Tasks
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        let ended = self.0.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                _ = future => {}
            }
        });
    }
}
