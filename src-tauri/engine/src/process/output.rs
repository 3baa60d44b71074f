//! The end of what a command writes, read as it comes so that it never has to wait for us.

use super::KEPT_OUTPUT;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    task::JoinSet,
    time::timeout,
};

/// How long the last of the output may take to be read once nobody of the group can write any more. All of it is in the
/// pipe by then; only a process that left the group can keep a stream open longer.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Something that a command writes into.
pub(super) type Stream = Box<dyn AsyncRead + Send + Unpin>;

/// What was read of all streams. Dropped, nothing is read any more.
#[derive(Debug)]
pub(super) struct Output {
    tail: Arc<Mutex<Tail>>,
    readers: JoinSet<()>,
}

impl Output {
    /// Begins to read.
    pub(super) fn read(streams: Vec<Stream>) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let readers = streams.into_iter().map(|stream| drain(stream, Arc::clone(&tail))).collect();
        Self { tail, readers }
    }

    /// What was kept so far.
    pub(super) fn text(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits until everything was read.
    pub(super) async fn settle(&mut self) {
        let read = async { while self.readers.join_next().await.is_some() {} };
        if timeout(LAST_WORDS, read).await.is_err() {
            tracing::debug!("a command's output is still open, in a process outside of its group");
        }
    }
}

async fn drain(mut stream: Stream, tail: Arc<Mutex<Tail>>) {
    let mut chunk = vec![0; 16 * 1024];
    loop {
        match stream.read(&mut chunk).await {
            Ok(0) => return,
            Ok(read) => {
                tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..read]);
            }
            Err(error) => {
                tracing::debug!(%error, "a command's output could not be read further");
                return;
            }
        }
    }
}

/// The last [`KEPT_OUTPUT`] bytes of what is pushed.
#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let over = self.bytes.len().saturating_sub(KEPT_OUTPUT);
        self.cut |= over > 0;
        self.bytes.drain(..over);
    }

    /// As text; where the beginning is cut off inside of a character, without the rest of that character.
    fn text(&self) -> String {
        let is_rest = |byte: &&u8| self.cut && (**byte & 0b1100_0000) == 0b1000_0000;
        let rest = self.bytes.iter().take(3).take_while(is_rest).count();
        let bytes: Vec<u8> = self.bytes.range(rest..).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_begins_with_a_whole_character() {
        let mut tail = Tail::default();
        tail.push("a€".as_bytes());
        assert_eq!(tail.text(), "a€");
        tail.push(&vec![b'x'; KEPT_OUTPUT - 4]);
        assert_eq!(tail.text().chars().next(), Some('a'), "nothing is over");
        tail.push(b"yz");
        let text = tail.text();
        assert_eq!((text.len(), text.chars().next()), (KEPT_OUTPUT - 2, Some('x')));
        assert!(text.ends_with("xyz"));
    }

    #[test]
    fn what_is_no_text_is_shown_all_the_same() {
        let mut tail = Tail::default();
        tail.push(b"\x80\xffok");
        assert_eq!(tail.text(), "\u{fffd}\u{fffd}ok");
    }
}
