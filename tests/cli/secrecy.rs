//! Nothing of a secret is in anything that is written: a whole life of the program, and then a search through all of it.

#![cfg(target_os = "linux")]

mod debug;
mod search;

use crate::{
    harness::{Folder, Running, Said, post, signed_at, signed_with, until},
    keychain::session::{Home, Session},
    sample::Handler,
    serve::Served,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use search::{Needle, found, needles};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Command,
    thread,
};

/// Typed in the pages, and given to `listen`. A `~` makes the two alphabets of base64 differ.
const IN_USE: &str = "Vx7q~~~~0mW4kT9zRLp2h~~~~Yc8sJ5bN\n";
/// Typed before it.
const OLDER: &str = "hG3d~~~~8nQ1xZ6vBMw5t~~~~Ks0fA9pE";
/// The bytes of one for Standard Webhooks, which is typed in base64.
const DECODED: &str = "uT4j~~~~7yC2oR5eSDi1l~~~~Wg6kX3aHm";
/// Tried on a stored delivery, and refused in calls that do not fit.
const TRIED: &str = "pF8s~~~~2bN7wJ4cUQz0r~~~~Oe9mI6tGL";
/// Deliveries are signed with it, and nobody gives it to the program.
const FOREIGN: &str = "a secret of somebody else";

const BODY: &[u8] = br#"{"event":"job.completed","job_id":"a1","status":"completed"}"#;

/// Everything that was written, each with where it was.
#[derive(Default)]
struct Written(Vec<(String, Vec<u8>)>);

impl Written {
    fn add(&mut self, place: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.push((place.into(), bytes.into()));
    }

    /// Every file under a folder.
    fn add_files(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                self.add_files(&path);
            } else if path.is_file() {
                self.add(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }

    /// Keeps what a command said, and gives it back.
    fn said(&mut self, what: &str, said: Said) -> Said {
        self.add(format!("stdout of {what}"), said.out.clone());
        self.add(format!("stderr of {what}"), said.err.clone());
        said
    }

    /// Ends a program and keeps what it said.
    fn ended(&mut self, what: &str, run: &mut Running) {
        let (code, lines, err) = run.terminate();
        assert_eq!(code, 0, "{err}");
        let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
        self.add(format!("stdout of {what}"), lines.join("\n"));
        self.add(format!("stderr of {what}"), err);
    }

    fn search(&self, all: &[Needle]) -> Vec<String> {
        let places = self.0.iter();
        let hits = places.flat_map(|(place, bytes)| {
            found(all, bytes).into_iter().map(move |what| format!("{what}: {place}"))
        });
        hits.collect()
    }
}

fn all_needles() -> Vec<Needle> {
    let secrets = [("IN_USE", IN_USE), ("OLDER", OLDER), ("DECODED", DECODED), ("TRIED", TRIED)];
    secrets.into_iter().flat_map(|(name, secret)| needles(name, secret.trim())).collect()
}

/// As loud as it can be.
fn loud(session: &Session<'_>, mut command: Command) -> Command {
    session.take_in(&mut command);
    command
        .env("HOOKTWICE_LOG", "trace")
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "full")
        .env("HT_SECRET", IN_USE)
        .env("HT_OLDER", OLDER);
    command
}

