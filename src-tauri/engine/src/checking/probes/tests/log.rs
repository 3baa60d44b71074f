//! Logs that grow, are cut and are replaced while they are read.

use super::{blind, count, probe, refusal, see};
use crate::{
    checking::probes::{Probe, Subject},
    model::ProbeSpec,
};
use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

const PATTERN: &str = "sent mail for {job_id}";

fn spec(file: &Path, pattern: &str) -> ProbeSpec {
    ProbeSpec::Log { file: file.display().to_string(), pattern: pattern.to_owned() }
}

/// A log in a folder of its own, and a probe of it.
async fn logging() -> (tempfile::TempDir, PathBuf, Probe) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("handler.log");
    fs::write(&file, "listening on 3000\n").unwrap();
    let probe = probe(&spec(&file, PATTERN)).await;
    (folder, file, probe)
}

fn append(file: &Path, text: impl AsRef<[u8]>) {
    OpenOptions::new().append(true).open(file).unwrap().write_all(text.as_ref()).unwrap();
}

#[tokio::test]
async fn lines_count_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("handler.log");
    let probe = probe(&spec(&file, PATTERN)).await;
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("There is no file") && error.contains("handler.log"), "{error}");
    fs::write(
        &file,
        "12:00 sent mail for job_1\r\n12:01 sent mail for job_2 and sent mail for job_2\n",
    )
    .unwrap();
    assert_eq!(see(&probe, &["job_1", "job_2", "job_3"]).await, [Ok(1), Ok(1), Ok(0)]);
    append(
        &file,
        "12:02 about job_1 nothing\n12:03 sent mail for job_1 (again)\nsent mail for job_12\n",
    );
    assert_eq!(see(&probe, &["job_3", "job_1", "job_12"]).await, [Ok(0), Ok(2), Ok(1)]);
    assert_eq!(see(&probe, &["job_3", "job_1", "job_1"]).await, [Ok(0), Ok(2), Ok(2)]);
    append(&file, b"\xff\xfe broken \xc3 sent mail for job_1 \xff\n");
    assert_eq!(count(&probe, "job_1").await, 3);
}

#[tokio::test]
async fn a_line_without_its_end_counts_once() {
    let (_folder, file, probe) = logging().await;
    append(&file, "sent mail ");
    assert_eq!(count(&probe, "job_1").await, 0);
    append(&file, "for job_1");
    assert_eq!(see(&probe, &["job_1", "job_12"]).await, [Ok(1), Ok(0)]);
    assert_eq!(count(&probe, "job_1").await, 1);
    append(&file, "2 at last\n");
    assert_eq!(see(&probe, &["job_1", "job_12"]).await, [Ok(0), Ok(1)]);
    append(&file, "sent mail for job_1");
    append(&file, "\nsent mail for job_1");
    assert_eq!(count(&probe, "job_1").await, 2);
    append(&file, "\n");
    assert_eq!(count(&probe, "job_1").await, 2);
}

#[tokio::test]
async fn a_log_that_is_begun_anew_takes_nothing_back() {
    let (_folder, file, probe) = logging().await;
    append(&file, "sent mail for job_1\nsent mail for job_2\nsent mail for job_3");
    assert_eq!(see(&probe, &["job_1", "job_2", "job_3"]).await, [Ok(1), Ok(1), Ok(1)]);
    // As `handler > handler.log` does it when it is started again: the same file, cut.
    let mut anew = File::create(&file).unwrap();
    assert_eq!(count(&probe, "job_2").await, 1);
    anew.write_all(b"listening on 3000\n").unwrap();
    assert_eq!(count(&probe, "job_2").await, 1);
    anew.write_all(b"sent mail for job_2\n").unwrap();
    assert_eq!(see(&probe, &["job_1", "job_2", "job_3"]).await, [Ok(1), Ok(2), Ok(1)]);
    // Cut and longer than before at the next look.
    let lines =
        "listening on 3000, now with a longer line than all that there was before in this file\n";
    fs::write(&file, format!("{lines}{lines}sent mail for job_3\n")).unwrap();
    assert_eq!(see(&probe, &["job_1", "job_2", "job_3"]).await, [Ok(1), Ok(2), Ok(2)]);
    // Rotated: another file under the same name.
    fs::rename(&file, file.with_extension("old")).unwrap();
    assert!(blind(&probe, "job_1").await.contains("There is no file"));
    fs::write(&file, "sent mail for job_1\n").unwrap();
    assert_eq!(see(&probe, &["job_1", "job_2", "job_3"]).await, [Ok(2), Ok(2), Ok(2)]);
}

