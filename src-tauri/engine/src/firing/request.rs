//! What goes over the wire: the head as given, without what belongs to another connection (C03), and the body's bytes.

use super::{FireError, Plan, target::Target};
use crate::{
    head::RawHeader,
    model::{Protocol, Signing},
    signing::{SchemeError, SignedRequest, Signer},
};
use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderName, HeaderValue, Method, Uri};
use http_body_util::Full;

/// Headers of the connection that carried a request, not of the request (RFC 9110, section 7.6.1), and framing.
const NOT_REPLAYED: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request that can be said once a copy.
#[derive(Debug)]
pub(super) struct Request {
    method: Method,
    path_and_query: Bytes,
    authority: String,
    headers: Vec<RawHeader>,
    pub(super) body: Bytes,
    signing: Signature,
    /// For HTTP/2; or why it cannot be said there.
    uri: Result<Uri, String>,
}

/// How a copy comes to its signature.
#[derive(Debug)]
enum Signature {
    /// It has what it was given.
    Given,
    /// All have the same.
    Same(Vec<RawHeader>),
    /// Each has its own.
    Own { signer: Signer, event_id: String },
}

impl Request {
    /// Checks a plan's request whole, so that nothing is found wrong after the first copy went.
    pub(super) fn new(plan: &Plan, target: &Target) -> Result<Self, FireError> {
        let method = Method::from_bytes(plan.method.as_bytes()).map_err(|_| {
            FireError::Method(
                plan.method.clone(),
                "it is not a word of HTTP; POST is the usual one",
            )
        })?;
        if method == Method::CONNECT {
            return Err(FireError::Method(
                plan.method.clone(),
                "it asks a proxy for a tunnel, which is no webhook",
            ));
        }
        let headers = replayed(&plan.headers)?;
        let uri = uri(target, &headers);
        if let (Protocol::Http2, Err(reason)) = (plan.protocol, &uri) {
            return Err(FireError::NotForHttp2(reason.clone()));
        }
        let mut request = Self {
            method,
            path_and_query: target.path_and_query.clone(),
            authority: target.authority.clone(),
            headers,
            body: plan.body.clone(),
            signing: Signature::Given,
            uri,
        };
        if plan.signing != Signing::Verbatim {
            let signer = plan.signer.clone().ok_or(FireError::NoSigner)?;
            let first = request.sign(&signer, &plan.event_id)?;
            // What the scheme signs with takes the place of what a stored delivery was signed with.
            request.headers.retain(|header| {
                !first.iter().any(|signed| signed.name.eq_ignore_ascii_case(&header.name))
            });
            request.signing = match plan.signing {
                Signing::Once => Signature::Same(first),
                Signing::Each | Signing::Verbatim => {
                    Signature::Own { signer, event_id: plan.event_id.clone() }
                }
            };
        }
        Ok(request)
    }

    /// Whether HTTP/2 can carry it.
    pub(super) fn can_http2(&self) -> bool {
        self.uri.is_ok()
    }

    /// The headers of one copy, signed now where each signs for itself.
    pub(super) fn headers(&self) -> Result<Vec<RawHeader>, SchemeError> {
        let signed = match &self.signing {
            Signature::Given => Vec::new(),
            Signature::Same(headers) => headers.clone(),
            Signature::Own { signer, event_id } => self.sign(signer, event_id)?,
        };
        Ok(self.headers.iter().cloned().chain(signed).collect())
    }

    /// Signs it now, for a scheme that covers the method, the target or other headers as well.
    fn sign(&self, signer: &Signer, event_id: &str) -> Result<Vec<RawHeader>, SchemeError> {
        let target = String::from_utf8_lossy(&self.path_and_query);
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let request = SignedRequest {
            method: self.method.as_str(),
            path,
            query,
            headers: &self.headers,
            body: &self.body,
        };
        signer.sign_request(jiff::Timestamp::now().as_second(), event_id, &request)
    }

    /// The head of one copy on HTTP/1.1, to its blank line.
    pub(super) fn http1_head(&self, headers: &[RawHeader]) -> Bytes {
        let mut head = BytesMut::with_capacity(512);
        let mut line = |parts: [&[u8]; 3]| {
            parts.into_iter().for_each(|part| head.put_slice(part));
            head.put_slice(b"\r\n");
        };
        line([
            &[self.method.as_str().as_bytes(), b" "].concat(),
            &self.path_and_query,
            b" HTTP/1.1",
        ]);
        line([b"Host", b": ", self.authority.as_bytes()]);
        for header in headers {
            line([&header.name, b": ", &header.value]);
        }
        let expects_body = matches!(self.method, Method::POST | Method::PUT | Method::PATCH);
        if expects_body || !self.body.is_empty() {
            line([b"Content-Length", b": ", self.body.len().to_string().as_bytes()]);
        }
        line([b"", b"", b""]);
        head.freeze()
    }

    /// The request that hyper frames on HTTP/1.1: its head is not the one that is sent.
    pub(super) fn http1(&self) -> http::Request<Full<Bytes>> {
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        request
    }

    /// One copy on HTTP/2, where names are lower case and repeated ones stand together.
    pub(super) fn http2(
        &self,
        headers: &[RawHeader],
    ) -> Result<http::Request<Full<Bytes>>, String> {
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.version_mut() = http::Version::HTTP_2;
        *request.uri_mut() = self.uri.clone()?;
        for header in headers {
            let (name, value) = h2_header(header)?;
            request.headers_mut().append(name, value);
        }
        Ok(request)
    }
}

