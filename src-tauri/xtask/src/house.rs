//! The house rules of both languages: who may know whom, how large a file may be, what may not be in the tree.

use crate::run::{command, root};
use anyhow::{Context as _, Result, bail};
use std::fs;

/// A part of the engine and the parts that it may name.
const ENGINE: &[(&str, &[&str])] = &[
    ("model", &["model"]),
    ("clock", &["clock"]),
    ("ids", &["ids"]),
    ("head", &["head", "model"]),
    ("process", &["process"]),
    // What a tunnel asks through the public URL and the listener answers.
    ("proof", &["proof"]),
    // The one place that folds every part's error.
    (
        "error",
        &[
            "checking", "error", "firing", "import", "listener", "secrets", "settings", "signing",
            "store", "sume", "tunnel",
        ],
    ),
    ("paths", &["paths", "error"]),
    ("events", &["events", "model", "error", "clock", "ids", "head"]),
    ("payload", &["payload", "model", "error", "head"]),
    ("secrets", &["secrets", "model", "error"]),
    ("settings", &["settings", "payload", "model", "error"]),
    ("signing", &["signing", "secrets", "head", "model", "error", "clock"]),
    ("store", &["store", "model", "error", "clock", "ids", "head"]),
    ("firing", &["firing", "signing", "model", "error", "clock", "ids", "head"]),
    (
        "listener",
        &[
            // Forwarding is a volley of the stored request.
            "listener", "events", "firing", "payload", "proof", "secrets", "settings", "signing",
            "store", "model", "error", "clock", "ids", "head",
        ],
    ),
    (
        "sume",
        &[
            // An attempt of the schedule is one fired copy.
            "sume", "firing", "secrets", "signing", "store", "model", "error", "clock", "ids",
            "head",
        ],
    ),
    ("tunnel", &["tunnel", "process", "proof", "model", "error", "clock", "ids"]),
    (
        "checking",
        &[
            "checking", "export", "firing", "payload", "process", "secrets", "signing", "model",
            "error", "clock", "ids", "head",
        ],
    ),
    // What is exported is read from the store, what is imported is handed to it.
    ("export", &["export", "firing", "store", "model", "head"]),
    (
        "import",
        &["import", "export", "payload", "signing", "store", "model", "error", "ids", "head"],
    ),
    (
        "demo",
        &[
            "demo", "engine", "events", "firing", "listener", "proof", "secrets", "settings",
            "signing", "store", "model", "error", "clock", "ids", "head",
        ],
    ),
    (
        "engine",
        &[
            "engine", "checking", "events", "export", "firing", "import", "listener", "payload",
            "proof", "secrets", "settings", "signing", "store", "sume", "tunnel", "process",
            "model", "error", "clock", "ids", "head", "paths",
        ],
    ),
    (
        "api",
        &[
            "api", "demo", "engine", "events", "export", "head", "model", "error", "payload",
            "store",
        ],
    ),
];

/// A folder of the pages and the folders that it may import from.
const PAGES: &[(&str, &[&str])] = &[
    ("app", &["app", "features", "ui", "host", "lib", "bindings"]),
    ("features", &["ui", "host", "lib", "bindings"]),
    ("ui", &["ui", "lib", "bindings"]),
    ("host", &["host", "lib", "bindings"]),
    ("lib", &["lib", "bindings"]),
];

/// Lines in a file before it has to be split.
const LONGEST: usize = 600;

pub(crate) fn check() -> Result<()> {
    let files = tracked()?;
    let mut faults = Vec::new();
    for path in &files {
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        if let Some(inside) = path.strip_prefix("src-tauri/engine/src/") {
            engine(path, inside, &text, &mut faults);
        }
        if let Some(inside) = path.strip_prefix("ui/src/") {
            pages(path, inside, &text, &mut faults);
        }
        shape(path, &text, &mut faults);
    }
    if !faults.is_empty() {
        bail!("{} faults:\n  {}", faults.len(), faults.join("\n  "));
    }
    println!("{} files keep the rules", files.len());
    Ok(())
}

