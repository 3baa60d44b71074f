use super::*;
use crate::{
    model::{SignatureReport, SignatureState},
    secrets::NamedSecret,
};
use proptest::prelude::*;

mod custom;
mod delivery;
mod every_scheme;
mod github;
mod hints;
mod hints_of_bodies;
mod hints_of_schemes;
mod hints_of_secrets;
mod proofs;
mod shopify;
mod slack;
mod standard_webhooks;
mod stripe;
mod sume_settings;
mod verdicts;

/// These bytes as the only secret in use.
fn in_use(bytes: &[u8]) -> [NamedSecret; 1] {
    [NamedSecret::new("one", Secret::new(bytes.to_vec()), "memory")]
}

const SECRET: &str = "test-secret";
const T: i64 = 1_700_000_000;
const TOLERANCE: u32 = 300;
const ROW_1: &[u8] = br#"{"job_id":"a1"}"#;
const ROW_1_DIGEST: &str = "fae9584d49ddaa6dcb1291a4dbb51e5ec131265e59e1fc26532a26e52c31888b";
const ROW_2: &[u8] = br#"{ "job_id" : "a1" }"#;

/// The ready vectors of the field cases: computed elsewhere, with `test-secret`, 1700000000 and a dot.
const VECTORS: [(&str, &[u8], &str); 10] = [
    ("C01 compact", ROW_1, ROW_1_DIGEST),
    ("C01 spaced", ROW_2, "9739c1e45fb27bc98f53f90450a52a5a3e5c5100ccb130d675776d8ec4c7aba8"),
    (
        "C06 LF",
        b"{\"job_id\":\"a1\"}\n",
        "95cb29b4e8f5d9c9b87ebef5d74b8430f0eeac5e05978b4f4847907c72ca6fe7",
    ),
    (
        "C06 CR LF",
        b"{\"job_id\":\"a1\"}\r\n",
        "a4269f3d2e625d47c03ea4ddd70d07dd716d234da628219f034dfb499412321f",
    ),
    (
        "C09 BOM",
        b"\xef\xbb\xbf{\"job_id\":\"a1\"}",
        "376f8f0f93b2528f28d157fbf2cde113677a7188dc476c3d57501b3c8ce91ca9",
    ),
    (
        "C04 raw emoji",
        b"{\"job_id\":\"\xf0\x9f\x98\x80\"}",
        "e6006565968921ca4eab87ef75f5bd53249333bf78bb0372818db7e3c9c73c1a",
    ),
    (
        "C05 escaped emoji",
        br#"{"job_id":"\ud83d\ude00"}"#,
        "a0b9d931641d188555a7a80300cf5dba230958529edbeac7dc67d2c35dd356dc",
    ),
    (
        "C02 escaped slash",
        br#"{"job_id":"a\/1"}"#,
        "f5be359bb854c41d0dbbb36b9020cda1ead743ca271146aaecc9a5970c5ba0a5",
    ),
    ("C24 empty", b"", "02135fb92b9e5ac01b6ffb10fb1ce695acf10403dc760ecd132a9fd9d96d71d1"),
    (
        "C25 not UTF-8",
        b"{\"job_id\":\"a\xff1\"}",
        "5d980c47cdfde8d526ffbbde8aae42d7bd8ada230ec1ae18e6e50c60d4a1e3e0",
    ),
];

