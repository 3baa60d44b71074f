//! Real programs send what `hooktwice sign` signed.

use crate::harness::{Folder, Listener, SECRET_ENV, run};
use std::process::Command;

const BODY: &[u8] =
    "{\"event\":\"job.completed\",\"job_id\":\"job_\u{e9}\",\"note\":\"it's \\/ \u{1f600}\"}\n"
        .as_bytes();

const PYTHON: &str = r"
import http.client, json, sys
host, path, headers, body = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3])), open(sys.argv[4], 'rb').read()
connection = http.client.HTTPConnection(host)
connection.request('POST', path, body, dict(headers['headers']))
print(connection.getresponse().status)
";

const NODE: &str = r"
const fs = require('fs');
const [host, path, headers, body] = process.argv.slice(1);
fetch(`http://${host}${path}`, {
    method: 'POST',
    headers: JSON.parse(fs.readFileSync(headers, 'utf8')).headers,
    body: fs.readFileSync(body),
}).then((answer) => console.log(answer.status));
";

/// Has a program send a signed delivery twice, and looks at what came.
fn sends(program: &str, args: &[&str], as_json: bool) {
    let folder = Folder::new();
    let listener = Listener::start(&folder, &[]);
    let body = folder.file("body", BODY);
    let sign = [&["sign", "--body-file", body.to_str().unwrap()], &SECRET_ENV[..]].concat();
    let sign = if as_json { [&sign[..], &["--json"]].concat() } else { sign };
    let headers = folder.file("headers", &run(&sign).expect_code(0).out);
    let host = listener.url.strip_prefix("http://").unwrap();
    for n in 1..=2 {
        let fill = |arg: &str| {
            arg.replace("HOST", host)
                .replace("HEADERS", headers.to_str().unwrap())
                .replace("BODY", body.to_str().unwrap())
        };
        let sent = Command::new(program).args(args.iter().map(|arg| fill(arg))).output().unwrap();
        assert!(sent.status.success(), "{program}: {sent:?}");
        assert_eq!(String::from_utf8_lossy(&sent.stdout).trim(), "204", "{program}");
        let line = listener.next();
        assert_eq!(line["signature"]["state"], "valid", "{program}: {line}");
        assert_eq!(line["job_id"], "job_\u{e9}");
        assert_eq!(line["size"], BODY.len());
        assert_eq!(line["claim"], if n == 1 { "won" } else { "duplicate" });
    }
}

#[test]
fn curl() {
    let args = [
        "-sS",
        "-w",
        "%{http_code}",
        "http://HOST/hook",
        "-H",
        "@HEADERS",
        "--data-binary",
        "@BODY",
    ];
    sends("curl", &args, false);
}

#[test]
fn python_http_client() {
    sends("python3", &["-c", PYTHON, "HOST", "/hook", "HEADERS", "BODY"], true);
}

#[test]
fn node_fetch() {
    sends("node", &["-e", NODE, "HOST", "/hook", "HEADERS", "BODY"], true);
}
