//! A body that came compressed while its signature covers what it decodes to (C10).

use super::candidates::Bytes;
use crate::signing::SignedRequest;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::Read;

/// The most that a body is decoded to; a small one can decode to gigabytes.
pub(in crate::signing) const LARGEST: usize = 16 * 1024 * 1024;

/// It decodes to more than [`LARGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::signing) struct TooLarge;

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
}

/// The body decoded by its content coding, or by the mark that gzip begins with; `None` where it has none or breaks.
pub(super) fn decoded<'a>(request: &SignedRequest<'a>) -> Result<Bytes<'a>, TooLarge> {
    let body = request.body;
    let attempts: [Option<Box<dyn Read + 'a>>; 2] = match coding(request) {
        None => return Ok(None),
        Some(Coding::Gzip) => [Some(Box::new(MultiGzDecoder::new(body))), None],
        // The coding is called deflate and is meant to have zlib's frame (RFC 9110, 8.4.1.2); some leave it out.
        Some(Coding::Deflate) => {
            [Some(Box::new(ZlibDecoder::new(body))), Some(Box::new(DeflateDecoder::new(body)))]
        }
    };
    for decoder in attempts.into_iter().flatten() {
        if let Some(whole) = read(decoder)? {
            return Ok(Some(whole.into()));
        }
    }
    Ok(None)
}

fn read(decoder: impl Read) -> Result<Option<Vec<u8>>, TooLarge> {
    let mut out = Vec::new();
    match decoder.take(LARGEST as u64 + 1).read_to_end(&mut out) {
        Ok(_) if out.len() > LARGEST => Err(TooLarge),
        Ok(_) => Ok(Some(out)),
        Err(_) => Ok(None),
    }
}

fn coding(request: &SignedRequest<'_>) -> Option<Coding> {
    if request.body.starts_with(b"\x1f\x8b\x08") {
        return Some(Coding::Gzip);
    }
    let said = request.values("content-encoding").last()?;
    let last = said.rsplit(|byte| *byte == b',').next()?.trim_ascii();
    match last {
        _ if last.eq_ignore_ascii_case(b"gzip") || last.eq_ignore_ascii_case(b"x-gzip") => {
            Some(Coding::Gzip)
        }
        _ if last.eq_ignore_ascii_case(b"deflate") => Some(Coding::Deflate),
        _ => None,
    }
}
