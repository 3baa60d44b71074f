//! The plain last-byte volley: what a careful script does, and so what Hooktwice has to beat.

use crate::sume::Signer;
use anyhow::{Context as _, ensure};
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
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
        for stream in streams {
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line)?;
            *statuses.entry(line.split(' ').nth(1).unwrap_or_default().to_owned()).or_default() +=
                1;
        }
        println!(
            "{}",
            serde_json::json!({"statuses": statuses, "release_spread_us": spread.as_secs_f64() * 1e6})
        );
        Ok(())
    }
}