/// What git tracks, and what it would add.
fn tracked() -> Result<Vec<String>> {
    let output =
        command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]).output();
    let output = output.context("git cannot be started")?;
    if !output.status.success() {
        bail!("git does not list the files: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// Everything but tests: a test may stand on any part.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn engine(path: &str, inside: &str, text: &str, faults: &mut Vec<String>) {
    let part = inside.split(['/', '.']).next().unwrap_or_default();
    if part == "lib" {
        return;
    }
    let Some((_, may_know)) = ENGINE.iter().find(|(name, _)| *name == part) else {
        faults.push(format!("{path}: {part} has no rule in xtask's house.rs"));
        return;
    };
    let code = without_tests(text);
    for known in crate_names(code) {
        let is_part = ENGINE.iter().any(|(name, _)| *name == known);
        if is_part && !may_know.contains(&known.as_str()) {
            faults.push(format!("{path}: {part} may not know {known}"));
        }
    }
    for foreign in ["tauri", "clap"] {
        if code.contains(&format!("use {foreign}")) || code.contains(&format!(" {foreign}::")) {
            faults.push(format!("{path}: the engine may not know {foreign}"));
        }
    }
}

/// The parts that are named after `crate::`, also in braces: `use crate::{model::Delivery, store};`.
fn crate_names(code: &str) -> Vec<String> {
    let word = |text: &str| {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let mut names = Vec::new();
    for (start, marker) in code.match_indices("crate::") {
        let rest = &code[start + marker.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let mut depth = 0_usize;
        let mut fresh = true;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => fresh = true,
                c if fresh && c.is_alphabetic() => {
                    names.push(word(&group[at..]));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn pages(path: &str, inside: &str, text: &str, faults: &mut Vec<String>) {
    let mut folders = inside.split('/');
    let folder = folders.next().unwrap_or_default();
    let feature = folders.next().unwrap_or_default();
    let is_test = inside.contains(".test.") || inside.starts_with("test/");
    if text.contains("@tauri-apps/") && inside != "host/tauri.ts" && !is_test {
        faults.push(format!("{path}: only host/tauri.ts may know @tauri-apps"));
    }
    let Some((_, may_know)) = PAGES.iter().find(|(name, _)| *name == folder) else { return };
    if is_test {
        return;
    }
    for target in imports(path, text) {
        let mut parts = target.split('/');
        let (known, inner) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let own = known == folder && (folder != "features" || inner == feature);
        let rule = PAGES.iter().any(|(name, _)| *name == known) || known == "bindings";
        if rule && !own && !may_know.contains(&known) {
            faults.push(format!("{path}: {folder}/{feature} may not know {known}/{inner}"));
        }
    }
}

/// What is imported from within `ui/src`, as a path below it.
fn imports(path: &str, text: &str) -> Vec<String> {
    let quoted = |line: &str| {
        let from = line
            .rfind(" from ")
            .map(|at| &line[at + 6..])
            .or_else(|| line.trim().strip_prefix("import "))?;
        let quote = from.find(['"', '\''])?;
        let rest = &from[quote + 1..];
        Some(rest[..rest.find(['"', '\''])?].to_owned())
    };
    let resolve = |target: String| {
        if let Some(inside) = target.strip_prefix("$") {
            return Some(inside.to_owned());
        }
        if !target.starts_with('.') {
            return None;
        }
        let mut folders: Vec<&str> = path.strip_prefix("ui/src/")?.split('/').collect();
        folders.pop();
        for step in target.split('/') {
            match step {
                "." => {}
                ".." => drop(folders.pop()),
                name => folders.push(name),
            }
        }
        Some(folders.join("/"))
    };
    text.lines().filter_map(quoted).filter_map(resolve).collect()
}

fn shape(path: &str, text: &str, faults: &mut Vec<String>) {
    let is_code =
        [".rs", ".ts", ".svelte", ".css", ".py", ".mjs"].iter().any(|end| path.ends_with(end));
    if is_code && text.lines().count() > LONGEST {
        faults.push(format!(
            "{path}: {} lines; past {LONGEST} a file is split",
            text.lines().count()
        ));
    }
    if path.ends_with("Cargo.lock") || path.ends_with("package-lock.json") {
        if text.contains("\"resolved\":") {
            faults.push(format!("{path}: names a registry; see .npmrc"));
        }
        return;
    }
    // Put together here, so that this file does not hold them itself.
    let home = ["/ro", "ot/"].concat();
    if text.contains(&home) {
        faults.push(format!("{path}: names a path of one machine"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_alone_and_in_braces() {
        let code = "use crate::store::Store;\nuse crate::{\n    api,\n    model::{Delivery, store},\n};\nlet x = crate::ids::new();";
        assert_eq!(crate_names(code), ["store", "api", "model", "ids"]);
    }

    #[test]
    fn a_part_that_knows_too_much_is_named() {
        let mut faults = Vec::new();
        engine(
            "src-tauri/engine/src/store/x.rs",
            "store/x.rs",
            "use crate::{listener::bind, model::Claim};",
            &mut faults,
        );
        assert_eq!(faults, ["src-tauri/engine/src/store/x.rs: store may not know listener"]);
    }

    #[test]
    fn features_do_not_know_each_other() {
        let mut faults = Vec::new();
        let text = "import A from './A.svelte';\nimport B from '../fire/B.svelte';\nimport { C } from '../../ui';";
        pages("ui/src/features/inbox/X.svelte", "features/inbox/X.svelte", text, &mut faults);
        assert_eq!(
            faults,
            ["ui/src/features/inbox/X.svelte: features/inbox may not know features/fire"]
        );
    }
}
