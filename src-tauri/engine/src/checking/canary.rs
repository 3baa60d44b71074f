//! The artifact that a body names: a URL of ours on loopback, a fresh one for each job. It counts downloads, and can be
//! slow, fail, or hold a download until it is let go, which is how the handler's work is made slow or made to fail.

mod artifact;
mod server;
#[cfg(test)]
mod tests;

pub(super) use artifact::Artifact;

use artifact::State;
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashMap,
    io,
    net::Ipv4Addr,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// The length of a token, in bytes; it is written in hex.
const TOKEN: usize = 12;

/// Every artifact by its token.
type Shelf = RwLock<HashMap<String, Arc<State>>>;

/// How an artifact's downloads go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conduct {
    /// At once.
    Serve,
    /// Each after so long.
    After(Duration),
    /// The first from now on is answered 500, the rest at once.
    FailFirst,
    /// The first from now on waits until it is let go, the rest at once.
    HoldFirst,
}

/// How a held download goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetGo {
    /// It is served.
    Serve,
    /// It is answered 500.
    Fail,
}

/// How a download ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DownloadEnd {
    /// Not yet.
    Open,
    /// Served whole.
    Served,
    /// Answered 500 on purpose.
    Failed,
    /// Whoever asked went away before the answer.
    Left,
}

/// One GET of an artifact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Download {
    pub(super) asked: Instant,
    /// When the answer was handed out, or when it turned out that nobody waits for it any more.
    pub(super) ended: Option<Instant>,
    pub(super) end: DownloadEnd,
}

/// The server of artifacts. Dropped, it ends, and with it every download that is open.
#[derive(Debug)]
pub(super) struct Canary {
    /// `http://127.0.0.1:PORT/artifacts/`
    root: String,
    /// What makes tokens unguessable.
    key: [u8; 32],
    made: AtomicU64,
    shelf: Arc<Shelf>,
    _server: AbortOnDropHandle<()>,
}

impl Canary {
    /// Starts it on a free port of loopback.
    pub(super) async fn start() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| {
            io::Error::other(format!("the system gives no random bytes: {error}"))
        })?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let root = format!("http://{}{}", listener.local_addr()?, server::FOLDER);
        let shelf = Arc::<Shelf>::default();
        let server = tokio::spawn(server::serve(listener, Arc::clone(&shelf)));
        let made = AtomicU64::new(0);
        Ok(Self { root, key, made, shelf, _server: AbortOnDropHandle::new(server) })
    }

    /// A fresh artifact. It is there for as long as the server.
    pub(super) fn artifact(&self, conduct: Conduct) -> Artifact {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let digest =
            Sha256::new_with_prefix(self.key).chain_update(number.to_le_bytes()).finalize();
        let token = hex::encode(&digest[..TOKEN]);
        let url = format!("{}{token}{}", self.root, server::ENDING);
        let state = Arc::new(State::new(conduct));
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        shelf.insert(token, Arc::clone(&state));
        Artifact::new(url, state)
    }
}
