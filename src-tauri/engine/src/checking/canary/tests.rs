//! Downloads over real sockets.

use super::*;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

/// Longer than anything here takes: a test that reaches it has failed.
const LONG: Duration = Duration::from_secs(20);

/// Sends a request for a URL, and leaves the answer to the caller.
async fn send(method: &str, url: &str, headers: &str) -> TcpStream {
    let rest = url.strip_prefix("http://").unwrap();
    let (authority, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("{method} /{path} HTTP/1.1\r\nHost: {authority}\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the server closes: the head as text, and the body.
async fn read(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut answer = Vec::new();
    timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap().to_ascii_lowercase(), body)
}

async fn ask(method: &str, url: &str) -> (String, Vec<u8>) {
    read(send(method, url, "Connection: close\r\n").await).await
}

fn status(answer: &(String, Vec<u8>)) -> &str {
    answer.0.split(' ').nth(1).unwrap()
}

fn ends(artifact: &Artifact) -> Vec<DownloadEnd> {
    artifact.downloads().iter().map(|download| download.end).collect()
}

/// Waits until the downloads came to this.
async fn until_ends(artifact: &Artifact, expected: &[DownloadEnd]) {
    let begun = Instant::now();
    while ends(artifact) != expected {
        assert!(begun.elapsed() < LONG, "{:?} and not {expected:?}", ends(artifact));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_download_is_served_and_counted() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::Serve);
    let other = canary.artifact(Conduct::Serve);
    assert!(artifact.url().starts_with("http://127.0.0.1:"), "{}", artifact.url());
    assert!(artifact.url().ends_with(".mp4"), "{}", artifact.url());
    assert_ne!(artifact.url(), other.url());

    let answer = ask("GET", artifact.url()).await;
    assert_eq!(status(&answer), "200");
    for header in ["content-type: video/mp4", "content-length: 1024", "accept-ranges: none"] {
        assert!(answer.0.contains(header), "{header}: {}", answer.0);
    }
    assert_eq!(answer.1.len(), 1024);
    assert_eq!(&answer.1[4..12], b"ftypisom");

    // Nothing has to pass between the last byte and the count.
    assert_eq!(artifact.served(), 1);
    assert_eq!(other.served(), 0);
    let download = artifact.downloads()[0];
    assert!(download.ended.unwrap() >= download.asked);
    ask("GET", &format!("{}?again=1", artifact.url())).await;
    assert_eq!(artifact.clone().served(), 2);
}

#[tokio::test]
async fn only_a_get_of_a_known_artifact_is_a_download() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::FailFirst);
    let head = ask("HEAD", artifact.url()).await;
    assert_eq!(status(&head), "200");
    assert!(head.0.contains("content-length: 1024"), "{}", head.0);
    assert_eq!(head.1, b"");
    let post = ask("POST", artifact.url()).await;
    assert_eq!(status(&post), "405");
    assert!(post.0.contains("allow: get, head"), "{}", post.0);

    let url = artifact.url();
    let root = &url[..=url.rfind('/').unwrap()];
    for wrong in ["", "0123456789abcdef01234567.mp4", ".mp4", "%00.mp4", "..%2f.mp4"] {
        let answer = ask("GET", &format!("{root}{wrong}")).await;
        assert_eq!(status(&answer), "404", "{wrong}");
    }
    let answer = ask("GET", url.strip_suffix(".mp4").unwrap()).await;
    assert_eq!(status(&answer), "404", "without its ending");
    assert!(artifact.downloads().is_empty());
}

#[tokio::test]
async fn a_range_gets_the_whole() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::Serve);
    let range = "Range: bytes=512-\r\nConnection: close\r\n";
    let answer = read(send("GET", artifact.url(), range).await).await;
    assert_eq!((status(&answer), answer.1.len()), ("200", 1024));
}

#[tokio::test]
async fn a_connection_serves_several() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::Serve);
    let mut stream = send("GET", artifact.url(), "").await;
    let mut answer = vec![0; 4096];
    let mut got = 0;
    while !answer[..got].windows(4).any(|four| four == b"\r\n\r\n") || got < 1024 {
        got += timeout(LONG, stream.read(&mut answer[got..])).await.unwrap().unwrap();
    }
    let path = artifact.url().split_once("/artifacts").unwrap().1;
    let second = format!("GET /artifacts{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    stream.write_all(second.as_bytes()).await.unwrap();
    assert_eq!(status(&read(stream).await), "200");
    assert_eq!(ends(&artifact), [DownloadEnd::Served; 2]);
}

