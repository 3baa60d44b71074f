//! A stored request as something to paste: a curl command, a `hooktwice fire` command.

use crate::{
    firing::Plan,
    head::RawHeader,
    model::{Protocol, Release, Signing},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::{borrow::Cow, path::Path};

/// Headers that the sending program makes itself, from what it really sends (C03).
const FRAMING: [&str; 6] =
    ["content-length", "transfer-encoding", "connection", "expect", "trailer", "keep-alive"];

/// Headers that give access to something.
const SENSITIVE: [&str; 7] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
];

/// What stands in the place of a value that is masked.
pub const MASK: &str = "[masked]";

/// Whether a header's value is masked on screen and in exports unless it was asked for. Signatures are not: they are
/// what is looked at.
pub fn is_sensitive(name: &[u8]) -> bool {
    SENSITIVE.iter().any(|sensitive| name.eq_ignore_ascii_case(sensitive.as_bytes()))
}

/// The same headers, with the values of sensitive ones masked.
pub fn masked(headers: &[RawHeader]) -> Vec<RawHeader> {
    let mask = |header: &RawHeader| {
        if is_sensitive(&header.name) {
            RawHeader { name: header.name.clone(), value: MASK.into() }
        } else {
            header.clone()
        }
    };
    headers.iter().map(mask).collect()
}

/// A word for a POSIX shell: bare where it can be, else quoted. NUL cannot be in one and is left out.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    match shlex::try_quote(text) {
        Ok(word) => word,
        Err(_) => Cow::Owned(
            shlex::try_quote(&text.replace('\0', "")).map(Cow::into_owned).unwrap_or_default(),
        ),
    }
}

/// A curl command that sends exactly these bytes: the body comes through standard input and `--data-binary`, since
/// `--data @file` would drop line ends (C08).
pub fn curl(method: &str, url: &str, headers: &[RawHeader], body: &[u8]) -> String {
    // The target goes as it is: no dots folded, no brackets taken for a pattern.
    let mut command = String::from("curl -sS -i -g --path-as-is");
    if method != "POST" || body.is_empty() {
        command += &format!(" -X {}", shell_word(method));
    }
    command += &format!(" {}", shell_word(url));
    // Without these, curl would add its own.
    for missing in ["Content-Type", "Accept", "User-Agent"] {
        if !headers.iter().any(|header| header.is(missing)) {
            command += &format!(" \\\n  -H '{missing}:'");
        }
    }
    for header in headers.iter().filter(|header| !FRAMING.iter().any(|framing| header.is(framing)))
    {
        if header.is("host") {
            continue;
        }
        let name = String::from_utf8_lossy(&header.name);
        let value = String::from_utf8_lossy(&header.value);
        // curl sends a header without a value only when it ends in a semicolon.
        let line = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        command += &format!(" \\\n  -H {}", shell_word(&line));
    }
    if body.is_empty() {
        return command;
    }
    command += " \\\n  --data-binary @-";
    match std::str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => format!("printf %s {} | {command}", shell_word(text)),
        Ok(_) | Err(_) => format!("printf %s {} | base64 -d | {command}", STANDARD.encode(body)),
    }
}

/// The `hooktwice fire` command that does what a plan says. The secret is named by an environment variable, never
/// written out.
pub fn fire_command(plan: &Plan, delivery: Option<i64>, data_folder: &Path) -> String {
    let mut command = format!("hooktwice fire --url {}", shell_word(&plan.url));
    match delivery {
        Some(seq) => {
            let folder = data_folder.display().to_string();
            command += &format!(" --delivery {seq} --data-dir {}", shell_word(&folder));
        }
        None => command += " --body-file -",
    }
    if plan.copies != 1 {
        command += &format!(" --copies {}", plan.copies);
    }
    match plan.release {
        Release::Together => {}
        Release::Sequential => command += " --release sequential",
        Release::Gap { ms } => command += &format!(" --release gap={ms}ms"),
    }
    match plan.signing {
        Signing::Each => command += " --secret-env SUME_WEBHOOK_SECRET",
        Signing::Once => command += " --sign once --secret-env SUME_WEBHOOK_SECRET",
        Signing::Verbatim => command += " --sign verbatim",
    }
    match plan.protocol {
        Protocol::Auto => {}
        Protocol::Http1 => command += " --http 1",
        Protocol::Http2 => command += " --http 2",
    }
    if plan.timeout.as_millis() != 10_000 {
        command += &format!(" --timeout {}ms", plan.timeout.as_millis());
    }
    for host in &plan.allow_hosts {
        command += &format!(" --allow-host {}", shell_word(host));
    }
    if delivery.is_some() {
        return command;
    }
    match std::str::from_utf8(&plan.body) {
        Ok(text) if !text.contains('\0') => format!("printf %s {} | {command}", shell_word(text)),
        Ok(_) | Err(_) => {
            format!("printf %s {} | base64 -d | {command}", STANDARD.encode(&plan.body))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What a real shell hands to a program in curl's place.
    fn run(command: &str) -> (Vec<String>, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let curl = folder.path().join("curl");
        std::fs::write(&curl, "#!/bin/sh\nfor a; do printf '%s\\0' \"$a\" >>\"$OUT/args\"; done\ncat >\"$OUT/body\"\n")
            .unwrap();
        Command::new("chmod").arg("+x").arg(&curl).status().unwrap();
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let out = Command::new("sh")
            .args(["-c", command])
            .env("PATH", path)
            .env("OUT", folder.path())
            .stdin(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(out.success());
        let args = std::fs::read_to_string(folder.path().join("args")).unwrap();
        let args = args.split_terminator('\0').map(str::to_owned).collect();
        (args, std::fs::read(folder.path().join("body")).unwrap())
    }

    #[test]
    fn c08_every_byte_goes_through_the_shell() {
        for body in [
            &b"{\"job_id\":\"a1\"}\n"[..],
            b"it's\r\n$HOME `x` \\ \"\n\n",
            b"\x00\xff\r\n\r\nGET /",
            "\u{1F600}".as_bytes(),
        ] {
            let headers = [RawHeader::new("X-A", "it's $1"), RawHeader::new("Content-Length", "9")];
            let (args, sent) = run(&curl("POST", "http://127.0.0.1:1/a?b=c&d", &headers, body));
            assert_eq!(sent, body);
            assert!(
                args.contains(&"X-A: it's $1".to_owned())
                    && args.contains(&"http://127.0.0.1:1/a?b=c&d".to_owned())
            );
            assert!(
                args.contains(&"--data-binary".to_owned())
                    && !args.iter().any(|arg| arg.contains("Content-Length"))
            );
        }
    }

    #[test]
    fn sensitive_values_are_masked_and_signatures_are_not() {
        let headers = [
            RawHeader::new("AUTHORIZATION", "Bearer x"),
            RawHeader::new("X-Sume-Signature", "v1=ab"),
        ];
        let shown = curl("POST", "http://127.0.0.1/", &masked(&headers), b"x");
        assert!(!shown.contains("Bearer") && shown.contains("v1=ab"), "{shown}");
    }
}
