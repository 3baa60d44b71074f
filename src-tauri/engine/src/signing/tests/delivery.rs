//! One delivery of any scheme, whose parts a test changes one at a time.

use super::*;

#[derive(Clone)]
pub(super) struct Delivery {
    pub(super) scheme: Arc<dyn Scheme>,
    pub(super) secret: Vec<u8>,
    pub(super) headers: Vec<RawHeader>,
    pub(super) body: Vec<u8>,
    pub(super) target: (String, String, String),
    pub(super) now: i64,
}

impl Delivery {
    /// Signed by us at `T`, for the event `evt_1`.
    pub(super) fn signed(scheme: &Arc<dyn Scheme>, secret: &[u8], body: &[u8]) -> Self {
        let signer = Signer { scheme: scheme.clone(), secret: Secret::new(secret.to_vec()) };
        let headers = signer.sign(T, "evt_1", body).unwrap();
        Self { headers, ..Self::came(scheme, secret, &[], body) }
    }

    /// As it came from elsewhere, at `T`.
    pub(super) fn came(
        scheme: &Arc<dyn Scheme>,
        secret: &[u8],
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Self {
        Self {
            scheme: scheme.clone(),
            secret: secret.to_vec(),
            headers: headers.iter().map(|(name, value)| RawHeader::new(*name, *value)).collect(),
            body: body.to_vec(),
            target: ("POST".into(), "/".into(), String::new()),
            now: T,
        }
    }

    pub(super) fn with_headers(mut self, headers: Vec<RawHeader>) -> Self {
        self.headers = headers;
        self
    }

    /// Without any header of that name.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|header| !header.is(name));
        self
    }

    /// With one more header.
    pub(super) fn and(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        let value = value.into().into();
        self.headers.push(RawHeader { name: name.as_bytes().to_vec().into(), value });
        self
    }

    /// With that header once.
    pub(super) fn with(self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.without(name).and(name, value)
    }

    /// With these lines of the signature's header, and no other.
    pub(super) fn lines<L: AsRef<[u8]>>(self, lines: &[L]) -> Self {
        let name = self.scheme.signature_header().to_owned();
        lines.iter().fold(self.without(&name), |sent, line| sent.and(&name, line.as_ref()))
    }

    pub(super) fn secret(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.secret = secret.into();
        self
    }

    pub(super) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(super) fn target(mut self, method: &str, path: &str, query: &str) -> Self {
        self.target = (method.into(), path.into(), query.into());
        self
    }

    pub(super) fn now(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    pub(super) fn request(&self) -> SignedRequest<'_> {
        let (method, path, query) = &self.target;
        SignedRequest { method, path, query, headers: &self.headers, body: &self.body }
    }

    pub(super) fn headers(&self) -> Vec<(&str, &str)> {
        values(&self.headers)
    }

    pub(super) fn judge(&self) -> SignatureReport {
        verify(&*self.scheme, &in_use(&self.secret), &self.request(), at(self.now), TOLERANCE)
    }

    /// With other secrets that are known, and the bodies of other deliveries.
    pub(super) fn judge_with(
        &self,
        known: &[NamedSecret],
        siblings: impl Iterator<Item = Sibling>,
    ) -> SignatureReport {
        self.judge_by(&in_use(&self.secret), known, siblings)
    }

    /// With several secrets in use.
    pub(super) fn judge_by(
        &self,
        secrets: &[NamedSecret],
        known: &[NamedSecret],
        siblings: impl Iterator<Item = Sibling>,
    ) -> SignatureReport {
        let scheme = &*self.scheme;
        let schemes = &SchemeSettings::default();
        let verifier =
            Verifier { scheme, secrets, tolerance_s: TOLERANCE, schemes, known, seen: &[] };
        verifier.verify_among(&self.request(), at(self.now), siblings)
    }

    pub(super) fn state(&self) -> SignatureState {
        self.judge().state
    }

    #[track_caller]
    pub(super) fn reason(&self, state: SignatureState) -> String {
        let report = self.judge();
        assert_eq!(report.state, state, "{report:?}");
        report.reason.unwrap()
    }
}

/// A scheme as it is set by default.
pub(super) fn plain(name: &str) -> Arc<dyn Scheme> {
    scheme(name, &SchemeSettings::default()).unwrap()
}

/// A body with the digest that a provider would send with it, for each of the field's bodies in the order of `VECTORS`.
pub(super) fn field_bodies(digests: [&'static str; 10]) -> Vec<(&'static [u8], &'static str)> {
    VECTORS.iter().zip(digests).map(|((_, body, _), digest)| (*body, digest)).collect()
}

/// Every body is valid with its own digest and with no other's; `headers` makes a provider's headers of one digest.
pub(super) fn only_its_own(
    name: &str,
    secret: &str,
    digests: [&'static str; 10],
    headers: impl Fn(&str) -> Vec<(&'static str, String)>,
) {
    let scheme = plain(name);
    let bodies = field_bodies(digests);
    for (body, own) in &bodies {
        for (_, digest) in &bodies {
            let came = headers(digest);
            let came: Vec<_> = came.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let report = Delivery::came(&scheme, secret.as_bytes(), &came, body).judge();
            let due = if own == digest { SignatureState::Valid } else { SignatureState::Invalid };
            assert_eq!(report.state, due, "{name}: {} with {digest}", body.escape_ascii());
            assert!(due == SignatureState::Invalid || report.hints.is_empty(), "{report:?}");
        }
        // What we write is what the provider writes.
        let signed = Delivery::signed(&scheme, secret.as_bytes(), body);
        let due = headers(own);
        for (name, value) in &due {
            assert!(signed.headers().contains(&(*name, value)), "{name}: {value}");
        }
    }
}
