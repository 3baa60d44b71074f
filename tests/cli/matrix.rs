//! `hooktwice check` at every sample handler: what is wrong is found where it is wrong, and nothing else is.

use crate::{
    harness::{Folder, Said},
    sample::{self, Handler},
};
use serde_json::Value;
use std::{collections::BTreeSet, path::Path};

/// How a sample is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum With {
    /// One instance, which runs already.
    One,
    /// One instance, which the check may start again.
    Restarts,
    /// Two instances on one store, which the check may start again.
    Two,
    /// One instance, which a shell starts again whenever it ends.
    Supervised,
}

impl With {
    /// As in the README.
    fn word(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Restarts => "restarts",
            Self::Two => "two",
            Self::Supervised => "supervised",
        }
    }

    /// What a check skips without more.
    fn skipped(self) -> &'static [&'static str] {
        match self {
            Self::One => &["across-instances", "after-restart", "crash-mid-work"],
            Self::Restarts | Self::Supervised => &["across-instances"],
            Self::Two => &[],
        }
    }
}

/// A sample handler, and what a check has to say of it. Scenarios by name.
struct Sample {
    file: &'static str,
    with: With,
    /// These fail and no others,
    fails: &'static [&'static str],
    /// but these may, where it depends on luck.
    may_fail: &'static [&'static str],
    /// At least these warn.
    warns: &'static [&'static str],
}

/// A row and a test a sample.
macro_rules! samples {
    ($($name:ident $file:literal $with:ident
       fails [$($fails:literal)*] $(maybe [$($may:literal)*])? warns [$($warns:literal)*])+) => {
        const SAMPLES: &[Sample] = &[$(Sample {
            file: $file,
            with: With::$with,
            fails: &[$($fails),*],
            may_fail: &[$($($may),*)?],
            warns: &[$($warns),*],
        }),+];

        $(#[test]
        fn $name() {
            let sample = SAMPLES.iter().find(|sample| sample.file == $file).unwrap();
            sample.check();
        })+
    };
}

