//! A handler in this process: it answers each delivery as a test wants, and keeps what came over the wire, and when.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// What becomes of a delivery.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    /// At once.
    Status(u16),
    /// With a `Location`.
    Redirect(u16, &'static str),
    /// After so long.
    After(Duration, u16),
}

/// A delivery that came whole.
#[derive(Debug, Clone)]
pub(super) struct Came {
    pub(super) at: Instant,
    pub(super) port: u16,
    pub(super) head: String,
}

#[derive(Debug, Default)]
struct State {
    came: Vec<Came>,
    connections: usize,
    at_work: usize,
    most_at_work: usize,
}

/// The handler; ends with the test.
pub(super) struct Handler {
    address: String,
    state: Arc<Mutex<State>>,
    ended: Arc<AtomicBool>,
}

impl Handler {
    /// Answers the how-manieth delivery (from 1) as `answer` says. Connections are kept open, as far as it is up to it.
    pub(super) fn start(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let (state, ended) =
            (Arc::new(Mutex::new(State::default())), Arc::new(AtomicBool::new(false)));
        let (shared, over, answer) = (state.clone(), ended.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in socket.incoming().map_while(Result::ok) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                shared.lock().unwrap().connections += 1;
                let (state, answer) = (shared.clone(), answer.clone());
                // A client that goes away ends its connection, and that is all.
                thread::spawn(move || drop(serve(&stream, &state, &*answer)));
            }
        });
        Self { address, state, ended }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(super) fn came(&self) -> Vec<Came> {
        self.state.lock().unwrap().came.clone()
    }

    pub(super) fn connections(&self) -> usize {
        self.state.lock().unwrap().connections
    }

    /// The most deliveries that were being answered at one moment.
    pub(super) fn most_at_work(&self) -> usize {
        self.state.lock().unwrap().most_at_work
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // Wakes the loop, which then ends.
        let _ = TcpStream::connect(&self.address);
    }
}

fn serve(
    stream: &TcpStream,
    state: &Mutex<State>,
    answer: &(dyn Fn(usize) -> Answer + Send + Sync),
) -> io::Result<()> {
    let port = stream.peer_addr()?.port();
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.unwrap_or("0").parse().unwrap()];
        reader.read_exact(&mut body)?;
        let nth = {
            let mut state = state.lock().unwrap();
            state.came.push(Came { at: Instant::now(), port, head });
            state.at_work += 1;
            state.most_at_work = state.most_at_work.max(state.at_work);
            state.came.len()
        };
        let (status, more) = match answer(nth) {
            Answer::Status(status) => (status, String::new()),
            Answer::Redirect(status, to) => (status, format!("Location: {to}\r\n")),
            Answer::After(time, status) => {
                thread::sleep(time);
                (status, String::new())
            }
        };
        state.lock().unwrap().at_work -= 1;
        let length = if matches!(status, 204 | 304) { "" } else { "Content-Length: 0\r\n" };
        (&mut &*stream)
            .write_all(format!("HTTP/1.1 {status} X\r\n{more}{length}\r\n").as_bytes())?;
    }
}
