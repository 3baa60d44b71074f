//! The API key is in nothing that is written, at the most talkative.

use super::{KEY, StandIn};
use crate::harness::{Folder, Listener, Said};
use hooktwice_provider::{NewJob, Refusal};
use std::{fs, path::Path};

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

fn files(folder: &Path, found: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            files(&entry.path(), found);
        } else if let Ok(bytes) = fs::read(entry.path()) {
            found.push(bytes);
        }
    }
}

#[test]
fn the_api_key_is_written_nowhere() {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let sume = StandIn::to(&listener);
    let id = sume.finished(NewJob::default());
    let to = listener.at("/hook");
    let asked = [
        vec!["test-delivery", "--to", &to],
        vec!["redeliver", &id],
        vec!["redeliver", "job_none"],
        vec!["status", &id],
        vec!["watch", &id, "job_none", "--expect-within", "0s"],
    ];
    let mut logged = 0;
    for args in &asked {
        sume.provider.refuse(Refusal {
            message: format!("{KEY} is slow"),
            retry_after: None,
            ..Refusal::default()
        });
        let mut command = sume.command(&folder, args);
        let said = Said::of(command.env("HOOKTWICE_LOG", "trace").output().unwrap());
        logged += said.err.len();
        assert!(!holds(&said.out, KEY), "{args:?}: {}", said.text());
        assert!(!said.err.contains(KEY), "{args:?}: {}", said.err);
    }
    assert!(logged > 1000, "the log says nothing, so this proves nothing");
    assert!(sume.provider.seen().iter().filter(|seen| seen.with_key).count() > 5, "it was used");
    let mut kept = Vec::new();
    files(folder.path(), &mut kept);
    assert!(!kept.is_empty());
    assert!(kept.iter().all(|bytes| !holds(bytes, KEY)));
}
