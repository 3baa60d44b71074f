//! The plain last-byte volley: what a careful script does, and so what Hooktwice has to beat.

use crate::sume::Signer;
use anyhow::{Context as _, ensure};
use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long the receiver is given to read what is not held back.
const SETTLE: Duration = Duration::from_millis(20);

#[derive(clap::Args)]
pub(crate) struct Volley {
    /// `http://127.0.0.1:PORT/path`.
    #[arg(long)]
    url: hyper::Uri,
    #[arg(long)]
    body_file: PathBuf,
    #[arg(long, default_value_t = 10)]
    copies: usize,
}

impl Volley {
    /// Fires, and prints the statuses and how far apart the sends began as JSON.
    pub(crate) fn fire(&self) -> anyhow::Result<()> {
        let body = std::fs::read(&self.body_file).context("the body cannot be read")?;
        let authority = self.url.authority().context("--url has no host")?.as_str();
        let mut request = format!(
            "POST {} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.url.path(),
            body.len()
        )
        .into_bytes();
        for (name, value) in Signer::from_env()?.headers(&body) {
            request.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(&body);
        let (last, rest) = request.split_last().context("the request is empty")?;

        let mut streams = Vec::with_capacity(self.copies);
        for _ in 0..self.copies {
            let mut stream = TcpStream::connect(authority)?;
            ensure!(stream.peer_addr()?.ip().is_loopback(), "a volley is only for this machine");
            stream.set_nodelay(true)?;
            stream.write_all(rest)?;
            streams.push(stream);
        }
        std::thread::sleep(SETTLE);
        let first = Instant::now();
        let mut spread = Duration::ZERO;
        for stream in &mut streams {
            spread = first.elapsed();
            stream.write_all(&[*last])?;
        }

        let mut statuses = BTreeMap::<String, u32>::new();
        for stream in &mut streams {
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            *statuses
                .entry(answer.chars().skip("HTTP/1.1 ".len()).take(3).collect())
                .or_default() += 1;
        }
        println!(
            "{}",
            serde_json::json!({"statuses": statuses, "release_spread_us": spread.as_secs_f64() * 1e6})
        );
        Ok(())
    }
}
