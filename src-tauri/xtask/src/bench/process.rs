//! Programs that are started for a measurement, and end with it.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
};

/// A program that ends, whatever it does, when this is dropped.
pub(super) struct Ends(pub(super) Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that runs until it is dropped.
pub(super) struct Server {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only dropped there"))]
    child: Ends,
    /// `http://127.0.0.1:PORT`, as its first line says.
    pub(super) url: String,
    /// Kept open, since a server whose output is closed may end.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it and waits for the line with its URL.
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = Ends(start(command.stdout(Stdio::piped()))?);
        let mut output = BufReader::new(child.0.stdout.take().context("the server has no output")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let from = line
            .find("http://")
            .with_context(|| format!("{command:?} did not say where it listens: {line:?}"))?;
        let url = line[from..].chars().take_while(|c| !c.is_whitespace() && *c != '"').collect();
        Ok(Self { child, url, _output: output })
    }
}

// What only the window's row asks for.
#[cfg(target_os = "linux")]
impl Server {
    /// What it has taken of the processor so far, in the kernel's ticks.
    pub(super) fn processor_time(&self) -> anyhow::Result<u64> {
        let fields = stat(self.child.0.id())?;
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
#[cfg(target_os = "linux")]
pub(super) fn ended(program: &mut Ends) -> anyhow::Result<()> {
    let asked = Command::new("kill").args(["-TERM", &program.0.id().to_string()]).status()?;
    ensure!(asked.success(), "a program could not be asked to end");
    program.0.wait()?;
    Ok(())
}

/// What the kernel tells of a process, from its state on.
#[cfg(target_os = "linux")]
pub(super) fn stat(id: u32) -> anyhow::Result<Vec<String>> {
    let path = format!("/proc/{id}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))?;
    // The name before it may hold anything, even a bracket.
    let fields = stat.rsplit_once(") ").map_or(&*stat, |(_, rest)| rest);
    Ok(fields.split(' ').map(str::to_owned).collect())
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_with_whatever_held_it() {
        let sleeper = Ends(start(Command::new("sleep").arg("60")).unwrap());
        let id = sleeper.0.id();
        assert_eq!(stat(id).unwrap().get(1), Some(&std::process::id().to_string()));
        drop(sleeper);
        assert!(stat(id).is_err());
    }
}
