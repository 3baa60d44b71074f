//! A plan as a `hooktwice fire` command.

use super::{fed, shell_word};
use crate::{
    firing::Plan,
    model::{Protocol, Release, Signing},
};
use std::path::Path;

/// The `hooktwice fire` command that does what a plan says. The secret is named by an environment variable, never
/// written out.
pub fn fire_command(plan: &Plan, delivery: Option<i64>, data_folder: &Path) -> String {
    let mut command = format!("hooktwice fire --url {}", shell_word(&plan.url));
    match delivery {
        Some(seq) => {
            let folder = data_folder.display().to_string();
            command += &format!(" --delivery {seq} --data-dir {}", shell_word(&folder));
        }
        None => command += " --body-file -",
    }
    if plan.copies != 1 {
        command += &format!(" --copies {}", plan.copies);
    }
    match plan.release {
        Release::Together => {}
        Release::Sequential => command += " --release sequential",
        Release::Gap { ms } => command += &format!(" --release gap={ms}ms"),
    }
    match plan.signing {
        Signing::Each => command += " --secret-env SUME_WEBHOOK_SECRET",
        Signing::Once => command += " --sign once --secret-env SUME_WEBHOOK_SECRET",
        Signing::Verbatim => command += " --sign verbatim",
    }
    match plan.protocol {
        Protocol::Auto => {}
        Protocol::Http1 => command += " --http 1",
        Protocol::Http2 => command += " --http 2",
    }
    if plan.timeout.as_millis() != 10_000 {
        command += &format!(" --timeout {}ms", plan.timeout.as_millis());
    }
    for host in &plan.allow_hosts {
        command += &format!(" --allow-host {}", shell_word(host));
    }
    if delivery.is_some() { command } else { fed(&plan.body, &command) }
}
