//! Where a secret comes from: an environment variable, a file, or the keychain. Never from the command line itself,
//! which every process of this machine can read.

use crate::{
    exit::{Failure, Result},
    terminal,
};
use clap::Args;
use hooktwice_engine::{
    engine::NamedSecret,
    secrets::{Secret, SecretError, SystemKeychain},
};
use std::path::PathBuf;

/// Exactly one source, or none where a command can do without.
#[derive(Debug, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Secret (one of)")]
pub(crate) struct SecretArgs {
    /// Take the secret from this environment variable
    #[arg(long, value_name = "NAME")]
    secret_env: Option<String>,

    /// Take the secret from this file, its bytes as they are
    #[arg(long, value_name = "PATH")]
    secret_file: Option<PathBuf>,

    /// Take the secret of this name from the system keychain
    #[arg(long, value_name = "NAME")]
    secret_name: Option<String>,
}

impl SecretArgs {
    /// The secret, where one was named. What is odd about it is said on stderr.
    ///
    /// # Errors
    /// When it cannot be had, or has no bytes.
    pub(crate) fn read(&self) -> Result<Option<Secret>> {
        Ok(self.named()?.map(|named| named.secret))
    }

    /// As [`SecretArgs::read`], for a command that can do nothing without.
    ///
    /// # Errors
    /// When none was named, too.
    pub(crate) fn required(&self) -> Result<Secret> {
        self.read()?.ok_or_else(|| {
            Failure::Usage(
                "A secret is needed: give one of --secret-env NAME, --secret-file PATH, --secret-name NAME.".into(),
            )
        })
    }

    /// The secret with its name and where it is kept.
    ///
    /// # Errors
    /// When it cannot be had, or has no bytes.
    pub(crate) fn named(&self) -> Result<Option<NamedSecret>> {
        let Some(named) = self.find()? else { return Ok(None) };
        if let Some(warning) = named.secret.warning() {
            terminal::say(&warning);
        }
        Ok(Some(named))
    }

    /// What was typed, for a command that is shown: where the secret is, never what it is.
    pub(crate) fn words(&self) -> Vec<String> {
        let path = self.secret_file.as_ref().map(|path| path.display().to_string());
        let named = [
            ("--secret-env", self.secret_env.clone()),
            ("--secret-file", path),
            ("--secret-name", self.secret_name.clone()),
        ];
        let typed = named.into_iter().find_map(|(option, value)| Some([option.to_owned(), value?]));
        typed.into_iter().flatten().collect()
    }

    fn find(&self) -> Result<Option<NamedSecret>, SecretError> {
        let (name, secret, kept_in) = if let Some(name) = &self.secret_env {
            (name.clone(), Secret::from_env(name)?, "environment")
        } else if let Some(path) = &self.secret_file {
            (path.display().to_string(), Secret::from_file(path)?, "file")
        } else if let Some(name) = &self.secret_name {
            (name.clone(), Secret::from_keychain(&SystemKeychain::open()?, name)?, "keychain")
        } else {
            return Ok(None);
        };
        Ok(Some(NamedSecret { secret, name, kept_in, throwaway: false }))
    }
}
