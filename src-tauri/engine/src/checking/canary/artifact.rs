//! One artifact: how its downloads go, and what became of each.

use super::{Conduct, Download, DownloadEnd, LetGo};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{oneshot, watch};

/// One artifact. A clone is the same one.
#[derive(Debug, Clone)]
pub(in crate::checking) struct Artifact {
    url: Arc<str>,
    state: Arc<State>,
}

impl Artifact {
    pub(super) fn new(url: String, state: Arc<State>) -> Self {
        Self { url: url.into(), state }
    }

    /// Where it is: `http://127.0.0.1:PORT/artifacts/TOKEN.mp4`.
    pub(in crate::checking) fn url(&self) -> &str {
        &self.url
    }

    /// From now on. Downloads that are held or waiting go on as they began.
    pub(in crate::checking) fn set(&self, conduct: Conduct) {
        let mut record = self.state.record();
        record.conduct = conduct;
        record.first = true;
    }

    /// Lets every held download go: those that are held now, none that comes later.
    pub(in crate::checking) fn let_go(&self, how: LetGo) {
        for held in self.state.record().held.drain(..) {
            // Whoever waited for it may have left.
            let _ = held.send(how);
        }
    }

    /// Every GET so far, in the order in which they came.
    pub(in crate::checking) fn downloads(&self) -> Vec<Download> {
        self.state.record().downloads.clone()
    }

    /// How many were served whole. A download counts from just before its bytes leave, so whoever has them is counted.
    pub(in crate::checking) fn served(&self) -> u32 {
        let record = self.state.record();
        let served =
            record.downloads.iter().filter(|download| download.end == DownloadEnd::Served).count();
        u32::try_from(served).unwrap_or(u32::MAX)
    }

    /// Waits until so many GETs came, whatever becomes of them.
    pub(in crate::checking) async fn asked(&self, count: usize) {
        let mut asked = self.state.asked.subscribe();
        // The sender is ours, so this cannot fail.
        let _ = asked.wait_for(|asked| *asked >= count).await;
    }
}

/// What the server and the holders of an artifact share.
#[derive(Debug)]
pub(super) struct State {
    record: Mutex<Record>,
    /// How many GETs came.
    asked: watch::Sender<usize>,
}

#[derive(Debug)]
struct Record {
    conduct: Conduct,
    /// No GET came yet since the conduct was set.
    first: bool,
    downloads: Vec<Download>,
    held: Vec<oneshot::Sender<LetGo>>,
}

/// How one download is to go.
#[derive(Debug)]
pub(super) enum Course {
    Now(LetGo),
    After(Duration),
    Held(oneshot::Receiver<LetGo>),
}

impl State {
    pub(super) fn new(conduct: Conduct) -> Self {
        let record = Record { conduct, first: true, downloads: Vec::new(), held: Vec::new() };
        Self { record: Mutex::new(record), asked: watch::Sender::new(0) }
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A GET came: writes it down and says how it is to go.
    pub(super) fn ask(self: &Arc<Self>) -> (Ticket, Course) {
        let mut record = self.record();
        let first = std::mem::replace(&mut record.first, false);
        let course = match record.conduct {
            Conduct::Serve => Course::Now(LetGo::Serve),
            Conduct::After(wait) => Course::After(wait),
            Conduct::FailFirst if first => Course::Now(LetGo::Fail),
            Conduct::HoldFirst if first => {
                let (hold, held) = oneshot::channel();
                record.held.push(hold);
                Course::Held(held)
            }
            Conduct::FailFirst | Conduct::HoldFirst => Course::Now(LetGo::Serve),
        };
        let number = record.downloads.len();
        record.downloads.push(Download {
            asked: Instant::now(),
            ended: None,
            end: DownloadEnd::Open,
        });
        // Told while the record is locked: whoever was woken finds the download, and finds it held.
        self.asked.send_replace(number + 1);
        drop(record);
        (Ticket { state: Arc::clone(self), number }, course)
    }
}

/// One download that is open. Dropped before it was said how it ended, whoever asked has left.
#[derive(Debug)]
pub(super) struct Ticket {
    state: Arc<State>,
    number: usize,
}

impl Ticket {
    /// The answer goes out now.
    pub(super) fn answered(self, how: LetGo) {
        self.end(match how {
            LetGo::Serve => DownloadEnd::Served,
            LetGo::Fail => DownloadEnd::Failed,
        });
    }

    fn end(&self, end: DownloadEnd) {
        let mut record = self.state.record();
        if let Some(download) = record.downloads.get_mut(self.number)
            && download.end == DownloadEnd::Open
        {
            download.end = end;
            download.ended = Some(Instant::now());
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.end(DownloadEnd::Left);
    }
}