fn sume() -> Arc<dyn Scheme> {
    scheme("sume", &SchemeSettings::default()).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A delivery whose parts a test changes one at a time; the signatures are whole header lines.
#[derive(Clone)]
struct Sent {
    secret: Vec<u8>,
    timestamps: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
    body: Vec<u8>,
    now: i64,
}

impl Sent {
    fn new(body: &[u8], digest: &str) -> Self {
        Self {
            secret: SECRET.into(),
            timestamps: vec![T.to_string().into()],
            signatures: vec![format!("v1={digest}").into()],
            body: body.to_vec(),
            now: T,
        }
    }

    fn row_1() -> Self {
        Self::new(ROW_1, ROW_1_DIGEST)
    }

    fn signed(mut self, line: impl Into<Vec<u8>>) -> Self {
        self.signatures = vec![line.into()];
        self
    }

    fn stamped(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.timestamps = vec![text.into()];
        self
    }

    fn secret(mut self, secret: &str) -> Self {
        self.secret = secret.into();
        self
    }

    fn now(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    fn judge(&self) -> SignatureReport {
        let header = |name: &'static str| {
            move |value: &Vec<u8>| RawHeader { name: name.into(), value: value.clone().into() }
        };
        // The names in another case than they are documented: header names have none.
        let stamps = self.timestamps.iter().map(header("x-sume-TIMESTAMP"));
        let headers: Vec<_> =
            stamps.chain(self.signatures.iter().map(header("x-sume-signature"))).collect();
        let request = SignedRequest {
            method: "POST",
            path: "/",
            query: "",
            headers: &headers,
            body: &self.body,
        };
        verify(&*sume(), &in_use(&self.secret), &request, at(self.now), TOLERANCE)
    }

    fn state(&self) -> SignatureState {
        self.judge().state
    }

    /// The one hint of a signature that does not match.
    fn hint(&self) -> String {
        let report = self.judge();
        assert_eq!(report.state, SignatureState::Invalid);
        assert_eq!(report.hints.len(), 1, "{report:?}");
        report.hints[0].clone()
    }

    fn reason(&self, state: SignatureState) -> String {
        let report = self.judge();
        assert_eq!(report.state, state, "{report:?}");
        report.reason.unwrap()
    }
}

fn digest_of(secret: &[u8], stamp: &str, body: &[u8]) -> String {
    let text = SignedText::before(format!("{stamp}.").into());
    hex::encode(text.digest(Algorithm::Sha256, &Secret::new(secret.to_vec()), body).bytes())
}

fn values(headers: &[RawHeader]) -> Vec<(&str, &str)> {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    headers.iter().map(|header| (text(&header.name), text(&header.value))).collect()
}

#[test]
fn the_vectors_of_the_field_match_and_no_near_miss_does() {
    for (name, body, digest) in VECTORS {
        let report = Sent::new(body, digest).judge();
        assert_eq!(report.state, SignatureState::Valid, "{name}");
        assert_eq!((report.reason, report.hints), (None, vec![]), "{name}");
        for (other, _, wrong) in VECTORS.into_iter().filter(|vector| vector.0 != name) {
            assert_eq!(
                Sent::new(body, wrong).state(),
                SignatureState::Invalid,
                "{name} with {other}"
            );
        }
        let longer = [body, b" "].concat();
        assert_eq!(Sent::new(&longer, digest).state(), SignatureState::Invalid, "{name}, longer");
        let flipped = format!("{}{}", &digest[..63], if digest.ends_with('0') { '1' } else { '0' });
        assert_eq!(
            Sent::new(body, &flipped).state(),
            SignatureState::Invalid,
            "{name}, last digit"
        );
        assert_eq!(
            Sent::new(body, digest).secret("test-secret-2").state(),
            SignatureState::Invalid,
            "{name}"
        );
        let later = Sent::new(body, digest).stamped((T + 1).to_string());
        assert_eq!(later.state(), SignatureState::Invalid, "{name}, another second");
    }
}

#[test]
fn the_vectors_of_other_secrets_match_with_those() {
    let newline = "987812a25a42c298298425e7ee46de760e93779f11733fac8aebacf0117f23b6";
    assert_eq!(Sent::new(ROW_1, newline).secret("test-secret\n").state(), SignatureState::Valid);
    let second = "aa5d1c1646204b39557cd8acd8846581c4396ff2cf2f74eb482bcf98002aa28c";
    assert_eq!(Sent::new(ROW_1, second).secret("test-secret-2").state(), SignatureState::Valid);
}

#[test]
fn signing_writes_the_three_headers() {
    let signer = Signer { scheme: sume(), secret: Secret::new(SECRET.into()) };
    let headers = signer.sign(T, "evt_1", ROW_1).unwrap();
    let signature = format!("v1={ROW_1_DIGEST}");
    assert_eq!(
        values(&headers),
        [
            ("X-Sume-Timestamp", "1700000000"),
            ("X-Sume-Signature", &signature),
            ("X-Sume-Event-Id", "evt_1")
        ]
    );
    assert_eq!(event_id(&*sume(), &headers).as_deref(), Some("evt_1"));
    assert_eq!(event_id(&*sume(), &headers[..2]), None);
}

#[test]
fn what_cannot_be_signed_says_why() {
    let signer = Signer { scheme: sume(), secret: Secret::new(SECRET.into()) };
    assert_eq!(signer.sign(-1, "e", b"").unwrap_err(), SchemeError::Time(-1));
    assert_eq!(signer.sign(T, "e\r\nX-Other: 1", b"").unwrap_err(), SchemeError::EventId);
    let empty = Signer { secret: Secret::new(vec![]), ..signer };
    assert_eq!(empty.sign(T, "e", b"").unwrap_err(), SchemeError::EmptySecret);
    let unknown = scheme("sumo", &SchemeSettings::default()).unwrap_err().to_string();
    assert!(unknown.contains("`sumo`") && unknown.contains("sume"), "{unknown}");
}

#[test]
fn the_detail_says_what_was_signed_and_how_old_it_is() {
    let headers = [
        RawHeader::new("X-Sume-Timestamp", "1700000000"),
        RawHeader::new("X-Sume-Signature", "v1=a,v1=b"),
        RawHeader::new("X-Sume-Signature", "v1=c"),
    ];
    let request =
        |headers| SignedRequest { method: "POST", path: "/", query: "", headers, body: b"{}" };
    let shown = detail(
        &*sume(),
        &request(&headers),
        Timestamp::from_millisecond(T * 1000 - 1500).unwrap(),
        300,
    );
    assert_eq!(shown.signed_prefix.as_deref(), Some("1700000000."));
    assert_eq!(shown.received, ["v1=a,v1=b", "v1=c"]);
    assert_eq!((shown.age_s, shown.tolerance_s), (Some(-1.5), 300));
    let without = detail(&*sume(), &request(&headers[1..]), at(T), 300);
    assert_eq!((without.signed_prefix, without.age_s), (None, None));
}

#[test]
fn neither_the_secret_nor_the_expected_digest_is_ever_printed() {
    let signer = Signer { scheme: sume(), secret: Secret::new(SECRET.into()) };
    assert!(!format!("{signer:?}").contains(SECRET));
    let mut texts = vec![format!("{signer:?}"), format!("{:?}", signer.scheme)];
    for sent in [
        Sent::row_1().signed("v1=00"),
        Sent::new(ROW_2, &"0".repeat(64)),
        Sent::row_1().signed(format!("v1={}", "0".repeat(64))).secret("test-secret "),
        Sent::row_1().stamped("x").signed("v1=00"),
    ] {
        texts.push(format!("{:?}", sent.judge()));
    }
    for text in texts {
        assert!(!text.contains(SECRET) && !text.contains(ROW_1_DIGEST), "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_signed_is_valid_and_has_no_hint(
        secret in proptest::collection::vec(any::<u8>(), 1..80), body: Vec<u8>, unix in 0..4_000_000_000_i64,
    ) {
        let signer = Signer { scheme: sume(), secret: Secret::new(secret) };
        let headers = signer.sign(unix, "evt", &body).unwrap();
        let request = SignedRequest { method: "POST", path: "/", query: "", headers: &headers, body: &body };
        let report = verify(&*signer.scheme, &[NamedSecret::new("one", signer.secret.clone(), "memory")], &request, at(unix), 0);
        prop_assert_eq!(report.state, SignatureState::Valid);
        prop_assert!(report.hints.is_empty() && report.reason.is_none());
    }

    #[test]
    fn a_changed_body_is_never_valid(body: Vec<u8>, other: Vec<u8>) {
        prop_assume!(body != other);
        let digest = digest_of(SECRET.as_bytes(), "1700000000", &body);
        prop_assert_eq!(Sent::new(&other, &digest).state(), SignatureState::Invalid);
    }

    #[test]
    fn any_headers_do_no_harm(stamps: Vec<Vec<u8>>, lines: Vec<Vec<u8>>, body: Vec<u8>) {
        let mut sent = Sent::row_1();
        (sent.timestamps, sent.signatures, sent.body) = (stamps, lines, body);
        prop_assert!(sent.state() != SignatureState::Valid);
    }
}
