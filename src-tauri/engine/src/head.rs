//! The head of an HTTP/1 request as bytes: kept as sent, read when needed.

use crate::model::{HeaderValue, NamedHeader};
use base64::{DecodeError, Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;

/// The most headers that are read from a stored head; the listener's own limit is lower.
const MAX_HEADERS: usize = 2048;

/// One header line: name and value as sent, white space around the value aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawHeader {
    /// With its case.
    pub name: Bytes,
    /// Any bytes but CR, LF and NUL.
    pub value: Bytes,
}

impl RawHeader {
    /// From two texts.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: Bytes::from(name.into()), value: Bytes::from(value.into()) }
    }

    /// Whether this is the header of that name, in any case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// From what [`RawHeader::to_named`] makes of one.
    ///
    /// # Errors
    /// When the value stands in base64 and is none.
    pub fn from_named((name, value): &NamedHeader) -> Result<Self, DecodeError> {
        let value = match value {
            HeaderValue::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
            HeaderValue::Bytes { base64 } => STANDARD.decode(base64)?.into(),
        };
        Ok(Self { name: Bytes::copy_from_slice(name.as_bytes()), value })
    }

    /// As it is shown: text where it is UTF-8, else base64.
    pub fn to_named(&self) -> NamedHeader {
        let value = match std::str::from_utf8(&self.value) {
            Ok(text) => HeaderValue::Text(text.to_owned()),
            Err(_) => HeaderValue::Bytes { base64: STANDARD.encode(&self.value) },
        };
        (String::from_utf8_lossy(&self.name).into_owned(), value)
    }
}

/// A request's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// As sent.
    pub method: String,
    /// The request target's bytes as sent.
    pub target: Bytes,
    /// The minor version: 0 or 1.
    pub minor_version: u8,
    /// In order, repeated ones kept.
    pub headers: Vec<RawHeader>,
}

/// Why bytes are not a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// It ends before the blank line.
    #[error("the head ends before its blank line")]
    Partial,
    /// There are more headers than are read.
    #[error("there are more than {MAX_HEADERS} headers")]
    TooManyHeaders,
    /// It is not HTTP/1.
    #[error("the head is not HTTP/1: {0}")]
    NotHttp(httparse::Error),
}

impl Head {
    /// Reads a head from the start of some bytes; also says how many bytes it takes, the blank line included.
    ///
    /// # Errors
    /// When the bytes are not a whole HTTP/1 head.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), HeadError> {
        Self::read(bytes, Bytes::copy_from_slice)
    }

    /// The same; target, names and values share the memory of `bytes`.
    ///
    /// # Errors
    /// When the bytes are not a whole HTTP/1 head.
    pub fn parse_shared(bytes: &Bytes) -> Result<(Self, usize), HeadError> {
        Self::read(bytes, |part| bytes.slice_ref(part))
    }

    fn read(bytes: &[u8], own: impl Fn(&[u8]) -> Bytes) -> Result<(Self, usize), HeadError> {
        let mut usual = [httparse::EMPTY_HEADER; 64];
        let mut more;
        let mut headers = &mut usual[..];
        let mut count = headers.len();
        loop {
            let mut request = httparse::Request::new(headers);
            match request.parse(bytes) {
                Ok(httparse::Status::Complete(length)) => {
                    return Ok((Self::own(&request, own), length));
                }
                Ok(httparse::Status::Partial) => return Err(HeadError::Partial),
                Err(httparse::Error::TooManyHeaders) if count < MAX_HEADERS => count *= 4,
                Err(httparse::Error::TooManyHeaders) => return Err(HeadError::TooManyHeaders),
                Err(error) => return Err(HeadError::NotHttp(error)),
            }
            more = vec![httparse::EMPTY_HEADER; count];
            headers = &mut more;
        }
    }

    fn own(request: &httparse::Request<'_, '_>, own: impl Fn(&[u8]) -> Bytes) -> Self {
        let header = |header: &httparse::Header<'_>| RawHeader {
            name: own(header.name.as_bytes()),
            value: own(header.value),
        };
        Self {
            method: request.method.unwrap_or_default().to_owned(),
            target: own(request.path.unwrap_or_default().as_bytes()),
            minor_version: request.version.unwrap_or(1),
            headers: request.headers.iter().map(header).collect(),
        }
    }

    /// The target's text, parted at the first `?`, nothing decoded or folded.
    pub fn path_and_query(&self) -> (String, String) {
        let text = String::from_utf8_lossy(&self.target);
        match text.split_once('?') {
            Some((path, query)) => (path.to_owned(), query.to_owned()),
            None => (text.into_owned(), String::new()),
        }
    }

    /// The values of every header of that name, in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Bytes> {
        self.headers.iter().filter(move |header| header.is(name)).map(|header| &header.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_order_and_bytes_are_kept() {
        let bytes = b"POST /a?b?c HTTP/1.0\r\nX-A: 1\r\nx-a: \xe9\r\n\r\nrest";
        let (head, length) = Head::parse(bytes).unwrap();
        assert_eq!(&bytes[length..], b"rest");
        assert_eq!(head.path_and_query(), ("/a".into(), "b?c".into()));
        assert_eq!(head.minor_version, 0);
        let shown: Vec<_> = head.headers.iter().map(RawHeader::to_named).collect();
        assert_eq!(shown[0], ("X-A".into(), HeaderValue::Text("1".into())));
        assert_eq!(shown[1], ("x-a".into(), HeaderValue::Bytes { base64: "6Q==".into() }));
    }

    #[test]
    fn many_headers_are_read_and_too_many_are_an_error() {
        let head = |count: usize| {
            let lines: String = (0..count).map(|n| format!("X-{n}: v\r\n")).collect();
            Head::parse(format!("GET / HTTP/1.1\r\n{lines}\r\n").as_bytes())
                .map(|(head, _)| head.headers.len())
        };
        assert_eq!(head(300), Ok(300));
        assert_eq!(head(5000), Err(HeadError::TooManyHeaders));
        assert_eq!(Head::parse(b"GET / HT").unwrap_err(), HeadError::Partial);
    }
}
