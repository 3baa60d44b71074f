//! Why a signature does not match: changes to what came, tried one after another until one makes it match.
//!
//! A hint is said only when its digest was computed and is one of those that came; nothing is guessed. The list is
//! in the order in which it is tried: what rarely applies and costs nothing stands before what always applies. A
//! new explanation is one more entry.

use super::{Digest, Entry, Scheme, SignedRequest, digest::count_equal, restyle};
use crate::secrets::Secret;
use std::borrow::Cow;

/// How many bytes are hashed for the explanation of one request, so that a forged body of the largest size costs the
/// listener about as much again as its verification. Every entry is tried for bodies up to 512 KiB; for larger
/// ones only the first of those that apply, and the reason says so.
const BUDGET: usize = 16 * 1024 * 1024;

/// What came, and is to be explained.
pub(super) struct Received<'a> {
    pub scheme: &'a dyn Scheme,
    pub secret: &'a Secret,
    pub request: &'a SignedRequest<'a>,
    pub entries: &'a [Entry],
    /// The signed time's text; empty where the scheme has none.
    pub stamp: &'a [u8],
    pub event_id: &'a [u8],
}

/// The bytes after a change; `None` where it does not apply or changes nothing.
type Changed<'a> = Option<Cow<'a, [u8]>>;

/// One explanation.
struct Candidate {
    /// The sentence when it is proven.
    hint: &'static str,
    change: Change,
}

enum Change {
    Secret(for<'a> fn(&'a [u8]) -> Changed<'a>),
    Stamp(for<'a> fn(&'a [u8]) -> Changed<'a>),
    Body(for<'a> fn(&'a [u8]) -> Changed<'a>),
}

use Change::{Body, Secret as Key, Stamp};

const CANDIDATES: &[Candidate] = &[
    Candidate {
        hint: "secret ends in whitespace; without it the signature matches",
        change: Key(|secret| cut(secret, secret.trim_ascii_end())),
    },
    Candidate {
        hint: "secret begins with whitespace; without it the signature matches",
        change: Key(|secret| cut(secret, secret.trim_ascii_start())),
    },
    Candidate {
        hint: "secret has whitespace at both ends; without it the signature matches",
        change: Key(|secret| cut(secret, secret.trim_ascii())),
    },
    Candidate {
        hint: "timestamp was sent in milliseconds, but signed in seconds",
        change: Stamp(|stamp| {
            in_milliseconds(stamp).then(|| Cow::Borrowed(&stamp[..stamp.len() - 3]))
        }),
    },
    Candidate {
        hint: "would match without the trailing newline: one was added after signing",
        change: Body(|body| without_end(body, b"\n")),
    },
    Candidate {
        hint: "would match without the trailing newline (CR LF): one was added after signing",
        change: Body(|body| without_end(body, b"\r\n")),
    },
    Candidate {
        hint: "would match without the byte order mark: one was added after signing",
        change: Body(|body| cut(body, body.strip_prefix(BOM)?)),
    },
    Candidate {
        hint: "would match without the white space around the body: it was added after signing",
        change: Body(|body| cut(body, body.trim_ascii())),
    },
    Candidate {
        hint: "would match with LF line endings: they became CR LF after signing",
        change: Body(lf),
    },
    Candidate {
        hint: "would match with CR LF line endings: they became LF after signing",
        change: Body(crlf),
    },
    Candidate {
        hint: "timestamp was sent in seconds, but signed in milliseconds",
        change: Stamp(|stamp| {
            (!stamp.is_empty() && !in_milliseconds(stamp)).then(|| with_end(stamp, b"000"))
        }),
    },
    Candidate {
        hint: "would match with a trailing newline: the body was trimmed after signing",
        change: Body(|body| Some(with_end(body, b"\n"))),
    },
    Candidate {
        hint: "would match with a trailing newline (CR LF): the body was trimmed after signing",
        change: Body(|body| Some(with_end(body, b"\r\n"))),
    },
    Candidate {
        hint: "would match with a newline at the end of the secret: the sender's secret has one",
        change: Key(|secret| Some(with_end(secret, b"\n"))),
    },
    Candidate {
        hint: "would match with CR LF at the end of the secret: the sender's secret has it",
        change: Key(|secret| Some(with_end(secret, b"\r\n"))),
    },
    Candidate {
        hint: "would match with a byte order mark: it was removed after signing",
        change: Body(|body| (!body.starts_with(BOM)).then(|| [BOM, body].concat().into())),
    },
    Candidate {
        hint: "would match re-serialised compactly: white space was added between the parts of the JSON after signing",
        change: Body(|body| restyle::restyle(body, restyle::COMPACT)),
    },
    Candidate {
        hint: "would match re-serialised with `, ` and `: ` (as Python does): the spaces were lost after signing",
        change: Body(|body| restyle::restyle(body, restyle::SPACED)),
    },
    Candidate {
        hint: "would match with `/` escaped as `\\/`: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::SLASHES_ESCAPED)),
    },
    Candidate {
        hint: "would match with `\\/` written as `/`: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::SLASHES_PLAIN)),
    },
    Candidate {
        hint: "would match with non-ASCII characters escaped as `\\u…`: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::ASCII)),
    },
    Candidate {
        hint: "would match with `\\u…` escapes written as characters: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::RAW)),
    },
    Candidate {
        hint: "would match re-serialised as JavaScript's JSON.stringify writes it: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::JAVASCRIPT)),
    },
    Candidate {
        hint: "would match re-serialised as Python's json.dumps writes it: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::PYTHON)),
    },
    Candidate {
        hint: "would match re-serialised as PHP's json_encode writes it: the JSON was rewritten after signing",
        change: Body(|body| restyle::restyle(body, restyle::PHP)),
    },
];

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The hints, each proven, and whether every explanation was tried.
pub(super) fn explain(received: &Received<'_>, expected: &Digest) -> (Vec<String>, bool) {
    let loose: Vec<Digest> = received.entries.iter().filter_map(any_digest).collect();
    if loose.is_empty() {
        return (Vec::new(), true);
    }
    if count_equal(expected, loose.iter()) > 0 {
        let form = received.scheme.form().describe();
        return (
            vec![format!("the digest matches and only its form differs: {form} is due")],
            true,
        );
    }
    let mut spent = 0;
    for candidate in CANDIDATES {
        if spent + received.request.body.len() > BUDGET {
            return (Vec::new(), false);
        }
        let Some((digest, cost)) = received.after(&candidate.change) else { continue };
        spent += cost;
        if count_equal(&digest, loose.iter()) > 0 {
            return (vec![candidate.hint.to_owned()], true);
        }
    }
    (Vec::new(), true)
}

