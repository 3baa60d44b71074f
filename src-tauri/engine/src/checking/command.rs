//! The commands that a report shows: the whole check again, or one finding.

use super::{bench::Bench, template::Spelling};
use crate::{
    export::{fed, shell_word},
    model::{CheckSpec, ProbeSpec, ScenarioId},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// The `hooktwice check` command that does what a spec says.
pub fn command(spec: &CheckSpec, scheme: &str, secret_words: &[String]) -> String {
    let mut words: Vec<String> = vec!["hooktwice".into(), "check".into()];
    let mut add = |flag: &str, value: &str| {
        words.push(flag.to_owned());
        words.push(shell_word(value).into_owned());
    };
    let usual = CheckSpec::default();
    for url in &spec.urls {
        add("--url", url);
    }
    if spec.body_base64.is_some() {
        add("--body-file", "-");
    }
    if spec.id_pointer != usual.id_pointer {
        add("--id-pointer", &spec.id_pointer);
    }
    // Always: without it the scheme that is set where the command is run would be taken.
    add("--scheme", scheme);
    if let [flag, name] = secret_words {
        add(flag, name);
    }
    for effect in &spec.effects {
        match effect {
            ProbeSpec::Sql { database, query } => {
                add("--effect-sql", database);
                add("--effect-query", query);
            }
            ProbeSpec::Url { url, pointer } => {
                add("--effect-url", url);
                add("--effect-pointer", pointer);
            }
            ProbeSpec::Command { command } => add("--effect-command", command),
            ProbeSpec::Log { file, pattern } => {
                add("--effect-log", file);
                add("--effect-pattern", pattern);
            }
            ProbeSpec::Canary { pointer } => add("--effect-canary", pointer),
        }
    }
    if let Some(command) = &spec.start_command {
        add("--start-command", command);
    }
    if spec.copies != usual.copies {
        add("--copies", &spec.copies.to_string());
    }
    for (flag, value, usual) in [
        ("--race-budget", spec.race_budget_ms, usual.race_budget_ms),
        ("--settle", spec.settle_ms, usual.settle_ms),
        ("--timeout", spec.timeout_ms, usual.timeout_ms),
    ] {
        if value != usual {
            add(flag, &format!("{value}ms"));
        }
    }
    if !spec.only.is_empty() {
        add("--only", &spec.only.join(","));
    }
    if !spec.skip.is_empty() {
        add("--skip", &spec.skip.join(","));
    }
    if let Some(seed) = spec.seed {
        add("--seed", &seed.to_string());
    }
    for host in &spec.allow_hosts {
        add("--allow-host", host);
    }
    if !spec.canary {
        words.push("--no-canary".into());
    }
    let command = words.join(" ");
    let Some(body) = &spec.body_base64 else { return command };
    match STANDARD.decode(body) {
        Ok(body) => fed(&body, &command),
        // No check ran with it: the command shows what was given.
        Err(_) => format!("printf %s {body} | base64 -d | {command}"),
    }
}

/// The command that shows one finding again: a firing where one can show it, else that scenario alone. Either uses
/// a fresh id each time.
pub(super) fn again(bench: &Bench, id: ScenarioId, fire: Option<(u32, Option<f64>)>) -> String {
    match fire {
        // The artifact is served only while a check runs.
        Some((copies, gap)) if !bench.fetches_artifact() => firing(bench, copies, gap),
        _ => {
            let only = match id {
                ScenarioId::FirstDelivery => vec![],
                id => vec![id.as_str().to_owned()],
            };
            let spec = CheckSpec { only, skip: Vec::new(), ..bench.spec.clone() };
            command(&spec, bench.signer.scheme.name(), &bench.secret_words)
        }
    }
}

fn firing(bench: &Bench, copies: u32, gap: Option<f64>) -> String {
    let mut command = format!("hooktwice fire --url {}", shell_word(bench.url()));
    if copies > 1 {
        command += &format!(" --copies {copies}");
    }
    if let Some(gap) = gap {
        command += &format!(" --release gap={}us", (gap * 1e3).round());
    }
    command += &format!(" --scheme {}", bench.signer.scheme.name());
    if let [flag, name] = &bench.secret_words[..] {
        command += &format!(" {flag} {}", shell_word(name));
    }
    for host in &bench.spec.allow_hosts {
        command += &format!(" --allow-host {}", shell_word(host));
    }
    let mark = "job_again";
    let body = bench.template.fill(mark, None, Spelling::Escaped);
    if let Some(event) = bench.event_header(&body) {
        let (name, value) = (event.name.escape_ascii(), String::from_utf8_lossy(&event.value));
        command += &format!(" --header {}", shell_word(&format!("{name}: {value}")));
    }
    // A here-document, in which the shell puts a fresh id: the id of a check is used up.
    let text = String::from_utf8_lossy(&body);
    let quoted = text.replace('\\', "\\\\").replace('$', "\\$").replace('`', "\\`");
    let fresh = quoted.replacen(mark, &format!("{mark}_$(date +%s%N)"), 1);
    format!("{command} --body-file - <<EOF\n{fresh}\nEOF")
}
