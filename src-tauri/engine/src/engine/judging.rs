//! A stored delivery judged once more, over its exact bytes, at the time of its receipt. What was judged then stays.

use super::{Engine, reading::gone};
use crate::{
    error::{Error, Result},
    head::Head,
    model::{Delivery, JudgeSpec, SchemeSettings, SignatureReport, SignatureState, TrySecret},
    secrets::{NamedSecret, Secret, SecretError},
    signing::{self, Scheme, Sibling, Sighting, SignedRequest, Verifier},
    store::{Store, StoreError},
};
use jiff::Timestamp;
use std::sync::Arc;

/// What a stored delivery is judged by.
#[derive(Debug, Clone)]
pub struct Judging {
    /// How it is to be signed.
    pub scheme: Arc<dyn Scheme>,
    /// With what.
    pub secrets: Vec<NamedSecret>,
    /// Other secrets, for a signature that was made with one of them.
    pub known: Vec<NamedSecret>,
    /// Seconds that its time may be off, either way.
    pub tolerance_s: u32,
    /// The schemes as they are set.
    pub schemes: SchemeSettings,
}

impl Judging {
    /// Judges a delivery of this store. One that did not come whole cannot be checked, which is not the same as not
    /// valid. Blocking.
    ///
    /// # Errors
    /// When it is not kept any more, or the database cannot be read.
    pub fn judge(&self, store: &Store, delivery: &Delivery) -> Result<SignatureReport> {
        let seq = delivery.seq;
        let (Some(head), Some((body, _))) = (store.head(seq)?, store.body(seq, None)?) else {
            return Err(gone(seq));
        };
        let head = Head::parse(&head).map(|(head, _)| head);
        let whole = delivery.came_whole();
        let (true, Ok(head)) = (whole, head) else {
            let why = if whole { "is no HTTP" } else { "did not come whole" };
            return Ok(SignatureReport {
                state: SignatureState::Unchecked,
                scheme: self.scheme.name().to_owned(),
                reason: Some(format!("delivery #{seq} {why}, so there is nothing to check")),
                hints: Vec::new(),
                secret: None,
                age_s: None,
            });
        };
        let request = SignedRequest {
            method: &delivery.method,
            path: &delivery.path,
            query: &delivery.query,
            headers: &head.headers,
            body: &body,
        };
        let seen = seen(store, self.scheme.name(), seq)?;
        let verifier = Verifier {
            scheme: &*self.scheme,
            secrets: &self.secrets,
            tolerance_s: self.tolerance_s,
            schemes: &self.schemes,
            known: &self.known,
            seen: &seen,
        };
        let siblings = store.bodies_of_job(delivery).map(|(seq, body)| Sibling { seq, body });
        Ok(verifier.verify_among(&request, received_at(delivery)?, siblings))
    }
}

/// The deliveries before this one whose digest matched.
fn seen(store: &Store, scheme: &str, before: i64) -> Result<Vec<Sighting>, StoreError> {
    let ages = store.ages(scheme, before, Sighting::KEPT)?;
    Ok(ages.into_iter().map(|(received_at, age_s)| Sighting { received_at, age_s }).collect())
}

/// When a delivery came.
pub(super) fn received_at(delivery: &Delivery) -> Result<Timestamp> {
    delivery.received_at.parse().map_err(|error| {
        Error::Input(format!("The time of delivery #{} cannot be read: {error}.", delivery.seq))
    })
}

impl Engine {
    /// What a scheme's deliveries are judged by now.
    pub(super) fn judging(&self, scheme: &str) -> Result<Judging> {
        let settings = self.settings();
        let ring = self.ring();
        Ok(Judging {
            scheme: signing::scheme(scheme, &settings.schemes)?,
            secrets: ring.of_scheme(scheme).to_vec(),
            known: ring.others(scheme),
            tolerance_s: settings.listen.tolerance_s,
            schemes: settings.schemes,
        })
    }

    /// Judges a stored delivery by another scheme or secret. Nothing of it is kept.
    ///
    /// # Errors
    /// When the delivery is not kept any more, there is no such scheme or secret, or the database cannot be read.
    pub async fn judge(&self, spec: JudgeSpec) -> Result<SignatureReport> {
        let delivery = self.delivery(spec.seq).await?.delivery;
        let mut judging = self.judging(&spec.scheme)?;
        let tried = match spec.secret {
            TrySecret::InUse => None,
            TrySecret::Named { name } => {
                let found = self.ring().find(&spec.scheme, &name).cloned();
                let gone =
                    || SecretError::NotInUse { scheme: spec.scheme.clone(), name: name.clone() };
                Some(NamedSecret::new(name.clone(), found.ok_or_else(gone)?, "memory"))
            }
            TrySecret::Typed { secret } => {
                let secret = Secret::try_from(secret.into_bytes())?;
                Some(NamedSecret::new("the typed one", secret, "memory"))
            }
        };
        if let Some(tried) = tried {
            judging.secrets = vec![tried];
        }
        let store = self.store().clone();
        super::run_blocking(move || judging.judge(&store, &delivery)).await?
    }
}
