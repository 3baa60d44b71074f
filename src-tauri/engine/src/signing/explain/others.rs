//! Other schemes whose signature came instead of the one that is expected, or beside it.

use crate::{
    head::RawHeader,
    model::SchemeSettings,
    signing::{Scheme, SignedRequest, check_custom, custom, registry},
};
use std::sync::Arc;

/// Another scheme whose signature came.
pub(in crate::signing) struct Foreign {
    pub scheme: Arc<dyn Scheme>,
    /// The header's name as it came.
    pub header: String,
    /// Whether our secret verifies it.
    pub proof: Proof,
}

/// What our secret says to another scheme's signature.
pub(in crate::signing) enum Proof {
    Valid,
    /// Its digest matches, and its time is outside the tolerance, for this reason.
    Stale(String),
    None,
}

impl Foreign {
    /// As a fact of a reason.
    pub(in crate::signing) fn came(&self) -> String {
        format!("{} came, which is {}'s", self.header, self.scheme.name())
    }

    /// What to do, where that is proven.
    pub(in crate::signing) fn hint(&self) -> Option<String> {
        let name = self.scheme.name();
        match &self.proof {
            Proof::Valid => Some(format!("valid as {name}: set the scheme to {name}")),
            Proof::Stale(reason) => {
                Some(format!("matches as {name}: set the scheme to {name} (but {reason})"))
            }
            Proof::None => None,
        }
    }
}

/// The other schemes whose signature came, in the order in which they are offered; `prove` judges each with our secret.
pub(in crate::signing) fn foreign(
    expected: &dyn Scheme,
    settings: &SchemeSettings,
    request: &SignedRequest<'_>,
    prove: impl Fn(&dyn Scheme) -> Proof,
) -> Vec<Foreign> {
    let usable = |scheme: &Arc<dyn Scheme>| {
        scheme.name() != expected.name()
            && (scheme.name() != custom::NAME || check_custom(&settings.custom).is_ok())
    };
    let others = registry(settings).into_iter().filter(usable);
    others
        .filter_map(|scheme| {
            let header = header(&*scheme, request)?;
            let proof = prove(&*scheme);
            Some(Foreign { scheme, header, proof })
        })
        .collect()
}

/// The name of the header that the scheme's signature came in; a scheme may know several.
fn header(scheme: &dyn Scheme, request: &SignedRequest<'_>) -> Option<String> {
    let line = *scheme.lines(request).first()?;
    let is_it = |header: &&RawHeader| !line.is_empty() && std::ptr::eq(&*header.value, line);
    let found = request.headers.iter().find(is_it);
    Some(found.map_or_else(
        || scheme.signature_header().to_owned(),
        |header| String::from_utf8_lossy(&header.name).into_owned(),
    ))
}
