use super::*;
use crate::model::{Limits, ListenSettings, Responder, Retention, SumeForm};

#[test]
fn what_is_saved_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::load(folder.path()).unwrap();
    assert_eq!(settings, Settings::default());
    settings.listen.port = 4455;
    settings.listen.responder = Responder::Naive { pause_ms: 25 };
    settings.save(folder.path(), false).unwrap();
    assert_eq!(Settings::load(folder.path()).unwrap(), settings);
}

#[test]
fn a_file_of_an_older_version_keeps_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), r#"{"listen":{"port":4501}}"#).unwrap();
    let settings = Settings::load(folder.path()).unwrap();
    assert_eq!((settings.listen.port, settings.limits), (4501, Limits::default()));
    assert!(!settings.listen.answer_challenges);
}

/// The files of a folder that were kept aside, with what they hold.
fn aside(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let is_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_str().unwrap().starts_with("settings.json.broken-")
    };
    entries.filter(is_aside).map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

fn written(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join(FILE)).unwrap()).unwrap()
}

#[test]
fn what_a_newer_version_wrote_outlives_a_save_of_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = serde_json::json!({
        "listen": { "port": 4501, "backlog": 12, "forward": { "retries": { "times": 3 } } },
        "secrets": { "sume": ["a"], "stripe": ["b"] },
        "sync": { "with": ["laptop"] },
        "version": 9,
    });
    fs::write(folder.path().join(FILE), file.to_string()).unwrap();
    let mut settings = Settings::load(folder.path()).unwrap();
    settings.listen.port = 4502;
    settings.secrets.remove("stripe");
    settings.save(folder.path(), false).unwrap();

    let now = written(folder.path());
    assert_eq!(now["listen"]["port"], 4502);
    assert_eq!(now["listen"]["backlog"], 12);
    assert_eq!(now["listen"]["forward"]["retries"], serde_json::json!({ "times": 3 }));
    assert_eq!((&now["sync"], &now["version"]), (&file["sync"], &file["version"]));
    // What the person took out is not brought back.
    assert_eq!(now["secrets"], serde_json::json!({ "sume": ["a"] }));
    assert_eq!(aside(folder.path()), [""; 0]);
    assert_eq!(Settings::load(folder.path()).unwrap(), settings);
}

#[test]
fn a_word_of_a_newer_version_is_named_and_stays_until_something_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = r#"{"listen":{"port":4501,"responder":{"kind":"queue","depth":5}},"tunnel":{"preset":"wormhole","path":"/x"}}"#;
    fs::write(folder.path().join(FILE), file).unwrap();
    let error = Settings::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("listen.responder.kind: unknown variant `queue`"), "{error}");
    assert!(error.contains("`claim`, `naive`, `status`, `forward`"), "{error}");

    let Understood { settings, problems } = Settings::understand(folder.path()).unwrap();
    assert_eq!(settings.listen.port, 4501);
    assert_eq!(settings.listen.responder, Responder::Claim);
    assert_eq!(settings.tunnel.path, "/x");
    assert_eq!(settings.retention, Retention::default());
    let keys: Vec<&str> = problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["listen.responder.kind", "tunnel.preset"]);
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), file);

    settings.save(folder.path(), false).unwrap();
    assert_eq!(aside(folder.path()), [file]);
    assert_eq!(Settings::load(folder.path()).unwrap(), settings);
    settings.save(folder.path(), false).unwrap();
    assert_eq!(aside(folder.path()), [file]);
}

#[test]
fn a_value_out_of_range_in_the_file_is_that_one_setting() {
    let folder = tempfile::tempdir().unwrap();
    let file = r#"{"listen":{"port":4501,"tolerance_s":0,"responder":{"kind":"forward"}}}"#;
    fs::write(folder.path().join(FILE), file).unwrap();
    let Understood { settings, problems } = Settings::understand(folder.path()).unwrap();
    assert_eq!((settings.listen.port, settings.listen.tolerance_s), (4501, 300));
    assert_eq!(settings.listen.responder, Responder::Claim);
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "listen.tolerance_s: The tolerance is 0, and has to be 1 second or more.");
    assert!(told[1].starts_with("listen.responder: The forward URL is \"\""), "{told:?}");
}

