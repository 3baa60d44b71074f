//! What holds of every scheme alike, each as it is set by default and the custom one in several forms.

use super::{delivery::*, *};
use crate::model::{
    CustomAlgorithm, CustomEncoding, CustomForm, CustomSecret, CustomTimestamp, SumeForm,
};

mod bodies;
mod entries;
mod random;
mod secrets;
mod times;

/// Where a scheme has its signed time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    None,
    Header,
    /// Beside the signatures, as `t=…` before them.
    Beside,
}

/// A scheme and how its signature's header is put together.
struct Case {
    name: &'static str,
    scheme: Arc<dyn Scheme>,
    /// One of its secrets.
    secret: &'static [u8],
    /// Another of them.
    other_secret: &'static [u8],
    /// Between two signatures of a line; empty where only one can stand there.
    separator: &'static str,
    time: Time,
}

fn custom(change: impl FnOnce(&mut CustomForm)) -> Arc<dyn Scheme> {
    let mut settings = SchemeSettings::default();
    change(&mut settings.custom);
    scheme("custom", &settings).unwrap()
}

fn cases() -> Vec<Case> {
    let case = |name, scheme, separator, time| Case {
        name,
        scheme,
        secret: b"test-secret",
        other_secret: b"test-secret-2",
        separator,
        time,
    };
    let renamed = SchemeSettings {
        sume: SumeForm {
            timestamp_header: "X-T".into(),
            signature_header: "X-S".into(),
            event_id_header: "X-E".into(),
            tag: String::new(),
        },
        ..SchemeSettings::default()
    };
    let bare = custom(|custom| {
        custom.signed = "{body}{path}".into();
        custom.timestamp = CustomTimestamp::None;
        custom.algorithm = CustomAlgorithm::Sha1;
        custom.separator.clear();
    });
    let beside = custom(|custom| {
        custom.signed = "{id}|{timestamp}|{body}|{method}".into();
        custom.id_header = "X-Id".into();
        custom.timestamp = CustomTimestamp::Parameter { name: "t".into() };
        custom.algorithm = CustomAlgorithm::Sha512;
        custom.encoding = CustomEncoding::Base64;
        custom.secret = CustomSecret::Hex;
        custom.prefix = "sig:".into();
        custom.separator = ";".into();
    });
    vec![
        case("sume", sume(), ",", Time::Header),
        case("sume, renamed", scheme("sume", &renamed).unwrap(), ",", Time::Header),
        Case {
            secret: b"whsec_dGVzdC1zZWNyZXQ=",
            other_secret: b"whsec_dGVzdC1zZWNyZXQtMg==",
            ..case("standard-webhooks", plain("standard-webhooks"), " ", Time::Header)
        },
        case("stripe", plain("stripe"), ",", Time::Beside),
        case("github", plain("github"), ",", Time::None),
        case("shopify", plain("shopify"), ",", Time::None),
        case("slack", plain("slack"), ",", Time::Header),
        case("custom", plain("custom"), ",", Time::Header),
        case("custom, bare", bare, "", Time::None),
        Case {
            secret: b"746573742d736563726574",
            other_secret: b"746573742d7365637265742d32",
            ..case("custom, beside", beside, ";", Time::Beside)
        },
    ]
}

impl Case {
    fn sent(&self, body: &[u8]) -> Delivery {
        Delivery::signed(&self.scheme, self.secret, body)
    }

    /// Signed over a time's literal text, whatever it is.
    fn sent_at(&self, stamp: &str) -> Delivery {
        let sent = self.sent(ROW_1);
        let key = self.scheme.key(&Secret::new(self.secret.to_vec())).unwrap();
        let text = self.scheme.text(stamp.as_bytes(), b"evt_1", &sent.request());
        let digest = text.digest(self.scheme.algorithm(), &key, ROW_1);
        let headers = self.scheme.write(stamp, "evt_1", &digest);
        sent.with_headers(headers)
    }

    /// A signature of row 1 as the scheme writes it, without what stands beside it.
    fn good(&self) -> String {
        let sent = self.sent(ROW_1);
        let name = self.scheme.signature_header();
        let (_, line) = sent.headers().into_iter().find(|(header, _)| *header == name).unwrap();
        line.strip_prefix(&self.lead()).unwrap().to_owned()
    }

    /// Its digest alone, with no tag.
    fn digest(&self) -> String {
        self.good().strip_prefix(&*self.scheme.form().tag).unwrap().to_owned()
    }

    /// A well-formed signature of nothing.
    fn bad(&self) -> String {
        let zero = vec![0; self.scheme.algorithm().length()];
        self.scheme.form().write(&Digest::new(&zero).unwrap())
    }

    /// What stands before the signatures of a line.
    fn lead(&self) -> String {
        match self.time {
            Time::Beside => format!("t={T}{}", self.separator),
            Time::None | Time::Header => String::new(),
        }
    }

    /// Row 1 with these signatures in one line.
    fn with(&self, entries: &[&str]) -> Delivery {
        let line = format!("{}{}", self.lead(), entries.join(self.separator));
        self.sent(ROW_1).lines(&[line])
    }

    fn is_hex(&self) -> bool {
        self.scheme.form().encoding == entry::Encoding::Hex
    }
}

#[test]
fn every_scheme_that_is_offered_is_here() {
    let covered: Vec<_> = cases().iter().map(|case| case.scheme.name()).collect();
    assert!(names().iter().all(|name| covered.contains(name)), "{covered:?}");
}
