//! `--junit`, `--html`, `--markdown`.

use super::{
    check, said,
    target::{Answer, Target},
};
use crate::harness::Folder;
use std::fs;

#[test]
fn all_three_are_written_with_what_was_found() {
    let target = Target::start(|delivery| {
        delivery.work();
        Answer::Status(200)
    });
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (junit, html, markdown) = (path("check.xml"), path("check.html"), path("check.md"));
    fs::write(&junit, "what an earlier run left").unwrap();
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--only", "retry", "--junit", &junit, "--html", &html];
    said(check(&target.url(), &[&args[..], &["--markdown", &markdown]].concat())).expect_code(1);

    let (junit, html, markdown) = (
        fs::read_to_string(junit).unwrap(),
        fs::read_to_string(html).unwrap(),
        fs::read_to_string(markdown).unwrap(),
    );
    assert!(junit.starts_with("<?xml") && junit.contains("<failure"), "{junit}");
    assert!(html.to_ascii_lowercase().starts_with("<!doctype html"), "{html}");
    for text in [&junit, &html, &markdown] {
        assert!(text.contains("retry") && text.contains("first-delivery"), "{text}");
        assert!(!text.contains(crate::harness::SECRET), "{text}");
    }
    // Nothing half written is left beside them.
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["check.html", "check.md", "check.xml"]);
}

#[cfg(unix)]
#[test]
fn others_may_read_a_report() {
    use std::os::unix::fs::PermissionsExt as _;
    let target = Target::start(|_| Answer::Status(401));
    let folder = Folder::new();
    let plain = folder.file("plain", b"");
    let report = folder.path().join("check.md");
    let effects = target.effect_url();
    let args = ["--effect-url", &effects, "--markdown", report.to_str().unwrap()];
    said(check(&target.url(), &args)).expect_code(1);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&report), mode(&plain));
}
