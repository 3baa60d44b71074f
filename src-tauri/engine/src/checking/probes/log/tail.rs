//! Reads what is new in a file that grows.

use super::{
    super::file::{Identity, identity, look, unreadable},
    pattern::{Matcher, Pattern},
};
use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    path::PathBuf,
};

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// How many of the last bytes are compared, to see whether the file still is the one that was read.
const REMEMBERED: usize = 64;

/// What is found on the way.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A line without its end.
    Line(&'a [u8]),
    /// The file is another than before, or was cut, and is read from its beginning.
    Anew,
}

/// A file, and how far it was read.
#[derive(Debug)]
pub(super) struct Tail {
    path: PathBuf,
    open: Option<Open>,
}

/// Held open between two readings, so that no other file gets its number.
#[derive(Debug)]
struct Open {
    file: File,
    identity: Option<Identity>,
    /// So many bytes were read, those of the unfinished line too.
    read: u64,
    /// The last of them.
    last: Vec<u8>,
    /// What stands behind the last line end.
    unfinished: Vec<u8>,
}

impl Tail {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, open: None }
    }

    /// Tells each line that was finished since the last time. An error is a sentence.
    pub(super) fn read(&mut self, mut tell: impl FnMut(Piece<'_>)) -> Result<(), String> {
        let found = look(&self.path)?;
        let failed = |error: io::Error| unreadable(&self.path, &error);
        let goes_on = match &mut self.open {
            Some(open) if open.identity == identity(&found) => {
                open.goes_on(found.len()).map_err(failed)?
            }
            _ => false,
        };
        if !goes_on && let Some(open) = self.open.take() {
            if !open.unfinished.is_empty() {
                tell(Piece::Line(without_end(&open.unfinished)));
            }
            tell(Piece::Anew);
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => Open::new(File::open(&self.path).map_err(failed)?).map_err(failed)?,
        };
        let read = open.read_on(&mut tell);
        self.open = Some(open);
        read.map_err(|error| unreadable(&self.path, &error))
    }

    /// The line that has no end yet, if any.
    pub(super) fn unfinished(&self) -> String {
        let bytes = self.open.as_ref().map_or(&[][..], |open| &open.unfinished);
        String::from_utf8_lossy(without_end(bytes)).into_owned()
    }

    /// Counts lines in all of the file, for ids that no index finds.
    pub(super) fn scan(&self, pattern: &Pattern, ids: &[&String]) -> Result<Vec<u32>, String> {
        let failed = |error: io::Error| unreadable(&self.path, &error);
        let matchers: Vec<Matcher<'_>> = ids.iter().map(|id| pattern.matcher(id)).collect();
        let mut counts = vec![0_u32; ids.len()];
        let mut file = BufReader::with_capacity(CHUNK, File::open(&self.path).map_err(failed)?);
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            let text: Cow<'_, str> = String::from_utf8_lossy(without_end(&line));
            for (count, matcher) in counts.iter_mut().zip(&matchers) {
                *count = count.saturating_add(matcher.is_in(&text).into());
            }
            line.clear();
        }
        Ok(counts)
    }
}

impl Open {
    fn new(file: File) -> io::Result<Self> {
        let identity = identity(&file.metadata()?);
        Ok(Self { file, identity, read: 0, last: Vec::new(), unfinished: Vec::new() })
    }

    /// Whether what was read still stands there. The next reading begins behind it.
    fn goes_on(&mut self, length: u64) -> io::Result<bool> {
        if length < self.read {
            return Ok(false);
        }
        let mut there = vec![0; self.last.len()];
        self.file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
        match self.file.read_exact(&mut there) {
            Ok(()) => Ok(there == self.last),
            // It was cut since its length was asked for.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// To the end as it is now: a file that grows faster than it is read has to end somewhere.
    fn read_on(&mut self, tell: &mut impl FnMut(Piece<'_>)) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        let mut chunk = vec![0; CHUNK];
        while self.read < end {
            let read = self.file.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            let mut rest = &chunk[..read];
            self.read += read as u64;
            self.last.extend_from_slice(&rest[rest.len().saturating_sub(REMEMBERED)..]);
            self.last.drain(..self.last.len().saturating_sub(REMEMBERED));
            while let Some(at) = memchr::memchr(b'\n', rest) {
                let (line, behind) = (&rest[..at], &rest[at + 1..]);
                if self.unfinished.is_empty() {
                    tell(Piece::Line(without_end(line)));
                } else {
                    self.unfinished.extend_from_slice(line);
                    tell(Piece::Line(without_end(&self.unfinished)));
                    self.unfinished.clear();
                }
                rest = behind;
            }
            self.unfinished.extend_from_slice(rest);
        }
        Ok(())
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