samples! {
    checked_python_claim "python_claim.py" One
        fails [] warns ["slow-work" "overlap-then-fail"]
    checked_python_transaction "python_transaction.py" Two
        fails [] warns ["slow-work"]
    checked_python_unique "python_unique.py" Two
        fails [] warns ["slow-work"]
    checked_python_queue "python_queue.py" Two
        fails [] warns []
    checked_python_limited "python_limited.py" Two
        fails [] warns ["concurrent" "slow-work"]
    checked_python_one_at_a_time "python_one_at_a_time.py" Restarts
        fails [] warns ["concurrent" "slow-work"]
    checked_node_busy "node_busy.mjs" Two
        fails [] warns ["concurrent" "slow-work"]
    checked_node_wait "node_wait.mjs" Two
        fails [] warns ["slow-work"]
    checked_rust_upsert "rust/upsert.rs" Two
        fails [] warns ["slow-work"]
    checked_rust_lease "rust/lease.rs" Two
        fails [] warns ["concurrent" "slow-work"]

    c26_checked_python_look_20ms "python_look_20ms.py" One
        fails ["concurrent" "race-search"] maybe ["late-retry"] warns ["slow-work"]
    checked_node_look_then_insert "node_look_then_insert.mjs" One
        fails ["concurrent" "race-search"] maybe ["late-retry"] warns ["slow-work"]
    checked_rust_look_2ms "rust/look_2ms.rs" One
        fails ["concurrent" "race-search"] maybe ["late-retry"] warns ["slow-work"]
    checked_node_one_turn "node_one_turn.mjs" One
        fails ["race-search"] maybe ["late-retry" "concurrent"] warns ["slow-work"]
    checked_rust_look_next_statement "rust/look_next_statement.rs" One
        fails ["race-search"] maybe ["late-retry" "concurrent"] warns ["slow-work"]
    checked_rust_marked_after "rust/marked_after.rs" One
        fails ["late-retry" "concurrent" "race-search" "slow-work"] warns []
    c39_checked_rust_lease_expires "rust/lease_expires.rs" One
        fails ["late-retry" "slow-work"] warns ["concurrent"]

    c30_checked_python_rowcount_ignored "python_rowcount_ignored.py" One
        fails ["retry" "late-retry" "concurrent" "race-search" "slow-work"] warns []
    checked_python_replace "python_replace.py" Two
        fails ["retry" "late-retry" "concurrent" "race-search" "slow-work" "across-instances"
               "after-restart"] warns []
    checked_node_effect_before_claim "node_effect_before_claim.mjs" One
        fails ["retry" "late-retry" "concurrent" "race-search" "slow-work"] warns []
    c41_checked_python_signature_key "python_signature_key.py" One
        fails ["retry" "late-retry" "slow-work"] maybe ["concurrent" "race-search"] warns []
    checked_node_forgets "node_forgets.mjs" One
        fails ["late-retry" "race-search"] maybe ["retry"] warns ["slow-work"]
    checked_node_memory_only "node_memory_only.mjs" Two
        fails ["across-instances" "after-restart"] warns ["slow-work"]

    c28_checked_python_violation_let_out "python_violation_let_out.py" One
        fails ["retry" "concurrent"] warns ["slow-work"]
    checked_node_conflict "node_conflict.mjs" Restarts
        fails ["retry" "concurrent" "after-restart"] warns ["slow-work"]
    c51_checked_node_login "node_login.mjs" One
        fails ["first-delivery"] warns []

    checked_python_claim_kept "python_claim_kept.py" One
        fails ["work-fails"] warns ["slow-work" "overlap-then-fail"]
    checked_python_failure_swallowed "python_failure_swallowed.py" One
        fails ["work-fails"] warns ["slow-work" "overlap-then-fail"]
    c38_checked_python_effect_first "python_effect_first.py" One
        fails ["work-fails"] warns ["slow-work"]
    checked_python_memory_queue "python_memory_queue.py" Restarts
        fails ["crash-mid-work"] warns []

    c43_checked_rust_cut_id "rust/cut_id.rs" One
        fails ["distinct-jobs"] warns ["slow-work" "overlap-then-fail"]
    checked_python_case_folded "python_case_folded.py" One
        fails ["distinct-jobs"] warns ["slow-work" "overlap-then-fail"]
    checked_python_normalised "python_normalised.py" One
        fails ["distinct-jobs"] warns ["slow-work" "overlap-then-fail"]

    checked_node_signature_ignored "node_signature_ignored.mjs" One
        fails ["forged-signature" "missing-signature" "tampered-body" "forged-then-real"]
        warns ["stale-timestamp" "slow-work" "overlap-then-fail"]
    checked_node_signature_optional "node_signature_optional.mjs" One
        fails ["missing-signature"] warns ["slow-work" "overlap-then-fail"]
    checked_rust_signature_prefix "rust/signature_prefix.rs" One
        fails ["forged-signature"] warns ["slow-work" "overlap-then-fail"]
    c37_checked_python_claim_before_verify "python_claim_before_verify.py" One
        fails ["forged-then-real"] warns ["slow-work" "overlap-then-fail"]
    c22_checked_python_signature_raises "python_signature_raises.py" One
        fails [] warns ["forged-signature" "missing-signature" "tampered-body" "slow-work"
                        "overlap-then-fail"]
    checked_python_any_age "python_any_age.py" One
        fails [] warns ["stale-timestamp" "slow-work" "overlap-then-fail"]
    c01_checked_node_reserialised "node_reserialised.mjs" One
        fails ["exact-bytes"] maybe ["distinct-jobs"] warns ["slow-work" "overlap-then-fail"]

    c42_checked_node_test_event_crash "node_test_event_crash.mjs" Supervised
        fails ["no-job-id"] warns ["slow-work"]
    checked_node_malformed_crash "node_malformed_crash.mjs" Supervised
        fails ["malformed-json"] warns ["slow-work"]
}

/// Where no race is looked for, the search need not last.
const SHORT_SEARCH: &str = "2s";
/// It ends early where it finds one.
const LONG_SEARCH: &str = "20s";

impl Sample {
    /// Checks it and compares what was said with what has to be.
    fn check(&self) {
        let said = if self.with == With::One {
            let handler = Handler::start(self.file);
            self.run(std::slice::from_ref(&handler.address), None, handler.folder.path())
        } else {
            let count = if self.with == With::Two { 2 } else { 1 };
            let ports = sample::free_ports(count);
            let line = sample::shell_line(self.file, &ports);
            let line = match self.with {
                With::Supervised => format!("while :; do {line}; done"),
                With::One | With::Restarts | With::Two => line,
            };
            let addresses: Vec<_> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
            let folder = tempfile::tempdir().unwrap();
            self.run(&addresses, Some(&line), folder.path())
        };
        self.judge(&said);
    }

