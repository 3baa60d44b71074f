//! Several secrets and several signatures, in every scheme: C20, C21 and C23 through the command.

use crate::harness::{Folder, Listener, Running, Said, T, post};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::process::Command;

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// The schemes, and what parts their signatures in a line.
const SCHEMES: [(&str, &str); 7] = [
    ("sume", ","),
    ("standard-webhooks", " "),
    ("stripe", ","),
    ("github", ","),
    ("shopify", ","),
    ("slack", ","),
    ("custom", ","),
];

/// Two secrets and a third that nobody knows, each in a variable of its name. Standard Webhooks' have to be base64.
const SECRETS: [(&str, &str); 3] = [
    ("HT_OLD", "whsec_b2xkLXNlY3JldC1vZi10aGUtdGVzdHM="),
    ("HT_NEW", "whsec_bmV3LXNlY3JldC1vZi10aGUtdGVzdHM="),
    ("HT_STRANGE", "whsec_c3RyYW5nZS1zZWNyZXQtb2YtdGVzdHM="),
];

type Headers = Vec<(String, String)>;

/// One scheme in a folder of its own.
struct Rotation {
    scheme: &'static str,
    separator: &'static str,
    folder: Folder,
    body: String,
}

impl Rotation {
    /// Of each scheme in turn.
    fn each() -> impl Iterator<Item = Self> {
        SCHEMES.into_iter().map(|(scheme, separator)| {
            let folder = Folder::new();
            let body = folder.file("body.json", BODY).to_str().unwrap().to_owned();
            Self { scheme, separator, folder, body }
        })
    }

    fn command(&self, args: &[&str], secrets: &[&str]) -> Command {
        let mut command = self.folder.command(args);
        command.args(["--scheme", self.scheme]).envs(SECRETS);
        for name in secrets {
            command.args(["--secret-env", name]);
        }
        command
    }

    fn run(&self, args: &[&str], secrets: &[&str]) -> Said {
        Said::of(self.command(args, secrets).output().unwrap())
    }

    /// The headers that sign the body with one secret.
    fn sign(&self, unix: i64, secret: &str) -> Headers {
        let unix = unix.to_string();
        let args = ["sign", "--body-file", &self.body, "--timestamp", &unix, "--event-id", "evt_1"];
        let said = self.run(&args, &[secret]).expect_code(0).line();
        serde_json::from_value(said["headers"].clone()).unwrap()
    }

    /// The verdict over the body, or another, at the time of the vectors.
    fn verify(&self, headers: &Headers, secrets: &[&str], body: &str) -> Value {
        let now = T.to_string();
        let lines: Vec<_> =
            headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let mut args = vec!["verify", "--now", &now, "--body-file", body];
        for line in &lines {
            args.extend(["--header", line]);
        }
        let said = self.run(&args, secrets);
        let line = said.line();
        assert_eq!(said.code, i32::from(line["state"] != "valid"), "{said:?}");
        line
    }

    /// State and secret of [`Rotation::verify`].
    fn state(&self, headers: &Headers, secrets: &[&str]) -> (String, Value) {
        let said = self.verify(headers, secrets, &self.body);
        (said["state"].as_str().unwrap().to_owned(), said["secret"].clone())
    }

    /// A signature's line without what stands before the signature itself (Stripe's time).
    fn signature<'a>(&self, headers: &'a Headers) -> &'a str {
        let value = &headers[place(headers)].1;
        if self.scheme == "stripe" { value.split_once(',').unwrap().1 } else { value }
    }

    /// The first headers, with the signatures of the others after their own.
    fn joined(&self, all: &[&Headers]) -> Headers {
        let mut joined = all[0].clone();
        let at = place(&joined);
        for more in &all[1..] {
            let line = format!("{}{}{}", joined[at].1, self.separator, self.signature(more));
            joined[at].1 = line;
        }
        joined
    }
}

/// Where the signature stands: its line is the longest.
fn place(headers: &Headers) -> usize {
    let longest = headers.iter().enumerate().max_by_key(|(_, (_, value))| value.len());
    longest.unwrap().0
}

fn valid(secret: &str) -> (String, Value) {
    ("valid".into(), secret.into())
}

#[test]
fn c20_either_of_two_secrets_verifies_and_is_named() {
    for rotation in Rotation::each() {
        let scheme = rotation.scheme;
        let both = ["HT_OLD", "HT_NEW"];
        for name in both {
            let headers = rotation.sign(T, name);
            assert_eq!(rotation.state(&headers, &both), valid(name), "{scheme}");
            assert_eq!(rotation.state(&headers, &["HT_NEW", "HT_OLD"]), valid(name), "{scheme}");
        }
        let strange = rotation.sign(T, "HT_STRANGE");
        assert_eq!(rotation.state(&strange, &both), ("invalid".into(), Value::Null), "{scheme}");
        // One that is stale was made with one of them all the same.
        let old = rotation.sign(T - 86_400, "HT_NEW");
        if !matches!(scheme, "github" | "shopify") {
            assert_eq!(rotation.state(&old, &both), ("stale".into(), "HT_NEW".into()), "{scheme}");
        }
    }
}

