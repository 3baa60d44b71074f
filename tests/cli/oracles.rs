//! The providers' own libraries and a second implementation of every scheme sign what we verify and verify what we sign.

mod case;
mod child;
mod rotation;
mod table;

use crate::harness::{Folder, Said};
use case::{Case, Miss};
use child::{Ahead, Oracle, Oracles};
use fastrand::Rng;
use hooktwice_engine::{
    head::RawHeader,
    model::{CustomForm, SignatureState},
};
use std::{process::Stdio, thread};
use table::Row;

/// Of an oracle in a direction.
const REQUESTS: usize = 500;
/// The same requests in every run, but for the time.
const SEED: u64 = 4;

#[test]
fn the_libraries_agree_both_ways() {
    let starts: [fn() -> Oracles; 2] = [Oracles::node, Oracles::python];
    let rows = thread::scope(|scope| {
        let running = starts.map(|start| scope.spawn(move || rows_of(start())));
        running.into_iter().flat_map(|rows| rows.join().unwrap()).collect()
    });
    table::compare(rows);
}

fn rows_of(mut oracles: Oracles) -> Vec<Row> {
    let mut rows = Vec::new();
    for oracle in oracles.all.clone() {
        for we_sign in [true, false] {
            if we_sign || oracle.signs {
                rows.push(row(&mut oracles, &oracle, we_sign));
            }
        }
    }
    rows
}

fn row(oracles: &mut Oracles, oracle: &Oracle, we_sign: bool) -> Row {
    let mut rng = Rng::with_seed(SEED);
    let (package, oracle) = (oracles.package.clone(), oracle.clone());
    let mut row = Row { oracle, package, we_sign, agreed: 0, refused: 0 };
    let oracle = row.oracle.clone();
    for n in 0..REQUESTS {
        let case = Case::random(&mut rng, &oracle, n);
        let mut sign =
            |case: &Case| if we_sign { case.sign() } else { oracles.sign(&oracle, case) };
        let came = sign(&case);
        let miss = case.miss(n);
        let (off, off_came) = miss.of(&case, &mut rng, sign);

        let at = || Place { oracle: &oracle, we_sign, n };
        assert_eq!(case.state(&came), SignatureState::Valid, "{:?} {}", at(), brief(&case, &came));
        assert!(oracles.verify(&oracle, &case, &came), "{:?} {}", at(), brief(&case, &came));
        row.agreed += 1;

        let off_brief = || format!("{:?} {miss:?} {}", at(), brief(&off, &off_came));
        assert_ne!(off.state(&off_came), SignatureState::Valid, "{}", off_brief());
        let takes = miss == Miss::Ahead && oracle.ahead == Ahead::Taken;
        assert_eq!(oracles.verify(&oracle, &off, &off_came), takes, "{}", off_brief());
        row.refused += usize::from(!takes);
    }
    row
}

/// Where a test failed.
#[derive(Debug)]
#[expect(dead_code, reason = "read by a failed test's message")]
struct Place<'a> {
    oracle: &'a Oracle,
    we_sign: bool,
    n: usize,
}

/// A request for a message: a body may have a mebibyte.
fn brief(case: &Case, came: &[RawHeader]) -> String {
    let head = &case.body[..case.body.len().min(80)];
    let headers: Vec<_> = came.iter().map(RawHeader::to_named).collect();
    format!(
        "secret {:?} form {:?} headers {headers:?} body ({} bytes) {}",
        case.secret,
        case.form,
        case.body.len(),
        head.escape_ascii()
    )
}

