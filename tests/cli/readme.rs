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
