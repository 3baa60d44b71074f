//! The handler's life where we start it: started, ended, started again, and its ports watched meanwhile.

mod door;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use super::error::CheckError;
use crate::process::{KEPT_OUTPUT, ProcessGroup};
use door::{Door, Knock};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long the pause between two looks at a port is.
const PAUSE: Duration = Duration::from_millis(20);
/// How many lines of the handler's output an error shows.
const SHOWN_LINES: usize = 12;
/// How much of such a line, in characters.
const SHOWN_WIDTH: usize = 300;
/// What parts the output of two starts.
const AGAIN: &str = "— started again —\n";

/// How a handler is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is asked to (SIGTERM), and killed where it does not in time.
    Term,
    /// Without a word (SIGKILL).
    Kill,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// From the start until every port takes a connection.
    up: Duration,
    /// From SIGTERM until the last process is gone.
    grace: Duration,
    /// From there until the port refuses.
    down: Duration,
}

impl Limits {
    const USUAL: Self = Self {
        up: Duration::from_secs(60),
        grace: Duration::from_secs(5),
        down: Duration::from_secs(10),
    };
}

/// A handler that we started. Dropped, it is killed with all of its children.
#[derive(Debug)]
pub(super) struct Handler {
    command: String,
    first: Door,
    others: Vec<Door>,
    group: ProcessGroup,
    /// What the starts before this one wrote.
    past: String,
    limits: Limits,
}

impl Handler {
    /// Starts it and waits until the port of every URL takes a connection. The first URL's port has to be free.
    ///
    /// # Errors
    /// When the port is taken, or the handler ends or does not come up within a minute. Nothing of it is left then.
    pub(super) async fn start(command: &str, urls: &[String]) -> Result<Self, CheckError> {
        Self::start_within(command, urls, Limits::USUAL).await
    }

    async fn start_within(
        command: &str,
        urls: &[String],
        limits: Limits,
    ) -> Result<Self, CheckError> {
        let mut doors = urls.iter().map(|url| Door::of(url));
        let Some(first) = doors.next().transpose()? else {
            return Err(CheckError::Input(
                "There is no URL to start a handler for; give one with --url.".into(),
            ));
        };
        let others = doors.collect::<Result<_, _>>()?;
        let there = match first.knock().await {
            Knock::Refused => None,
            Knock::Open => Some("something listens there already"),
            Knock::Silent => Some("something there neither takes a connection nor refuses it"),
        };
        if let Some(there) = there {
            return Err(CheckError::Start(format!(
                "The port of {first} is taken: {there}. The start command was not run. End what listens there, give \
                 another port to the handler and to --url, or leave --start-command away to check what runs there now."
            )));
        }
        let group = launch(command)?;
        let command = command.to_owned();
        let mut handler = Self { command, first, others, group, past: String::new(), limits };
        handler.come_up().await?;
        Ok(handler)
    }

    /// Ends it with all of its children, and waits until the first URL's port refuses. Where it has ended already, only
    /// the port is looked at.
    ///
    /// # Errors
    /// When something of it cannot be ended, or something else listens on its port.
    pub(super) async fn stop(&mut self, how: Stop) -> Result<(), CheckError> {
        let ended = match how {
            Stop::Term => self.group.end(self.limits.grace).await,
            Stop::Kill => self.group.kill().await,
        };
        ended.map_err(|error| {
            CheckError::Machine(format!(
                "The handler that was started could not be ended: {error}. End it by hand; a start command that changes \
                 the user (sudo, su) cannot be ended from here."
            ))
        })?;
        let begun = Instant::now();
        while self.first.knock().await != Knock::Refused {
            if begun.elapsed() >= self.limits.down {
                return Err(CheckError::Machine(format!(
                    "{} still takes connections {} s after the start command and all of its children were ended: \
                     something outside of its process group listens there, such as a daemon or a container. Give a \
                     start command that keeps the handler in the foreground.",
                    self.first,
                    self.limits.down.as_secs()
                )));
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Starts the same command again and waits as the first time. What still runs is killed before.
    ///
    /// # Errors
    /// As for [`Self::start`] and [`Self::stop`].
    pub(super) async fn start_again(&mut self) -> Result<(), CheckError> {
        self.stop(Stop::Kill).await?;
        let mut past = self.output();
        if !past.is_empty() && !past.ends_with('\n') {
            past.push('\n');
        }
        past.push_str(AGAIN);
        self.group = launch(&self.command)?;
        self.past = past;
        self.come_up().await
    }

    /// The end of what all starts wrote, in their order, at most [`KEPT_OUTPUT`] bytes.
    pub(super) fn output(&self) -> String {
        let mut text = self.past.clone();
        text.push_str(&self.group.output());
        let cut = text.ceil_char_boundary(text.len().saturating_sub(KEPT_OUTPUT));
        text.drain(..cut);
        text
    }

    /// Waits until every port takes a connection; ends what was started where they never do.
    async fn come_up(&mut self) -> Result<(), CheckError> {
        let Err(what) = self.wait_up().await else { return Ok(()) };
        if let Err(error) = self.group.kill().await {
            tracing::warn!(%error, "a handler that did not come up could not be ended");
        }
        let last = last_lines(&self.group.output());
        Err(CheckError::Start(format!("{what} {last}")))
    }

    async fn wait_up(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        let doors: Vec<&Door> = std::iter::once(&self.first).chain(&self.others).collect();
        let mut closed = doors.into_iter().peekable();
        loop {
            while let Some(door) = closed.peek()
                && door.knock().await == Knock::Open
            {
                closed.next();
            }
            // After the ports: where it could not have its port, somebody else was quicker and answers there.
            if let Some(how) = self.group.ended() {
                let when = match closed.peek() {
                    Some(door) => format!("before the handler was up at {door}"),
                    None => format!("though {} takes connections", self.first),
                };
                return Err(format!(
                    "The start command ended ({how}) {when}; it has to stay in the foreground for as long as the \
                     handler runs."
                ));
            }
            let Some(door) = closed.peek() else { return Ok(()) };
            if begun.elapsed() >= self.limits.up {
                return Err(format!(
                    "The start command runs, but nothing took a connection at {door} within {} s, and it was ended. \
                     Look whether the handler listens on the host and port that --url names.",
                    self.limits.up.as_secs()
                ));
            }
            sleep(PAUSE).await;
        }
    }
}

/// Whether a connection to a URL's port stands right now, within a second.
pub(super) async fn answers(url: &str) -> bool {
    match Door::of(url) {
        Ok(door) => door.knock().await == Knock::Open,
        Err(_) => false,
    }
}

fn launch(command: &str) -> Result<ProcessGroup, CheckError> {
    ProcessGroup::start(command).map_err(|error| {
        CheckError::Machine(format!("No shell could be started for the start command: {error}."))
    })
}

/// The end of an output, for an error.
fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return "It wrote nothing.".into();
    }
    let mut text = String::from("The last that it wrote:");
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        text.push_str("\n    ");
        text.extend(line.trim_end().chars().take(SHOWN_WIDTH));
    }
    text
}
