//! `hooktwice doctor`: what is configured, what is missing, and how to get it.

mod checks;
mod tools;

use crate::{
    cli::Global,
    exit::{Exit, Result},
    output::Output,
};
use clap::Args;
use serde::Serialize;

/// Say what is configured, what is missing, and how to get it
///
/// Exits 1 when something that is needed does not work; what is optional may be missing.
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// Optional, and not here.
    Missing,
    /// Needed, and not working.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "check")]
struct Check {
    name: &'static str,
    state: State,
    /// What was found, as a sentence or a value.
    detail: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: State::Ok, detail: detail.into(), advice: None }
    }

    fn missing(name: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Missing, detail: detail.into(), advice: Some(advice.into()) }
    }

    fn problem(name: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Problem, detail: detail.into(), advice: Some(advice.into()) }
    }

    fn in_words(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Missing => "missing",
            State::Problem => "PROBLEM",
        };
        let mut text = format!("{state:<8} {:<14} {}", self.name, self.detail);
        if let Some(advice) = &self.advice {
            text.push_str(&format!("\n{:24}{advice}", ""));
        }
        text
    }
}

impl Doctor {
    pub(crate) async fn run(self, global: &Global, mut out: Output) -> Result {
        let mut checks = vec![Check::ok("version", env!("CARGO_PKG_VERSION"))];
        match global.data_folder() {
            Ok(folder) => checks.extend(checks::folder(&folder).await),
            Err(failure) => {
                checks.push(Check::problem("data-folder", failure.in_words(), "Give --data-dir."));
            }
        }
        checks.extend(checks::machine().await);
        checks.extend(tools::look());
        for check in &checks {
            out.either(check, check.in_words())?;
        }
        out.flush()?;
        let broken = checks.iter().any(|check| check.state == State::Problem);
        Ok(if broken { Exit::No } else { Exit::Done })
    }
}
