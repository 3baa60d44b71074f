//! How copies are signed.

use crate::support::{Handler, OK, fire, plan};
use hooktwice_engine::{
    firing::Plan,
    head::RawHeader,
    model::{Signing, SignatureState},
    secrets::Secret,
    signing::{self, SignedRequest, Signer},
};
