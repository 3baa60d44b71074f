//! The programs that make tunnels: whether they are here, and how to get them.

use std::{
    env,
    path::{Path, PathBuf},
};

/// A program that somebody else makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// As it is typed.
    pub name: &'static str,
    linux: &'static str,
    macos: &'static str,
    windows: &'static str,
}

/// Every program of the presets.
pub const PROGRAMS: [Program; 4] = [CLOUDFLARED, NGROK, BORE, SSH];

pub(super) const CLOUDFLARED: Program = Program {
    name: "cloudflared",
    linux: "Get the package for your system from https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/. No account is needed.",
    macos: "Get it with: brew install cloudflared. No account is needed.",
    windows: "Get it with: winget install --id Cloudflare.cloudflared. No account is needed.",
};

pub(super) const NGROK: Program = Program {
    name: "ngrok",
    linux: "Get it from https://ngrok.com/download, then once: ngrok config add-authtoken TOKEN (of your account).",
    macos: "Get it with: brew install ngrok, then once: ngrok config add-authtoken TOKEN (of your account).",
    windows: "Get it with: winget install --id Ngrok.Ngrok, then once: ngrok config add-authtoken TOKEN (of your account).",
};

pub(super) const BORE: Program = Program {
    name: "bore",
    linux: "Get it with: cargo install bore-cli --locked, or from https://github.com/ekzhang/bore/releases.",
    macos: "Get it with: brew install bore-cli.",
    windows: "Get it with: cargo install bore-cli --locked, or from https://github.com/ekzhang/bore/releases.",
};

pub(super) const SSH: Program = Program {
    name: "ssh",
    linux: "Get it with: sudo apt install openssh-client, or your system's like.",
    macos: "It is part of macOS: see that /usr/bin is on the PATH.",
    windows: "Get it in Settings, System, Optional features: OpenSSH Client.",
};

impl Program {
    /// How to get it on this system, as sentences.
    pub fn how_to_get(&self) -> &'static str {
        if cfg!(target_os = "macos") {
            self.macos
        } else if cfg!(windows) {
            self.windows
        } else {
            self.linux
        }
    }
}

/// Where a program stands on the PATH, as the system would find it.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|file| can_run(file))
}

#[cfg(unix)]
fn can_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_run(file: &Path) -> bool {
    file.is_file()
}
