//! Requests to sign and to verify: random ones of the kinds that a scheme and an oracle can take, and ones that are off by
//! very little.

use super::child::{Bodies, Oracle};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use fastrand::Rng;
use hooktwice_engine::{
    head::RawHeader,
    model::{
        CustomAlgorithm, CustomEncoding, CustomForm, CustomSecret, CustomTimestamp, SchemeSettings,
        SignatureState,
    },
    secrets::{NamedSecret, Secret},
    signing::{self, Scheme, SignedRequest, Signer},
};
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;

/// Seconds.
const TOLERANCE: u32 = 300;
/// Of a large body, in bytes.
const LARGE: usize = 1 << 20;

/// One request and what it is signed with.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) scheme: String,
    /// Of the scheme `custom`.
    pub(super) form: Option<CustomForm>,
    pub(super) secret: String,
    pub(super) id: String,
    pub(super) unix: i64,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) query: &'static str,
    /// Headers beside those of the signature.
    pub(super) more: Vec<RawHeader>,
    pub(super) body: Vec<u8>,
}

impl Case {
    /// The `n`-th of an oracle, at a time that everybody takes.
    pub(super) fn random(rng: &mut Rng, oracle: &Oracle, n: usize) -> Self {
        let form = (oracle.scheme == "custom").then(|| {
            let mut forms = forms();
            forms.swap_remove(n % forms.len())
        });
        let body = match n {
            0 if oracle.empty => Vec::new(),
            1 | 2 => body(rng, oracle.bodies, LARGE),
            _ => {
                let most = [1, 16, 200, 3_000][rng.usize(..4)];
                let size = rng.usize(1..=most);
                body(rng, oracle.bodies, size)
            }
        };
        Self {
            scheme: oracle.scheme.clone(),
            secret: secret(rng, &oracle.scheme, form.as_ref()),
            form,
            id: format!("msg_{}", alphanumeric(rng, 27)),
            unix: Timestamp::now().as_second() + rng.i64(-200..=200),
            method: "POST",
            path: "/hooks/a%20b",
            query: "x=1&y=%2F",
            more: vec![RawHeader::new("X-Tenant", alphanumeric(rng, 8))],
            body,
        }
    }

    fn settings(&self) -> SchemeSettings {
        SchemeSettings { custom: self.form.clone().unwrap_or_default(), ..Default::default() }
    }

    fn ours(&self) -> Arc<dyn Scheme> {
        signing::scheme(&self.scheme, &self.settings()).unwrap()
    }

    fn key(&self) -> Secret {
        Secret::new(self.secret.clone().into_bytes())
    }

    fn request<'a>(&'a self, headers: &'a [RawHeader]) -> SignedRequest<'a> {
        let (method, path, query) = (self.method, self.path, self.query);
        SignedRequest { method, path, query, headers, body: &self.body }
    }

    /// The headers that we sign it with.
    pub(super) fn sign(&self) -> Vec<RawHeader> {
        let signer = Signer { scheme: self.ours(), secret: self.key() };
        signer.sign_request(self.unix, &self.id, &self.request(&self.more)).unwrap()
    }

    /// What we make of it as it came, at a Unix second.
    pub(super) fn state_at(&self, came: &[RawHeader], now: i64) -> SignatureState {
        let headers = [&self.more, came].concat();
        let (scheme, key, request) = (self.ours(), self.key(), self.request(&headers));
        let now = Timestamp::from_second(now).unwrap();
        signing::verify(
            &*scheme,
            &[NamedSecret::new("oracle", key, "memory")],
            &request,
            now,
            TOLERANCE,
        )
        .state
    }

    /// What we make of it as it came, now.
    pub(super) fn state(&self, came: &[RawHeader]) -> SignatureState {
        self.state_at(came, Timestamp::now().as_second())
    }

    /// Whether a time is signed.
    fn is_timed(&self) -> bool {
        match (&*self.scheme, &self.form) {
            ("github" | "shopify", _) => false,
            (_, Some(form)) => form.timestamp != CustomTimestamp::None,
            _ => true,
        }
    }

    /// In which way the `n`-th is to be off.
    pub(super) fn miss(&self, n: usize) -> Miss {
        let all: &[Miss] = if self.is_timed() {
            &[Miss::Body, Miss::Secret, Miss::Signature, Miss::Moved, Miss::Old, Miss::Ahead]
        } else {
            &[Miss::Body, Miss::Secret, Miss::Signature]
        };
        all[n % all.len()]
    }
}

/// What is off in a request that nobody may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss {
    /// One byte of the body, after it was signed.
    Body,
    /// It was signed with another secret.
    Secret,
    /// One character of the digest.
    Signature,
    /// The time that came is a second from the one that was signed.
    Moved,
    /// Signed longer ago than the tolerance.
    Old,
    /// Signed further ahead than the tolerance.
    Ahead,
}