/// Deliveries of every kind, and such as are explained with one of the secrets.
fn deliver_every_kind(url: &str) {
    let now = jiff::Timestamp::now().as_second();
    let hook = format!("{url}/hook");
    let send = |headers: &[(String, String)], body: &[u8]| post(&hook, headers, body).unwrap();
    assert_eq!(send(&signed_with(IN_USE, now, BODY), BODY), 204);
    assert_eq!(send(&signed_with(IN_USE, now, BODY), BODY), 204);
    assert_eq!(send(&signed_with(OLDER, now, BODY), BODY), 204);
    assert_eq!(send(&signed_with(IN_USE, now - 4000, BODY), BODY), 401);
    assert_eq!(send(&signed_with(FOREIGN, now, BODY), BODY), 401);
    // Without its newline, over another body, over the body with a newline, without a time.
    assert_eq!(send(&signed_with(IN_USE.trim(), now, BODY), BODY), 401);
    assert_eq!(send(&signed_with(IN_USE, now, b"{}"), BODY), 401);
    assert_eq!(send(&signed_with(OLDER, now, BODY), &[BODY, b"\n"].concat()), 401);
    assert_eq!(send(&signed_with(IN_USE, now, BODY)[1..], BODY), 401);
    assert_eq!(send(&signed_with(IN_USE, now, b"{"), b"{"), 400);
    assert_eq!(send(&signed_at(now, BODY), BODY), 401);
    assert_eq!(send(&[], BODY), 401);
}

/// A life of the pages: what they ask, and what they are told.
struct Pages<'a> {
    served: Served,
    written: &'a mut Written,
}

impl Pages<'_> {
    fn ask(&mut self, command: &str, params: &Value) -> Value {
        let answer = self.served.rpc(command, params);
        self.written.add(format!("answer to {command}"), answer.to_string());
        answer
    }

    fn ok(&mut self, command: &str, params: &Value) -> Value {
        let mut answer = self.ask(command, params);
        assert!(answer["error"].is_null(), "{command}: {answer}");
        answer["ok"].take()
    }

    fn refused(&mut self, command: &str, params: &Value) {
        let answer = self.ask(command, params);
        assert!(answer["error"]["message"].is_string(), "{command}: {answer}");
    }

    fn type_secrets(&mut self) {
        let set = |scheme: &str, name: &str, secret: &str| json!({ "scheme": scheme, "name": name, "secret": secret });
        self.ok("secret.set", &set("sume", "older", OLDER));
        self.ok("secret.set", &set("sume", "in use", IN_USE));
        let whsec = format!("whsec_{}", STANDARD.encode(DECODED));
        self.ok("secret.set", &set("standard-webhooks", "whsec", &whsec));
        self.ok("secret.prefer", &json!({ "scheme": "sume", "name": "in use" }));
        // Refused, each for another reason.
        self.refused("secret.set", &set("standard-webhooks", "no base64", TRIED));
        self.refused("secret.set", &set("no-such", "x", TRIED));
        self.refused("secret.set", &set("sume", " ", TRIED));
        self.refused("secret.set", &json!(TRIED));
        self.refused("secret.set", &json!([TRIED]));
        self.refused("secret.set", &json!({ "scheme": "sume", "name": [], "secret": TRIED }));
        self.refused(
            "secret.set",
            &json!({ "scheme": "sume", "name": "x", "secret": { TRIED: 1 } }),
        );
        self.refused("secret.set", &json!({ "scheme": "sume", "name": "x", TRIED: "" }));
    }

    fn look_at_everything(&mut self) {
        let list = json!({ "filter": "", "limit": 100, "before": null, "offset": 0 });
        let deliveries = self.ok("deliveries.list", &list)["rows"].as_array().unwrap().clone();
        assert_eq!(deliveries.len(), 12);
        let typed = json!({ "kind": "typed", "secret": TRIED });
        for delivery in &deliveries {
            let seq = &delivery["seq"];
            for command in ["deliveries.show", "deliveries.signature", "deliveries.job"] {
                self.ok(command, &json!({ "seq": seq }));
            }
            self.ok("deliveries.curl", &json!({ "seq": seq, "reveal": true }));
            for (scheme, secret) in [
                ("sume", &typed),
                ("github", &typed),
                ("sume", &json!({ "kind": "named", "name": "whsec" })),
                ("sume", &json!({ "kind": "in-use" })),
            ] {
                let spec = json!({ "seq": seq, "scheme": scheme, "secret": secret });
                self.ok("deliveries.judge", &spec);
            }
        }
        let judge =
            |scheme: &str, secret: &Value| json!({ "seq": 1, "scheme": scheme, "secret": secret });
        self.refused("deliveries.judge", &judge("standard-webhooks", &json!(TRIED)));
        self.refused("deliveries.judge", &judge("sume", &json!({ "kind": TRIED })));
        self.refused(
            "deliveries.judge",
            &judge("sume", &json!({ "kind": "typed", "secret": [TRIED] })),
        );
        for command in ["app.state", "fire.runs", "check.runs"] {
            self.ok(command, &json!({}));
        }
    }

    fn fire_and_check(&mut self, handler: &Handler) {
        let url = format!("http://{}/hook", handler.address);
        let plan = json!({ "plan": {
            "url": url, "method": "POST", "body_base64": STANDARD.encode(BODY), "delivery": null,
            "edited": false, "headers": [], "copies": 3, "release": { "kind": "together" },
            "signing": "each", "protocol": "auto", "timeout_ms": 10_000, "allow_host": null,
        } });
        self.ok("fire.command", &plan);
        let run = self.ok("fire.start", &plan)["id"].clone();
        self.ended("fire.run", &json!({ "id": run }));
        let effect = format!("http://{}/effects/{{job_id}}", handler.address);
        let spec = json!({ "spec": {
            "urls": [url], "body_base64": null, "id_pointer": "/job_id", "copies": 3,
            "only": ["first-delivery", "forged-signature"], "skip": [], "race_budget_ms": 1000,
            "settle_ms": 100, "timeout_ms": 10_000, "start_command": null, "seed": null,
            "allow_hosts": [], "canary": false,
            "effects": [{ "kind": "url", "url": effect, "pointer": "/count" }],
        } });
        self.ok("check.command", &spec);
        let check = self.ok("check.start", &spec)["id"].clone();
        self.ended("check.run", &json!({ "id": check }));
        for format in ["html", "markdown", "junit", "json"] {
            self.ok("check.report", &json!({ "id": check, "format": format }));
        }
    }

    /// Asks until a run has ended.
    fn ended(&mut self, command: &str, params: &Value) {
        let run = until("the run has ended", || {
            let run = self.served.rpc(command, params)["ok"].take();
            (run["state"] != "running").then_some(run)
        });
        assert_ne!(run["state"], Value::Null, "{run}");
        self.written.add(format!("answer to {command}"), run.to_string());
    }
}

