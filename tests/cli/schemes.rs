//! Every scheme of `--scheme`, both ways, over what the data folder sets.

use crate::harness::{Folder, Listener, SECRET_ENV, T, run};
use serde_json::{Value, json};
use std::process::Command;

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// The schemes, and where each puts its signature and its time.
const SCHEMES: [(&str, &str, Option<&str>); 7] = [
    ("sume", "X-Sume-Signature", Some("X-Sume-Timestamp")),
    ("standard-webhooks", "webhook-signature", Some("webhook-timestamp")),
    ("stripe", "Stripe-Signature", None),
    ("github", "X-Hub-Signature-256", None),
    ("shopify", "X-Shopify-Hmac-Sha256", None),
    ("slack", "X-Slack-Signature", Some("X-Slack-Request-Timestamp")),
    ("custom", "X-Acme-Signature", Some("X-Acme-Time")),
];

/// Covers all that a custom scheme can cover.
fn acme() -> Value {
    json!({
        "signed": "{method} {path}?{query}\n{header:X-Tenant}\n{id}|{timestamp}|{body}|end",
        "signature_header": "X-Acme-Signature",
        "timestamp": { "kind": "header", "name": "X-Acme-Time" },
        "id_header": "X-Acme-Id",
        "algorithm": "sha512",
        "encoding": "base64",
        "prefix": "s1=",
        "separator": " "
    })
}

/// A data folder with these settings, and the body in a file.
fn set(settings: &Value) -> (Folder, String) {
    let folder = Folder::new();
    folder.file("settings.json", settings.to_string().as_bytes());
    let body = folder.file("job.json", BODY).to_str().unwrap().to_owned();
    (folder, body)
}

/// One that every scheme takes: Standard Webhooks' has to be base64.
fn secret_of(folder: &Folder) -> String {
    folder.file("secret", b"whsec_dGVzdC1zZWNyZXQ=").to_str().unwrap().to_owned()
}

