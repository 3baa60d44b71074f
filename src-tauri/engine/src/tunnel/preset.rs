//! What is run for each preset, and what it prints.

#[cfg(test)]
mod tests;

use super::{
    Invocation, TunnelError,
    pattern::Finder,
    program::{self, Program},
    server::Server,
};
use crate::model::{TunnelPreset, TunnelSettings};
use regex::Regex;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// bore's public server.
const BORE_PUB: &str = "bore.pub";

/// Where the listener is reached from this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local(SocketAddr);

impl Local {
    /// Of a listener's address; one that listens on all interfaces is reached by loopback.
    pub fn of(mut address: SocketAddr) -> Self {
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        Self(address)
    }

    /// Of a listener's URL.
    pub fn of_url(url: &str) -> Option<Self> {
        url.strip_prefix("http://")?.parse().ok().map(Self::of)
    }

    pub(super) fn port(self) -> u16 {
        self.0.port()
    }

    /// Without a port, in brackets where it is IPv6.
    pub(super) fn host(self) -> String {
        match self.0.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        }
    }
}

/// How a tunnel is run.
#[derive(Debug, Clone)]
pub struct Plan {
    preset: TunnelPreset,
    pub(super) local: Local,
    pub(super) invocation: Invocation,
    pub(super) finder: Finder,
    /// A line that says that the URL can be asked now, where it is printed before that is so.
    pub(super) ready: Option<Regex>,
    /// What stands in the PATH's place, where it has to be looked for.
    program: Option<Program>,
}

impl Plan {
    /// What the settings ask for.
    ///
    /// # Errors
    /// When they do not make a command.
    pub fn new(settings: &TunnelSettings, local: Local) -> Result<Self, TunnelError> {
        let TunnelSettings { preset, server, command, pattern, .. } = settings;
        let server = server.trim();
        let (host, port) = (local.host(), local.port());
        let mut ready = None;
        let (invocation, finder, program) = match preset {
            TunnelPreset::Cloudflared => {
                // It is asked too early otherwise, and a name that is not there yet is remembered as missing.
                ready = Some(expression("Registered tunnel connection")?);
                (
                    Invocation::new("cloudflared", &["tunnel", "--no-autoupdate", "--url"])
                        .and(&format!("http://{host}:{port}")),
                    Finder::Url(expression(
                        r#"(https://[A-Za-z0-9-]+\.trycloudflare\.com)(?:[\s/|"]|$)"#,
                    )?),
                    program::CLOUDFLARED,
                )
            }
            TunnelPreset::Ngrok => (
                Invocation::new("ngrok", &["http"]).and(&format!("{host}:{port}")).and_all(&[
                    "--log",
                    "stdout",
                    "--log-format",
                    "json",
                ]),
                Finder::Ngrok,
                program::NGROK,
            ),
            TunnelPreset::Bore => {
                let server = if server.is_empty() { BORE_PUB } else { server };
                let server = Server::parse(server, "bore.pub")?;
                if server.user.is_some() || server.port.is_some() {
                    return Err(TunnelError::Unusable(format!(
                        "bore's server is {:?}, and has to be a host alone, as bore.pub: its port is always 7835",
                        settings.server
                    )));
                }
                let bare = |host: &str| host.trim_matches(['[', ']']).to_owned();
                (
                    Invocation::new("bore", &["local"]).and(&port.to_string()).and_all(&[
                        "--local-host",
                        &bare(&host),
                        "--to",
                        &bare(&server.host),
                    ]),
                    Finder::Port(expression(r"listening at \S+:(\d{1,5})\s*$")?, server.host),
                    program::BORE,
                )
            }
            TunnelPreset::LocalhostRun => {
                (
                    ssh(&["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=accept-new"])
                        .and_all(&["-R", &format!("80:{host}:{port}"), "nokey@localhost.run"]),
                    Finder::Url(expression(r"tunneled with tls termination, (https://\S+)")?),
                    program::SSH,
                )
            }
            TunnelPreset::Serveo => (
                // A person without a key is let in by a dialogue without questions, which BatchMode would forbid.
                ssh(&["-o", "PasswordAuthentication=no"])
                    .and_all(&["-o", "StrictHostKeyChecking=accept-new"])
                    .and_all(&["-R", &format!("80:{host}:{port}"), "serveo.net"]),
                Finder::Url(expression(r"Forwarding HTTP traffic from (https?://\S+)")?),
                program::SSH,
            ),
            TunnelPreset::Ssh => {
                let server = Server::parse(server, "me@example.com")?;
                // `Allocated port` is said at this level and above.
                let mut invocation = ssh(&["-N", "-o", "BatchMode=yes", "-o", "LogLevel=INFO"]);
                if let Some(port) = server.port {
                    invocation = invocation.and_all(&["-p", &port.to_string()]);
                }
                let bare = server.host.trim_matches(['[', ']']);
                let whom = match &server.user {
                    Some(user) => format!("{user}@{bare}"),
                    None => bare.to_owned(),
                };
                (
                    // All interfaces of it, where its GatewayPorts allows that; any free port.
                    invocation.and_all(&["-R", &format!("*:0:{host}:{port}"), &whom]),
                    Finder::Port(
                        expression(r"Allocated port (\d{1,5}) for remote forward")?,
                        server.host,
                    ),
                    program::SSH,
                )
            }
            TunnelPreset::Command => {
                if command.trim().is_empty() {
                    return Err(TunnelError::Unusable(
                        "the tunnel's command is empty; give one with {port} or {url} in it, as: lt --port {port}"
                            .into(),
                    ));
                }
                let command = command
                    .replace("{port}", &port.to_string())
                    .replace("{url}", &format!("http://{host}:{port}"));
                return Ok(Self {
                    preset: *preset,
                    local,
                    invocation: Invocation::shell(&command),
                    finder: Finder::of_person(pattern)?,
                    ready,
                    program: None,
                });
            }
        };
        Ok(Self { preset: *preset, local, invocation, finder, ready, program: Some(program) })
    }

