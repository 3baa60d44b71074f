//! Real handlers: small servers in Python, started by a shell.

use super::*;
use socket2::{Domain, Socket, Type};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// A port that is ours but refuses: it is bound and nobody listens. A server that shares ports can have it, and no other
/// test can be given it.
struct Port {
    number: u16,
    _bound: Socket,
}

impl Port {
    fn reserve() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_reuse_port(true).unwrap();
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        let number = socket.local_addr().unwrap().as_socket().unwrap().port();
        Self { number, _bound: socket }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.number)
    }

    /// The command of a server that does `extra` before it listens, and then closes every connection.
    /// It says its line in one write before it listens, so that a test which saw the port has the line.
    fn server(&self, extra: &str) -> String {
        format!(
            "python3 -c '
import os, signal, socket, sys, time
{extra}
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
s.bind((\"127.0.0.1\", {}))
os.write(1, b\"listens\\n\")
s.listen(64)
while True: s.accept()[0].close()
'",
            self.number
        )
    }
}

async fn start(command: &str, urls: &[String]) -> Result<Handler, CheckError> {
    let limits = Limits { grace: Duration::from_millis(300), ..Limits::USUAL };
    Handler::start_within(command, urls, limits).await
}

fn told(result: Result<Handler, CheckError>) -> String {
    match result.unwrap_err() {
        CheckError::Start(what) => what,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn started_stopped_and_started_again() {
    let port = Port::reserve();
    let url = port.url();
    let mut handler = start(&port.server(""), std::slice::from_ref(&url)).await.unwrap();
    assert!(handler.group.ended().is_none() && answers(&url).await);
    for how in [Stop::Term, Stop::Kill] {
        handler.stop(how).await.unwrap();
        assert!(handler.group.ended().is_some() && !answers(&url).await);
        handler.stop(how).await.unwrap();
        handler.start_again().await.unwrap();
        assert!(handler.group.ended().is_none() && answers(&url).await);
    }
    handler.stop(Stop::Kill).await.unwrap();
    assert_eq!(handler.output(), format!("listens\n{AGAIN}listens\n{AGAIN}listens\n"));
}

#[tokio::test]
async fn every_url_is_waited_for() {
    let (one, two) = (Port::reserve(), Port::reserve());
    let late = two.server("time.sleep(0.3)");
    let command = format!("{} & {late} & wait", one.server(""));
    let handler = start(&command, &[one.url(), two.url()]).await.unwrap();
    assert!(answers(&one.url()).await && answers(&two.url()).await);
    drop(handler);
    let begun = Instant::now();
    while answers(&one.url()).await || answers(&two.url()).await {
        assert!(begun.elapsed() < Duration::from_secs(20), "dropped, and it still listens");
    }
}

#[tokio::test]
async fn a_handler_that_ignores_sigterm_is_gone_all_the_same() {
    let port = Port::reserve();
    let ignores = port.server("signal.signal(signal.SIGTERM, signal.SIG_IGN)");
    let mut handler = start(&ignores, &[port.url()]).await.unwrap();
    handler.stop(Stop::Term).await.unwrap();
    assert!(!answers(&port.url()).await);
}

#[tokio::test]
async fn a_port_that_is_taken_is_not_started_on() {
    let taker = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let number = taker.local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("ran");
    let command = format!("touch '{}'; sleep 1000", trace.display());
    let urls = [format!("http://localhost:{number}/hook")];
    let error = told(Handler::start(&command, &urls).await);
    assert!(error.contains(&format!("localhost:{number} is taken")), "{error}");
    assert!(!trace.exists(), "the command was run");
}

#[tokio::test]
async fn a_command_that_ends_is_told_with_its_last_words() {
    let port = Port::reserve();
    let fails = "for i in $(seq 50); do echo line $i; done; echo no module express >&2; exit 3";
    let error = told(start(fails, &[port.url()]).await);
    assert!(error.contains("exit code 3"), "{error}");
    assert!(error.ends_with("\n    line 50\n    no module express"), "{error}");
    assert!(!error.contains("line 1\n"), "{error}");
    let error = told(start("exit 0", &[port.url()]).await);
    assert!(error.contains("exit code 0") && error.contains("wrote nothing"), "{error}");
}

#[tokio::test]
async fn a_handler_that_never_listens_is_ended() {
    let port = Port::reserve();
    let limits = Limits { up: Duration::from_millis(300), ..Limits::USUAL };
    let command = "echo $$; echo hello; sleep 1000";
    let error = told(Handler::start_within(command, &[port.url()], limits).await);
    assert!(error.contains(&format!("127.0.0.1:{}", port.number)), "{error}");
    assert!(error.ends_with("hello"), "{error}");
    let pid = error.lines().rev().nth(1).unwrap().trim();
    let ps = std::process::Command::new("ps").args(["-p", pid]).output().unwrap();
    assert!(!ps.status.success(), "{pid} still runs");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_listens_outside_of_the_group_is_named() {
    let port = Port::reserve();
    let leaves = "os.setsid(); print(os.getpid(), flush=True)";
    let command = format!("{} & wait", port.server(leaves));
    let limits = Limits { down: Duration::from_millis(100), ..Limits::USUAL };
    let mut handler = Handler::start_within(&command, &[port.url()], limits).await.unwrap();
    let error = handler.stop(Stop::Kill).await.unwrap_err();
    let again = handler.start_again().await.unwrap_err();
    let pid = handler.output().lines().next().unwrap().to_owned();
    std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
    for error in [error, again] {
        assert!(matches!(&error, CheckError::Machine(what) if what.contains("outside")), "{error}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_for_is_refused() {
    for urls in [&[][..], &["localhost:1".to_owned()]] {
        let error = Handler::start("sleep 1000", urls).await.unwrap_err();
        assert!(matches!(error, CheckError::Input(_)), "{error}");
    }
    assert!(!answers("nonsense").await);
}
