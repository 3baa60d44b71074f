//! Finds the public URL in what a program prints.

use super::{TunnelError, preset::Local};
use regex::{Regex, RegexBuilder};
use url::Url;

/// The most memory that a person's pattern may take, in bytes.
const LARGEST: usize = 256 * 1024;

/// Where the public URL stands.
#[derive(Debug, Clone)]
pub(super) enum Finder {
    /// In the first group, or else in all that is matched.
    Url(Regex),
    /// In a line of JSON: the `url` of the record that says so.
    Ngrok,
    /// Only the port is printed, in the first group; the host is known.
    Port(Regex, String),
}

impl Finder {
    /// A person's own pattern.
    pub(super) fn of_person(pattern: &str) -> Result<Self, TunnelError> {
        if pattern.trim().is_empty() {
            return Err(TunnelError::Unusable(
                r"the pattern of the tunnel's URL is empty; give a regular expression, as https://\S+"
                    .into(),
            ));
        }
        let made = RegexBuilder::new(pattern).size_limit(LARGEST).build();
        made.map(Self::Url).map_err(|error| {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            TunnelError::Unusable(format!(
                "the pattern {pattern:?} of the tunnel's URL is no regular expression ({why})"
            ))
        })
    }

    /// The public URL, where the line has it; `local` is never it.
    pub(super) fn find(&self, line: &str, local: Local) -> Option<String> {
        match self {
            Self::Url(pattern) => pattern
                .captures_iter(line)
                .filter_map(|found| found.get(1).or_else(|| found.get(0)))
                .find_map(|found| public(found.as_str(), local)),
            Self::Ngrok => {
                let record: serde_json::Value = serde_json::from_str(line).ok()?;
                let url = record.get("url")?.as_str()?;
                // An older ngrok opens two, of which one is not encrypted.
                let is_it =
                    record.get("msg")?.as_str()? == "started tunnel" && url.starts_with("https://");
                is_it.then(|| public(url, local)).flatten()
            }
            Self::Port(pattern, host) => {
                let port = pattern.captures(line)?.get(1)?.as_str();
                public(&format!("http://{host}:{port}"), local)
            }
        }
    }
}

/// A URL as it is shown and asked: without a last slash, query and fragment. `None` where it is none, or where it is the
/// listener's own or Cloudflare's API, which programs print too.
fn public(text: &str, local: Local) -> Option<String> {
    let text = text.trim_end_matches(['.', ',', ';', ':', ')', ']', '>', '"', '\'', '|', '`']);
    let mut url = Url::parse(text).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?;
    let is_here = url.port_or_known_default() == Some(local.port())
        && (host == local.host() || host == "localhost");
    if is_here || host == "api.trycloudflare.com" {
        return None;
    }
    url.set_query(None);
    url.set_fragment(None);
    Some(url.as_str().trim_end_matches('/').to_owned())
}

/// A line as it is matched and shown: without colours and other control sequences.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\t' => text.push(' '),
            letter if letter.is_control() => {}
            letter => text.push(letter),
        }
    }
    text.trim_end().to_owned()
}

/// After an escape (ECMA-48): `[` up to its final letter, `]` up to a bell or its terminator, else one letter.
fn skip_sequence(letters: &mut std::str::Chars<'_>) {
    match letters.next() {
        Some('[') => {
            letters.find(|letter| ('\u{40}'..='\u{7e}').contains(letter));
        }
        Some(']') => {
            let ends = |letter: char| letter == '\u{7}' || letter == '\u{1b}';
            if letters.find(|&letter| ends(letter)) == Some('\u{1b}') {
                letters.next();
            }
        }
        Some(_) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> Local {
        Local::of("127.0.0.1:4400".parse().unwrap())
    }

    #[test]
    fn colours_are_no_part_of_a_line() {
        let line = "\u{1b}[2m2026-11-30T02:05:55Z\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m listening at \u{1b}[1m127.0.0.1:3263\u{1b}[0m\r";
        assert_eq!(plain(line), "2026-11-30T02:05:55Z  INFO listening at 127.0.0.1:3263");
        assert_eq!(
            plain("\u{1b}]8;;https://a.example\u{7}link\u{1b}]8;;\u{1b}\\ end\u{7}"),
            "link end"
        );
        assert_eq!(plain("a\u{1b}"), "a");
        assert_eq!(plain("a\u{1b}[31"), "a");
    }

    #[test]
    fn a_persons_pattern_finds_the_first_url_that_is_not_the_listener() {
        let finder = Finder::of_person(r"https?://\S+").unwrap();
        let line =
            "http://127.0.0.1:4400 and http://localhost:4400/ are at (https://a.example/in/?x=1).";
        assert_eq!(finder.find(line, local()).as_deref(), Some("https://a.example/in"));
        assert_eq!(finder.find("http://localhost:4400/", local()), None);
        assert_eq!(finder.find("ftp://a.example", local()), None);
        let grouped = Finder::of_person("url is <(.*)>").unwrap();
        assert_eq!(
            grouped.find("your url is <https://a.example>", local()).as_deref(),
            Some("https://a.example")
        );
        assert_eq!(grouped.find("your url is <here>", local()), None);
    }

    #[test]
    fn a_pattern_that_cannot_be_used_says_why() {
        for (pattern, why) in [("", "is empty"), ("(", "unclosed group"), ("x{9999}{9999}", "")] {
            let error = Finder::of_person(pattern).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