#[test]
fn c20_any_of_several_signatures_is_enough_wherever_it_stands() {
    for rotation in Rotation::each() {
        let scheme = rotation.scheme;
        let [old, new, strange] =
            ["HT_OLD", "HT_NEW", "HT_STRANGE"].map(|name| rotation.sign(T, name));
        for all in [[&old, &new], [&new, &old], [&strange, &new], [&new, &strange]] {
            let headers = rotation.joined(&all);
            assert_eq!(rotation.state(&headers, &["HT_NEW"]), valid("HT_NEW"), "{headers:?}");
        }
        let headers = rotation.joined(&[&old, &new]);
        let both = rotation.state(&headers, &["HT_OLD", "HT_NEW"]);
        assert_eq!(both, valid("HT_OLD"), "{scheme}: the first that is given");

        // In lines of their own; Stripe's second has no second time.
        let mut lines = strange.clone();
        let (name, _) = &new[place(&new)];
        lines.push((name.clone(), rotation.signature(&new).to_owned()));
        assert_eq!(rotation.state(&lines, &["HT_NEW"]), valid("HT_NEW"), "{lines:?}");

        let many = |count: usize, good: usize| {
            let all = (0..count).map(|at| if at == good { &new } else { &strange });
            rotation.joined(&all.collect::<Vec<_>>())
        };
        for good in [0, 25, 49] {
            assert_eq!(rotation.state(&many(50, good), &["HT_NEW"]), valid("HT_NEW"), "{scheme}");
        }
        // Over the bound it is refused wherever the good one stands.
        for good in [0, 100] {
            let said = rotation.verify(&many(101, good), &["HT_NEW"], &rotation.body);
            assert_eq!(said["state"], "invalid", "{scheme}");
            assert!(said["reason"].as_str().unwrap().contains("101 signatures"), "{said}");
        }
    }
}

#[test]
fn c21_a_twin_of_another_secret_is_no_duplicate_in_whatever_order() {
    for swapped in [false, true] {
        for rotation in Rotation::each() {
            let scheme = rotation.scheme;
            let now = jiff::Timestamp::now().as_second();
            let order = if swapped { ["HT_NEW", "HT_OLD"] } else { ["HT_OLD", "HT_NEW"] };
            let listener = listen(&rotation, &["HT_OLD"]);
            for name in order {
                let status = post(&listener.at("/hook"), &rotation.sign(now, name), BODY);
                assert_eq!(status, Some(if name == "HT_OLD" { 204 } else { 401 }), "{scheme}");
            }
            let lines = order.map(|name| (name, listener.next()));
            for (name, line) in &lines {
                let told = [&line["signature"]["state"], &line["claim"], &line["duplicate_of"]];
                let due = match *name {
                    "HT_OLD" => [&json!("valid"), &json!("won"), &Value::Null],
                    _ => [&json!("invalid"), &json!("none"), &Value::Null],
                };
                assert_eq!(told, due, "{scheme}: {line}");
            }
            if !swapped {
                let notes = lines[1].1["notes"].to_string();
                assert!(notes.contains("same job as #1"), "{scheme}: {notes}");
            }
            let claims = rotation.folder.run(&["claims", "list"]).expect_code(0).line();
            let winner = if swapped { 2 } else { 1 };
            assert_eq!((&claims["job_id"], &claims["deliveries"]), (&"a1".into(), &1.into()));
            assert_eq!(claims["first_delivery"], winner, "{scheme}: {claims}");
        }
    }
}

#[test]
fn c21_a_listener_with_both_secrets_takes_both_and_names_each() {
    for rotation in Rotation::each() {
        let scheme = rotation.scheme;
        let now = jiff::Timestamp::now().as_second();
        let listener = listen(&rotation, &["HT_OLD", "HT_NEW"]);
        for (name, claim) in [("HT_NEW", "won"), ("HT_OLD", "duplicate")] {
            let headers = rotation.sign(now, name);
            assert_eq!(post(&listener.at("/hook"), &headers, BODY), Some(204), "{scheme}");
            let line = listener.next();
            let told = (&line["signature"]["secret"], &line["claim"]);
            assert_eq!(told, (&name.into(), &claim.into()), "{scheme}: {line}");
        }
        let strange = rotation.sign(now, "HT_STRANGE");
        assert_eq!(post(&listener.at("/hook"), &strange, BODY), Some(401), "{scheme}");
        assert_eq!(listener.next()["signature"]["secret"], Value::Null, "{scheme}");
        // The same is kept, and said again.
        let kept: Vec<_> = rotation.folder.deliveries();
        let secrets: Vec<_> = kept.iter().map(|line| line["signature"]["secret"].clone()).collect();
        assert_eq!(secrets, [json!("HT_NEW"), json!("HT_OLD"), Value::Null], "{scheme}");
        let again = ["deliveries", "verify", "1"];
        let again = rotation.run(&again, &["HT_OLD", "HT_NEW"]).expect_code(0).line();
        assert_eq!(again["secret"], "HT_NEW", "{scheme}");
    }
}

fn listen(rotation: &Rotation, secrets: &[&str]) -> Listener {
    let run = Running::spawn(rotation.command(&["listen", "--port", "0"], secrets));
    let url = run.next()["url"].as_str().unwrap().to_owned();
    Listener { run, url }
}

#[test]
fn c23_a_body_that_came_in_base64_is_found_with_either_secret() {
    for rotation in Rotation::each() {
        let encoded = rotation.folder.file("encoded", STANDARD.encode(BODY).as_bytes());
        for name in ["HT_OLD", "HT_NEW"] {
            let headers = rotation.sign(T, name);
            let both = ["HT_OLD", "HT_NEW"];
            let said = rotation.verify(&headers, &both, encoded.to_str().unwrap());
            assert_eq!(said["state"], "invalid", "{}: {said}", rotation.scheme);
            let hints = said["hints"].as_array().unwrap();
            assert_eq!(hints.len(), 1, "{}: {said}", rotation.scheme);
            let hint = hints[0].as_str().unwrap();
            assert!(hint.starts_with("matches after base64-decoding the body"), "{hint}");
        }
    }
}