fn live_in_the_pages(session: &Session<'_>, handler: &Handler, written: &mut Written) {
    let folder = Folder::new();
    let served = Served::start(loud(session, Served::command(&folder)));
    let request = format!(
        "GET /events?from=0 HTTP/1.1\r\n{}Authorization: Bearer {}\r\n\r\n",
        served.host_line(),
        served.token
    );
    let mut socket = TcpStream::connect(&served.host).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let events = thread::spawn(move || {
        let mut told = Vec::new();
        let _ = socket.read_to_end(&mut told);
        told
    });

    let mut pages = Pages { served, written };
    pages.type_secrets();
    deliver_every_kind(&pages.served.listening);
    pages.look_at_everything();
    pages.fire_and_check(handler);
    pages.written.add_files(folder.path());
    pages.ok("secret.remove", &json!({ "scheme": "sume", "name": "older", "forget": true }));
    pages.ok("secret.clear", &json!({ "scheme": "standard-webhooks" }));
    pages.ok("app.state", &json!({}));
    let mut run = pages.served.run;
    written.ended("serve", &mut run);
    let (_, log) = written.0.last().unwrap();
    assert!(String::from_utf8_lossy(log).contains("TRACE zbus"), "the keychain's client logs too");
    let told = events.join().unwrap();
    assert!(String::from_utf8_lossy(&told).contains("\"delivery\""));
    written.add("events", told);
    written.add_files(folder.path());
    written.add_files(session.home());
}

