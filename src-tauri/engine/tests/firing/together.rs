//! `together`: nothing is whole before all are there.

use crate::support::{Answer, Handler, OK, fire, plan};
use bytes::Bytes;
use hooktwice_engine::{
    firing::{self, Plan},
    model::{CopyOutcome, ReleaseMethod},
};
use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread")]
async fn every_copy_is_written_before_the_first_is_let_go() {
    let handler = Handler::start(Answer::WhenWhole(20)).await;
    let (copies, summary) = fire(Plan { copies: 20, ..plan(&handler.url) }).await.unwrap();
    assert_eq!(handler.seen().len(), 20);
    // The handler answered none before it had all: all were in flight at once.
    assert_eq!(summary.peak_in_flight, 20);
    assert_eq!(summary.statuses.get(&200), Some(&20));
    assert_eq!((summary.not_sent, summary.outcome_unknown, summary.stopped), (0, 0, false));
    let released = || copies.iter().map(|copy| copy.released_us.unwrap());
    assert!(released().all(|us| us >= 0.0) && released().any(|us| us == 0.0), "{copies:?}");
    assert!((released().fold(0.0, f64::max) - summary.release_spread_us).abs() < 0.01);
    // The handler saw the last bytes over no shorter a time than they were let go in, give or take its own wakes.
    assert!(summary.release_spread_us > 0.0 && summary.release_spread_us < 1e6, "{summary:?}");
    for copy in &copies {
        assert!(copy.connected_ms.unwrap() < copy.written_ms.unwrap(), "{copy:?}");
        assert!(copy.written_ms.unwrap() < 0.0, "{copy:?}");
        assert!(0.0 <= copy.first_byte_ms.unwrap(), "{copy:?}");
        assert!(copy.first_byte_ms.unwrap() <= copy.total_ms.unwrap(), "{copy:?}");
        assert_eq!(copy.response_body, "ok");
    }
    assert_ne!(summary.released_by, ReleaseMethod::Unheld);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_copy_is_whole_before_all_but_the_last_byte_of_each_is_there() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    // More than the sockets' buffers hold: a copy that is not read is not there.
    let size = 12_000_000;
    let body = Bytes::from(vec![b'x'; size]);
    let firing = tokio::spawn(fire(Plan { copies: 4, body, ..plan(&url) }));
    let mut sockets = Vec::new();
    for _ in 0..4 {
        sockets.push(listener.accept().await.unwrap().0);
    }
    let mut unread = sockets.pop().unwrap();
    for socket in &mut sockets {
        read_all_but_one(socket, size).await;
    }
    // One is not there: nothing more comes on the others.
    for socket in &mut sockets {
        let more = tokio::time::timeout(Duration::from_millis(50), socket.read_u8()).await;
        assert!(more.is_err(), "a last byte came early");
    }
    read_all_but_one(&mut unread, size).await;
    sockets.push(unread);
    for socket in &mut sockets {
        assert_eq!(socket.read_u8().await.unwrap(), b'x');
        socket.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    }
    let (copies, summary) = firing.await.unwrap().unwrap();
    assert_eq!((summary.statuses.get(&204), summary.peak_in_flight), (Some(&4), 4), "{copies:?}");
}

/// Reads a head, and its body but for the last byte.
async fn read_all_but_one(socket: &mut tokio::net::TcpStream, size: usize) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.unwrap());
    }
    socket.read_exact(&mut vec![0; size - 1]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_copies_are_a_thousand_connections() {
    let handler = Handler::start(Answer::WhenWhole(1000)).await;
    let (_, summary) =
        fire(Plan { copies: 1000, timeout: Duration::from_secs(60), ..plan(&handler.url) })
            .await
            .unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&1000), "{summary:?}");
    assert_eq!((summary.peak_in_flight, handler.seen().len()), (1000, 1000));
}

