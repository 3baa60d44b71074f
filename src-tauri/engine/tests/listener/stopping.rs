//! The stop: nothing new is taken, what has begun ends whole.

use crate::support::{PATIENCE, Rig, signed};
use hooktwice_engine::{
    listener,
    model::{ClaimState, Ended},
};
use std::time::Instant;
use tokio::net::TcpStream;

#[tokio::test]
async fn c86_an_open_request_is_answered_and_the_port_is_free_at_once() {
    let mut rig = Rig::with(|setup| setup.settings.delay_ms = 500).await;
    let mut events = rig.events.subscribe(None);
    let mut open = rig.connect().await;
    open.send(&signed("/h", br#"{"job_id":"a1"}"#)).await;
    // It is told when it is kept, before its delay.
    events.next_batch().await.unwrap();
    rig.shutdown.cancel();
    let address = rig.address;
    let started = Instant::now();
    let again = loop {
        match listener::bind("127.0.0.1", address.port()).await {
            Ok(socket) => break socket,
            Err(_) => assert!(started.elapsed() < PATIENCE, "the port is free soon"),
        }
        tokio::task::yield_now().await;
    };
    assert!(started.elapsed().as_secs() < 2);
    drop(again);
    let reply = open.answer().await.unwrap();
    assert_eq!((reply.status, reply.header("connection")), (204, Some("close")));
    let left = rig.stop().await;
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].ended, left[0].claim), (Some(Ended::Answered), ClaimState::Won));
    assert_eq!(rig.rows(), left);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn idle_connections_do_not_hold_it_up() {
    let mut rig = Rig::start().await;
    let fresh = rig.connect().await;
    let mut used = rig.connect().await;
    used.send(&signed("/h", b"{}")).await;
    used.answer().await.unwrap();
    let started = Instant::now();
    rig.stop().await;
    assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    assert_eq!(used.rest().await, b"");
    drop(fresh);
}

#[tokio::test]
async fn a_request_that_goes_on_arriving_is_not_waited_for_for_ever() {
    let mut rig = Rig::start().await;
    let (mut head, mut body) = (rig.connect().await, rig.connect().await);
    head.send(b"POST /head HTTP/1.1\r\nX").await;
    body.send(b"POST /body HTTP/1.1\r\nContent-Length: 9\r\n\r\n{").await;
    rig.fire(b"GET /turn HTTP/1.1\r\n\r\n").await;
    let rows = rig.stop().await;
    let mut ends: Vec<_> = rows.iter().map(|row| (row.path.as_str(), row.ended.unwrap())).collect();
    ends.sort_unstable_by_key(|end| end.0);
    assert_eq!(
        ends,
        [("/body", Ended::Incomplete), ("/head", Ended::Incomplete), ("/turn", Ended::Answered)]
    );
}

#[tokio::test]
async fn a_body_that_arrives_during_the_stop_is_still_taken() {
    let mut rig = Rig::start().await;
    let whole = signed("/h", br#"{"job_id":"a1"}"#);
    let mut sender = rig.connect().await;
    sender.send(&whole[..whole.len() - 1]).await;
    rig.fire(b"GET /turn HTTP/1.1\r\n\r\n").await;
    rig.shutdown.cancel();
    sender.send(&whole[whole.len() - 1..]).await;
    assert_eq!(sender.answer().await.unwrap().status, 204);
    let rows = rig.stop().await;
    assert_eq!(rows.last().map(|row| row.claim), Some(ClaimState::Won));
}
