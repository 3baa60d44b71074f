//! The address that is listened on, and why it cannot be.

use super::holder::holder;
use crate::{error::ErrorCode, firing::FireError};
use socket2::{Domain, Protocol, Socket, Type};
use std::{io, net::SocketAddr};
use tokio::net::{TcpListener, lookup_host};

/// Connections that the system holds for us until they are accepted.
const BACKLOG: i32 = 4096;

/// A socket that cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Somebody listens there (C77).
    #[error(
        "{address} is taken{}: stop what listens there, or listen on another port (--port 0 takes any free one)",
        .holder.as_deref().map(|holder| format!(" by {holder}")).unwrap_or_default()
    )]
    Taken {
        /// Which address.
        address: SocketAddr,
        /// Which process, where it can be told.
        holder: Option<String>,
        /// What the system said.
        source: io::Error,
    },
    /// The system does not allow it.
    #[error("{address} may not be listened on by this user: choose a port over 1023 (--port 4400)")]
    Denied {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The address is of no interface here.
    #[error(
        "{address} is no address of this machine: listen on 127.0.0.1, or on 0.0.0.0 for all interfaces"
    )]
    NotOurs {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The name has no address.
    #[error(
        "the host {host:?} has no address that can be listened on: give an address such as 127.0.0.1 or ::1"
    )]
    UnknownHost {
        /// As given.
        host: String,
        /// What the system said.
        source: io::Error,
    },
    /// Deliveries would come back here for ever.
    #[error(
        "deliveries cannot be forwarded to {url}: that is {address}, where this listener is itself. Give your handler's \
         address, or another port to one of them"
    )]
    Circle {
        /// Where deliveries were to go.
        url: String,
        /// Where they come from.
        address: SocketAddr,
    },
    /// The handler's URL is none.
    #[error(transparent)]
    Forward(#[from] FireError),
    /// The socket broke.
    #[error("the listening socket broke; start the listener again")]
    Broken {
        /// What the system said.
        source: io::Error,
    },
}

impl ListenError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Taken { .. } | Self::Denied { .. } => ErrorCode::PortInUse,
            Self::NotOurs { .. } | Self::UnknownHost { .. } | Self::Circle { .. } => {
                ErrorCode::BadInput
            }
            Self::Forward(error) => error.code(),
            Self::Broken { .. } => ErrorCode::Internal,
        }
    }

    fn of_bind(address: SocketAddr, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::Taken { address, holder: holder(address), source },
            io::ErrorKind::PermissionDenied => Self::Denied { address, source },
            io::ErrorKind::AddrNotAvailable => Self::NotOurs { address, source },
            _ => Self::Broken { source },
        }
    }
}

/// Binds an address; port 0 is any free one.
///
/// A name may have several addresses: IPv4 is taken first, since `localhost` is 127.0.0.1 for most senders (C75). Only
/// an address that the machine does not have is passed over, so that one which is taken is not silently another.
///
/// # Errors
/// When it is taken or not ours, with what to do.
pub async fn bind(host: &str, port: u16) -> Result<TcpListener, ListenError> {
    let unknown = |source| ListenError::UnknownHost { host: host.to_owned(), source };
    let addresses = addresses(host, port).await.map_err(unknown)?;
    let mut last = None;
    for address in addresses {
        match listen(address) {
            Ok(socket) => return Ok(socket),
            Err(source) => match ListenError::of_bind(address, source) {
                error @ ListenError::NotOurs { .. } => last = Some(error),
                error => return Err(error),
            },
        }
    }
    Err(last.unwrap_or_else(|| unknown(io::ErrorKind::NotFound.into())))
}

/// The addresses of a host to listen on, in the order in which they are tried.
pub(super) async fn addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let mut addresses: Vec<SocketAddr> = lookup_host((bare, port)).await?.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for the connections of the last run. On Windows the same option would let two programs
    // share the port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    if address.is_ipv6() && address.ip().is_unspecified() {
        // `::` is all interfaces, those of IPv4 among them, whatever the system's default is.
        socket.set_only_v6(false)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// The URL of an address: `http://127.0.0.1:4400`, brackets around IPv6.
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}
