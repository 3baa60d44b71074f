//! `hooktwice leash`: how this program runs a tunnel's, so that it ends with us. Nobody types it.

use crate::exit::{Failure, Result};
use clap::Args;
use hooktwice_engine::process::leash;
use std::ffi::OsString;

/// Run a program until it ends or standard input closes
#[derive(Debug, Args)]
pub(crate) struct Leash {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl Leash {
    pub(crate) async fn run(self) -> Result {
        let Some((program, arguments)) = self.words.split_first() else {
            return Err(Failure::Usage("Name a program.".into()));
        };
        let code = leash::run(program, arguments).await;
        // The program's own, which is none of the contract's.
        std::process::exit(code.into())
    }
}
