//! Where secrets come from: environment variables, files, or the keychain. Never from the command line itself, which
//! every process of this machine can read.

use crate::{
    exit::{Failure, Result},
    terminal,
};
use clap::Args;
use hooktwice_engine::{
    model::Settings,
    secrets::{Keychain as _, MAX_SECRETS, NamedSecret, Secret, SecretError, SystemKeychain},
};
use std::path::{Path, PathBuf};

/// Exactly one source, or none where a command can do without. A source may give several secrets: the first one signs,
/// and all verify.
#[derive(Debug, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Secret (one of; again for each more that verifies)")]
pub(crate) struct SecretArgs {
    /// Take the secret from this environment variable
    #[arg(long, value_name = "NAME")]
    secret_env: Vec<String>,

    /// Take the secret from this file, its bytes as they are
    #[arg(long, value_name = "PATH")]
    secret_file: Vec<PathBuf>,

    /// Take the secret of this name from the system keychain
    #[arg(long, value_name = "NAME")]
    secret_name: Vec<String>,
}

impl SecretArgs {
    /// The one that signs, where any was named. What is odd about it is said on stderr.
    ///
    /// # Errors
    /// When it cannot be had, or has no bytes.
    pub(crate) fn read(&self) -> Result<Option<Secret>> {
        Ok(self.named()?.into_iter().next().map(|named| named.secret))
    }

    /// As [`SecretArgs::read`], for a command that can do nothing without.
    ///
    /// # Errors
    /// When none was named, too.
    pub(crate) fn required(&self) -> Result<Secret> {
        self.read()?.ok_or_else(missing)
    }

    /// All that were named, for a command that can do nothing without.
    ///
    /// # Errors
    /// When none was named, or one cannot be had.
    pub(crate) fn all_required(&self) -> Result<Vec<NamedSecret>> {
        let named = self.named()?;
        if named.is_empty() { Err(missing()) } else { Ok(named) }
    }

    /// All that were named, each with its name and where it is kept.
    ///
    /// # Errors
    /// When one cannot be had or has no bytes, or there are too many.
    pub(crate) fn named(&self) -> Result<Vec<NamedSecret>> {
        let named = self.find()?;
        if named.len() > MAX_SECRETS {
            return Err(Failure::Usage(format!(
                "{} secrets are given; at most {MAX_SECRETS} can be tried.",
                named.len()
            )));
        }
        for warning in named.iter().filter_map(|named| named.secret.warning()) {
            terminal::say(&warning);
        }
        Ok(named)
    }

    /// What was typed, for a command that is shown: where the secret is, never what it is.
    pub(crate) fn words(&self) -> Vec<String> {
        let (env, name) = (self.secret_env.first(), self.secret_name.first());
        let path = self.secret_file.first().map(|path| path.display().to_string());
        let named = [
            ("--secret-env", env.cloned()),
            ("--secret-file", path),
            ("--secret-name", name.cloned()),
        ];
        let typed = named.into_iter().find_map(|(option, value)| Some([option.to_owned(), value?]));
        typed.into_iter().flatten().collect()
    }

    fn find(&self) -> Result<Vec<NamedSecret>, SecretError> {
        let env = self
            .secret_env
            .iter()
            .map(|name| Ok(NamedSecret::new(name.clone(), Secret::from_env(name)?, "environment")));
        let files = self
            .secret_file
            .iter()
            .map(|path| Ok(NamedSecret::new(file_name(path), Secret::from_file(path)?, "file")));
        let mut found = env.chain(files).collect::<Result<Vec<_>, SecretError>>()?;
        if !self.secret_name.is_empty() {
            let keychain = SystemKeychain::open()?;
            for name in &self.secret_name {
                let secret = Secret::from_keychain(&keychain, name)?;
                found.push(NamedSecret::new(name.clone(), secret, keychain.kept_in()));
            }
        }
        Ok(found)
    }
}

/// A file's name without its folders: it is shown beside each delivery that it verified.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn missing() -> Failure {
    Failure::Usage(
        "A secret is needed: give one of --secret-env NAME, --secret-file PATH, --secret-name NAME."
            .into(),
    )
}

/// The keychain's secrets that are set in the window, for a signature that was made with one of them. A keychain that
/// does not answer is no reason to stop, nor to wait for: they only explain.
pub(crate) fn known(settings: &Settings) -> Vec<NamedSecret> {
    if settings.secrets.is_empty() {
        return Vec::new();
    }
    let Ok(keychain) = SystemKeychain::open().map(SystemKeychain::hurried) else {
        return Vec::new();
    };
    let names = settings.secrets.values().flatten();
    names
        .map_while(|name| keychain.get(name).ok().map(|secret| (name, secret)))
        .filter_map(|(name, secret)| {
            Some(NamedSecret::new(name.clone(), secret?, keychain.kept_in()))
        })
        .collect()
}
