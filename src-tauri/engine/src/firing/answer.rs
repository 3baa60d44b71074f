//! What came back: the status decides, the rest is shown.

use bytes::Bytes;
use http::{Response, StatusCode, Version, header, response::Parts};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How much of a body is shown.
const SHOWN: usize = 4 * 1024;
/// How much of a body is read at most.
const DRAINED: usize = 16 * 1024 * 1024;

/// What was heard so far; a copy that is stopped midway is judged by it.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) status: Option<u16>,
    pub(super) location: Option<String>,
    pub(super) warnings: Vec<String>,
    /// When the status was read; on HTTP/2 the best that is known of the first byte.
    pub(super) status_at: Option<Instant>,
    /// When the answer was whole.
    pub(super) done: Option<Instant>,
    body: Vec<u8>,
    /// How much of the body is kept.
    keep: usize,
    /// The head, where the answer is somebody's who gets it whole.
    parts: Option<Parts>,
    /// There is more of the body than is kept.
    pub(super) is_longer: bool,
    /// There is more of the body than was read.
    pub(super) is_cut: bool,
    has_no_body: bool,
    closes: bool,
    passed_on: bool,
}

impl Default for Heard {
    fn default() -> Self {
        Self {
            status: None,
            location: None,
            warnings: Vec::new(),
            status_at: None,
            done: None,
            body: Vec::new(),
            keep: SHOWN,
            parts: None,
            is_longer: false,
            is_cut: false,
            has_no_body: false,
            closes: false,
            passed_on: false,
        }
    }
}

impl Heard {
    /// Of an answer that is passed on: its head is kept, and so much of its body.
    pub(super) fn passed_on(most: usize) -> Self {
        Self { keep: most, passed_on: true, ..Self::default() }
    }

    /// The head and the body, where they were kept.
    pub(super) fn into_answer(self) -> Option<(Parts, Bytes)> {
        Some((self.parts?, Bytes::from(self.body)))
    }

    pub(super) fn lock(heard: &Mutex<Self>) -> MutexGuard<'_, Self> {
        // Fields change in single steps: a panic leaves them usable.
        heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads an answer to its end, or to the most that is read.
    pub(super) async fn read(
        heard: &Mutex<Self>,
        response: Response<Incoming>,
    ) -> hyper::Result<()> {
        let (parts, mut body) = response.into_parts();
        Self::lock(heard).head(parts);
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            read += data.len();
            let mut heard = Self::lock(heard);
            let room = heard.keep - heard.body.len();
            heard.is_longer |= data.len() > room;
            heard.body.extend_from_slice(&data[..data.len().min(room)]);
            if read > DRAINED {
                heard.is_cut = true;
                heard.warnings.push(format!(
                    "The answer is longer than {} MiB; the rest was not read.",
                    DRAINED >> 20
                ));
                break;
            }
        }
        Self::lock(heard).done = Some(Instant::now());
        Ok(())
    }

    fn head(&mut self, parts: Parts) {
        self.status_at = Some(Instant::now());
        self.status = Some(parts.status.as_u16());
        // A HEAD is not known here; a length that no body follows is right there.
        self.has_no_body =
            matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let header = |name| {
            parts
                .headers
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let connection = header(header::CONNECTION).unwrap_or_default().to_ascii_lowercase();
        self.closes = match parts.version {
            Version::HTTP_10 => !connection.contains("keep-alive"),
            _ => connection.contains("close"),
        };
        if parts.status.is_redirection() {
            self.location = header(header::LOCATION);
            if let Some(location) = &self.location {
                self.warnings.push(format!("A redirect to {location} was not followed."));
            }
        }
        if self.passed_on {
            self.parts = Some(parts);
        }
    }

    /// How long to look for bytes that should not be there.
    pub(super) fn linger(&self, briefly: Duration, closing: Duration) -> Option<Duration> {
        if self.passed_on {
            // Somebody waits for it.
            None
        } else if self.closes {
            Some(closing)
        } else if self.has_no_body {
            Some(briefly)
        } else {
            None
        }
    }

    /// Bytes came after the answer's end.
    pub(super) fn left_over(&mut self) {
        let status = self.status.unwrap_or_default();
        self.warnings.push(if self.has_no_body {
            format!("The answer breaks HTTP: a {status} has no body, and one was sent. It is judged by its status.")
        } else {
            "The answer breaks HTTP: more bytes came than it announced. It is judged by its status.".into()
        });
    }

    /// The start of the body as text; a character that was cut at the end is left out.
    pub(super) fn body(&self) -> String {
        let shown = &self.body[..self.body.len().min(SHOWN)];
        let cut = (shown.len() == SHOWN)
            .then(|| std::str::from_utf8(shown).err())
            .flatten()
            .filter(|error| error.error_len().is_none())
            .map_or(shown.len(), |error| error.valid_up_to());
        String::from_utf8_lossy(&shown[..cut]).into_owned()
    }
}

/// The status of an answer that hyper could not read: HTTP/1 says it in its first line.
pub(super) fn status_line(start: &[u8]) -> Option<u16> {
    let rest = start.strip_prefix(b"HTTP/1.")?;
    let digits = std::str::from_utf8(rest.get(2..5)?).ok()?;
    let ends = rest.get(5).is_none_or(|byte| !byte.is_ascii_digit());
    let status: u16 = digits.parse().ok()?;
    (rest[1] == b' ' && ends && (200..=999).contains(&status)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_at_the_end_is_left_out_and_no_other() {
        let mut heard = Heard { body: "a".repeat(SHOWN - 2).into_bytes(), ..Heard::default() };
        heard.body.extend_from_slice(&"🎉".as_bytes()[..2]);
        assert_eq!(heard.body(), "a".repeat(SHOWN - 2));
        heard.body = b"\xff\xe9".to_vec();
        assert_eq!(heard.body(), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_status_is_read_from_the_first_line_only_where_it_is_one() {
        assert_eq!(status_line(b"HTTP/1.1 500 Oops\r\nbad header\r\n"), Some(500));
        assert_eq!(status_line(b"HTTP/1.0 204\r\n"), Some(204));
        for start in [
            &b"HTTP/1.1 2"[..],
            b"HTTP/1.1 2000\r\n",
            b"HTTP/1.1 099 ",
            b"SSH-2.0-x",
            b"",
            b"HTTP/1.1\t200 ",
        ] {
            assert_eq!(status_line(start), None);
        }
    }
}
