//! The artifacts over HTTP/1.1.

use super::{
    LetGo, Shelf,
    artifact::{Course, State, Ticket},
};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::{Arc, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};

/// What the path of every artifact begins with.
pub(super) const FOLDER: &str = "/artifacts/";
/// What it ends in.
pub(super) const ENDING: &str = ".mp4";

/// The artifact: an MP4 file without a picture, 1 KiB of well-formed boxes, for handlers that look at what they got.
static CONTENT: [u8; 1024] = content();

const FAILURE: &str = "This download fails on purpose, to see what the handler does then.\n";
const NO_ARTIFACT: &str = "There is no such artifact.\n";
const ONLY_GET: &str = "An artifact can only be read: GET or HEAD.\n";

/// Serves until it is dropped, and every connection with it.
pub(super) async fn serve(listener: TcpListener, shelf: Arc<Shelf>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, Arc::clone(&shelf)));
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                // Files or memory have run out, and come back.
                Err(error) => {
                    tracing::warn!(%error, "no download can be accepted at the moment");
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Where the client hangs up, hyper drops the answer that is being made, and the ticket in it says so.
async fn connection(stream: TcpStream, shelf: Arc<Shelf>) {
    // Small answers must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(request, &shelf));
    // Without a timer hyper keeps an idle connection for as long as the client does. To close it could meet the client's
    // next request, and the handler's work would fail by our doing.
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of a download ended early");
    }
}

/// Ranges are not served, so a part of an artifact is always the whole of it.
async fn answer(
    request: Request<Incoming>,
    shelf: &Shelf,
) -> Result<Response<Content>, Infallible> {
    let Some(state) = find(request.uri().path(), shelf) else {
        return Ok(text(StatusCode::NOT_FOUND, NO_ARTIFACT, None));
    };
    Ok(match *request.method() {
        Method::GET => download(&state).await,
        // hyper sends its head alone.
        Method::HEAD => video(None),
        _ => {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, ONLY_GET, None);
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            response
        }
    })
}

fn find(path: &str, shelf: &Shelf) -> Option<Arc<State>> {
    let token = path.strip_prefix(FOLDER)?.strip_suffix(ENDING)?;
    shelf.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
}

async fn download(state: &Arc<State>) -> Response<Content> {
    let (ticket, course) = state.ask();
    let how = match course {
        Course::Now(how) => how,
        Course::After(wait) => {
            sleep(wait).await;
            LetGo::Serve
        }
        // Its other end is kept until it was used.
        Course::Held(held) => held.await.unwrap_or(LetGo::Fail),
    };
    match how {
        LetGo::Serve => video(Some(ticket)),
        LetGo::Fail => text(StatusCode::INTERNAL_SERVER_ERROR, FAILURE, Some(ticket)),
    }
}

fn video(ticket: Option<Ticket>) -> Response<Content> {
    let content = Content::new(&CONTENT, ticket.map(|ticket| (ticket, LetGo::Serve)));
    let mut response = Response::new(content);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("video/mp4"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("none"));
    // A handler's cache would hide a download.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn text(status: StatusCode, line: &'static str, ticket: Option<Ticket>) -> Response<Content> {
    let ticket = ticket.map(|ticket| (ticket, LetGo::Fail));
    let mut response = Response::new(Content::new(line.as_bytes(), ticket));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What an answer holds. When hyper takes it to send it, the download has ended; hyper looks whether the client is still
/// there before.
#[derive(Debug)]
struct Content {
    bytes: Option<Bytes>,
    ticket: Option<(Ticket, LetGo)>,
}

impl Content {
    fn new(bytes: &'static [u8], ticket: Option<(Ticket, LetGo)>) -> Self {
        Self { bytes: Some(Bytes::from_static(bytes)), ticket }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some((ticket, how)) = self.ticket.take() {
            ticket.answered(how);
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// ISO/IEC 14496-12: a box is its length, its type, and its content. The file's type comes first, then free space.
const fn content() -> [u8; 1024] {
    const TYPE: &[u8; 24] = b"\0\0\0\x18ftypisom\0\0\x02\0isommp41";
    const FREE: &[u8; 8] = b"\0\0\x03\xe8free";
    let mut content = [0; 1024];
    let (kind, rest) = content.split_at_mut(TYPE.len());
    kind.copy_from_slice(TYPE);
    let (free, _) = rest.split_at_mut(FREE.len());
    free.copy_from_slice(FREE);
    content
}