/// The headers of `sign`, as `--header` takes them.
fn sign(folder: &Folder, args: &[&str]) -> Vec<String> {
    let said = folder.run(&[&["sign"], args].concat()).expect_code(0).line();
    let headers = said["headers"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    headers.iter().map(|header| format!("{}: {}", text(&header[0]), text(&header[1]))).collect()
}

/// The state, after the exit code was seen to fit it.
fn verify(folder: &Folder, args: &[&str], headers: &[String]) -> String {
    let mut all = [&["verify", "--now", "1700000000"], args].concat();
    for header in headers {
        all.extend(["--header", header]);
    }
    let said = folder.run(&all);
    let state = said.line()["state"].as_str().unwrap().to_owned();
    assert_eq!(said.code, i32::from(state != "valid"), "{said:?}");
    state
}

#[test]
fn every_scheme_reads_what_it_writes() {
    let (folder, body) = set(&json!({ "schemes": { "custom": acme() } }));
    let (secret, t) = (secret_of(&folder), T.to_string());
    let other = folder.file("other", b"{\"job_id\":\"a2\"}").to_str().unwrap().to_owned();
    for (scheme, signature, time) in SCHEMES {
        let how = ["--scheme", scheme, "--secret-file", &secret];
        let of = |body| [&how[..], &["--body-file", body]].concat();
        let headers = sign(&folder, &[&of(&body)[..], &["--timestamp", &t]].concat());
        let has = |name: &str| headers.iter().any(|line| line.starts_with(&format!("{name}: ")));
        assert!(has(signature) && time.is_none_or(has), "{scheme}: {headers:?}");
        assert_eq!(verify(&folder, &of(&body), &headers), "valid", "{scheme}");
        assert_eq!(verify(&folder, &of(&other), &headers), "invalid", "{scheme}");

        // A day later it is stale, where a time is signed.
        let late = (T - 86_400).to_string();
        let headers = sign(&folder, &[&of(&body)[..], &["--timestamp", &late]].concat());
        let timeless = matches!(scheme, "github" | "shopify");
        let expected = if timeless { "valid" } else { "stale" };
        assert_eq!(verify(&folder, &of(&body), &headers), expected, "{scheme}");
    }
}

#[test]
fn one_schemes_signature_is_not_anothers() {
    let (folder, body) = set(&json!({}));
    let secret = secret_of(&folder);
    let of = |scheme| ["--scheme", scheme, "--secret-file", &secret, "--body-file", &body];
    let headers = sign(&folder, &of("github"));
    assert_eq!(verify(&folder, &of("stripe"), &headers), "unsigned");
}

#[test]
fn what_is_fired_is_valid_at_a_listener_of_the_same_scheme() {
    for (scheme, signature, _) in SCHEMES {
        let (folder, body) = set(&json!({ "schemes": { "custom": acme() } }));
        let secret = secret_of(&folder);
        let how = ["--scheme", scheme, "--secret-file", &secret];
        let listener = Listener::start_unchecked(&folder, &how);
        let url = listener.at("/hook?x=1&y=%2F?");
        let fire = ["fire", "--url", &url, "--body-file", &body, "--copies", "2"];
        let fire = [&fire[..], &["--header", "X-Tenant: t1"], &how].concat();
        let summary = folder.run(&fire).expect_code(0).lines().pop().unwrap();
        assert_eq!(summary["statuses"], json!({ "204": 2 }), "{scheme}");
        for _ in 0..2 {
            let line = listener.next();
            assert_eq!(line["signature"]["scheme"], scheme);
            assert_eq!(line["signature"]["state"], "valid", "{line}");
        }

        // The stored one is judged again, and fired again with a fresh signature in the old one's place.
        folder.run(&[&["deliveries", "verify", "1"], &how[..]].concat()).expect_code(0);
        let again = ["fire", "--delivery", "1", "--url", &listener.url];
        folder.run(&[&again[..], &how].concat()).expect_code(0);
        assert_eq!(listener.next()["signature"]["state"], "valid", "{scheme}");
        let shown = folder.run(&["deliveries", "show", "3"]).expect_code(0).line();
        let headers = shown["headers"].as_array().unwrap();
        let same = |header: &&Value| {
            header[0].as_str().is_some_and(|name| name.eq_ignore_ascii_case(signature))
        };
        assert_eq!(headers.iter().filter(same).count(), 1, "{scheme}: {headers:?}");
    }
}

#[test]
fn a_custom_scheme_covers_method_target_and_a_header() {
    let (folder, body) = set(&json!({ "schemes": { "custom": acme() } }));
    let t = T.to_string();
    let how = [&["--scheme", "custom", "--body-file", &body], &SECRET_ENV[..]].concat();
    let request =
        ["--method", "PUT", "--target", "/hook?x=1", "--header", "X-Tenant: t1"].as_slice();
    let signed = sign(&folder, &[&how, request, &["--timestamp", &t]].concat());
    let came = |request: &[&str]| verify(&folder, &[&how, request].concat(), &signed);
    assert_eq!(came(request), "valid");
    for (place, other) in [(1, "POST"), (3, "/hook?x=2"), (3, "/hook/?x=1"), (5, "X-Tenant: t2")] {
        let mut changed = request.to_vec();
        changed[place] = other;
        assert_eq!(came(&changed), "invalid", "{other}");
    }
    // The usual request is a POST to /.
    let plain = sign(&folder, &[&how[..], &["--timestamp", &t]].concat());
    let usual = [&how[..], &["--method", "POST", "--target", "/"]].concat();
    assert_eq!(verify(&folder, &usual, &plain), "valid");

    for wrong in [["--target", "hook"], ["--target", "/a b"], ["--method", "PO ST"]] {
        let said = folder.run(&[&["sign"], &how[..], &wrong].concat()).expect_code(2);
        assert!(said.err.contains(wrong[0]), "{}", said.err);
    }
}

#[test]
fn sumes_names_are_what_is_set() {
    let sume = json!({
        "timestamp_header": "X-S-Time", "signature_header": "X-S-Sig", "event_id_header": "X-S-Event", "tag": "v2="
    });
    let (folder, body) = set(&json!({ "schemes": { "sume": sume } }));
    let how = [&["--body-file", &body], &SECRET_ENV[..]].concat();
    let event = ["--timestamp", "1700000000", "--event-id", "evt_1"];
    let headers = sign(&folder, &[&how[..], &event].concat());
    // The digest is that of the published form: only its names are others.
    let digest = "fae9584d49ddaa6dcb1291a4dbb51e5ec131265e59e1fc26532a26e52c31888b";
    let expected = [
        "X-S-Time: 1700000000".to_owned(),
        format!("X-S-Sig: v2={digest}"),
        "X-S-Event: evt_1".into(),
    ];
    assert_eq!(headers, expected);
    assert_eq!(verify(&folder, &how, &headers), "valid");
}

#[test]
fn the_scheme_that_is_set_holds_for_every_command() {
    let (folder, body) = set(&json!({ "listen": { "scheme": "github" } }));
    let listener = Listener::start(&folder, &[]);
    let url = listener.at("/hook");
    let how = [&["--body-file", &body], &SECRET_ENV[..]].concat();
    folder.run(&[&["fire", "--url", &url], &how[..]].concat()).expect_code(0);
    let line = listener.next();
    assert_eq!((&line["signature"]["scheme"], &line["claim"]), (&"github".into(), &"won".into()));
    let headers = sign(&folder, &how);
    assert!(headers[0].starts_with("X-Hub-Signature-256: sha256="), "{headers:?}");
    assert_eq!(verify(&folder, &how, &headers), "valid");
    folder.run(&[&["deliveries", "verify", "1"], &SECRET_ENV[..]].concat()).expect_code(0);
    // What is typed goes before.
    let headers = sign(&folder, &[&how[..], &["--scheme", "sume"]].concat());
    assert!(headers[1].starts_with("X-Sume-Signature: v1="), "{headers:?}");
}

#[test]
fn a_scheme_that_does_not_exist_is_2_with_the_list() {
    let said = run(&["listen", "--scheme", "strip"]).expect_code(2);
    let help = run(&["sign", "--help"]).expect_code(0);
    for (scheme, ..) in SCHEMES {
        assert!(said.err.contains(scheme), "{}", said.err);
        assert!(help.text().contains(scheme), "{}", help.text());
    }
    assert!(help.text().contains("schemes.custom"), "{}", help.text());
}

#[test]
fn settings_that_cannot_be_used_are_2_with_a_sentence() {
    let sume = |name: &str, value: &str| json!({ "schemes": { "sume": { name: value } } });
    let custom = |name: &str, value: &str| json!({ "schemes": { "custom": { name: value } } });
    for (settings, sentence) in [
        (sume("signature_header", "X Sig"), "Sume's signature header is \"X Sig\""),
        (sume("tag", "v1,"), "Sume's tag is \"v1,\""),
        (custom("signed", "{timestamp}"), "has no {body}"),
        (custom("signed", "{body}{now}"), "{now} is not known"),
        (custom("signature_header", ""), "\"\" is not the name of a header"),
        (custom("prefix", "v1,"), "parts no signatures"),
    ] {
        let (folder, body) = set(&settings);
        let scheme = if settings["schemes"]["sume"].is_object() { "sume" } else { "custom" };
        let how = [&["--scheme", scheme], &SECRET_ENV[..]].concat();
        let url = "http://127.0.0.1:9/hook";
        for command in [
            &["sign", "--body-file", &body][..],
            &["verify", "--body-file", &body],
            &["fire", "--body-file", &body, "--url", url],
            &["check", "--url", url, "--effect-command", "echo 1"],
            &["listen", "--port", "0"],
        ] {
            let said = folder.run(&[command, &how].concat()).expect_code(2);
            assert!(said.err.contains(sentence), "{command:?}: {}", said.err);
        }
    }
}

#[test]
fn doctor_names_a_scheme_that_cannot_be_used() {
    let listen =
        json!({ "listen": { "scheme": "custom" }, "schemes": { "custom": { "signed": "x" } } });
    let (folder, _) = set(&listen);
    let said = folder.run(&["doctor"]);
    let lines = said.lines();
    let settings = lines.iter().find(|line| line.to_string().contains("\"settings\"")).unwrap();
    assert!(settings.to_string().contains("has no {body}"), "{settings}");
}

/// The fenced blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// Every shell block of docs/custom-scheme.md prints the text block that follows it.
#[test]
fn the_page_on_custom_schemes_does_what_it_says() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/custom-scheme.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = blocks(&page);
    let (language, settings) = blocks[0];
    assert_eq!(language, "json");
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("acme")).unwrap();
    folder.file("acme/settings.json", settings.as_bytes());
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hooktwice")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());

    let mut ran = 0;
    let mut script = String::new();
    for pair in blocks[1..].chunks(2) {
        let [("sh", run), ("text", printed)] = pair else { panic!("{pair:?}") };
        // One shell's variables would go on to the next block.
        let exports: Vec<&str> =
            script.lines().filter(|line| line.starts_with("export ")).collect();
        let said = Command::new("sh")
            .args(["-ec", &format!("{}\n{run}", exports.join("\n"))])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(said.status.success(), "{run}{}", String::from_utf8_lossy(&said.stderr));
        assert_eq!(String::from_utf8_lossy(&said.stdout), *printed, "{run}");
        script.push_str(run);
        ran += 1;
    }
    assert_eq!(ran, 3);
}
