//! A handler of raw sockets: it writes down every byte that came, and answers whatever bytes a test wants.

use crate::support::PATIENCE;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::timeout,
};

/// What it does with a whole request.
#[derive(Debug, Clone)]
pub(crate) enum Does {
    /// Writes these bytes and closes.
    Answers(Vec<u8>),
    /// Writes these bytes when so many requests are whole, and closes.
    AnswersWhenWhole(usize, Vec<u8>),
    /// Writes these bytes to whoever came first, and to the others when it is told to.
    AnswersFirstThenLate(Vec<u8>),
    /// Says nothing until it is told to, then these bytes.
    AnswersLate(Vec<u8>),
}

/// An answer with a Content-Length.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// It stops when it is dropped.
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
    count: watch::Receiver<usize>,
    go: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Drop for Target {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Target {
    pub(crate) async fn new(does: Does) -> Self {
        Self::on("127.0.0.1:0", does).await
    }

    pub(crate) async fn on(address: &str, does: Does) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (counted, count) = watch::channel(0);
        let (go, gone) = watch::channel(false);
        let all = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (does, all, counted, gone) =
                    (does.clone(), Arc::clone(&all), counted.clone(), gone.clone());
                connections.spawn(serve(socket, does, all, counted, gone));
            }
        });
        Self { address, seen, count, go, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request that came whole, as it came.
    pub(crate) fn seen(&self) -> Vec<Vec<u8>> {
        self.seen.lock().unwrap().clone()
    }

    /// The only one that came: its head and its body.
    pub(crate) fn only(&self) -> (String, Vec<u8>) {
        let mut seen = self.seen();
        assert_eq!(seen.len(), 1);
        let mut bytes = seen.remove(0);
        let body = bytes.split_off(head_end(&bytes).unwrap());
        (String::from_utf8(bytes).unwrap(), body)
    }

    /// Waits until so many requests are whole.
    pub(crate) async fn came(&self, count: usize) {
        let mut counted = self.count.clone();
        let waited = timeout(PATIENCE, counted.wait_for(|now| *now >= count)).await;
        waited.expect("the requests come in time").unwrap();
    }

    /// Lets those that answer late answer.
    pub(crate) fn go(&self) {
        self.go.send_replace(true);
    }
}

async fn serve(
    mut socket: TcpStream,
    does: Does,
    all: Arc<Mutex<Vec<Vec<u8>>>>,
    counted: watch::Sender<usize>,
    mut gone: watch::Receiver<bool>,
) {
    let Some(request) = read_request(&mut socket).await else { return };
    let n = {
        let mut all = all.lock().unwrap();
        all.push(request);
        all.len()
    };
    counted.send_replace(n);
    let bytes = match does {
        Does::Answers(bytes) => bytes,
        Does::AnswersWhenWhole(wanted, bytes) => {
            counted.subscribe().wait_for(|count| *count >= wanted).await.unwrap();
            bytes
        }
        Does::AnswersFirstThenLate(bytes) if n == 1 => bytes,
        Does::AnswersLate(bytes) | Does::AnswersFirstThenLate(bytes) => {
            // The test may be over.
            if gone.wait_for(|go| *go).await.is_err() {
                return;
            }
            bytes
        }
    };
    // Whoever asked may have left.
    let _ = socket.write_all(&bytes).await;
    let _ = socket.shutdown().await;
    let _ = timeout(Duration::from_secs(1), socket.read_to_end(&mut Vec::new())).await;
}

/// Reads one request with a Content-Length, or without a body.
async fn read_request(socket: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = head_end(&bytes) {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = end + length.map_or(0, |length| length.parse().unwrap());
            if bytes.len() >= whole {
                return Some(bytes);
            }
        }
        if socket.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}
