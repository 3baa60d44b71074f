//! The effect seen as downloads of the artifact.

use super::{Sight, Subject};

/// How often the artifact was served whole.
pub(super) fn count(subject: &Subject) -> Sight {
    subject.artifact.as_ref().map(super::Artifact::served).ok_or_else(|| {
        "The canary has nothing to see outside of a check: it counts downloads of an artifact that \
         the check puts into the body; start the check."
            .to_owned()
    })
}
