//! A receiver that notes when the last byte of each request came.
//!
//! The moment is the kernel's own (`SO_TIMESTAMPNS`): it is taken when the packet enters the network stack, so it does
//! not matter how late this process is woken on a busy machine. Packets that the kernel joins keep the last one's.

use anyhow::{Context as _, bail, ensure};
use nix::{
    cmsg_space,
    sys::{
        socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt::ReceiveTimestampns},
        time::TimeSpec,
    },
};
use std::{cell::RefCell, io::IoSliceMut, os::fd::AsRawFd as _, rc::Rc, time::Duration};
use tokio::{
    io::{AsyncWriteExt as _, Interest},
    net::{TcpListener, TcpStream},
    task::LocalSet,
};

/// Nanoseconds of the wall clock, in the order in which the requests were read.
type Moments = Rc<RefCell<Vec<u128>>>;

/// Where the moments are told.
const MOMENTS: &[u8] = b"GET /moments ";

/// Serves a free port of loopback until it is ended.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let socket = TcpListener::bind(("127.0.0.1", 0)).await?;
    // Connections inherit it, so that it holds for their first packet too.
    setsockopt(&socket, ReceiveTimestampns, &true).context("the kernel gives no timestamps")?;
    println!("listening http://{}", socket.local_addr()?);
    let moments = Moments::default();
    LocalSet::new()
        .run_until(async {
            loop {
                let (stream, _) = socket.accept().await?;
                let moments = Rc::clone(&moments);
                tokio::task::spawn_local(async move {
                    if let Err(error) = converse(stream, &moments).await {
                        eprintln!("yardstick receive: {error:#}");
                    }
                });
            }
        })
        .await
}

/// Answers one connection's requests until it closes.
async fn converse(mut stream: TcpStream, moments: &Moments) -> anyhow::Result<()> {
    let mut pending = Vec::new();
    loop {
        let Some(came) = read(&stream, &mut pending).await? else { return Ok(()) };
        let Some(length) = whole(&pending)? else { continue };
        if pending.starts_with(MOMENTS) {
            let told = serde_json::to_string(&moments.take())?;
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{told}", told.len());
            stream.write_all(answer.as_bytes()).await?;
        } else {
            let came =
                came.context("the kernel gave no timestamp with the last bytes of a request")?;
            moments.borrow_mut().push(Duration::from(came).as_nanos());
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
        }
        ensure!(pending.len() == length, "a second request came before the first one's answer");
        pending.clear();
    }
}

/// Reads what is there, and says when the last of it came; nothing when the sender closed.
async fn read(
    stream: &TcpStream,
    pending: &mut Vec<u8>,
) -> anyhow::Result<Option<Option<TimeSpec>>> {
    let read = stream
        .async_io(Interest::READABLE, || {
            let mut buffer = [0; 16 * 1024];
            let mut control = cmsg_space!(TimeSpec);
            let mut parts = [IoSliceMut::new(&mut buffer)];
            let got = recvmsg::<()>(
                stream.as_raw_fd(),
                &mut parts,
                Some(&mut control),
                MsgFlags::empty(),
            )?;
            let came = got.cmsgs()?.find_map(|message| match message {
                ControlMessageOwned::ScmTimestampns(time) => Some(time),
                _ => None,
            });
            let count = got.bytes;
            pending.extend_from_slice(&buffer[..count]);
            Ok((count > 0).then_some(came))
        })
        .await?;
    Ok(read)
}

/// How many bytes the request at the start takes, once all of them are there.
fn whole(bytes: &[u8]) -> anyhow::Result<Option<usize>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(bytes)? else { return Ok(None) };
    let mut body = 0;
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            body = std::str::from_utf8(header.value)?.trim().parse()?;
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            bail!("a chunked request has no last byte that is known beforehand");
        }
    }
    Ok((bytes.len() >= head + body).then_some(head + body))
}