/// The headers that are sent again, each of them checked.
fn replayed(given: &[RawHeader]) -> Result<Vec<RawHeader>, FireError> {
    let named_by_connection: Vec<Vec<u8>> = given
        .iter()
        .filter(|header| header.is("connection"))
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(|name| name.trim_ascii().to_ascii_lowercase())
        .collect();
    let mut kept = Vec::with_capacity(given.len());
    for header in given {
        let wrong = |reason| FireError::Header {
            name: String::from_utf8_lossy(&header.name).into_owned(),
            reason,
        };
        if HeaderName::from_bytes(&header.name).is_err() {
            return Err(wrong("its name must be letters, digits and !#$%&'*+-.^_`|~"));
        }
        if header.value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return Err(wrong("its value holds a line break or a NUL, which would end it early"));
        }
        let name = header.name.to_ascii_lowercase();
        let belongs_to_connection = name.starts_with(b"proxy-")
            || NOT_REPLAYED.iter().any(|dropped| dropped.as_bytes() == name)
            || named_by_connection.contains(&name);
        if !belongs_to_connection {
            kept.push(header.clone());
        }
    }
    Ok(kept)
}

fn uri(target: &Target, headers: &[RawHeader]) -> Result<Uri, String> {
    for header in headers {
        h2_header(header)?;
    }
    Uri::builder()
        .scheme(if target.tls { "https" } else { "http" })
        .authority(target.authority.as_str())
        .path_and_query(target.path_and_query.as_ref())
        .build()
        .map_err(|error| format!("its path or query cannot be written there ({error})"))
}

fn h2_header(header: &RawHeader) -> Result<(HeaderName, HeaderValue), String> {
    match (HeaderName::from_bytes(&header.name), HeaderValue::from_bytes(&header.value)) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        _ => Err(format!(
            "the header {:?} holds control characters",
            String::from_utf8_lossy(&header.name)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Release;
    use std::time::Duration;

    fn plan(url: &str, headers: Vec<RawHeader>, body: &'static [u8]) -> Plan {
        Plan {
            url: url.into(),
            method: "POST".into(),
            headers,
            body: Bytes::from_static(body),
            copies: 1,
            release: Release::Together,
            signing: Signing::Verbatim,
            signer: None,
            event_id: "evt_1".into(),
            protocol: Protocol::Auto,
            timeout: Duration::from_secs(1),
            allow_hosts: vec![],
        }
    }

    fn head(plan: &Plan) -> Result<String, FireError> {
        let request = Request::new(plan, &Target::parse(&plan.url)?)?;
        let headers = request.headers().unwrap();
        Ok(String::from_utf8(request.http1_head(&headers).to_vec()).unwrap())
    }

    #[test]
    fn c03_framing_and_connection_headers_are_not_replayed() {
        let headers = [
            ("Content-Length", "99999"),
            ("X-A", "1"),
            ("Transfer-Encoding", "chunked"),
            ("HOST", "old.example"),
            ("Connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("Proxy-Authorization", "secret"),
            ("Expect", "100-continue"),
            ("TE", "trailers"),
            ("Trailer", "X-T"),
            ("Upgrade", "h2c"),
            ("Keep-Alive", "timeout=5"),
            ("Content-Encoding", "gzip"),
        ];
        let headers = headers.map(|(name, value)| RawHeader::new(name, value)).to_vec();
        let head = head(&plan("http://localhost:3000/a", headers, b"0123456789")).unwrap();
        assert_eq!(
            head,
            "POST /a HTTP/1.1\r\nHost: localhost:3000\r\nX-A: 1\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n"
        );
    }

    #[test]
    fn what_would_break_the_request_is_refused() {
        let with = |name: &'static str, value: &'static str| {
            plan("http://localhost/", vec![RawHeader::new(name, value)], b"")
        };
        for (name, value) in [
            ("X-A", "1\r\nX-B: 2"),
            ("X-A", "1\n"),
            ("X-A", "\0"),
            ("X A", "1"),
            ("X-A:", "1"),
            ("", "1"),
            ("X\r\nB", "1"),
        ] {
            assert!(
                matches!(head(&with(name, value)), Err(FireError::Header { .. })),
                "{name:?}: {value:?}"
            );
        }
        for method in ["", "PO ST", "POST\r\n", "CONNECT"] {
            let plan = Plan { method: method.into(), ..plan("http://localhost/", vec![], b"") };
            assert!(matches!(head(&plan), Err(FireError::Method(..))), "{method:?}");
        }
        let plan = Plan { signing: Signing::Each, ..plan("http://localhost/", vec![], b"") };
        assert!(matches!(head(&plan), Err(FireError::NoSigner)));
    }

    #[test]
    fn what_http2_cannot_carry_is_said_before_anything_is_sent() {
        let over2 =
            |url: &str, headers| Plan { protocol: Protocol::Http2, ..plan(url, headers, b"") };
        let odd = vec![RawHeader::new("X-A", "\u{1}")];
        assert!(matches!(head(&over2("http://localhost/", odd)), Err(FireError::NotForHttp2(_))));
        assert!(matches!(
            head(&over2("http://localhost/<>", vec![])),
            Err(FireError::NotForHttp2(_))
        ));
        assert!(
            head(&plan("http://localhost/<>", vec![], b""))
                .unwrap()
                .starts_with("POST /<> HTTP/1.1\r\n")
        );
    }
}