#[test]
fn the_command_agrees_with_the_libraries() {
    let folder = Folder::new();
    for mut oracles in [Oracles::node(), Oracles::python()] {
        let mut rng = Rng::with_seed(SEED);
        for oracle in oracles.all.clone() {
            let mut case = Case::random(&mut rng, &oracle, 3);
            // What the command has without settings, and no request around the body.
            case.form = (case.scheme == "custom").then(CustomForm::default);
            (case.path, case.query, case.more) = ("/", "", Vec::new());
            let secret = folder.file("secret", case.secret.as_bytes());
            let run = |case: &Case, act: &str, more: &[String]| {
                let body = folder.file("body", &case.body);
                let mut command = folder.command(&[act, "--scheme", &case.scheme]);
                command.arg("--secret-file").arg(&secret).arg("--body-file").arg(body).args(more);
                Said::of(command.stdin(Stdio::null()).output().unwrap())
            };
            let flags = |came: &[RawHeader]| -> Vec<String> {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                let flag = |header: &RawHeader| {
                    let line = format!("{}: {}", text(&header.name), text(&header.value));
                    ["--header".to_owned(), line]
                };
                came.iter().flat_map(flag).collect()
            };

            let said = run(&case, "sign", &["--event-id".to_owned(), case.id.clone()]);
            let line = said.expect_code(0).line();
            let pairs: Vec<(String, String)> =
                serde_json::from_value(line["headers"].clone()).unwrap();
            let came: Vec<_> =
                pairs.into_iter().map(|(name, value)| RawHeader::new(name, value)).collect();
            assert!(oracles.verify(&oracle, &case, &came), "{oracle:?} {}", brief(&case, &came));

            let came = if oracle.signs { oracles.sign(&oracle, &case) } else { came };
            let said = run(&case, "verify", &flags(&came)).expect_code(0);
            assert_eq!(said.line()["state"], "valid", "{oracle:?}");

            let (off, came) = Miss::Body.of(&case, &mut rng, |_| came.clone());
            let said = run(&off, "verify", &flags(&came)).expect_code(1);
            assert_eq!(said.line()["state"], "invalid", "{oracle:?}");
            assert!(!oracles.verify(&oracle, &off, &came), "{oracle:?} {}", brief(&off, &came));
        }
    }
}

/// An example that a provider has published.
struct Example {
    scheme: &'static str,
    secret: &'static str,
    id: &'static str,
    unix: i64,
    body: &'static str,
    signature: &'static str,
}

const EXAMPLES: [Example; 3] = [
    // GitHub's documentation, "Validating webhook deliveries".
    Example {
        scheme: "github",
        secret: "It's a Secret to Everybody",
        id: "",
        unix: 0,
        body: "Hello, World!",
        signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
    // The libraries' own tests of Standard Webhooks and Svix.
    Example {
        scheme: "standard-webhooks",
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        unix: 1_614_265_330,
        body: r#"{"test": 2432232314}"#,
        signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    // Slack's documentation, "Verifying requests from Slack".
    Example {
        scheme: "slack",
        secret: "8f742231b10e8888abcd99yyyzzz85a5",
        id: "",
        unix: 1_531_420_618,
        body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow\
               &channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner\
               &command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2F\
               commands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
               &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
        signature: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
];

#[test]
fn published_examples_are_signed_alike_by_all() {
    for mut oracles in [Oracles::node(), Oracles::python()] {
        for Example { scheme, secret, id, unix, body, signature } in EXAMPLES {
            let case = Case {
                scheme: scheme.to_owned(),
                form: None,
                secret: secret.to_owned(),
                id: id.to_owned(),
                unix,
                method: "POST",
                path: "/",
                query: "",
                more: Vec::new(),
                body: body.into(),
            };
            let has = |headers: &[RawHeader]| {
                headers.iter().any(|header| *header.value == *signature.as_bytes())
            };
            let came = case.sign();
            assert!(has(&came), "{scheme}: {came:?}");
            assert_eq!(case.state_at(&came, unix), SignatureState::Valid, "{scheme}");
            let signing = oracles.all.clone().into_iter();
            let signing: Vec<_> =
                signing.filter(|oracle| oracle.scheme == scheme && oracle.signs).collect();
            assert!(!signing.is_empty(), "{scheme}");
            for oracle in signing {
                let came = oracles.sign(&oracle, &case);
                assert!(has(&came), "{oracle:?}: {came:?}");
                assert_eq!(case.state_at(&came, unix), SignatureState::Valid, "{oracle:?}");
            }
        }
    }
}