impl Received<'_> {
    /// The digest after a change, and how many bytes it took to compute.
    fn after(&self, change: &Change) -> Option<(Digest, usize)> {
        let (mut secret, mut stamp, mut body) =
            (self.secret.clone(), Cow::Borrowed(self.stamp), Cow::Borrowed(self.request.body));
        match change {
            Key(change) => secret = Secret::new(change(self.secret.expose())?.into_owned()),
            Stamp(change) => stamp = change(self.stamp)?,
            Body(change) => body = change(self.request.body)?,
        }
        let key = self.scheme.key(&secret).ok()?;
        let text = self.scheme.text(&stamp, self.event_id, self.request);
        Some((text.digest(self.scheme.algorithm(), &key, &body), text.cost(&body)))
    }
}

fn any_digest(entry: &Entry) -> Option<Digest> {
    match entry {
        Entry::Digest(digest) => Some(*digest),
        Entry::Other(_, digest) => *digest,
    }
}

/// Whether a time's digits are too many for seconds.
fn in_milliseconds(stamp: &[u8]) -> bool {
    stamp.len() >= 12
}

/// A part of the whole, where that is a change.
fn cut<'a>(whole: &[u8], part: &'a [u8]) -> Changed<'a> {
    (part.len() < whole.len()).then_some(Cow::Borrowed(part))
}

fn without_end<'a>(whole: &'a [u8], end: &[u8]) -> Changed<'a> {
    whole.strip_suffix(end).map(Cow::Borrowed)
}

fn with_end<'a>(whole: &[u8], end: &[u8]) -> Cow<'a, [u8]> {
    [whole, end].concat().into()
}

fn lf(body: &[u8]) -> Changed<'_> {
    memchr::memmem::find(body, b"\r\n")?;
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
    Some(out.into())
}

fn crlf(body: &[u8]) -> Changed<'_> {
    memchr::memchr(b'\n', body)?;
    let mut out = Vec::with_capacity(body.len() + body.len() / 16);
    let mut before = 0;
    for &byte in body {
        if byte == b'\n' && before != b'\r' {
            out.push(b'\r');
        }
        out.push(byte);
        before = byte;
    }
    (out.len() != body.len()).then_some(out.into())
}
