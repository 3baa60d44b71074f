//! A listener with a store in a folder of its own, and a sender that speaks bytes.

use hooktwice_engine::{
    clock::FixedClock,
    events::{Event, Events, Subscription},
    listener::{self, Context, ListenConfig},
    model::{
        Delivery, DeliveryDetail, HeaderValue, JobIdType, JobKey, Limits, ListenSettings,
        Retention, SchemeSettings,
    },
    proof::Proofs,
    secrets::{NamedSecret, Secret},
    signing::{self, Signer},
    store::{Role, Store},
};
use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::{mpsc, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// The moment of cases.md, in Unix seconds.
pub(crate) const NOW: i64 = 1_700_000_000;
pub(crate) const KEY: &[u8] = b"test-secret";
/// What a test waits for at most; reached only where it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn signer() -> Signer {
    Signer {
        scheme: signing::scheme("sume", &SchemeSettings::default()).unwrap(),
        secret: Secret::new(KEY.to_vec()),
    }
}

/// The signature's header lines of a body.
pub(crate) fn signature(body: &[u8]) -> String {
    let headers = signer().sign(NOW, "evt_1", body).unwrap();
    headers
        .iter()
        .map(|header| format!("{}: {}\r\n", text(&header.name), text(&header.value)))
        .collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A POST of a body with its Content-Length and some header lines.
pub(crate) fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: here\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The same, signed.
pub(crate) fn signed(path: &str, body: &[u8]) -> Vec<u8> {
    post(path, &signature(body), body)
}

/// An answer as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// One connection.
pub(crate) struct Sender {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

impl Sender {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next answer; `None` where the connection ended instead.
    pub(crate) async fn answer(&mut self) -> Option<Reply> {
        self.answer_to("POST").await
    }

    pub(crate) async fn answer_to(&mut self, method: &str) -> Option<Reply> {
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            if !self.read_on().await {
                return None;
            }
        };
        let head = String::from_utf8(self.read.drain(..end).collect()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Reply { status, head, body: String::new() };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        let length = if method == "HEAD" { 0 } else { length };
        while self.read.len() < length {
            assert!(self.read_on().await, "the body of the answer is cut off");
        }
        reply.body = String::from_utf8(self.read.drain(..length).collect()).unwrap();
        Some(reply)
    }

    /// Everything until the connection ends.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.read_on().await {}
        std::mem::take(&mut self.read)
    }

    async fn read_on(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let read =
            timeout(PATIENCE, self.stream.read(&mut buffer)).await.expect("an answer in time");
        let read = read.unwrap_or(0);
        self.read.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

/// A running listener.
pub(crate) struct Rig {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
    pub(crate) address: SocketAddr,
    pub(crate) config: watch::Sender<Arc<ListenConfig>>,
    pub(crate) events: Events,
    /// Stands at `NOW` until a test moves it.
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) shutdown: CancellationToken,
    ended: mpsc::UnboundedReceiver<Delivery>,
    serving: Option<JoinHandle<Result<(), listener::ListenError>>>,
}

/// The next delivery that pages are told of.
pub(crate) async fn next_delivery(events: &mut Subscription) -> Delivery {
    loop {
        let batch = timeout(PATIENCE, events.next_batch()).await.expect("an event").unwrap();
        for event in batch.events {
            if let Event::Delivery { delivery } = event {
                return delivery;
            }
        }
    }
}

/// What a test changes of the defaults.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) settings: ListenSettings,
    pub(crate) limits: Limits,
    pub(crate) secret: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { settings: ListenSettings::default(), limits: Limits::default(), secret: true }
    }
}

impl Setup {
    pub(crate) fn config(&self) -> Arc<ListenConfig> {
        Arc::new(ListenConfig {
            settings: self.settings.clone(),
            limits: self.limits,
            scheme: signing::scheme("sume", &SchemeSettings::default()).unwrap(),
            secrets: self
                .secret
                .then(|| NamedSecret::new("test", Secret::new(KEY.to_vec()), "memory"))
                .into_iter()
                .collect(),
            known: Vec::new(),
            schemes: SchemeSettings::default(),
        })
    }
}

impl Rig {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        let socket = listener::bind("127.0.0.1", 0).await.unwrap();
        let address = socket.local_addr().unwrap();
        let (config, receiver) = watch::channel(setup.config());
        let (sender, ended) = mpsc::unbounded_channel();
        let events = Events::default();
        let shutdown = CancellationToken::new();
        let clock = Arc::new(FixedClock::at_micros(NOW * 1_000_000));
        let context = Context {
            proofs: Proofs::default(),
            store: store.clone(),
            events: events.clone(),
            clock: clock.clone(),
            ended: Some(sender),
        };
        let serving =
            Some(tokio::spawn(listener::serve(socket, receiver, context, shutdown.clone())));
        Self { folder, store, address, config, events, clock, shutdown, ended, serving }
    }

    pub(crate) async fn connect(&self) -> Sender {
        Sender { stream: TcpStream::connect(self.address).await.unwrap(), read: Vec::new() }
    }

    /// Sends one request on a connection of its own, and reads its answer.
    pub(crate) async fn fire(&self, request: &[u8]) -> Reply {
        let mut sender = self.connect().await;
        sender.send(request).await;
        sender.answer().await.expect("an answer")
    }

    /// The next delivery that ends.
    pub(crate) async fn ended(&mut self) -> Delivery {
        timeout(PATIENCE, self.ended.recv())
            .await
            .expect("a delivery ends in time")
            .expect("a listener")
    }

    /// Sends one request; its answer and its row.
    pub(crate) async fn deliver(&mut self, request: &[u8]) -> (Reply, Delivery) {
        let reply = self.fire(request).await;
        (reply, self.ended().await)
    }

    pub(crate) fn detail(&self, seq: i64) -> DeliveryDetail {
        self.store.show(seq).unwrap().unwrap()
    }

    pub(crate) fn body(&self, seq: i64) -> Vec<u8> {
        self.store.body(seq, None).unwrap().unwrap().0.to_vec()
    }

    /// Another connection that holds the write lock, as a backup would: until it rolls back nothing is written.
    pub(crate) fn blocker(&self) -> rusqlite::Connection {
        let blocker = rusqlite::Connection::open(self.folder.path().join("hooktwice.db")).unwrap();
        blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
        blocker
    }

    pub(crate) fn effects(&self, path: &str, job_id: &str) -> u64 {
        let key =
            JobKey { path: path.into(), job_id: job_id.into(), job_id_type: JobIdType::String };
        self.store.effects(&key).unwrap()
    }

    /// Stops it; every record is whole then. What is left to hear of is returned.
    pub(crate) async fn stop(&mut self) -> Vec<Delivery> {
        self.shutdown.cancel();
        if let Some(serving) = self.serving.take() {
            timeout(PATIENCE, serving).await.expect("it stops in time").unwrap().unwrap();
        }
        std::iter::from_fn(|| self.ended.try_recv().ok()).collect()
    }

    pub(crate) fn rows(&self) -> Vec<Delivery> {
        let mut rows = self.store.list(&Default::default()).unwrap().rows;
        rows.reverse();
        rows
    }
}

async fn open(folder: &Path) -> Store {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || {
        Store::open(&folder, Role::Owner, Retention::default()).unwrap()
    })
    .await
    .unwrap()
}

pub(crate) fn shown(headers: &[(String, HeaderValue)]) -> Vec<(&str, &str)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = match value {
                HeaderValue::Text(text) => text.as_str(),
                HeaderValue::Bytes { base64 } => base64.as_str(),
            };
            (name.as_str(), value)
        })
        .collect()
}
