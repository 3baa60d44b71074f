//! The end of a connection: what hyper left to be said, whether the last answer was taken, and a close that does not
//! take the answer away from the sender.

use super::{
    answer::{Written, unanswered},
    arrival::Arrival,
    handle::Handling,
    link::{Leftovers, Link},
    refusal::Refusal,
    respond::Reply,
    tap::{HeadEnd, Rest},
    unsent::unsent,
};
use crate::{
    clock::milliseconds,
    model::{Ended, Notes},
    store::{Finish, NewDelivery},
};
use bytes::Bytes;
use jiff::{Timestamp, fmt::rfc2822::DateTimePrinter};
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, sleep, timeout, timeout_at},
};

/// How long an answer of ours may take to be handed to the system.
const WRITE: Duration = Duration::from_secs(5);
/// How long it is awaited that the sender's system takes an answer, or says that the sender is gone.
const CONFIRM: Duration = Duration::from_secs(2);
/// How long, and how many bytes, a sender that is still sending is read after its answer.
const LINGER: Duration = Duration::from_secs(10);
const LINGER_PAUSE: Duration = Duration::from_secs(2);
const LINGER_IN_STOP: Duration = Duration::from_millis(200);
const LINGER_BYTES: usize = 256 * 1024 * 1024;

/// Ends a connection that hyper is done with.
pub(super) async fn end(handling: &Handling, link: &Link, mut rest: Rest) {
    let Leftovers { request, refused_by_hyper, unwritten, unconfirmed, mut answered } =
        link.close();
    if let Some(answer) = unwritten {
        answer.lost();
    }
    let partial = rest.framer.take_partial_head();
    match (rest.head_end.take(), request) {
        (Some(HeadEnd::Refused(refusal)), _) => {
            let arrival = Arrival::broken(partial, handling.context.clock.now(), link);
            answered = refuse(handling, &mut rest, arrival, refusal).await;
        }
        // A head that is whole and that hyper did not hand over: it refused it.
        (_, Some(request)) => {
            let arrival = Arrival::new(request, link);
            let refusal = Refusal::by_hyper(refused_by_hyper.unwrap_or(400), &arrival.bytes);
            answered = refuse(handling, &mut rest, arrival, refusal).await;
        }
        (_, None) if refused_by_hyper.is_some() && !partial.is_empty() => {
            let refusal = Refusal::by_hyper(refused_by_hyper.unwrap_or(400), &partial);
            let arrival = Arrival::broken(partial, handling.context.clock.now(), link);
            answered = refuse(handling, &mut rest, arrival, refusal).await;
        }
        (Some(HeadEnd::Left(why)), None) if !partial.is_empty() => {
            let arrival = Arrival::broken(partial, handling.context.clock.now(), link);
            let scheme = handling.config.borrow().settings.scheme.clone();
            let new = arrival.unjudged(Bytes::new(), &scheme, why);
            handling
                .keep_ended(NewDelivery { ended: Some(unanswered(Ended::Incomplete)), ..new })
                .await;
        }
        _ => {}
    }
    if !unconfirmed.is_empty() {
        confirm(&rest, unconfirmed).await;
    }
    if answered && rest.unread && !rest.saw_eof && !rest.gone {
        linger(&mut rest.socket, link).await;
    } else {
        // The sender may be gone: then there is nobody to tell.
        let _ = rest.socket.shutdown().await;
    }
}

/// Answers and keeps a request that no handler saw. Says whether the answer was written.
async fn refuse(handling: &Handling, rest: &mut Rest, arrival: Arrival, refusal: Refusal) -> bool {
    rest.unread = true;
    let (began, is_head) = (arrival.began, arrival.head.method == "HEAD");
    let Reply { status, text, .. } = Reply::new(refusal.status, &refusal.reason);
    let reason =
        http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let date = http_date(handling.context.clock.now());
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\
         content-length: {}\r\ndate: {date}\r\n\r\n",
        reason.unwrap_or_default(),
        text.len(),
    );
    let body = if is_head { String::new() } else { text };
    let wrote = write(&mut rest.socket, &[head.as_bytes(), body.as_bytes()].concat()).await;
    let finish = match wrote {
        Ok(()) => Finish {
            ended: Ended::Refused,
            status: Some(status),
            duration_ms: Some(milliseconds(began.elapsed())),
            response_head: Bytes::from(head),
            response_body: Bytes::from(body),
            notes: Notes::new(),
        },
        Err(error) => {
            rest.gone = true;
            let note = format!("the answer ({status}) could not be written: {error}");
            Finish { notes: vec![note], ..unanswered(Ended::Refused) }
        }
    };
    let scheme = handling.config.borrow().settings.scheme.clone();
    let mut new = arrival.unjudged(Bytes::new(), &scheme, refusal.reason);
    new.notes.extend(finish.notes.iter().cloned());
    new.ended = Some(Finish { notes: Notes::new(), ..finish });
    handling.keep_ended(new).await;
    !rest.gone
}

/// A date as HTTP writes it (RFC 9110, 5.6.7).
fn http_date(time: Timestamp) -> String {
    DateTimePrinter::new().timestamp_to_rfc9110_string(&time).unwrap_or_default()
}

async fn write(socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    match timeout(WRITE, socket.write_all(bytes)).await {
        Ok(result) => result,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// The sender had closed at least its writing half when these answers were written. Its system takes them when only
/// that half is closed, and refuses them (RST) when the sender is gone.
async fn confirm(rest: &Rest, answers: Vec<Written>) {
    let deadline = Instant::now() + CONFIRM;
    let mut pause = Duration::from_micros(500);
    let taken = loop {
        if rest.gone {
            break false;
        }
        // In this order: what was refused also counts as sent.
        let waiting = unsent(&rest.socket);
        match rest.socket.take_error() {
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => break false,
        }
        if waiting == Some(0) {
            break true;
        }
        if Instant::now() >= deadline {
            // Where the system does not tell what it still holds, silence means that all is well.
            break waiting.is_none();
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    for answer in answers {
        if taken { answer.taken() } else { answer.lost() }
    }
}

/// Reads on for a while after an early answer: a socket that is closed with unread bytes resets the connection, and
/// the sender would lose the answer that it has not read yet (RFC 9112, 9.6).
async fn linger(socket: &mut TcpStream, link: &Link) {
    if socket.shutdown().await.is_err() {
        return;
    }
    let deadline = Instant::now() + LINGER;
    let mut bin = vec![0; 64 * 1024];
    let mut left = LINGER_BYTES;
    while left > 0 {
        let pause = if link.is_closing() { LINGER_IN_STOP } else { LINGER_PAUSE };
        let until = deadline.min(Instant::now() + pause);
        match timeout_at(until, socket.read(&mut bin)).await {
            Ok(Ok(read)) if read > 0 => left = left.saturating_sub(read),
            _ => return,
        }
    }
}