impl Miss {
    /// The request that is off, from one that is not, and the headers that `sign` gives it.
    pub(super) fn of(
        self,
        case: &Case,
        rng: &mut Rng,
        mut sign: impl FnMut(&Case) -> Vec<RawHeader>,
    ) -> (Case, Vec<RawHeader>) {
        let mut off = case.clone();
        // Further than the tolerance by more than a test takes.
        let far = i64::from(TOLERANCE) + rng.i64(120..100_000);
        match self {
            Self::Old => off.unix = Timestamp::now().as_second() - far,
            Self::Ahead => off.unix = Timestamp::now().as_second() + far,
            Self::Body | Self::Secret | Self::Signature | Self::Moved => {}
        }
        let mut headers = sign(&off);
        match self {
            Self::Old | Self::Ahead => {}
            Self::Body => change_byte(rng, &mut off.body),
            Self::Secret => {
                let other = secret(rng, &off.scheme, off.form.as_ref());
                assert_ne!(other, off.secret);
                off.secret = other;
            }
            Self::Signature => {
                // The longest header is the signature's, and the middle of its value is in the digest.
                let header = headers.iter_mut().max_by_key(|header| header.value.len()).unwrap();
                let mut value = header.value.to_vec();
                let middle = value.len() / 2;
                value[middle] = if value[middle] == b'a' { b'b' } else { b'a' };
                header.value = value.into();
            }
            Self::Moved => {
                let (from, to) = (off.unix.to_string(), (off.unix + 1).to_string());
                for header in &mut headers {
                    let value = String::from_utf8(header.value.to_vec()).unwrap();
                    header.value = value.replace(&from, &to).into();
                }
            }
        }
        (off, headers)
    }
}

/// One byte becomes another; what was text stays text.
fn change_byte(rng: &mut Rng, body: &mut Vec<u8>) {
    let ascii: Vec<usize> = (0..body.len()).filter(|at| body[*at].is_ascii()).collect();
    match rng.choice(ascii) {
        Some(at) => body[at] ^= 1,
        None => body.push(b'\n'),
    }
}

fn body(rng: &mut Rng, kind: Bodies, size: usize) -> Vec<u8> {
    match kind {
        Bodies::Bytes if rng.bool() => std::iter::repeat_with(|| rng.u8(..)).take(size).collect(),
        Bodies::Bytes | Bodies::Text => text(rng, size).into_bytes(),
        Bodies::Json => {
            let text = text(rng, size);
            let value = json!({ "job_id": alphanumeric(rng, 8), "text": text, "n": rng.u64(..) });
            let written = if rng.bool() {
                serde_json::to_vec(&value)
            } else {
                serde_json::to_vec_pretty(&value)
            };
            let end: &[u8] = [&b""[..], b"\n", b"\r\n"][rng.usize(..3)];
            [&written.unwrap(), end].concat()
        }
    }
}

/// About so many bytes of text: mostly ASCII, with line ends, control characters, a byte order mark, and characters of
/// every length.
fn text(rng: &mut Rng, size: usize) -> String {
    const ODD: [&str; 8] = ["\r\n", "\n", "\0", "\u{feff}", "\u{2028}", "{body}", "\u{301}", "\\/"];
    let mut text = String::with_capacity(size + 4);
    while text.len() < size {
        match rng.u8(..8) {
            0 => text.push_str(ODD[rng.usize(..ODD.len())]),
            1 => text.push(rng.char('\u{80}'..='\u{7ff}')),
            2 => text.push(rng.char('\u{800}'..='\u{ffff}')),
            3 => text.push(rng.char('\u{10000}'..='\u{10ffff}')),
            _ => text.push(rng.char(' '..='~')),
        }
    }
    text
}

fn alphanumeric(rng: &mut Rng, length: usize) -> String {
    std::iter::repeat_with(|| rng.alphanumeric()).take(length).collect()
}

fn secret(rng: &mut Rng, scheme: &str, form: Option<&CustomForm>) -> String {
    let length = rng.usize(24..=64);
    let bytes: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(length).collect();
    match (scheme, form.map(|form| form.secret)) {
        ("standard-webhooks", _) if rng.bool() => STANDARD.encode(bytes),
        ("standard-webhooks", _) => format!("whsec_{}", STANDARD.encode(bytes)),
        ("stripe", _) => format!("whsec_{}", alphanumeric(rng, 32)),
        ("slack", _) | (_, Some(CustomSecret::Hex)) => hex::encode(bytes),
        (_, Some(CustomSecret::Base64)) => STANDARD.encode(bytes),
        _ if rng.bool() => format!("ключ-🔑-{}", alphanumeric(rng, 12)),
        // Longer than a block of the hash now and then, so that the key itself is hashed first.
        _ => alphanumeric(rng, length * 3),
    }
}

/// Custom schemes that have all of the settings between them.
fn forms() -> Vec<CustomForm> {
    let own = CustomForm::default;
    vec![
        own(),
        CustomForm {
            signed: "{body}".into(),
            signature_header: "X-Hub-Signature".into(),
            timestamp: CustomTimestamp::None,
            algorithm: CustomAlgorithm::Sha1,
            prefix: "sha1=".into(),
            separator: String::new(),
            ..own()
        },
        CustomForm {
            signed: "{id}.{timestamp}.{body}".into(),
            id_header: "X-Event".into(),
            algorithm: CustomAlgorithm::Sha512,
            encoding: CustomEncoding::Base64,
            secret: CustomSecret::Base64,
            ..own()
        },
        CustomForm {
            timestamp: CustomTimestamp::Parameter { name: "t".into() },
            prefix: "v1=".into(),
            ..own()
        },
        CustomForm {
            signed: "{method}\n{path}?{query}\n{header:X-Tenant}\n{timestamp}\n{body}".into(),
            secret: CustomSecret::Hex,
            ..own()
        },
        CustomForm {
            signed: "begin {body}|{timestamp} end".into(),
            timestamp: CustomTimestamp::Parameter { name: "ts".into() },
            encoding: CustomEncoding::Base64,
            prefix: "s=".into(),
            separator: ";".into(),
            ..own()
        },
    ]
}
