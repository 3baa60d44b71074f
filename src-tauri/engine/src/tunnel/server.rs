//! A host of the person's, as it is typed.

use super::TunnelError;
use std::net::Ipv6Addr;

/// `user@host:port`, of which only the host has to be there.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) user: Option<String>,
    /// In brackets where it is IPv6.
    pub(super) host: String,
    pub(super) port: Option<u16>,
}

impl Server {
    pub(super) fn parse(text: &str, example: &str) -> Result<Self, TunnelError> {
        let bad = || {
            TunnelError::Unusable(format!(
                "the tunnel's server is {text:?}, and has to be a host, as {example}"
            ))
        };
        let (user, rest) = match text.rsplit_once('@') {
            Some((user, rest)) => (Some(user), rest),
            None => (None, text),
        };
        let (host, port) = match rest.rsplit_once(':') {
            // The last part of an IPv6 address is no port.
            Some((host, _)) if host.contains(':') && !host.ends_with(']') => (rest, None),
            Some((host, port)) => (host, Some(port.parse().map_err(|_| bad())?)),
            None => (rest, None),
        };
        let plain = |text: &str| {
            // A word that begins with a hyphen would be taken for an option.
            !text.is_empty()
                && !text.starts_with('-')
                && text.chars().all(|c| c.is_alphanumeric() || "._-:[]%+".contains(c))
        };
        if !plain(host) || !user.is_none_or(plain) {
            return Err(bad());
        }
        let is_bare_ipv6 = host.parse::<Ipv6Addr>().is_ok();
        let host = if is_bare_ipv6 { format!("[{host}]") } else { host.to_owned() };
        Ok(Self { user: user.map(str::to_owned), host, port })
    }
}
