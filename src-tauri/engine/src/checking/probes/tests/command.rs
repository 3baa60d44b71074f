//! Commands in a real shell.
#![cfg(unix)]

use super::{super::command::Command, blind, count, probe, refusal, see};
use crate::model::ProbeSpec;
use std::{
    path::Path,
    time::{Duration, Instant},
};

fn spec(command: &str) -> ProbeSpec {
    ProbeSpec::Command { command: command.to_owned() }
}

#[tokio::test]
async fn what_a_command_prints_is_the_count() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("effects"), "job_1\njob_2\njob_1\njob_é\n").unwrap();
    let file = folder.path().join("effects");
    let file = file.display();
    let by_text = probe(&spec(&format!("grep -cx '{{job_id}}' {file} || true"))).await;
    let by_variable = probe(&spec(&format!("grep -cx \"$HOOKTWICE_JOB_ID\" {file} || true"))).await;
    for probe in [by_text, by_variable] {
        let sights = see(&probe, &["job_1", "job_2", "job_3", "job_é"]).await;
        assert_eq!(sights, [Ok(2), Ok(1), Ok(0), Ok(1)]);
    }
    assert_eq!(
        count(&probe(&spec("echo '  007  # {job_id}' | cut -d'#' -f1")).await, "a").await,
        7
    );
}

#[tokio::test]
async fn a_command_that_tells_nothing_says_what_it_said() {
    let error =
        blind(&probe(&spec("echo no such table {job_id} >&2; exit 3")).await, "job_1").await;
    assert!(error.contains("exit status: 3") && error.contains("no such table job_1"), "{error}");
    let error = blind(&probe(&spec("echo twice for {job_id}")).await, "job_1").await;
    assert!(error.contains("\"twice for job_1\"") && error.contains("no number"), "{error}");
    let error = blind(&probe(&spec("echo -1 '{job_id}' | cut -c1-2")).await, "job_1").await;
    assert!(error.contains("\"-1\""), "{error}");
    let error = blind(&probe(&spec("true {job_id}")).await, "job_1").await;
    assert!(error.contains("an empty text"), "{error}");
    let long = "yes é{job_id} | head -c 1000000 >&2; echo the end >&2; false";
    let error = blind(&probe(&spec(long)).await, "job_1").await;
    assert!(error.contains("the end") && error.len() < 2000, "{error}");
}

#[tokio::test]
async fn an_id_is_never_read_by_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let trap = folder.path().join("trap");
    let evil = [
        format!("$(touch {})", trap.display()),
        format!("`touch${{IFS}}{}`", trap.display()),
        format!("';touch {};'", trap.display()),
        format!("x;touch {}", trap.display()),
        format!("x\ntouch {}", trap.display()),
        "x\\".to_owned(),
        "x*".to_owned(),
        "x\u{a0}y".to_owned(),
    ];
    let by_text = probe(&spec("echo 1 '{job_id}' | cut -c1")).await;
    for id in &evil {
        let error = blind(&by_text, id).await;
        assert!(error.contains("HOOKTWICE_JOB_ID"), "{error}");
    }
    // In the variable it is only data.
    let by_variable = probe(&spec("test -n \"$HOOKTWICE_JOB_ID\" && echo 1")).await;
    for id in &evil {
        assert_eq!(count(&by_variable, id).await, 1);
    }
    assert!(blind(&by_variable, "a\0b").await.contains("zero byte"));
    assert!(!trap.exists());
}

#[tokio::test]
async fn a_command_without_an_id_is_refused() {
    let error = refusal(&spec("psql -Atc 'select count(*) from effects'")).await;
    assert!(error.starts_with("The command probe cannot be used: ") && error.contains("{job_id}"));
    assert!(refusal(&spec("echo \0 {job_id}")).await.contains("zero byte"));
}

/// Whether a process is still there, and not only its entry for a parent that has not looked.
fn runs(id: &str) -> bool {
    std::fs::read_to_string(Path::new("/proc").join(id).join("stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

async fn gone(id: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while runs(id) {
        assert!(Instant::now() < deadline, "process {id} was left running");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_of_a_command_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    // It hangs, and so does a child of its own.
    let hanging = format!("sleep 1000 & echo $! $$ {{job_id}} > {}; wait", file.display());
    let hanging = Command::new(&hanging).unwrap().with_patience(Duration::from_millis(500));
    let error = hanging.counts(&["job_1".to_owned()]).await.remove(0).unwrap_err();
    assert!(error.contains("did not end within 500ms"), "{error}");
    let pids = std::fs::read_to_string(&file).unwrap();
    for pid in pids.split_whitespace().take(2) {
        gone(pid).await;
    }
    // It ends with its number, and a child of its own would keep the pipe open.
    let leaving = format!("sleep 1000 & echo $! {{job_id}} > {}; echo 4", file.display());
    assert_eq!(count(&probe(&spec(&leaving)).await, "job_1").await, 4);
    gone(std::fs::read_to_string(&file).unwrap().split(' ').next().unwrap()).await;
}

#[tokio::test]
async fn only_a_few_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let running = folder.path().join("running");
    std::fs::create_dir(&running).unwrap();
    // Each prints how many there are beside it, and itself.
    let command =
        format!("cd {} && touch {{job_id}} && ls | wc -l && rm {{job_id}}", running.display());
    let probe = probe(&spec(&command)).await;
    let ids: Vec<String> = (0..12).map(|n| format!("job_{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (one, other) = tokio::join!(see(&probe, &ids[..6]), see(&probe, &ids[6..]));
    for sight in one.into_iter().chain(other) {
        assert!((1..=4).contains(&sight.unwrap()));
    }
}
