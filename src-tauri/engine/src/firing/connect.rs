//! Opens a connection: TCP to the first address that answers, and TLS where the URL says https.

use super::{
    FireError,
    gate::{Gate, Keeper, gate},
    target::{Addresses, Target},
    wire::Io,
};
use crate::model::Protocol;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{IpAddr, ServerName},
};
use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{net::TcpStream, sync::Semaphore, task::spawn_blocking, time::timeout};
use tokio_rustls::TlsConnector;
use url::Host;

/// On this machine a connection stands at once, or its SYN was dropped because the handler's queue of connections to
/// accept is full. The kernel would try again after one second, then two; this tries again at once.
const LOCAL_CONNECT: Duration = Duration::from_millis(100);

/// How many connections are opened side by side.
const OPENING: usize = 64;

/// A connection that stands.
pub(super) struct Connection {
    pub(super) io: Box<dyn Io>,
    pub(super) keeper: Keeper,
    /// What is spoken on it.
    pub(super) http2: bool,
}

/// How connections to one target are opened.
#[derive(Debug)]
pub(super) struct Connector {
    name: String,
    addresses: Addresses,
    /// The first address that took a connection: all copies go to the same, so that no second server that listens on
    /// the other family gets some of them.
    chosen: OnceLock<SocketAddr>,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    protocol: Protocol,
    timeout: Duration,
    opening: Semaphore,
}

impl Connector {
    /// Resolves the host and reads the root certificates where they are needed. `can_http2` says whether the request
    /// can be said in HTTP/2 at all.
    pub(super) async fn new(
        target: &Target,
        allowed: &[String],
        protocol: Protocol,
        can_http2: bool,
        timeout: Duration,
    ) -> Result<Self, FireError> {
        let addresses = target.resolve(allowed).await?;
        let tls = if target.tls {
            let protocols: &[&[u8]] = match protocol {
                Protocol::Auto if can_http2 => &[b"h2", b"http/1.1"],
                Protocol::Auto | Protocol::Http1 => &[b"http/1.1"],
                Protocol::Http2 => &[b"h2"],
            };
            Some(tls_config(protocols).await?)
        } else {
            None
        };
        Self::over(target, addresses, tls, protocol, timeout)
    }

    /// Over addresses and certificates that are known.
    pub(super) fn over(
        target: &Target,
        addresses: Addresses,
        tls: Option<Arc<ClientConfig>>,
        protocol: Protocol,
        timeout: Duration,
    ) -> Result<Self, FireError> {
        let tls = match tls {
            Some(config) => Some((config, server_name(target)?)),
            None => None,
        };
        let name = format!("{}:{}", target.host, target.port);
        Ok(Self {
            name,
            addresses,
            chosen: OnceLock::new(),
            tls,
            protocol,
            timeout,
            opening: Semaphore::new(OPENING),
        })
    }

    /// Opens one connection; an error is a sentence that names the addresses that were tried.
    pub(super) async fn open(&self) -> Result<Connection, String> {
        // It is never closed, so this cannot fail; were it to, nothing would be limited.
        let _opening = self.opening.acquire().await;
        let socket = self.tcp().await?;
        // Nagle's algorithm would keep the last byte back until the ones before it are acknowledged.
        socket
            .set_nodelay(true)
            .map_err(|error| format!("The connection to {} broke: {error}.", self.name))?;
        let (gate, keeper) = gate(socket);
        match &self.tls {
            None => Ok(Connection {
                io: Box::new(gate),
                keeper,
                http2: self.protocol == Protocol::Http2,
            }),
            Some((config, name)) => self.encrypt(gate, keeper, config, name).await,
        }
    }

    async fn encrypt(
        &self,
        gate: Gate,
        keeper: Keeper,
        config: &Arc<ClientConfig>,
        name: &ServerName<'static>,
    ) -> Result<Connection, String> {
        let connecting = TlsConnector::from(config.clone()).connect(name.clone(), gate);
        let stream = match timeout(self.timeout, connecting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                return Err(format!("The TLS handshake with {} failed: {error}.", self.name));
            }
            Err(_) => {
                return Err(format!(
                    "The TLS handshake with {} did not end within {:?}.",
                    self.name, self.timeout
                ));
            }
        };
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        if self.protocol == Protocol::Http2 && !http2 {
            return Err(format!(
                "{} does not speak HTTP/2: it did not choose h2 in the TLS handshake.",
                self.name
            ));
        }
        Ok(Connection { io: Box::new(stream), keeper, http2 })
    }

    async fn tcp(&self) -> Result<TcpStream, String> {
        let addresses = match (&self.addresses, self.chosen.get()) {
            (Addresses::Unknown(why), _) => return Err(why.clone()),
            (Addresses::Known(_), Some(chosen)) => std::slice::from_ref(chosen),
            (Addresses::Known(known), None) => known,
        };
        let share = self.timeout / u32::try_from(addresses.len()).unwrap_or(1).max(1);
        let mut tried = Vec::with_capacity(addresses.len());
        for address in addresses {
            match timeout(share, connect(*address)).await {
                Ok(Ok(socket)) => {
                    self.chosen.get_or_init(|| *address);
                    return Ok(socket);
                }
                Ok(Err(error)) => tried.push(format!("{address} said {error}")),
                Err(_) => tried.push(format!("{address} did not answer within {share:?}")),
            }
        }
        Err(format!("No connection to {}: {}.", self.name, tried.join("; ")))
    }
}

async fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    if !address.ip().to_canonical().is_loopback() {
        return TcpStream::connect(address).await;
    }
    loop {
        if let Ok(result) = timeout(LOCAL_CONNECT, TcpStream::connect(address)).await {
            return result;
        }
    }
}

fn server_name(target: &Target) -> Result<ServerName<'static>, FireError> {
    Ok(match &target.host {
        Host::Ipv4(ip) => ServerName::IpAddress(IpAddr::from(std::net::IpAddr::V4(*ip))),
        Host::Ipv6(ip) => ServerName::IpAddress(IpAddr::from(std::net::IpAddr::V6(*ip))),
        Host::Domain(name) => ServerName::try_from(name.clone()).map_err(|_| FireError::Url {
            url: format!("https://{}", target.authority),
            reason: format!("{name:?} is not a name that a certificate can carry"),
        })?,
    })
}

/// The machine's own roots, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR`.
pub(super) async fn tls_config(protocols: &[&[u8]]) -> Result<Arc<ClientConfig>, FireError> {
    let found = spawn_blocking(rustls_native_certs::load_native_certs)
        .await
        .map_err(|error| FireError::NoRoots(format!(" ({error})")))?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(FireError::NoRoots(why));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| FireError::NoRoots(format!(" ({error})")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(Arc::new(config))
}
