//! Starts a program, on a leash.

use super::pattern;
use std::{ffi::OsString, fmt, io, path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

/// The hidden word by which this program runs another as its leash: `leash -- PROGRAM ARGS…`.
pub const LEASH: &str = "leash";

/// Lines that wait to be read.
const WAITING: usize = 256;
/// Bytes of a line that are looked at; the rest of it is left out.
const LONGEST: usize = 4096;
/// How long the last lines may take once the program is gone: a process that left its group can hold a stream open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    program: OsString,
    arguments: Vec<String>,
    /// Beside what is inherited.
    environment: Vec<(&'static str, &'static str)>,
    shown: String,
}

impl Invocation {
    pub(super) fn new(program: &str, arguments: &[&str]) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            shown: program.to_owned(),
        }
        .and_all(arguments)
    }

    /// A command line that a shell takes apart.
    pub(super) fn shell(command: &str) -> Self {
        let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        Self { shown: command.to_owned(), ..Self::new(program, &[flag, command]) }
    }

    pub(super) fn and(mut self, argument: &str) -> Self {
        self.shown.push(' ');
        // shlex would quote an equals sign too, which only matters in the first word.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+%".contains(c);
        if !argument.is_empty() && argument.chars().all(is_plain) {
            self.shown.push_str(argument);
        } else {
            // Nothing with a NUL in it gets this far.
            self.shown.push_str(&shlex::try_quote(argument).unwrap_or_default());
        }
        self.arguments.push(argument.to_owned());
        self
    }

    pub(super) fn and_all(self, arguments: &[&str]) -> Self {
        arguments.iter().fold(self, |invocation, argument| invocation.and(argument))
    }

    pub(super) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// What is shown stays as it is typed.
    pub(super) fn found_at(&mut self, path: PathBuf) {
        self.program = path.into();
    }

    /// The arguments of this program that run it on a leash.
    pub fn leashed(&self) -> Vec<OsString> {
        let mut words = vec![LEASH.into(), "--".into(), self.program.clone()];
        words.extend(self.arguments.iter().map(Into::into));
        words
    }

    /// What its environment has beside ours.
    pub fn environment(&self) -> &[(&'static str, &'static str)] {
        &self.environment
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// What a started program has to say, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A line of stdout or stderr, without colours.
    Line(String),
    /// It is gone: `exit code 1`, `signal 9`. Nothing comes after it.
    Ended(String),
}

impl Output {
    /// A line as it came.
    pub fn line(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(LONGEST)];
        Self::Line(pattern::plain(&String::from_utf8_lossy(bytes)))
    }

    /// How it ended.
    pub fn ended(code: Option<i32>, signal: Option<i32>) -> Self {
        Self::Ended(match (code, signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "for a reason that the system did not tell".into(),
        })
    }
}

/// A program that was started.
pub struct Started {
    /// The number of its process group, which is its leash's.
    pub group: u32,
    /// What it says.
    pub output: mpsc::Receiver<Output>,
    /// The other end of its leash's standard input. Dropped, the leash ends the group.
    pub hold: Box<dyn Send + Sync>,
}

impl fmt::Debug for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Started").field("group", &self.group).finish_non_exhaustive()
    }
}

/// Starts programs.
pub trait Spawner: Send + Sync + fmt::Debug {
    /// Starts one on a leash, inside of a tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started.
    fn spawn(&self, invocation: &Invocation) -> io::Result<Started>;
}

/// Starts them with tokio, under this program's own leash.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioSpawner;

impl Spawner for TokioSpawner {
    fn spawn(&self, invocation: &Invocation) -> io::Result<Started> {
        let mut leash = Command::new(std::env::current_exe()?);
        leash
            .args(invocation.leashed())
            .envs(invocation.environment().iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        start(leash)
    }
}

/// Starts a leash whose three streams are pipes.
fn start(mut leash: Command) -> io::Result<Started> {
    let mut child = leash.spawn()?;
    let group = child.id().ok_or_else(|| io::Error::other("it has no process id"))?;
    let hold = child.stdin.take();
    let (tell, output) = mpsc::channel(WAITING);
    let mut readers = JoinSet::new();
    if let Some(stdout) = child.stdout.take() {
        readers.spawn(lines(stdout, tell.clone()));
    }
    if let Some(stderr) = child.stderr.take() {
        readers.spawn(lines(stderr, tell.clone()));
    }
    tokio::spawn(wait(child, readers, tell));
    Ok(Started { group, output, hold: Box::new(hold) })
}

async fn wait(mut child: Child, mut readers: JoinSet<()>, tell: mpsc::Sender<Output>) {
    let ended = child.wait().await;
    let read = async { while readers.join_next().await.is_some() {} };
    if timeout(LAST_WORDS, read).await.is_err() {
        tracing::debug!("a tunnel's output is still open in a process that left its group");
    }
    let ended = match ended {
        Ok(status) => Output::ended(status.code(), signal(status)),
        Err(_) => Output::ended(None, None),
    };
    // Whoever listened may be gone.
    let _ = tell.send(ended).await;
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}

/// Parts a stream into lines, also at a carriage return; a line without an end does not fill the memory.
async fn lines(mut stream: impl AsyncRead + Unpin, tell: mpsc::Sender<Output>) {
    let mut chunk = vec![0; 8192];
    let mut line = Vec::new();
    loop {
        let read = match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        for &byte in &chunk[..read] {
            match byte {
                b'\n' | b'\r' if line.is_empty() => {}
                b'\n' | b'\r' => {
                    if tell.send(Output::line(&line)).await.is_err() {
                        return;
                    }
                    line.clear();
                }
                byte if line.len() < LONGEST => line.push(byte),
                _ => {}
            }
        }
    }
    if !line.is_empty() {
        let _ = tell.send(Output::line(&line)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn said(mut started: Started) -> Vec<Output> {
        let mut said = Vec::new();
        while let Some(output) = started.output.recv().await {
            said.push(output);
        }
        said
    }

    #[tokio::test]
    async fn lines_of_both_streams_come_without_colours_and_with_an_end() {
        let mut command = Command::new("sh");
        let script = r"printf '\033[32mone\033[0m\r\n\n2nd'; sleep 0; printf 'err\n' >&2; exit 3";
        command.args(["-c", script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut said = said(start(command).unwrap()).await;
        assert_eq!(said.pop(), Some(Output::Ended("exit code 3".into())));
        said.sort_by_key(|output| format!("{output:?}"));
        let line = |text: &str| Output::Line(text.into());
        assert_eq!(said, [line("2nd"), line("err"), line("one")]);
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_cut() {
        let mut command = Command::new("sh");
        command.args(["-c", "head -c 100000 /dev/zero | tr '\\0' x; echo; echo end"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let said = said(start(command).unwrap()).await;
        let [Output::Line(long), Output::Line(end), Output::Ended(_)] = &said[..] else {
            panic!("{}", said.len())
        };
        assert_eq!((long.len(), end.as_str()), (LONGEST, "end"));
    }

    #[test]
    fn what_is_leashed_is_one_word_an_argument() {
        let shell = Invocation::shell("echo 'a b' {port}");
        let words: Vec<_> = shell.leashed().into_iter().map(|w| w.into_string().unwrap()).collect();
        assert_eq!(words, ["leash", "--", "sh", "-c", "echo 'a b' {port}"]);
    }
}
