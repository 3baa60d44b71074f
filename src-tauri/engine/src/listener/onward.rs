//! A delivery as it goes on: its method, query, headers and body as they came, for another host.

use crate::{
    firing::Plan,
    head::{Head, RawHeader},
    model::{ForwardSettings, Protocol, Release, Signing},
};
use bytes::Bytes;
use std::time::Duration;

/// A delivery that is ready to go on.
#[derive(Debug)]
pub(super) struct Onward {
    /// Method, headers, body, copies; what belongs to the connection is left out when it is fired.
    pub(super) plan: Plan,
    /// What stands in its request line.
    pub(super) target: Bytes,
    /// Where to, with path and query.
    pub(super) url: String,
}

impl Onward {
    /// For the place of the settings; `pseudonym` is who sends it on.
    pub(super) fn new(
        head: &Head,
        body: &Bytes,
        settings: &ForwardSettings,
        pseudonym: &str,
    ) -> Self {
        // Each who sends a message on says so at the end (RFC 9110, 7.6.3), with the protocol in which it came.
        let via = RawHeader::new("Via", format!("1.{} {pseudonym}", head.minor_version));
        let (origin, target) = place(&settings.url, &head.target);
        let url = format!("{origin}{}", String::from_utf8_lossy(&target));
        let plan = Plan {
            url: settings.url.clone(),
            method: head.method.clone(),
            headers: head.headers.iter().cloned().chain([via]).collect(),
            body: body.clone(),
            copies: settings.copies,
            release: Release::Together,
            signing: Signing::Verbatim,
            signer: None,
            event_id: String::new(),
            protocol: Protocol::Http1,
            timeout: Duration::from_millis(settings.timeout_ms.into()),
            allow_hosts: Vec::new(),
        };
        Self { plan, target, url }
    }
}

/// Where a delivery goes: the URL without its path, and the request target. A path in the URL takes the place of the
/// delivery's; the query is the delivery's own.
fn place<'a>(url: &'a str, target: &Bytes) -> (&'a str, Bytes) {
    let host = url.find("://").map_or(0, |colon| colon + 3);
    let (origin, path) = match url[host..].find('/') {
        Some(slash) => url.split_at(host + slash),
        None => (url, ""),
    };
    let own = origin_form(target);
    if matches!(path, "" | "/") {
        return (origin, own);
    }
    let query = memchr::memchr(b'?', &own).map_or(&[][..], |mark| &own[mark..]);
    (origin, [path.as_bytes(), query].concat().into())
}

/// The target without the host that a proxy is told there (RFC 9112, 3.2.2).
fn origin_form(target: &Bytes) -> Bytes {
    if target.starts_with(b"/") {
        return target.clone();
    }
    let Some(colon) = memchr::memmem::find(target, b"://") else { return target.clone() };
    let rest = target.slice(colon + 3..);
    match memchr::memchr2(b'/', b'?', &rest) {
        None => Bytes::from_static(b"/"),
        Some(at) if rest[at] == b'/' => rest.slice(at..),
        Some(at) => [b"/", &rest[at..]].concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_the_url_is_the_place_of_all_and_the_query_is_the_deliverys() {
        for (url, target, goes_to) in [
            ("http://localhost:3000", "/a/../b?x=%20", "http://localhost:3000/a/../b?x=%20"),
            ("http://localhost:3000/", "/?x", "http://localhost:3000/?x"),
            ("http://localhost:3000/hook", "/a?x?y", "http://localhost:3000/hook?x?y"),
            ("http://localhost:3000/hook/", "/a", "http://localhost:3000/hook/"),
            ("http://[::1]:3000", "*", "http://[::1]:3000*"),
            ("http://h", "http://other:1/a?b", "http://h/a?b"),
            ("http://h", "http://other?b=/", "http://h/?b=/"),
            ("http://h", "http://other", "http://h/"),
        ] {
            let (origin, target) = place(url, &Bytes::from(target));
            assert_eq!(format!("{origin}{}", String::from_utf8_lossy(&target)), goes_to);
        }
    }
}
