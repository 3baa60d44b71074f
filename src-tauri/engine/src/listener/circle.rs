//! Whether deliveries would go on to the listener that they come from.

use super::{ListenError, address::addresses};
use crate::{
    firing,
    model::{ListenSettings, Responder},
};
use std::{
    net::{IpAddr, SocketAddr, UdpSocket},
    time::Duration,
};
use tokio::time::timeout;

/// How long the handler's name may take to be looked up; `Via` finds the circle that is missed here.
const LOOK_UP: Duration = Duration::from_secs(2);

/// Refuses to forward to the address that is listened on, however it is spelled.
///
/// # Errors
/// When the handler's URL is that address, or is no URL.
pub async fn check_forward(
    settings: &ListenSettings,
    address: SocketAddr,
) -> Result<(), ListenError> {
    if settings.responder != Responder::Forward {
        return Ok(());
    }
    let url = &settings.forward.url;
    let Ok(found) = timeout(LOOK_UP, firing::addresses(url)).await else { return Ok(()) };
    if found?.into_iter().any(|handler| is_same(handler, address)) {
        return Err(ListenError::Circle { url: url.clone(), address });
    }
    Ok(())
}

/// The same, before the address is listened on.
///
/// # Errors
/// As for [`check_forward`].
pub async fn check_forward_from(settings: &ListenSettings) -> Result<(), ListenError> {
    // A host without an address cannot be listened on, which is told when that is tried.
    let addresses = addresses(&settings.host, settings.port).await.unwrap_or_default();
    match addresses.first() {
        Some(address) => check_forward(settings, *address).await,
        None => Ok(()),
    }
}

fn is_same(handler: SocketAddr, listener: SocketAddr) -> bool {
    let (handler_ip, listener_ip) = (handler.ip().to_canonical(), listener.ip().to_canonical());
    // What is sent to no address in particular goes to this machine.
    let here = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    handler.port() == listener.port()
        && (handler_ip == listener_ip
            || (here(handler_ip) && here(listener_ip))
            || (listener_ip.is_unspecified() && is_of_this_machine(handler_ip)))
}

/// Only an address of one's own can be bound; nothing is sent.
fn is_of_this_machine(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ForwardSettings;

    #[tokio::test]
    async fn its_own_address_is_refused_in_every_spelling() {
        let check = async |url: &str, listener: &str| {
            let settings = ListenSettings {
                responder: Responder::Forward,
                forward: ForwardSettings { url: url.into(), ..ForwardSettings::default() },
                ..ListenSettings::default()
            };
            check_forward(&settings, listener.parse().unwrap()).await
        };
        for url in [
            "http://127.0.0.1:4400",
            "http://localhost:4400/hook",
            "http://LOCALHOST.:4400",
            "http://app.localhost:4400",
            "http://[::1]:4400/",
            "http://[::ffff:127.0.0.1]:4400/",
            "http://127.1:4400",
            "http://2130706433:4400",
            "http://127.0.0.2:4400",
            "http://0.0.0.0:4400",
        ] {
            for listener in ["127.0.0.1:4400", "[::1]:4400", "0.0.0.0:4400", "[::]:4400"] {
                let error = check(url, listener).await.unwrap_err();
                assert!(
                    matches!(error, ListenError::Circle { .. }),
                    "{url} at {listener}: {error}"
                );
                assert!(error.to_string().contains(url), "{error}");
            }
        }
        for url in ["http://localhost:4401", "http://192.0.2.1:4400"] {
            check(url, "127.0.0.1:4400").await.unwrap();
            check(url, "0.0.0.0:4400").await.unwrap();
        }
        assert!(matches!(check("nonsense", "127.0.0.1:4400").await, Err(ListenError::Forward(_))));
    }
}
