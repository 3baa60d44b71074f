//! The framing of a chunked body (RFC 9112, 7.1): passed over, apart from the trailer lines, which are kept.

use super::refusal::Refusal;
use bytes::{Bytes, BytesMut};

/// The most bytes of chunk extensions in one body; hyper's limit.
const EXTENSIONS: usize = 16 * 1024;

#[derive(Debug, Clone, Copy)]
enum Place {
    /// At the first digit of a size.
    Size,
    /// After it.
    SizeOn,
    /// White space after a size.
    Space,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the start of a trailer line, or of the last blank line.
    Line,
    LineOn,
    LineLf,
    LastLf,
}

/// Follows one chunked body.
#[derive(Debug)]
pub(super) struct Chunks {
    place: Place,
    size: u64,
    extensions: usize,
    trailers: BytesMut,
    trailers_limit: usize,
}

impl Chunks {
    /// At the start of a body; so many bytes of trailers are taken.
    pub(super) fn new(trailers_limit: usize) -> Self {
        Self {
            place: Place::Size,
            size: 0,
            extensions: 0,
            trailers: BytesMut::new(),
            trailers_limit,
        }
    }

    /// Reads on. Says how many bytes belong to this body and, at its end, the trailer lines.
    ///
    /// # Errors
    /// When the framing is broken: how many bytes were good before that, and why.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
    ) -> Result<(usize, Option<Bytes>), (usize, Refusal)> {
        let mut at = 0;
        while at < bytes.len() {
            if let Place::Data = self.place {
                let run = usize::try_from(self.size).unwrap_or(usize::MAX).min(bytes.len() - at);
                self.size -= run as u64;
                at += run;
                if self.size == 0 {
                    self.place = Place::DataCr;
                }
                continue;
            }
            match self.step(bytes[at]) {
                Ok(false) => at += 1,
                Ok(true) => return Ok((at + 1, Some(self.trailers.split().freeze()))),
                Err(why) => return Err((at, Refusal::bad_chunk(why))),
            }
        }
        Ok((at, None))
    }

    /// Takes one byte that is not data; `true` at the end of the body.
    fn step(&mut self, byte: u8) -> Result<bool, &'static str> {
        self.place = match (self.place, byte) {
            (Place::Size | Place::SizeOn, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = match byte {
                    b'0'..=b'9' => byte - b'0',
                    _ => (byte | 0x20) - b'a' + 10,
                };
                let size =
                    self.size.checked_mul(16).and_then(|size| size.checked_add(digit.into()));
                self.size = size.ok_or("a chunk's size is too large")?;
                Place::SizeOn
            }
            (Place::SizeOn | Place::Space, b' ' | b'\t') => Place::Space,
            (Place::SizeOn | Place::Space, b';') => Place::Extension,
            (Place::SizeOn | Place::Space | Place::Extension, b'\r') => Place::SizeLf,
            (Place::Size | Place::SizeOn | Place::Space, _) => {
                return Err("a chunk's size is not a hex number");
            }
            (Place::Extension, b'\n') => return Err("a chunk extension has a bare LF"),
            (Place::Extension, _) => {
                self.extensions += 1;
                if self.extensions >= EXTENSIONS {
                    return Err("the chunk extensions are over 16 KiB");
                }
                Place::Extension
            }
            (Place::SizeLf, b'\n') if self.size == 0 => Place::Line,
            (Place::SizeLf, b'\n') => Place::Data,
            (Place::DataCr, b'\r') => Place::DataLf,
            (Place::DataLf, b'\n') => Place::Size,
            (Place::DataCr | Place::DataLf, _) => return Err("a chunk is longer than its size"),
            (Place::Line, b'\r') => Place::LastLf,
            (Place::LastLf, b'\n') => return Ok(true),
            (Place::Line | Place::LineOn, _) => {
                self.keep(byte)?;
                if byte == b'\r' { Place::LineLf } else { Place::LineOn }
            }
            (Place::LineLf, b'\n') => {
                self.keep(byte)?;
                Place::Line
            }
            (Place::SizeLf | Place::LineLf | Place::LastLf, _) => {
                return Err("a CR without its LF");
            }
            // Data is passed over in runs by the caller.
            (Place::Data, _) => Place::Data,
        };
        Ok(false)
    }

    fn keep(&mut self, byte: u8) -> Result<(), &'static str> {
        if self.trailers.len() >= self.trailers_limit {
            return Err("the trailers are too large");
        }
        self.trailers.extend_from_slice(&[byte]);
        Ok(())
    }
}
