//! `hooktwice listen --tunnel`: the listener as it is reached from outside.

use crate::{
    exit::{Failure, Result},
    output::Output,
    terminal,
};
use clap::Args;
use hooktwice_engine::{
    clock::SystemClock,
    model::{TunnelPreset, TunnelSettings, TunnelState},
    proof::Proofs,
    tunnel::{Ground, HttpProver, Local, Plan, TokioSpawner, Tunnel},
};
use serde::Serialize;
use std::{net::SocketAddr, sync::Arc};
use tokio::sync::watch;

/// What `--tunnel` takes.
const PRESETS: &str =
    "cloudflared, ngrok, bore, bore=HOST, localhost.run, serveo, ssh=USER@HOST or command";

#[derive(Debug, Clone, Args)]
pub(crate) struct TunnelArgs {
    /// Make this listener reachable from outside: cloudflared, ngrok, bore[=HOST], localhost.run, serveo, ssh=USER@HOST,
    /// or command
    #[arg(long, value_name = "PRESET", value_parser = preset)]
    tunnel: Option<Wanted>,

    /// With `--tunnel command`: what a shell runs; {port} and {url} are this listener's [default: as set in the window]
    #[arg(long, value_name = "CMD", requires = "tunnel")]
    tunnel_command: Option<String>,

    /// With `--tunnel command`: a regular expression; its first group, or else all that it matches, is the public URL
    #[arg(long, value_name = "RE", requires = "tunnel")]
    tunnel_pattern: Option<String>,
}

/// A preset, and the server that was named with it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    preset: TunnelPreset,
    server: Option<String>,
}

fn preset(text: &str) -> Result<Wanted, String> {
    let (name, server) = match text.split_once('=') {
        Some((name, server)) => (name, Some(server.to_owned())),
        None => (text, None),
    };
    let preset = match name {
        "cloudflared" => TunnelPreset::Cloudflared,
        "ngrok" => TunnelPreset::Ngrok,
        "bore" => TunnelPreset::Bore,
        "localhost.run" => TunnelPreset::LocalhostRun,
        "serveo" => TunnelPreset::Serveo,
        "ssh" => TunnelPreset::Ssh,
        "command" => TunnelPreset::Command,
        _ => return Err(format!("there is no tunnel {name:?}; give {PRESETS}")),
    };
    match (preset, &server) {
        (TunnelPreset::Ssh, None) => Err("ssh wants a host: give ssh=USER@HOST".into()),
        (TunnelPreset::Bore | TunnelPreset::Ssh, _) | (_, None) => Ok(Wanted { preset, server }),
        (_, Some(_)) => Err(format!("{name} takes no server; give {name} alone")),
    }
}

impl TunnelArgs {
    /// How the tunnel is to be run, if one is wanted; its program is looked for before anything starts.
    pub(crate) fn wanted(&self, set: &TunnelSettings) -> Result<Option<TunnelSettings>> {
        let Some(Wanted { preset, server }) = &self.tunnel else { return Ok(None) };
        let is_command = *preset == TunnelPreset::Command;
        if !is_command && (self.tunnel_command.is_some() || self.tunnel_pattern.is_some()) {
            return Err(Failure::Usage(
                "--tunnel-command and --tunnel-pattern belong to --tunnel command.".into(),
            ));
        }
        // The server of another preset is none of this one's.
        let set_server = if set.preset == *preset { set.server.as_str() } else { "" };
        let settings = TunnelSettings {
            preset: *preset,
            server: server.as_deref().unwrap_or(set_server).to_owned(),
            command: self.tunnel_command.clone().unwrap_or_else(|| set.command.clone()),
            pattern: self.tunnel_pattern.clone().unwrap_or_else(|| set.pattern.clone()),
            ..set.clone()
        };
        // The port is not known yet, and is not needed for this.
        plan(&settings, SocketAddr::from(([127, 0, 0, 1], 1)))?;
        Ok(Some(settings))
    }
}

