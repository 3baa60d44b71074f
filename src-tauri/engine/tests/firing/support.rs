//! A handler that writes down what came and when, and answers whatever bytes a test wants.

use bytes::Bytes;
use hooktwice_engine::{
    firing::{self, FireError, Plan},
    head::{Head, RawHeader},
    model::{CopyReport, Protocol, Release, RunSummary, Signing},
};
use std::{
    io,
    net::SocketAddr,
    process::Command,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

/// One copy of a small signed body, verbatim, to a URL.
pub(crate) fn plan(url: &str) -> Plan {
    Plan {
        url: url.to_owned(),
        method: "POST".into(),
        headers: vec![RawHeader::new("Content-Type", "application/json")],
        body: Bytes::from_static(br#"{"job_id":"job_1"}"#),
        copies: 1,
        release: Release::Together,
        signing: Signing::Verbatim,
        signer: None,
        event_id: "evt_1".into(),
        protocol: Protocol::Auto,
        timeout: Duration::from_secs(10),
        allow_hosts: vec![],
    }
}

pub(crate) async fn fire(plan: Plan) -> Result<(Vec<CopyReport>, RunSummary), FireError> {
    let (told, mut tells) = mpsc::unbounded_channel();
    let (mut copies, summary) = firing::fire(plan, told, CancellationToken::new()).await?;
    // Each copy was told once, as it is in the result.
    let mut as_told = Vec::new();
    while let Ok(copy) = tells.try_recv() {
        as_told.push(copy);
    }
    as_told.sort_by_key(|copy| copy.n);
    assert_eq!(as_told, copies);
    assert!(copies.iter().map(|copy| copy.n).eq(1..=summary.copies));
    copies.sort_by_key(|copy| copy.n);
    Ok((copies, summary))
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    /// When the connection was accepted, and when the request was whole.
    pub(crate) opened: Instant,
    pub(crate) whole: Instant,
}

/// A handler. It stops when it is dropped.
pub(crate) struct Handler {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many whole requests came.
    pub(crate) count: watch::Receiver<usize>,
    /// How many connections were accepted.
    pub(crate) opened: watch::Receiver<usize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a handler does with a whole request.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// Writes these bytes and closes.
    Bytes(&'static [u8]),
    /// Writes these bytes and waits for the other side to close.
    KeepOpen(&'static [u8]),
    /// Waits until so many requests are whole, then answers 200.
    WhenWhole(usize),
    /// Never says anything.
    Never,
    /// Breaks the connection.
    Reset,
}

pub(crate) const OK: Answer = Answer::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

impl Handler {
    pub(crate) async fn start(answer: Answer) -> Self {
        Self::on("127.0.0.1:0", answer).await
    }

    pub(crate) async fn on(address: &str, answer: Answer) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (counted, count) = watch::channel(0);
        let (accepted, opened) = watch::channel(0);
        let all = seen.clone();
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                accepted.send_modify(|count| *count += 1);
                let (all, counted) = (all.clone(), counted.clone());
                connections.spawn(async move {
                    // A client that leaves early is what some tests are about.
                    let _ = serve(socket, answer, &all, &counted).await;
                });
            }
        });
        Self { address, url: format!("http://{address}/hook"), seen, count, opened, task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut socket: TcpStream,
    answer: Answer,
    all: &Mutex<Vec<Seen>>,
    counted: &watch::Sender<usize>,
) -> io::Result<()> {
    let opened = Instant::now();
    let seen = read_request(&mut socket, opened).await?;
    all.lock().unwrap().push(seen);
    counted.send_modify(|count| *count += 1);
    match answer {
        Answer::Bytes(bytes) => socket.write_all(bytes).await?,
        Answer::KeepOpen(bytes) => {
            socket.write_all(bytes).await?;
            socket.read_to_end(&mut Vec::new()).await?;
        }
        Answer::WhenWhole(wanted) => {
            counted.subscribe().wait_for(|count| *count >= wanted).await.unwrap();
            socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await?;
        }
        Answer::Never => {
            socket.read_to_end(&mut Vec::new()).await?;
        }
        Answer::Reset => {
            // With a linger of zero a close is a reset.
            socket2::SockRef::from(&socket).set_linger(Some(Duration::ZERO))?;
        }
    }
    Ok(())
}

/// Reads one request of HTTP/1.1 with a Content-Length, or none.
async fn read_request(socket: &mut TcpStream, opened: Instant) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    loop {
        if socket.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Ok((head, length)) = Head::parse(&bytes) else { continue };
        let announced = head.values("content-length").next().cloned();
        let size =
            announced.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap());
        if bytes.len() >= length + size {
            assert_eq!(bytes.len(), length + size, "more came than was announced");
            return Ok(Seen { head, body: bytes.split_off(length), opened, whole: Instant::now() });
        }
    }
}

/// Runs a test of this file again in a process of its own, with its environment changed; says whether this is it.
pub(crate) fn in_child(test: &str, environment: &[(&str, &str)]) -> bool {
    const MARK: &str = "HOOKTWICE_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(MARK, "1")
        .envs(environment.iter().copied())
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its own process");
    false
}
