//! Where a firing goes: the URL, read so that its path and query stay as given, and whether that host may be fired at.

use super::FireError;
use bytes::Bytes;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::lookup_host;
use url::Host;

/// A URL, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) tls: bool,
    /// As it is resolved and verified: in ASCII, lower case.
    pub(super) host: Host,
    pub(super) port: u16,
    /// The `Host` header, or `:authority`.
    pub(super) authority: String,
    /// The request target: path and query byte for byte as given.
    pub(super) path_and_query: Bytes,
}

impl Target {
    /// Takes a URL apart by hand: a URL library would fold dots and encode what stands in path and query.
    pub(super) fn parse(url: &str) -> Result<Self, FireError> {
        let wrong = |reason: String| FireError::Url { url: url.to_owned(), reason };
        if let Some(found) = url.chars().find(|found| found.is_ascii_control() || *found == ' ') {
            return Err(wrong(format!(
                "it holds {found:?}, which would break the request line; write it as %{:02X}",
                u32::from(found)
            )));
        }
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(wrong("it does not begin with http:// or https://".into()));
        };
        let tls = if scheme.eq_ignore_ascii_case("https") {
            true
        } else if scheme.eq_ignore_ascii_case("http") {
            false
        } else {
            return Err(wrong(format!(
                "{scheme}:// is not spoken here, only http:// and https://"
            )));
        };
        if rest.contains('#') {
            return Err(wrong(
                "a fragment (what follows #) is never sent; leave it out, or write # as %23".into(),
            ));
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path_and_query) = rest.split_at(end);
        if authority.contains('@') {
            return Err(wrong(
                "a user name or password in a URL is not sent; use an Authorization header".into(),
            ));
        }
        let (name, port) = split_port(authority);
        if name.is_empty() {
            return Err(wrong("it names no host".into()));
        }
        let host =
            Host::parse(name).map_err(|error| wrong(format!("{name:?} is not a host: {error}")))?;
        let port = match port {
            None | Some("") => None,
            Some(digits) => match digits.parse::<u16>() {
                Ok(port) if port > 0 => Some(port),
                Ok(_) | Err(_) => {
                    return Err(wrong(format!("{digits:?} is not a port from 1 to 65535")));
                }
            },
        };
        let path_and_query = match path_and_query.as_bytes().first() {
            None => Bytes::from_static(b"/"),
            Some(b'?') => Bytes::from(format!("/{path_and_query}")),
            Some(_) => Bytes::copy_from_slice(path_and_query.as_bytes()),
        };
        let authority = match port {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self {
            tls,
            host,
            port: port.unwrap_or(if tls { 443 } else { 80 }),
            authority,
            path_and_query,
        })
    }

    /// The addresses to try, in order; refuses a host that is not this machine and was not allowed.
    ///
    /// An allowed name that does not resolve is no refusal: the copies are told so, each as `not-sent`.
    pub(super) async fn resolve(&self, allowed: &[String]) -> Result<Addresses, FireError> {
        let allowed = allowed.iter().any(|host| self.is_named(host));
        let found = match &self.host {
            Host::Ipv4(ip) => Ok(vec![IpAddr::V4(*ip)]),
            Host::Ipv6(ip) => Ok(vec![IpAddr::V6(*ip)]),
            // Never asked of a name server (RFC 6761), and both are tried: a handler may listen on either (C75).
            Host::Domain(name) if is_localhost(name) => {
                Ok(vec![IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)])
            }
            Host::Domain(name) => lookup_host((name.as_str(), self.port))
                .await
                .map(|found| found.map(|address| address.ip()).collect())
                .map_err(|error| format!("The name {name} could not be resolved: {error}.")),
        };
        // A name that has no address cannot be told to be of this machine either.
        let loopback = found.as_ref().is_ok_and(|ips| {
            !ips.is_empty() && ips.iter().all(|ip| ip.to_canonical().is_loopback())
        });
        match found {
            _ if !allowed && !loopback => {
                Err(FireError::HostNotAllowed { host: self.host.to_string() })
            }
            Ok(ips) if ips.is_empty() => {
                Ok(Addresses::Unknown(format!("The name {} has no address.", self.host)))
            }
            Ok(ips) => Ok(Addresses::Known(
                ips.into_iter().map(|ip| SocketAddr::new(ip, self.port)).collect(),
            )),
            Err(error) => Ok(Addresses::Unknown(error)),
        }
    }

    /// Whether a host as a person typed it, with or without a port, is this one.
    fn is_named(&self, typed: &str) -> bool {
        let typed = typed.trim();
        let same = |name: &str| Host::parse(name).is_ok_and(|host| host == self.host);
        // An IPv6 address may come without its brackets.
        same(typed) || same(split_port(typed).0) || same(&format!("[{typed}]"))
    }
}

