//! The accept loop, and the life of a connection.

use super::{
    Context, ListenConfig, ListenError,
    detach::Detach,
    framing::HeadLimits,
    goodbye,
    handle::{Handling, NoAnswer},
    link::{Link, Stage},
    tap::Tap,
    teller::Teller,
};
use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    http::{Request, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    collections::HashMap,
    future::poll_fn,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_service::Service as _;

/// How long a request that has begun may still go on arriving after the stop.
const LAST_BYTES: Duration = Duration::from_secs(2);
/// How many connections over the limit are told so at once; more are closed as they come.
const TOLD: usize = 256;
/// How long a connection over the limit may take to send its head.
const TOLD_IDLE: Duration = Duration::from_secs(2);
/// hyper's buffer for what it reads; a head is held to the person's limit before it gets there.
const BUFFER: usize = 400 * 1024;

#[derive(Debug)]
struct Server {
    handling: Arc<Handling>,
    tracker: TaskTracker,
    links: Mutex<HashMap<u64, Arc<Link>>>,
}

/// See [`super::serve`].
pub(super) async fn serve(
    socket: TcpListener,
    config: watch::Receiver<Arc<ListenConfig>>,
    context: Context,
    shutdown: CancellationToken,
) -> Result<(), ListenError> {
    let tracker = TaskTracker::new();
    let (teller, told) = Teller::start(context.clone());
    let handling = Arc::new(Handling::new(config, context, teller.clone(), tracker.clone()));
    let router = Router::new().fallback(deliver).with_state(Arc::clone(&handling));
    let server = Arc::new(Server { handling, tracker, links: Mutex::default() });
    let mut number = 0;
    let result = loop {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => break Ok(()),
            accepted = socket.accept() => match accepted {
                Ok((stream, peer)) => {
                    number += 1;
                    server.admit(number, stream, peer, &router);
                },
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if is_passing(&error) => {
                    tracing::warn!(%error, "no connection can be accepted at the moment");
                    sleep(Duration::from_millis(50)).await;
                }
                Err(source) => break Err(ListenError::Broken { source }),
            },
        }
    };
    // The port is free from here on (C86).
    drop(socket);
    server.stop().await;
    teller.stop();
    if told.await.is_err() {
        tracing::warn!("the last endings were not told");
    }
    result
}

async fn deliver(
    State(handling): State<Arc<Handling>>,
    Extension(link): Extension<Arc<Link>>,
    request: Request<Body>,
) -> Response<Body> {
    handling.handle(&link, request.into_body()).await
}

/// The connection was gone before it was accepted; the socket is well.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
            | io::ErrorKind::PermissionDenied
    )
}

/// The system has run out of something that comes back: descriptors, buffers, memory.
fn is_passing(error: &io::Error) -> bool {
    #[cfg(unix)]
    let scarce = matches!(
        error.raw_os_error(),
        Some(
            libc::EMFILE
                | libc::ENFILE
                | libc::ENOBUFS
                | libc::ENOMEM
                | libc::EPROTO
                | libc::ENETDOWN
        )
    );
    #[cfg(not(unix))]
    let scarce = true;
    scarce
}

impl Server {
    fn links(&self) -> MutexGuard<'_, HashMap<u64, Arc<Link>>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(self: &Arc<Self>, number: u64, stream: TcpStream, peer: SocketAddr, router: &Router) {
        let limits = self.handling.config.borrow().limits;
        let open = self.links().len();
        let room = usize::try_from(limits.connections).unwrap_or(usize::MAX);
        if open >= room.saturating_add(TOLD) {
            tracing::warn!(%peer, open, "a connection far over the limit was closed");
            return;
        }
        let over_limit = (open >= room).then_some(limits.connections);
        let link = Arc::new(Link::new(peer, over_limit));
        self.links().insert(number, Arc::clone(&link));
        let idle = match over_limit {
            Some(_) => TOLD_IDLE,
            None => Duration::from_secs(limits.idle_s.into()),
        };
        let heads =
            HeadLimits { bytes: limits.head_bytes as usize, headers: limits.headers.into() };
        // Small answers must not wait for more to send.
        let _ = stream.set_nodelay(true);
        let tap = Tap::new(
            stream,
            Arc::clone(&link),
            Arc::clone(&self.handling.context.clock),
            heads,
            idle,
        );
        let (server, router) = (Arc::clone(self), router.clone());
        self.tracker.spawn(async move {
            server.connection(tap, &link, router, heads).await;
            server.links().remove(&number);
        });
    }

    async fn connection(&self, tap: Tap, link: &Arc<Link>, router: Router, heads: HeadLimits) {
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(link));
            let answer = router.clone().call(request);
            Detach::new(
                async move {
                    match answer.await {
                        Ok(response) if response.extensions().get::<NoAnswer>().is_some() => {
                            Err(NoAnswer)
                        }
                        Ok(response) => Ok(response),
                        Err(never) => match never {},
                    }
                },
                self.tracker.clone(),
            )
        });
        let mut connection = http1::Builder::new()
            .half_close(true)
            .keep_alive(link.over_limit.is_none())
            .header_read_timeout(None)
            .max_headers(heads.headers)
            .max_buf_size(BUFFER.max(heads.bytes))
            .serve_connection(TokioIo::new(tap), service);
        let ended = poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
        if let Err(error) = ended {
            tracing::debug!(peer = %link.peer, %error, "a connection ended early");
        }
        let rest = connection.into_parts().io.into_inner().into_rest();
        goodbye::end(&self.handling, link, rest).await;
    }

    /// Lets what has begun end, and waits for it.
    async fn stop(&self) {
        self.enter(Stage::Closing);
        self.tracker.close();
        if timeout(LAST_BYTES, self.tracker.wait()).await.is_err() {
            self.enter(Stage::Stopping);
            self.tracker.wait().await;
        }
        if let Err(error) = self.handling.context.store.flush().await {
            tracing::warn!(%error, "the last endings could not be written down");
        }
    }

    fn enter(&self, stage: Stage) {
        let links: Vec<Arc<Link>> = self.links().values().cloned().collect();
        for link in links {
            link.enter(stage);
        }
    }
}
