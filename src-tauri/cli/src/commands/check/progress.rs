//! What a check does at this moment, on the last line of a person's terminal.

use super::style::width_of_terminal;
use crate::people;
use hooktwice_engine::model::{ScenarioId, ScenarioReport};
use std::io::{self, IsTerminal as _, Write as _};

/// A line on stderr that is written over and leaves nothing behind. Where stderr is no terminal there is none.
#[derive(Debug)]
pub(super) struct Progress {
    shown: bool,
    /// Whose it is, and what it says.
    line: Option<(ScenarioId, String)>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { shown: io::stderr().is_terminal(), line: None }
    }

    /// A scenario came further.
    pub(super) fn at(&mut self, scenario: &ScenarioReport, done: usize, of: usize) {
        if self.shown {
            let line = line(scenario, done, of, width_of_terminal());
            self.line = Some((scenario.id, line));
            self.show();
        }
    }

    /// A scenario came to its end, and is nothing that happens any more.
    pub(super) fn done(&mut self, id: ScenarioId) {
        if self.line.as_ref().is_some_and(|(shown, _)| *shown == id) {
            self.end();
        }
    }

    /// Takes the line away, so that something else can be written there.
    pub(super) fn clear(&self) {
        if self.line.is_some() {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
        }
    }

    /// Puts the line back.
    pub(super) fn show(&self) {
        if let Some((_, line)) = &self.line {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{line}");
        }
    }

    /// Takes it away for good.
    pub(super) fn end(&mut self) {
        self.clear();
        self.line = None;
    }
}

/// A column short of the width: a full one would scroll in some terminals.
fn line(scenario: &ScenarioReport, done: usize, of: usize, width: usize) -> String {
    let (id, reason) = (scenario.id.as_str(), people::clean(&scenario.reason));
    let text = format!("[{done}/{of}] {id}: {reason}");
    text.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::ending::tests::scenario, *};
    #[test]
    fn the_line_fits() {
        let mut scenario = scenario(ScenarioId::Retry, None);
        scenario.reason = "waits for the \u{1b} effect".into();
        assert_eq!(line(&scenario, 1, 21, 80), "[1/21] retry: waits for the \\u{1b} effect");
        assert_eq!(line(&scenario, 1, 21, 12), "[1/21] retr");
    }
}
