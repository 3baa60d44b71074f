//! The public tools that volleys are measured beside, brought where they are missing.

use crate::{run, setup};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

/// Where the tools are; curl and hey are on the path.
pub(super) struct Tools {
    pub(super) oha: PathBuf,
}

/// Finds them, or installs them: curl and hey from Debian, oha from its crate into `target/tools`.
pub(super) fn bring() -> anyhow::Result<Tools> {
    setup::packages(&["curl", "hey"])?;
    let folder = run::root().join("target/tools");
    let oha = folder.join("bin/oha");
    if !oha.exists() {
        println!("Building oha into {}, which takes some minutes …", folder.display());
        let mut install = Command::new("cargo");
        install.args(["install", "oha", "--locked", "--root"]).arg(&folder).stdin(Stdio::null());
        run::run(install)?;
    }
    Ok(Tools { oha })
}