#[tokio::test]
async fn a_handler_that_takes_one_connection_at_a_time_still_gets_all() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let body = vec![b'x'; 12_000_000];
    let size = body.len();
    let serving = thread::spawn(move || {
        for _ in 0..3 {
            let (mut socket, _) = listener.accept().unwrap();
            let mut bytes = Vec::new();
            while bytes.len() < size {
                let mut part = vec![0; 1 << 20];
                let came = socket.read(&mut part).unwrap();
                assert!(came > 0);
                bytes.extend_from_slice(&part[..came]);
            }
            socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            // Until the client closes, so that what is still on the way is no reason for a reset.
            socket.read_to_end(&mut bytes).unwrap();
        }
    });
    let plan = Plan { copies: 3, body: body.into(), ..plan(&url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!(summary.statuses.get(&200), Some(&3), "{copies:?}");
    assert!(
        copies
            .iter()
            .any(|copy| copy.warnings.iter().any(|warning| warning.contains("went later"))),
        "{copies:?}"
    );
    serving.join().unwrap();
}

#[tokio::test]
async fn a_copy_whose_connection_ends_while_it_is_held_is_not_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        // One is closed unread; the rest is answered nothing and kept until the client leaves.
        let (first, _) = listener.accept().await.unwrap();
        drop(first);
        let mut kept = Vec::new();
        for _ in 0..2 {
            kept.push(listener.accept().await.unwrap().0);
        }
        for socket in &mut kept {
            let mut bytes = Vec::new();
            let _ = socket.read_to_end(&mut bytes).await;
        }
    });
    let plan = Plan { copies: 3, timeout: Duration::from_millis(200), ..plan(&url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!((summary.not_sent, summary.outcome_unknown), (1, 2), "{copies:?}");
    let lost = copies.iter().find(|copy| copy.outcome == CopyOutcome::NotSent).unwrap();
    assert!(lost.error.as_ref().unwrap().contains("connection"), "{lost:?}");
    serving.await.unwrap();
}

#[tokio::test]
async fn stopped_while_held_nothing_is_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    let (told, _tells) = mpsc::unbounded_channel();
    // More than the sockets' buffers hold, so that the copies cannot become ready before they are read.
    let size = 30_000_000;
    let plan = Plan { copies: 4, body: Bytes::from(vec![b'x'; size]), ..plan(&url) };
    let firing = tokio::spawn(firing::fire(plan, told, stop.clone()));
    let mut sockets = Vec::new();
    for _ in 0..4 {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.read_u8().await.unwrap();
        sockets.push(socket);
    }
    stop.cancel();
    let (copies, summary) = firing.await.unwrap().unwrap();
    assert!(summary.stopped);
    assert_eq!(summary.not_sent, 4, "{copies:?}");
    for mut socket in sockets {
        let mut bytes = Vec::new();
        let _ = socket.read_to_end(&mut bytes).await;
        assert!(bytes.len() < size, "a stopped copy came whole");
    }
}

#[tokio::test]
async fn dropping_the_future_closes_every_connection_and_sends_no_last_byte() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (told, _tells) = mpsc::unbounded_channel();
    let size = 30_000_000;
    let plan = Plan { copies: 2, body: Bytes::from(vec![b'x'; size]), ..plan(&url) };
    let firing = tokio::spawn(firing::fire(plan, told, CancellationToken::new()));
    let mut sockets = Vec::new();
    for _ in 0..2 {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.read_u8().await.unwrap();
        sockets.push(socket);
    }
    firing.abort();
    assert!(firing.await.unwrap_err().is_cancelled());
    for mut socket in sockets {
        let mut bytes = Vec::new();
        let _ = socket.read_to_end(&mut bytes).await;
        assert!(bytes.len() < size);
    }
}

#[tokio::test]
async fn stopped_after_the_release_what_was_not_answered_is_unknown() {
    let mut handler = Handler::start(Answer::Never).await;
    let stop = CancellationToken::new();
    let (told, mut tells) = mpsc::unbounded_channel();
    let firing =
        tokio::spawn(firing::fire(Plan { copies: 5, ..plan(&handler.url) }, told, stop.clone()));
    handler.count.wait_for(|count| *count == 5).await.unwrap();
    stop.cancel();
    let (copies, summary) = firing.await.unwrap().unwrap();
    assert!(summary.stopped);
    assert_eq!((summary.outcome_unknown, summary.not_sent), (5, 0), "{copies:?}");
    let mut told = 0;
    while tells.try_recv().is_ok() {
        told += 1;
    }
    assert_eq!(told, 5);
}

#[tokio::test]
async fn a_second_volley_does_not_depend_on_the_first() {
    let handler = Handler::start(OK).await;
    for round in 1..=5 {
        let (copies, summary) = fire(Plan { copies: 10, ..plan(&handler.url) }).await.unwrap();
        assert_eq!(summary.statuses.get(&200), Some(&10), "{copies:?}");
        assert_eq!(handler.seen().len(), round * 10);
    }
}
