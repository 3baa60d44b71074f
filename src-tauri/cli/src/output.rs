//! Stdout: one JSON object a line for programs, text for people, never both.

use crate::exit::Result;
use serde::Serialize;
use std::{
    fmt,
    io::{self, BufWriter, Stdout, Write as _},
};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

/// Where a command's answer goes.
#[derive(Debug)]
pub(crate) struct Output {
    to: BufWriter<Stdout>,
    json: bool,
}

impl Output {
    /// To stdout; `json` as in `--json`.
    pub(crate) fn new(json: bool) -> Self {
        Self { to: BufWriter::new(io::stdout()), json }
    }

    /// Whether programs read this.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// One object on a line, for programs.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.to, object).map_err(io::Error::from)?;
        Ok(self.to.write_all(b"\n")?)
    }

    /// Text with a line end, for people.
    pub(crate) fn text(&mut self, text: impl fmt::Display) -> Result<()> {
        Ok(writeln!(self.to, "{text}")?)
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.to.write_all(bytes)?)
    }

    /// The object for programs, or the text for people.
    pub(crate) fn either(
        &mut self,
        object: &impl Serialize,
        text: impl fmt::Display,
    ) -> Result<()> {
        if self.json { self.object(object) } else { self.text(text) }
    }

    /// Hands everything over: after each line where somebody waits for it, and at the end.
    pub(crate) fn flush(&mut self) -> Result<()> {
        Ok(self.to.flush()?)
    }
}

/// Prints each thing as it is told. What cannot be printed is a reason to stop what tells it.
pub(crate) async fn as_told<T>(
    mut told: UnboundedReceiver<T>,
    stop: &CancellationToken,
    mut print: impl FnMut(&T) -> Result<()>,
) -> Result<()> {
    while let Some(thing) = told.recv().await {
        if let Err(failure) = print(&thing) {
            stop.cancel();
            return Err(failure);
        }
    }
    Ok(())
}