fn plan(settings: &TunnelSettings, address: SocketAddr) -> Result<Plan> {
    let plan = Plan::new(settings, Local::of(address)).and_then(Plan::look_for_program);
    plan.map_err(|error| Failure::Engine(error.into()))
}

/// Starts the tunnel that is wanted; what is to be printed of it comes from the second. Without one it is silent.
pub(super) fn start(
    wanted: Option<&TunnelSettings>,
    address: SocketAddr,
    proofs: Proofs,
) -> Result<(Option<Tunnel>, watch::Receiver<TunnelState>)> {
    let (state, seen) = watch::channel(TunnelState::Off);
    let Some(settings) = wanted else { return Ok((None, seen)) };
    let plan = plan(settings, address)?;
    terminal::say(&format!("Starting {}", plan.command()));
    let ground = Ground {
        spawner: Arc::new(TokioSpawner),
        prover: Arc::new(HttpProver::new(proofs)),
        clock: Arc::new(SystemClock),
    };
    Ok((Some(Tunnel::start(plan, ground, state)), seen))
}

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    #[serde(flatten)]
    state: &'a TunnelState,
}

/// Prints where the tunnel is, whenever that is another place: what is only measured again is not.
#[derive(Debug, Default)]
pub(super) struct Printer {
    printed: Option<(&'static str, String)>,
}

impl Printer {
    pub(super) fn print(&mut self, out: &mut Output, state: &TunnelState) -> Result<()> {
        let place = place(state);
        let is_none_yet = self.printed.is_none() && *state == TunnelState::Off;
        if is_none_yet || self.printed.as_ref() == Some(&place) {
            return Ok(());
        }
        self.printed = Some(place);
        if out.is_json() {
            return out.object(&Line { r#type: "tunnel", state });
        }
        match state {
            TunnelState::Live { url, .. } => out.text(format_args!("Tunnel: {url}"))?,
            TunnelState::Waiting { message, lines, .. } => {
                complain(message, lines, "It is started again.");
            }
            TunnelState::Failed { message, lines } => {
                complain(message, lines, "It is not started again.");
            }
            TunnelState::Off | TunnelState::Starting { .. } | TunnelState::Proving { .. } => {}
        }
        Ok(())
    }
}

/// The state's name, and what makes it another one of the same name.
fn place(state: &TunnelState) -> (&'static str, String) {
    match state {
        TunnelState::Off => ("off", String::new()),
        TunnelState::Starting { since, .. } => ("starting", since.clone()),
        TunnelState::Proving { url } => ("proving", url.clone()),
        TunnelState::Live { url, since, .. } => ("live", format!("{url} {since}")),
        TunnelState::Waiting { retry_at, .. } => ("waiting", retry_at.clone()),
        TunnelState::Failed { message, .. } => ("failed", message.clone()),
    }
}

/// The last few lines are enough on a terminal.
fn complain(message: &str, lines: &[String], then: &str) {
    let last = lines.len().saturating_sub(5);
    let said: String = lines[last..].iter().map(|line| format!("\n    {line}")).collect();
    terminal::say(&format!("The tunnel is down: {message} {then}{said}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_read_with_their_servers() {
        let read = |text| preset(text).map(|wanted| (wanted.preset, wanted.server));
        assert_eq!(read("bore"), Ok((TunnelPreset::Bore, None)));
        assert_eq!(read("bore=::1"), Ok((TunnelPreset::Bore, Some("::1".into()))));
        assert_eq!(read("ssh=me@h"), Ok((TunnelPreset::Ssh, Some("me@h".into()))));
        assert_eq!(read("localhost.run"), Ok((TunnelPreset::LocalhostRun, None)));
        for (text, why) in
            [("ssh", "ssh=USER@HOST"), ("ngrok=h", "takes no server"), ("x", "there is no tunnel")]
        {
            assert!(read(text).unwrap_err().contains(why), "{text}");
        }
    }
}