#[tokio::test]
async fn a_log_that_is_saved_as_a_whole_each_time_counts_once() {
    let (folder, file, probe) = logging().await;
    let mut all = String::from("[\n");
    for n in 1..6 {
        all += &format!("  sent mail for job_{n}\n");
        let draft = folder.path().join("draft");
        fs::write(&draft, format!("{all}]\n")).unwrap();
        fs::rename(&draft, &file).unwrap();
        assert_eq!(see(&probe, &["job_1", &format!("job_{n}")]).await, [Ok(1), Ok(1)]);
        // In the same file, seen when it is empty.
        fs::write(&file, "").unwrap();
        assert_eq!(count(&probe, "job_1").await, 1);
        fs::write(&file, format!("{all}]\n")).unwrap();
        assert_eq!(count(&probe, "job_1").await, 1);
    }
}

#[tokio::test]
async fn an_id_of_any_form_is_found() {
    let (_folder, file, probe) = logging().await;
    let long = format!("job_{}", "é".repeat(150));
    let ids = ["7", "order 12", "job_caf\u{e9}", "job_cafe\u{301}", &long];
    for id in ids {
        append(&file, format!("sent mail for {id}\n"));
    }
    append(&file, "sent mail for 77\nsent mail for 7");
    assert_eq!(see(&probe, &ids).await, [Ok(2), Ok(1), Ok(1), Ok(1), Ok(1)]);
    assert_eq!(see(&probe, &["job_cafe", "8"]).await, [Ok(0), Ok(0)]);
}

#[tokio::test]
async fn a_pattern_may_be_a_regular_expression() {
    let (_folder, file, _) = logging().await;
    let probe = probe(&spec(&file, r"^\d\d:\d\d (sent|queued) .*\b{job_id}$")).await;
    append(&file, "12:00 sent mail for job_1\n12:01 queued it for job_1\nnot sent for job_1\n");
    append(&file, "12:02 sent mail for job_1 never\n12:03 sent it to job_2\n12:04 sent to job_1x");
    assert_eq!(see(&probe, &["job_1", "job_2"]).await, [Ok(2), Ok(1)]);
    assert!(refusal(&spec(&file, "sent mail")).await.contains("{job_id}"));
    assert!(refusal(&spec(Path::new(""), PATTERN)).await.contains("no path"));
}

/// Not by the clock of this machine, which may be busy: by what it has to do at most.
#[tokio::test]
async fn many_jobs_in_a_long_log_are_counted_in_one_reading() {
    let (_folder, file, probe) = logging().await;
    let mut text = String::new();
    for n in 0..100_000 {
        text += &format!("12:00:00.000 INFO sent mail for job_{:05} in {n} ms\n", n % 1000);
    }
    append(&file, &text);
    let subjects: Vec<Subject> =
        (0..1000).map(|n| Subject { job_id: format!("job_{n:05}"), artifact: None }).collect();
    let begun = std::time::Instant::now();
    assert!(probe.counts(&subjects).await.iter().all(|sight| *sight == Ok(100)));
    let first = begun.elapsed();
    append(&file, "sent mail for job_00007\n");
    let begun = std::time::Instant::now();
    assert_eq!(probe.counts(&subjects).await[6..9], [Ok(100), Ok(101), Ok(100)]);
    let second = begun.elapsed();
    println!("the whole log: {first:?}; what is new: {second:?}");
    // Every job looked for in every line would take a hundred times as long, also in a build for tests.
    assert!(first.as_secs() < 20, "{first:?}");
    assert!(second < first, "{second:?} for one line, {first:?} for 100,000");
}
