//! The secret of an engine: which one is in use, and where it is kept.

use super::{Engine, lock, run_blocking};
use crate::{
    error::{Error, Result},
    events::Event,
    model::SecretInfo,
    secrets::{self, Keychain, Secret},
};
use std::sync::Arc;

/// The name of a secret that was made at start.
const THROWAWAY: &str = "throwaway";

/// A secret with its name and where it is kept.
#[derive(Debug, Clone)]
pub struct NamedSecret {
    /// The bytes.
    pub secret: Secret,
    /// As in `--secret-name`.
    pub name: String,
    /// `keychain`, `memory`, `environment`, `file`.
    pub kept_in: &'static str,
    /// It was made at this start and is gone with it.
    pub throwaway: bool,
}

impl NamedSecret {
    /// As it may be shown.
    pub fn info(&self) -> SecretInfo {
        SecretInfo {
            name: self.name.clone(),
            fingerprint: self.secret.fingerprint(),
            throwaway: self.throwaway,
            kept_in: self.kept_in.into(),
            warning: self.secret.warning(),
        }
    }

    /// A fresh one that is gone with this run.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn throwaway() -> Result<Self> {
        Ok(Self {
            secret: Secret::throwaway()?,
            name: THROWAWAY.into(),
            kept_in: "memory",
            throwaway: true,
        })
    }
}

/// What an engine starts with when it was given none: the keychain's secret of the name in the settings, else a
/// throwaway one. A keychain that does not answer is no reason not to start: the frame shows which secret is in use.
pub(super) async fn at_start(name: Option<String>) -> Result<NamedSecret> {
    let Some(name) = name else { return NamedSecret::throwaway() };
    let wanted = name.clone();
    let kept = run_blocking(move || {
        let keychain = secrets::keychain();
        Secret::from_keychain(&*keychain, &wanted).map(|secret| (secret, keychain.kept_in()))
    })
    .await?;
    match kept {
        Ok((secret, kept_in)) => Ok(NamedSecret { secret, name, kept_in, throwaway: false }),
        Err(error) => {
            tracing::warn!(%error, "a throwaway secret is used instead of {name}");
            NamedSecret::throwaway()
        }
    }
}

impl Engine {
    /// Takes a secret that was typed, its bytes as they are; kept in the keychain where there is one, else until the
    /// end of this run.
    ///
    /// # Errors
    /// When it is empty, has no name, or the keychain refuses it; the secret before it stays in use then.
    pub async fn set_secret(&self, name: String, secret: String) -> Result<()> {
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(Error::Input("The secret needs a name, as sume.".into()));
        }
        let secret = Secret::try_from(secret.into_bytes())?;
        let (filed, bytes) = (name.clone(), secret.clone());
        let kept_in = run_blocking(move || {
            let keychain: Arc<dyn Keychain> = secrets::keychain();
            keychain.set(&filed, &bytes).map(|()| keychain.kept_in())
        })
        .await??;
        self.remember_name((kept_in == "keychain").then(|| name.clone())).await?;
        self.use_secret(Some(NamedSecret { secret, name, kept_in, throwaway: false }))
    }

    /// Makes a fresh throwaway secret.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub async fn generate_secret(&self) -> Result<()> {
        self.remember_name(None).await?;
        self.use_secret(Some(NamedSecret::throwaway()?))
    }

    /// Verifies and signs nothing from now on. What the keychain holds stays there.
    ///
    /// # Errors
    /// When the settings cannot be written.
    pub async fn clear_secret(&self) -> Result<()> {
        self.remember_name(None).await?;
        self.use_secret(None)
    }

    /// Which secret the next start looks for.
    async fn remember_name(&self, name: Option<String>) -> Result<()> {
        let mut settings = self.settings();
        if settings.secret_name == name {
            return Ok(());
        }
        settings.secret_name = name;
        self.set_settings(settings).await
    }

    fn use_secret(&self, secret: Option<NamedSecret>) -> Result<()> {
        *lock(&self.inner.secret) = secret;
        self.apply_config()?;
        self.inner.events.publish(Event::StateChanged);
        Ok(())
    }
}