    /// The command as it would be typed.
    pub fn command(&self) -> String {
        self.invocation.to_string()
    }

    /// Looks for the program, before anything is started.
    ///
    /// # Errors
    /// When it is not on the PATH, with how to get it.
    pub fn look_for_program(mut self) -> Result<Self, TunnelError> {
        if let Some(program) = self.program {
            let found = program::find(program.name);
            let missing = TunnelError::Missing { name: program.name, how: program.how_to_get() };
            self.invocation.found_at(found.ok_or(missing)?);
        }
        Ok(self)
    }

    /// What a person can do about it, where the last lines tell.
    pub(super) fn advice(&self, lines: &[String]) -> Option<&'static str> {
        let said = |text: &str| lines.iter().any(|line| line.contains(text));
        match self.preset {
            TunnelPreset::Ngrok if said("ERR_NGROK_4018") || said("authtoken") => {
                Some("ngrok wants an account: ngrok config add-authtoken TOKEN, once.")
            }
            TunnelPreset::Ngrok if said("ERR_NGROK_108") => {
                Some("Another ngrok of this account runs: end that one first.")
            }
            TunnelPreset::Cloudflared if said("config.yml") || said("config.yaml") => {
                Some("A quick tunnel wants no config.yml in ~/.cloudflared: move it away.")
            }
            TunnelPreset::Ssh if said("Host key verification failed") => {
                Some("This host's key is not known yet: connect once by hand and accept it.")
            }
            TunnelPreset::LocalhostRun | TunnelPreset::Serveo
                if said("Host key verification failed") =>
            {
                Some("Its key is not the one in ~/.ssh/known_hosts: see whether that is meant.")
            }
            TunnelPreset::Ssh | TunnelPreset::LocalhostRun | TunnelPreset::Serveo
                if said("Permission denied") =>
            {
                Some(
                    "It takes a key of yours, without a password: add one with ssh-keygen and ssh-copy-id.",
                )
            }
            TunnelPreset::Ssh if said("remote port forwarding failed") => {
                Some("The host does not allow it: see AllowTcpForwarding in its sshd_config.")
            }
            TunnelPreset::Ssh => Some(
                "Where the host only listens to itself, GatewayPorts in its sshd_config has to be clientspecified or yes.",
            ),
            _ => None,
        }
    }

    /// Its program, as it is called.
    pub(super) fn name(&self) -> &'static str {
        self.program.map_or("the command", |program| program.name)
    }
}

/// An expression of our own.
fn expression(text: &str) -> Result<Regex, TunnelError> {
    Regex::new(text).map_err(|error| TunnelError::Unusable(error.to_string()))
}

/// What every use of ssh has in common: no terminal, no lingering where the port is not given, an end where the line is
/// dead.
fn ssh(more: &[&str]) -> Invocation {
    Invocation::new("ssh", &["-T", "-o", "ExitOnForwardFailure=yes"])
        .and_all(&["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=2"])
        .and_all(more)
        // Nobody is there to be asked.
        .with("SSH_ASKPASS_REQUIRE", "never")
}