#[test]
fn nothing_is_thrown_away_for_its_age_where_the_limit_is_not_understood() {
    for file in [r#"{"retention":{"deliveries":"all"}}"#, r#"{"retention":7}"#, "{", "[]", ""] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), file).unwrap();
        let Understood { settings, problems } = Settings::understand(folder.path()).unwrap();
        assert_eq!(settings.retention, Retention { deliveries: 0, bytes: 0 }, "{file}");
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn a_file_that_is_no_json_is_kept_aside_when_something_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), "{ port: 4400").unwrap();
    let Understood { mut settings, problems } = Settings::understand(folder.path()).unwrap();
    assert!(problems[0].to_string().contains("line 1"), "{problems:?}");
    settings.listen.port = 4777;
    settings.save(folder.path(), false).unwrap();
    assert_eq!(aside(folder.path()), ["{ port: 4400"]);
    assert_eq!(Settings::load(folder.path()).unwrap().listen.port, 4777);
    // A second one of the same second has a name of its own.
    fs::write(folder.path().join(FILE), "no").unwrap();
    settings.save(folder.path(), false).unwrap();
    assert_eq!(aside(folder.path()).len(), 2);
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), "\u{feff}{\"listen\":{\"port\":4501}}").unwrap();
    assert_eq!(Settings::load(folder.path()).unwrap().listen.port, 4501);
}

#[test]
fn a_broken_file_is_named_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), "{").unwrap();
    let error = Settings::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("settings.json") && error.contains("Mend or delete"), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "{");
}

#[test]
fn sumes_names_have_to_be_headers() {
    let refused = |change: fn(&mut SumeForm)| {
        let mut settings = Settings::default();
        change(&mut settings.schemes.sume);
        settings.check().unwrap_err().to_string()
    };
    assert_eq!(
        refused(|sume| sume.signature_header = "X Signature".into()),
        "Sume's signature header is \"X Signature\", and has to be the name of a header, as X-Sume-Signature."
    );
    assert!(refused(|sume| sume.timestamp_header.clear()).contains("timestamp header is \"\""));
    assert!(refused(|sume| sume.event_id_header = "X-Id\r\nX".into()).contains("event id"));
    let twice = refused(|sume| sume.event_id_header = "x-sume-TIMESTAMP".into());
    assert!(twice.contains("another than Sume's other headers"), "{twice}");
    for tag in ["v1=\n", "v1,", " v1=", "v1= ", "é="] {
        let mut settings = Settings::default();
        settings.schemes.sume.tag = tag.into();
        let error = settings.check().unwrap_err().to_string();
        assert!(error.starts_with("Sume's tag is \""), "{error}");
    }
    let mut settings = Settings::default();
    settings.schemes.sume.tag.clear();
    settings.check().unwrap();
}

#[test]
fn a_forward_needs_a_place_and_has_bounds() {
    let forward = |change: &dyn Fn(&mut ListenSettings)| {
        let mut settings = Settings::default();
        settings.listen.responder = Responder::Forward;
        settings.listen.forward.url = "http://localhost:3000/hook".into();
        change(&mut settings.listen);
        settings.check().map_err(|error| error.to_string())
    };
    for url in ["http://localhost:3000", "HTTPS://a.example/b/c", "http://[::1]:1/", "http://h/%20"]
    {
        forward(&|listen| listen.forward.url = url.into()).unwrap();
    }
    for url in [
        "",
        "localhost:3000",
        "ftp://h/",
        "http://",
        "http://h/a b",
        " http://h",
        "http://h/?a",
        "http://h/#a",
        "http://me:pw@h/",
        "http://h:0/",
        "http://h:65536/",
        "http:/h/",
        "http://h\\a",
    ] {
        let error = forward(&|listen| listen.forward.url = url.into()).unwrap_err();
        assert!(error.starts_with("The forward URL is "), "{url}: {error}");
    }
    for copies in [0, 101] {
        assert!(forward(&|listen| listen.forward.copies = copies).is_err());
    }
    for timeout_ms in [0, 999, 600_001] {
        assert!(forward(&|listen| listen.forward.timeout_ms = timeout_ms).is_err());
    }
    // Another responder needs no place.
    forward(&|listen| {
        listen.responder = Responder::Claim;
        listen.forward.url.clear();
    })
    .unwrap();
}

#[test]
fn a_value_out_of_range_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::default();
    settings.listen.responder = Responder::Status { code: 99 };
    let error = settings.save(folder.path(), false).unwrap_err().to_string();
    assert_eq!(error, "The status to answer is 99, and has to be between 200 and 599.");
    assert!(!folder.path().join(FILE).exists());
}
