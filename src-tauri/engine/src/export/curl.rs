//! A request as a curl command.

use crate::head::RawHeader;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::borrow::Cow;

/// Headers that the sending program makes itself, from what it really sends (C03).
const FRAMING: [&str; 6] =
    ["content-length", "transfer-encoding", "connection", "expect", "trailer", "keep-alive"];

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
    fed(body, &command)
}

/// A command that reads a body from its standard input, with what writes that body byte for byte before it.
pub(crate) fn fed(body: &[u8], command: &str) -> String {
    match std::str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => format!("printf %s {} | {command}", shell_word(text)),
        Ok(_) | Err(_) => format!("printf %s {} | base64 -d | {command}", STANDARD.encode(body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::masked;
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