/// What a host came to.
#[derive(Debug)]
pub(super) enum Addresses {
    /// At least one, in the order to try them.
    Known(Vec<SocketAddr>),
    /// None, with a sentence that says why.
    Unknown(String),
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => {
            (&authority[..colon], Some(&authority[colon + 1..]))
        }
        Some(_) | None => (authority, None),
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn path_and_query_stay_as_given() {
        for (url, authority, path) in [
            (
                "http://localhost:3000/a/../b%2f?x=1&y=\"{}\"",
                "localhost:3000",
                "/a/../b%2f?x=1&y=\"{}\"",
            ),
            ("http://LOCALHOST", "localhost", "/"),
            ("http://127.0.0.1?a=b", "127.0.0.1", "/?a=b"),
            ("https://[::1]:8443/é", "[::1]:8443", "/é"),
            ("http://127.0.0.1:/a//b\\c|", "127.0.0.1", "/a//b\\c|"),
        ] {
            let target = Target::parse(url).unwrap();
            assert_eq!(
                (target.authority.as_str(), &target.path_and_query[..]),
                (authority, path.as_bytes()),
                "{url}"
            );
        }
        assert_eq!(Target::parse("https://a.example").unwrap().port, 443);
    }

    #[test]
    fn what_is_no_target_is_refused_with_a_reason() {
        for (url, word) in [
            ("localhost:3000/a", "begin with"),
            ("ftp://localhost/", "ftp://"),
            ("http:///a", "no host"),
            ("http://:80/a", "no host"),
            ("http://me:pw@localhost/", "user name"),
            ("http://localhost/a#b", "fragment"),
            ("http://localhost/?a=1#b", "fragment"),
            ("http://localhost/a\r\nX: 1", "%0D"),
            ("http://localhost/a b", "%20"),
            ("http://localhost:0/", "port"),
            ("http://localhost:65536/", "port"),
            ("http://loc<al/", "not a host"),
        ] {
            let error = Target::parse(url).unwrap_err();
            assert_eq!(error.code(), ErrorCode::BadInput);
            assert!(error.to_string().contains(word), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn only_this_machine_is_fired_at_unless_allowed() {
        async fn resolve(url: &str, allowed: &[&str]) -> Result<Vec<String>, FireError> {
            let allowed: Vec<String> = allowed.iter().map(|host| (*host).to_owned()).collect();
            match Target::parse(url)?.resolve(&allowed).await? {
                Addresses::Known(known) => Ok(known.iter().map(ToString::to_string).collect()),
                Addresses::Unknown(error) => Ok(vec![error]),
            }
        }
        for url in [
            "http://127.0.0.1:9",
            "http://127.1.2.3:9",
            "http://127.1:9",
            "http://[::1]:9",
            "http://[::ffff:127.0.0.1]:9",
        ] {
            assert_eq!(resolve(url, &[]).await.unwrap().len(), 1, "{url}");
        }
        assert_eq!(
            resolve("http://app.LOCALHOST.:9", &[]).await.unwrap(),
            ["[::1]:9", "127.0.0.1:9"]
        );
        for url in ["http://192.0.2.1/", "http://0.0.0.0:9/", "http://[2001:db8::1]/"] {
            let error = resolve(url, &["localhost"]).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::HostNotAllowed, "{url}");
        }
        // A label of more than 63 characters is in no name server, and none is asked.
        let unknown = format!("{}.test", "a".repeat(64));
        let url = format!("http://{unknown}/");
        let error = resolve(&url, &[]).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::HostNotAllowed, "a name without an address");
        let told = resolve(&url, &[&unknown]).await.unwrap();
        assert!(told[0].contains("could not be resolved"), "{told:?}");
        assert_eq!(
            resolve("http://192.0.2.1:9/", &["192.0.2.1:80"]).await.unwrap(),
            ["192.0.2.1:9"]
        );
        assert_eq!(
            resolve("http://[2001:DB8::1]:9/", &["2001:db8::1"]).await.unwrap(),
            ["[2001:db8::1]:9"]
        );
    }
}
