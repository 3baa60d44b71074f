//! One volley, by each of those that can fire one.

use super::{Bench, process, tools::Tools};
use anyhow::Context as _;
use std::{fs, path::Path, process::Command};

/// Who fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    Hooktwice,
    Curl,
    Oha,
    Hey,
    /// A plain loop over connections that each owe their last byte.
    LastByte,
}

impl Sender {
    /// The tools that a person would otherwise take; the best of them is the yardstick.
    pub(super) const PUBLIC: [Self; 3] = [Self::Curl, Self::Oha, Self::Hey];

    /// As in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hooktwice => "hooktwice",
            Self::Curl => "curl -Z",
            Self::Oha => "oha",
            Self::Hey => "hey",
            Self::LastByte => "plain last byte",
        }
    }
}

/// What is fired.
pub(super) struct Volley<'a> {
    pub(super) url: &'a str,
    pub(super) job_id: &'a str,
    pub(super) copies: usize,
}

impl Volley<'_> {
    /// Fires and waits until every copy has its answer.
    pub(super) fn fire(&self, sender: Sender, bench: &Bench, tools: &Tools) -> anyhow::Result<()> {
        let body = bench.folder.path().join("body.json");
        let event = serde_json::json!({
            "event": "job.completed",
            "job_id": self.job_id,
            "status": "completed",
            "status_url": format!("https://api.sume.com/v1/jobs/{}/status", self.job_id),
        });
        fs::write(&body, event.to_string())?;
        process::run(&mut self.command(sender, bench, tools, &body)?)
            .with_context(|| format!("{} could not fire", sender.name()))
    }

    fn command(
        &self,
        sender: Sender,
        bench: &Bench,
        tools: &Tools,
        body: &Path,
    ) -> anyhow::Result<Command> {
        let copies = self.copies.to_string();
        let mut command;
        match sender {
            Sender::Hooktwice => {
                command = bench.command(&bench.hooktwice);
                command.args([
                    "fire",
                    "--json",
                    "--release",
                    "together",
                    "--secret-env",
                    "HOOK_SECRET",
                ]);
                command.args(["--url", self.url, "--copies", &copies]).arg("--body-file").arg(body);
                command.arg("--data-dir").arg(bench.folder.path().join("fire"));
            }
            Sender::LastByte => {
                command = bench.command(&bench.yardstick);
                command
                    .args(["last-byte", "--url", self.url, "--copies", &copies])
                    .arg("--body-file")
                    .arg(body);
            }
            Sender::Curl => {
                command = bench.command("curl");
                command.args([
                    "--silent",
                    "--show-error",
                    "--noproxy",
                    "*",
                    "--output",
                    "/dev/null",
                ]);
                command.args(["--parallel", "--parallel-immediate", "--parallel-max", &copies]);
                command.arg("--data-binary").arg(format!("@{}", body.display()));
                command.args(["-H", "Content-Type: application/json"]);
                sign(&mut command, bench, body)?;
                command.arg(format!("{}?copy=[1-{copies}]", self.url));
            }
            Sender::Oha => {
                command = bench.command(&tools.oha);
                command.args([
                    "--no-tui",
                    "-n",
                    &copies,
                    "-c",
                    &copies,
                    "-m",
                    "POST",
                    "-T",
                    "application/json",
                    "-D",
                ]);
                command.arg(body);
                sign(&mut command, bench, body)?;
                command.arg(self.url);
            }
            Sender::Hey => {
                command = bench.command("hey");
                command
                    .args([
                        "-n",
                        &copies,
                        "-c",
                        &copies,
                        "-m",
                        "POST",
                        "-T",
                        "application/json",
                        "-D",
                    ])
                    .arg(body);
                sign(&mut command, bench, body)?;
                command.arg(self.url);
            }
        }
        Ok(command)
    }
}

/// Gives a tool that cannot sign the headers that it has to send.
fn sign(command: &mut Command, bench: &Bench, body: &Path) -> anyhow::Result<()> {
    let signed =
        process::json(bench.command(&bench.yardstick).args(["sign", "--body-file"]).arg(body))?;
    let headers = signed["headers"].as_array().context("the yardstick did not sign")?;
    for header in headers {
        let (name, value) = (header[0].as_str(), header[1].as_str());
        command.arg("-H").arg(format!(
            "{}: {}",
            name.unwrap_or_default(),
            value.unwrap_or_default()
        ));
    }
    Ok(())
}