    fn run(&self, addresses: &[String], start: Option<&str>, store: &Path) -> Said {
        let folder = Folder::new();
        let racy = [self.fails, self.may_fail].concat().contains(&"race-search");
        let mut command = folder.command(&["check", "--secret-env", "HOOK_SECRET"]);
        for address in addresses {
            command.args(["--url", &format!("http://{address}/hook")]);
        }
        command.args(["--effect-url", &format!("http://{}/effects/{{job_id}}", addresses[0])]);
        command.args(["--effect-pointer", "/count", "--seed", "1"]);
        command.args(["--race-budget", if racy { LONG_SEARCH } else { SHORT_SEARCH }]);
        if let Some(line) = start {
            command.args(["--start-command", line]);
        }
        sample::set(&mut command, store);
        Said::of(command.output().unwrap())
    }

    fn judge(&self, said: &Said) {
        let lines = said.lines();
        let whole = format!("{}: {}\n{}", self.file, said.text(), said.err);
        let verdict = lines.last().expect(&whole);
        assert_eq!(verdict["type"], "verdict", "{whole}");

        let failed = names(&verdict["failed"]);
        let must: BTreeSet<_> = self.fails.iter().map(ToString::to_string).collect();
        let may: BTreeSet<_> = self.may_fail.iter().map(ToString::to_string).collect();
        assert!(must.is_subset(&failed), "{must:?} have to fail, and {failed:?} did: {whole}");
        let more: Vec<_> = failed.difference(&must).filter(|name| !may.contains(*name)).collect();
        assert!(more.is_empty(), "{more:?} failed as well: {whole}");

        let warned = names(&verdict["warned"]);
        let warns: BTreeSet<_> = self.warns.iter().map(ToString::to_string).collect();
        assert!(warns.is_subset(&warned), "{warns:?} have to warn, and {warned:?} did: {whole}");

        assert_eq!(names(&verdict["unknown"]), BTreeSet::new(), "{whole}");
        let skipped = names(&verdict["skipped"]);
        if must.contains("first-delivery") {
            assert_eq!(skipped.len(), lines.len() - 2, "everything else is skipped: {whole}");
        } else {
            let skips = self.with.skipped().iter().map(ToString::to_string).collect();
            assert_eq!(skipped, skips, "{whole}");
        }
        let (word, code) = if failed.is_empty() { ("pass", 0) } else { ("fail", 1) };
        assert_eq!((&verdict["verdict"], said.code), (&word.into(), code), "{whole}");
    }
}

fn names(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Of a README's cell: what stands in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_readme_says_the_same_and_names_every_sample() {
    let folder = sample::root().join("tests/handlers");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = readme.lines().filter(|line| line.starts_with("| `"));
    let told: Vec<String> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [file, _, fault, with, fails, warns] = cells[..] else { panic!("{row}") };
            let (fails, may) = fails.split_once("maybe").unwrap_or((fails, ""));
            let (fails, may, warns) = (quoted(fails), quoted(may), quoted(warns));
            let right = fails.is_empty() && !warns.iter().any(|name| is_about_trust(name));
            assert_eq!(fault == "none", right, "{row}");
            format!("{} {with}: {fails:?} {may:?} {warns:?}", quoted(file)[0])
        })
        .collect();
    let meant: Vec<String> = SAMPLES
        .iter()
        .map(|sample| {
            let Sample { file, with, fails, may_fail, warns } = sample;
            format!("{file} {}: {fails:?} {may_fail:?} {warns:?}", with.word())
        })
        .collect();
    assert_eq!(told, meant);

    let mut files = BTreeSet::new();
    for (below, prefix) in [("", ""), ("rust", "rust/")] {
        for entry in folder.join(below).read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let shared = ["main.rs", "serve.rs", "delivery.rs", "store.rs"].contains(&&*name);
            let program = [".py", ".mjs", ".rs"].iter().any(|end| name.ends_with(end));
            if program && !shared && !name.starts_with("sume_") {
                files.insert(format!("{prefix}{name}"));
            }
        }
    }
    let listed: BTreeSet<_> = SAMPLES.iter().map(|sample| sample.file.to_owned()).collect();
    assert_eq!(listed, files);
}

/// A scenario whose warning alone is a fault; the other ones warn of what a right handler may do.
fn is_about_trust(name: &str) -> bool {
    ["stale-timestamp", "forged-signature", "missing-signature", "tampered-body"].contains(&name)
}
