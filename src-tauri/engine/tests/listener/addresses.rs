//! Where it listens, and why it cannot.

use hooktwice_engine::{
    error::ErrorCode,
    listener::{ListenError, bind, url},
};

#[tokio::test]
async fn c77_a_taken_port_is_named_with_what_to_do() {
    let held = bind("127.0.0.1", 0).await.unwrap();
    let port = held.local_addr().unwrap().port();
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
        let error = bind(host, port).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::PortInUse);
        let message = error.to_string();
        assert!(message.contains(&port.to_string()) && message.contains("--port 0"), "{message}");
        assert!(matches!(error, ListenError::Taken { .. }));
        #[cfg(target_os = "linux")]
        assert!(message.contains("this program itself"), "{message}");
    }
}

#[tokio::test]
async fn c77_all_interfaces_hold_loopback_too() {
    let held = bind("0.0.0.0", 0).await.unwrap();
    let port = held.local_addr().unwrap().port();
    assert!(matches!(bind("127.0.0.1", port).await, Err(ListenError::Taken { .. })));
}

#[tokio::test]
async fn names_and_both_families_can_be_given() {
    for (host, shown) in [("127.0.0.1", "http://127.0.0.1:"), ("localhost", "http://127.0.0.1:")] {
        let socket = bind(host, 0).await.unwrap();
        assert!(url(socket.local_addr().unwrap()).starts_with(shown), "{host}");
    }
    for host in ["::1", "[::1]"] {
        match bind(host, 0).await {
            Ok(socket) => assert!(url(socket.local_addr().unwrap()).starts_with("http://[::1]:")),
            Err(error) => assert!(
                matches!(error, ListenError::NotOurs { .. } | ListenError::Broken { .. }),
                "{error}"
            ),
        }
    }
}

#[tokio::test]
async fn an_address_that_is_not_ours_is_bad_input() {
    let error = bind("192.0.2.1", 0).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadInput, "{error}");
    assert!(error.to_string().contains("192.0.2.1"));
    let error = bind("no host has this name", 0).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BadInput, "{error}");
}

#[tokio::test]
async fn c86_the_port_can_be_taken_again_at_once() {
    let first = bind("127.0.0.1", 0).await.unwrap();
    let address = first.local_addr().unwrap();
    let sender = tokio::net::TcpStream::connect(address).await.unwrap();
    let (accepted, _) = first.accept().await.unwrap();
    // The side that closes first is left in TIME-WAIT: ours.
    drop(accepted);
    drop(first);
    drop(sender);
    bind("127.0.0.1", address.port()).await.unwrap();
}