fn live_on_the_command_line(session: &Session<'_>, handler: &Handler, written: &mut Written) {
    let folder = Folder::new();
    let both = ["--secret-env", "HT_SECRET", "--secret-env", "HT_OLDER"];
    let mut command = folder.command(&["listen", "--port", "0"]);
    command.args(both);
    let mut listener = Running::spawn(loud(session, command));
    let url = listener.next()["url"].as_str().unwrap().to_owned();
    deliver_every_kind(&url);

    let body = folder.file("body", BODY);
    let body = body.to_str().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (html, junit, markdown) = (path("check.html"), path("check.xml"), path("check.md"));
    let hook = format!("http://{}/hook", handler.address);
    let effect = format!("http://{}/effects/{{job_id}}", handler.address);
    let wrong = ["--header", "X-Sume-Timestamp: 1700000000", "--header", "X-Sume-Signature: v1=00"];
    let check = ["check", "--url", &hook, "--only", "first-delivery,retry", "--settle", "100ms"];
    let seen = ["--effect-url", &effect, "--effect-pointer", "/count"];
    let reports = ["--html", &html, "--junit", &junit, "--markdown", &markdown];
    for args in [
        &[&["sign", "--body-file", body][..], &both].concat()[..],
        &[&["verify", "--body-file", body], &wrong[..], &both].concat(),
        &[&["verify", "--scheme", "standard-webhooks", "--body-file", body], &both[..]].concat(),
        &[&["fire", "--url", &hook, "--copies", "3", "--body-file", body], &both[..]].concat(),
        &[&check[..], &seen, &reports, &both].concat(),
        &["deliveries", "list"],
        &["deliveries", "show", "1", "--reveal"],
        &["deliveries", "show", "6", "--reveal"],
        &["deliveries", "body", "1"],
        &[&["deliveries", "verify", "5"], &both[..]].concat(),
        &["deliveries", "export", "--format", "json", "--reveal"],
        &["deliveries", "export", "--format", "har", "--reveal"],
        &["deliveries", "export", "--format", "curl", "--reveal"],
        &["claims", "list"],
        &["doctor"],
    ] {
        for json in [true, false] {
            let mut command = if json { folder.command(args) } else { plain(&folder, args) };
            command = loud(session, command);
            let said = written.said(args[0], Said::of(command.output().unwrap()));
            let refused = args.contains(&"standard-webhooks");
            assert!(if refused { said.code == 3 } else { said.code <= 1 }, "{args:?}: {said:?}");
            if args[0] == "check" {
                assert_eq!(said.code, 0, "{said:?}");
            }
        }
    }
    written.ended("listen", &mut listener);
    written.add_files(folder.path());
    for report in ["check.html", "check.xml", "check.md"] {
        assert!(written.0.iter().any(|(place, _)| place.ends_with(report)), "{report}");
    }
}

/// As a person has it, without JSON.
fn plain(folder: &Folder, args: &[&str]) -> Command {
    let mut command = crate::harness::hooktwice();
    command.args(args).arg("--data-dir").arg(folder.path());
    command
}

#[test]
fn no_secret_is_in_anything_that_is_written() {
    let home = Home::new();
    let session = Session::unlocked(&home);
    let handler = Handler::start_with("python_claim.py", IN_USE);
    let mut written = Written::default();
    live_in_the_pages(&session, &handler, &mut written);
    live_on_the_command_line(&session, &handler, &mut written);

    let needles = all_needles();
    let hits = written.search(&needles);
    assert!(hits.is_empty(), "{hits:#?}");
    // The search itself would have found one, in the largest thing that was written.
    let (place, bytes) = written.0.iter_mut().max_by_key(|(_, bytes)| bytes.len()).unwrap();
    bytes.extend_from_slice(STANDARD.encode(format!("x{TRIED}")).as_bytes());
    let planted = format!("TRIED in base64: {place}");
    assert_eq!(written.search(&needles), [planted.clone(), planted]);
}
