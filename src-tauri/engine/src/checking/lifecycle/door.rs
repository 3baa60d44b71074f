//! A port as it is seen from outside: whether it takes a connection.

use crate::checking::error::CheckError;
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    net::{TcpStream, lookup_host},
    time::timeout,
};
use url::{Host, Url};

/// How long a connection may take to stand. On this machine it stands at once, unless the queue of those to accept is
/// full.
const CONNECT: Duration = Duration::from_secs(1);

/// The host and port of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Door {
    host: Host,
    port: u16,
}

/// What a try to connect came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knock {
    /// A connection stood.
    Open,
    /// Nothing listens there.
    Refused,
    /// Neither, in time.
    Silent,
}

impl Door {
    pub(super) fn of(url: &str) -> Result<Self, CheckError> {
        let wrong = |reason: &str| CheckError::Input(format!("{url:?} is no URL: {reason}."));
        let parsed = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
        let host = parsed.host().ok_or_else(|| wrong("it names no host"))?.to_owned();
        let port = parsed.port_or_known_default().ok_or_else(|| wrong("it names no port"))?;
        Ok(Self { host, port })
    }

    /// Tries every address. The connection is closed at once.
    pub(super) async fn knock(&self) -> Knock {
        let mut knock = Knock::Refused;
        for address in self.addresses().await {
            match timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) if !is_own_echo(&stream) => return Knock::Open,
                Ok(_) => {}
                Err(_) => knock = Knock::Silent,
            }
        }
        knock
    }

    async fn addresses(&self) -> Vec<SocketAddr> {
        let ips = match &self.host {
            Host::Ipv4(ip) => vec![IpAddr::V4(*ip)],
            Host::Ipv6(ip) => vec![IpAddr::V6(*ip)],
            // Never asked of a name server (RFC 6761), and both are tried: a handler may listen on either (C75).
            Host::Domain(name) if is_localhost(name) => {
                vec![IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)]
            }
            Host::Domain(name) => {
                let found = timeout(CONNECT, lookup_host((name.as_str(), self.port))).await;
                return found.ok().and_then(Result::ok).into_iter().flatten().collect();
            }
        };
        ips.into_iter().map(|ip| SocketAddr::new(ip, self.port)).collect()
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

/// A free port in the range that the system takes ports of clients from can be given to our own end: TCP then connects
/// the socket with itself.
fn is_own_echo(stream: &TcpStream) -> bool {
    matches!((stream.local_addr(), stream.peer_addr()), (Ok(own), Ok(peer)) if own == peer)
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpSocket;

    #[test]
    fn host_and_port_are_read() {
        for (url, shown) in [
            ("http://127.0.0.1:3000/hook?a=b", "127.0.0.1:3000"),
            ("http://localhost/hook", "localhost:80"),
            ("https://[::1]/", "[::1]:443"),
        ] {
            assert_eq!(Door::of(url).unwrap().to_string(), shown, "{url}");
        }
        for wrong in ["", "localhost:3000/hook", "mailto:a@b", "http://:80/", "http://a:99999/"] {
            let error = Door::of(wrong).unwrap_err();
            assert!(matches!(error, CheckError::Input(_)), "{wrong}: {error}");
        }
    }

    #[tokio::test]
    async fn an_open_port_is_told_from_a_free_one() {
        // Bound, it is nobody else's, and refuses until somebody listens.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let port = socket.local_addr().unwrap().port();
        let by_name = Door::of(&format!("http://app.LOCALHOST.:{port}/")).unwrap();
        let by_address = Door::of(&format!("http://127.0.0.1:{port}/")).unwrap();
        assert_eq!(by_name.knock().await, Knock::Refused);
        assert_eq!(by_address.knock().await, Knock::Refused);
        let _listener = socket.listen(8).unwrap();
        assert_eq!(by_name.knock().await, Knock::Open);
        assert_eq!(by_address.knock().await, Knock::Open);
    }
}
