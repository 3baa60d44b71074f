//! A handler in this process: it answers what a test wants, byte by byte, and counts what came over the wire.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// What becomes of a delivery.
pub(super) enum Answer {
    /// A status with an empty body.
    Status(u16),
    /// With one more header.
    With(u16, &'static str),
    /// The connection is cut before the status line.
    Cut,
}

/// What a handler has to do with: its effects, and the delivery that it is asked about.
pub(super) struct Delivery<'a> {
    pub(super) job_id: &'a str,
    /// The how-manieth delivery of the job this is, from 1.
    pub(super) nth: u32,
    state: &'a State,
}

impl Delivery<'_> {
    /// Runs the effect.
    pub(super) fn work(&self) {
        *self.state.effects.lock().unwrap().entry(self.job_id.to_owned()).or_insert(0) += 1;
    }

    /// Whether the effect of the job ran already.
    pub(super) fn has_worked(&self) -> bool {
        self.state.effects.lock().unwrap().contains_key(self.job_id)
    }

    /// Runs the effect unless another delivery of the job did.
    pub(super) fn work_once(&self) {
        self.state.effects.lock().unwrap().entry(self.job_id.to_owned()).or_insert(1);
    }
}

#[derive(Default)]
struct State {
    effects: Mutex<HashMap<String, u32>>,
    seen: Mutex<HashMap<String, u32>>,
    posts: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    ended: AtomicBool,
}

type Handle = dyn Fn(&Delivery<'_>) -> Answer + Send + Sync;

/// The handler; ends with the test.
pub(super) struct Target {
    address: String,
    state: Arc<State>,
}

impl Target {
    /// Serves `POST /hook` with `handle` and `GET /effects/{job_id}` with the count.
    pub(super) fn start(handle: impl Fn(&Delivery<'_>) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_closing(None, handle)
    }

    /// As [`Target::start`]; a connection that has been idle for so long is closed.
    pub(super) fn start_closing(
        idle: Option<Duration>,
        handle: impl Fn(&Delivery<'_>) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let state = Arc::new(State::default());
        let handle: Arc<Handle> = Arc::new(handle);
        let shared = state.clone();
        thread::spawn(move || {
            for stream in socket.incoming().map_while(Result::ok) {
                if shared.ended.load(Ordering::SeqCst) {
                    return;
                }
                let (state, handle) = (shared.clone(), handle.clone());
                thread::spawn(move || {
                    // A client that goes away ends its connection, and that is all.
                    let _ = serve(stream, idle, &state, &*handle);
                });
            }
        });
        Self { address, state }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// For `--effect-url`.
    pub(super) fn effect_url(&self) -> String {
        format!("http://{}/effects/{{job_id}}", self.address)
    }

    /// Whole deliveries that came over the wire.
    pub(super) fn posts(&self) -> usize {
        self.state.posts.load(Ordering::SeqCst)
    }

    /// The most deliveries that were being handled at one moment.
    pub(super) fn most_at_once(&self) -> usize {
        self.state.most_at_once.load(Ordering::SeqCst)
    }

    /// How often the effect of each job ran.
    pub(super) fn effects(&self) -> HashMap<String, u32> {
        self.state.effects.lock().unwrap().clone()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, so that it sees the end.
        let _ = TcpStream::connect(&self.address);
    }
}

fn serve(
    stream: TcpStream,
    idle: Option<Duration>,
    state: &State,
    handle: &Handle,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(idle)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some((line, body)) = request(&mut reader)? {
        if let Some(job_id) = line.strip_prefix("GET /effects/") {
            let job_id = job_id.split(' ').next().unwrap_or_default();
            let count = state.effects.lock().unwrap().get(job_id).copied().unwrap_or(0);
            answer(&mut writer, 200, "", &format!("{{\"count\":{count}}}"))?;
            continue;
        }
        if !line.starts_with("POST ") {
            answer(&mut writer, 404, "", "")?;
            continue;
        }
        state.posts.fetch_add(1, Ordering::SeqCst);
        let now = state.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        state.most_at_once.fetch_max(now, Ordering::SeqCst);
        let event: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let job_id = event["job_id"].as_str().unwrap_or_default();
        let nth = {
            let mut seen = state.seen.lock().unwrap();
            let seen = seen.entry(job_id.to_owned()).or_insert(0);
            *seen += 1;
            *seen
        };
        let answered = handle(&Delivery { job_id, nth, state });
        state.at_once.fetch_sub(1, Ordering::SeqCst);
        match answered {
            Answer::Status(status) => answer(&mut writer, status, "", "")?,
            Answer::With(status, header) => answer(&mut writer, status, header, "")?,
            Answer::Cut => return Ok(()),
        }
    }
    Ok(())
}

/// The request line and the body; nothing where the client closed.
fn request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((first, body)))
}

fn answer(writer: &mut TcpStream, status: u16, header: &str, body: &str) -> io::Result<()> {
    let length = match status {
        // These have no body, and no length that says so.
        204 | 304 => String::new(),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    let header = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
    writer.write_all(format!("HTTP/1.1 {status} X\r\n{header}{length}\r\n{body}").as_bytes())
}