#[tokio::test]
async fn a_slow_download_counts_after_its_wait() {
    let canary = Canary::start().await.unwrap();
    let wait = Duration::from_millis(300);
    let artifact = canary.artifact(Conduct::After(wait));
    let stream = send("GET", artifact.url(), "Connection: close\r\n").await;
    artifact.asked(1).await;
    assert_eq!((ends(&artifact), artifact.served()), (vec![DownloadEnd::Open], 0));
    // What is waiting goes on as it began; what comes now is quick.
    artifact.set(Conduct::Serve);
    ask("GET", artifact.url()).await;
    assert_eq!(ends(&artifact), [DownloadEnd::Open, DownloadEnd::Served]);
    assert_eq!(status(&read(stream).await), "200");
    let slow = artifact.downloads()[0];
    assert_eq!(slow.end, DownloadEnd::Served);
    assert!(slow.ended.unwrap() - slow.asked >= wait);
}

#[tokio::test]
async fn the_first_fails_each_time_that_it_is_set() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::FailFirst);
    for _ in 0..2 {
        let failed = ask("GET", artifact.url()).await;
        assert_eq!(status(&failed), "500");
        assert!(failed.1.ends_with(b"\n") && failed.1.len() > 1);
        assert_eq!(status(&ask("GET", artifact.url()).await), "200");
        artifact.set(Conduct::FailFirst);
    }
    use DownloadEnd::{Failed, Served};
    assert_eq!(ends(&artifact), [Failed, Served, Failed, Served]);
    assert_eq!(artifact.served(), 2);
}

#[tokio::test]
async fn the_first_is_held_until_it_is_let_go() {
    for (how, code, end) in
        [(LetGo::Serve, "200", DownloadEnd::Served), (LetGo::Fail, "500", DownloadEnd::Failed)]
    {
        let canary = Canary::start().await.unwrap();
        let artifact = canary.artifact(Conduct::HoldFirst);
        // Nobody is held yet, and this is not kept for later.
        artifact.let_go(LetGo::Fail);
        let held = send("GET", artifact.url(), "Connection: close\r\n").await;
        artifact.asked(1).await;
        assert_eq!(status(&ask("GET", artifact.url()).await), "200");
        assert_eq!(ends(&artifact), [DownloadEnd::Open, DownloadEnd::Served]);
        artifact.let_go(how);
        assert_eq!(status(&read(held).await), code);
        assert_eq!(ends(&artifact), [end, DownloadEnd::Served]);
    }
}

#[tokio::test]
async fn whoever_leaves_is_not_served() {
    for conduct in [Conduct::HoldFirst, Conduct::After(LONG)] {
        let canary = Canary::start().await.unwrap();
        let artifact = canary.artifact(conduct);
        let stream = send("GET", artifact.url(), "").await;
        artifact.asked(1).await;
        drop(stream);
        until_ends(&artifact, &[DownloadEnd::Left]).await;
        assert!(artifact.downloads()[0].ended.is_some());
        artifact.let_go(LetGo::Serve);
        artifact.set(Conduct::Serve);
        ask("GET", artifact.url()).await;
        assert_eq!(ends(&artifact), [DownloadEnd::Left, DownloadEnd::Served]);
        assert_eq!(artifact.served(), 1);
    }
}

#[tokio::test]
async fn dropped_it_ends_with_what_is_open() {
    let canary = Canary::start().await.unwrap();
    let artifact = canary.artifact(Conduct::HoldFirst);
    let mut held = send("GET", artifact.url(), "").await;
    artifact.asked(1).await;
    drop(canary);
    let mut rest = Vec::new();
    // Closed or reset, but no answer.
    let _ = timeout(LONG, held.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"");
    until_ends(&artifact, &[DownloadEnd::Left]).await;
    let authority = artifact.url().split('/').nth(2).unwrap();
    let begun = Instant::now();
    while TcpStream::connect(authority).await.is_ok() {
        assert!(begun.elapsed() < LONG, "its port is still open");
    }
}

#[tokio::test]
async fn many_are_held_at_once_among_very_many() {
    const HELD: usize = 300;
    let canary = Canary::start().await.unwrap();
    let artifacts: Vec<Artifact> =
        (0..5_000).map(|_| canary.artifact(Conduct::HoldFirst)).collect();
    let mut downloads = JoinSet::new();
    for artifact in &artifacts[..HELD] {
        let url = artifact.url().to_owned();
        downloads.spawn(async move { ask("GET", &url).await.0 });
    }
    for artifact in &artifacts[..HELD] {
        timeout(LONG, artifact.asked(1)).await.unwrap();
    }
    assert!(artifacts.iter().all(|artifact| artifact.served() == 0));
    for artifact in &artifacts {
        artifact.let_go(LetGo::Serve);
    }
    while let Some(head) = downloads.join_next().await {
        assert!(head.unwrap().starts_with("http/1.1 200"));
    }
    let served = artifacts.iter().map(Artifact::served).sum::<u32>();
    assert_eq!(served as usize, HELD);
}
