//! Programs that are started for a measurement, and end with it.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
};

/// A server that runs until it is dropped.
pub(super) struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`, as its first line says.
    pub(super) url: String,
    /// Kept open, since a server whose output is closed may end.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it and waits for the line with its URL.
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = start(command.stdout(Stdio::piped()))?;
        let mut output = BufReader::new(child.stdout.take().context("the server has no output")?);
        let mut line = String::new();
        let read = output.read_line(&mut line);
        // From here on it is ended whatever happens.
        let mut server = Self { child, url: String::new(), _output: output };
        read?;
        let from = line
            .find("http://")
            .with_context(|| format!("{command:?} did not say where it listens: {line:?}"))?;
        server.url = line[from..].chars().take_while(|c| !c.is_whitespace() && *c != '"').collect();
        Ok(server)
    }

    /// What it has taken of the processor so far, in the kernel's ticks.
    pub(super) fn processor_time(&self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))?;
        // The name before it may hold anything, even a bracket.
        let fields: Vec<&str> =
            stat.rsplit_once(") ").map_or(&*stat, |(_, rest)| rest).split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        ticks(11)
            .zip(ticks(12))
            .map(|(user, system)| user + system)
            .context("no processor time is told")
    }

    /// Ends it as a person does, so that it closes what it has open.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        ended(&mut self.child)
    }
}

/// Asks a program to end (SIGTERM), and waits until it has.
pub(super) fn ended(child: &mut Child) -> anyhow::Result<()> {
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    ensure!(asked.success(), "a program could not be asked to end");
    child.wait()?;
    Ok(())
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a program to its end and throws its output away.
pub(super) fn run(command: &mut Command) -> anyhow::Result<()> {
    output(command).map(drop)
}

/// Runs a program to its end and reads its output as JSON.
pub(super) fn json(command: &mut Command) -> anyhow::Result<Value> {
    let bytes = output(command)?;
    serde_json::from_slice(&bytes).with_context(|| format!("{command:?} did not print JSON"))
}

/// Asks a server of this machine.
pub(super) fn get(url: &str) -> anyhow::Result<Value> {
    json(Command::new("curl").args(["--silent", "--show-error", "--fail", "--noproxy", "*", url]))
}

fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let output = child.wait_with_output()?;
    ensure!(
        output.status.success(),
        "{command:?} failed ({}): {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}

/// Starts a program with nothing to read.
pub(super) fn start(command: &mut Command) -> anyhow::Result<Child> {
    command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("{command:?} could not be started"))
}
