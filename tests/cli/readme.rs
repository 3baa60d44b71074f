//! The session of the README's first page.

use crate::harness::{Folder, Listener, Running, SECRET_ENV, hooktwice, run};
use std::process::Command;

const BODY: &str = r#"{"event":"job.completed","job_id":"job_1","status":"completed"}"#;

#[test]
fn the_first_session() {
    let folder = Folder::new();
    let body = folder.file("job.json", BODY.as_bytes());
    let body = body.to_str().unwrap();
    let listener = Listener::start(&folder, &[]);

    let sign = run(&[&["sign", "--body-file", body], &SECRET_ENV[..]].concat()).expect_code(0);
    let headers = folder.file("headers.txt", &sign.out);
    for _ in 0..2 {
        let curl = Command::new("curl")
            .args(["-sS", "--fail", &listener.at("/hook"), "-H"])
            .arg(format!("@{}", headers.display()))
            .args(["--data-binary", &format!("@{body}")])
            .output()
            .unwrap();
        assert!(curl.status.success(), "{curl:?}");
    }
    let (first, second) = (listener.next(), listener.next());
    assert_eq!((&first["claim"], &first["signature"]["state"]), (&"won".into(), &"valid".into()));
    assert_eq!(second["claim"], "duplicate");
    assert_eq!(second["duplicate_of"], 1);
    assert_eq!(second["body_differs"], false);

    let url = listener.at("/hook");
    let fire = ["fire", "--url", &url, "--body-file", body, "--copies", "20"];
    let fired = folder.run(&[&fire[..], &SECRET_ENV].concat()).expect_code(0).lines();
    assert_eq!(fired.len(), 21);
    assert_eq!(fired[20]["type"], "summary");
    assert_eq!(fired[20]["copies"], 20);
    assert_eq!(fired[20]["statuses"]["204"], 20);
    assert_eq!(fired[20]["outcome_unknown"], 0);
    for _ in 0..20 {
        assert_eq!(listener.next()["duplicate_of"], 1);
    }

    let claim = folder.run(&["claims", "list"]).expect_code(0).line();
    assert_eq!(claim["path"], "/hook");
    assert_eq!(claim["job_id"], "job_1");
    assert_eq!(claim["job_id_type"], "string");
    assert_eq!(claim["first_delivery"], 1);
    assert_eq!(claim["deliveries"], 22);
}

#[test]
fn people_read_won_and_duplicate() {
    let folder = Folder::new();
    let mut command = hooktwice();
    command.args(["listen", "--port", "0", "--data-dir"]).arg(folder.path()).args(SECRET_ENV);
    let run = Running::spawn(command);
    let first = run.next();
    let url = first.as_str().unwrap().strip_prefix("Listening on ").unwrap().to_owned();
    for expected in ["won", "duplicate of #1"] {
        let status = crate::harness::post(
            &format!("{url}/hook"),
            &crate::harness::signed(BODY.as_bytes()),
            BODY.as_bytes(),
        );
        assert_eq!(status, Some(204));
        let line = run.next();
        let line = line.as_str().unwrap();
        assert!(line.contains(expected) && line.contains("job_1"), "{line}");
    }
}

/// The shell blocks of the README's first session, in order.
fn blocks() -> Vec<String> {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));
    let readme = readme.unwrap();
    let section = readme.split("## The first five minutes").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A shell in a folder of its own, with the built program on its path.
fn shell(folder: &Folder, script: &str) -> Command {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hooktwice"));
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-ec", script])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("HOOKTWICE_DATA_DIR", folder.path().join("data"));
    shell
}

#[test]
fn the_readme_does_what_it_says() {
    let folder = Folder::new();
    let blocks = blocks();
    assert_eq!(blocks.len(), 5, "{blocks:?}");
    // Only the port is another one, and the lines are read by a program.
    let listen = blocks[0].replace("hooktwice listen", "exec hooktwice listen --port 0 --json");
    let listener = Running::spawn(shell(&folder, &listen));
    let url = listener.next()["url"].as_str().unwrap().to_owned();

    let rest = blocks[1..].concat();
    assert!(rest.contains("http://127.0.0.1:4400/hook"));
    let said = shell(&folder, &rest.replace("http://127.0.0.1:4400", &url)).output().unwrap();
    let printed = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success(), "{printed}{}", String::from_utf8_lossy(&said.stderr));

    assert_eq!(listener.next()["claim"], "won");
    for _ in 0..21 {
        assert_eq!(listener.next()["duplicate_of"], 1);
    }
    let claims: Vec<&str> = printed.lines().filter(|line| line.contains("job_1")).collect();
    assert_eq!(claims.len(), 1, "{printed}");
    assert!(printed.contains("the naive handler ran its effect 20 times"), "{printed}");
    assert!(printed.contains("the claiming handler once"), "{printed}");
}

/// The script of the workflow's step, its indentation taken off.
fn workflow() -> String {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));
    let readme = readme.unwrap();
    let step = readme.split("- name: once\n").nth(1).unwrap();
    let script = step.split("run: |\n").nth(1).unwrap();
    let lines = script.lines().take_while(|line| line.starts_with("          "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

/// Only the port is another one; the handler stands where the checkout would be.
#[test]
fn checked_by_the_workflow_of_the_readme() {
    let folder = Folder::new();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");
    std::os::unix::fs::symlink(tests, folder.path().join("tests")).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let script = workflow();
    assert!(script.contains("hooktwice check") && script.contains("3000"), "{script}");
    let said = shell(&folder, &script.replace("3000", &port))
        .env("HOOK_SECRET", "a-secret-of-this-run")
        .env("HOOK_STORE", "effects.db")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{printed}{}", String::from_utf8_lossy(&said.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let junit = read("hooktwice.xml");
    assert!(junit.contains("<testsuite ") && junit.contains("crash-mid-work"), "{junit}");
    assert!(!junit.contains("<failure"), "{junit}");
    assert!(read("hooktwice.html").contains("crash-mid-work"));
    assert!(read("hooktwice.md").contains("crash-mid-work"));
}
