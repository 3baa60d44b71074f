//! The secrets of an engine: which are in use, and where they are kept.

use super::{Engine, lock, run_blocking};
use crate::{
    error::{Error, Result},
    model::Settings,
    secrets::{self, Keychain, NamedSecret, Ring, Secret, SecretError},
    signing,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{task::JoinHandle, time::timeout};

/// How long a start waits for the keychain. One that a person has to unlock first takes as long as they do.
const PATIENCE: Duration = Duration::from_secs(1);

/// The keychain's secrets, which are on their way still.
pub(super) type Loading = JoinHandle<Ring>;

/// What an engine starts with when it was given none: the keychain's secrets of the names in the settings, and a throwaway
/// one for the schemes that have none. A keychain that does not answer is no reason not to start: the frame shows which
/// secret is in use, and one that answers late is taken then.
pub(super) async fn at_start(
    names: BTreeMap<String, Vec<String>>,
) -> Result<(Ring, Option<Loading>)> {
    let mut ring = Ring::throwaway()?;
    if names.is_empty() {
        return Ok((ring, None));
    }
    let wanted = names.clone();
    let mut loading = tokio::task::spawn_blocking(move || from_keychain(wanted));
    let in_time = timeout(PATIENCE, &mut loading).await;
    let loading = match in_time {
        Ok(Ok(loaded)) => {
            ring.take_up(loaded);
            return Ok((ring, None));
        }
        Ok(Err(error)) => {
            tracing::error!(%error, "the keychain's secrets could not be read");
            None
        }
        Err(_) => Some(loading),
    };
    ring.miss_all(&names);
    Ok((ring, loading))
}

/// The keychain's secrets of these names; the names of those that it did not give are kept. Blocking.
fn from_keychain(names: BTreeMap<String, Vec<String>>) -> Ring {
    let keychain = secrets::keychain();
    let mut ring = Ring::default();
    for (scheme, names) in names {
        for name in names {
            match Secret::from_keychain(&*keychain, &name) {
                Ok(secret) => {
                    ring.append(&scheme, NamedSecret::new(name, secret, keychain.kept_in()));
                }
                Err(error) => {
                    tracing::warn!(%error, "{scheme} goes without {name}");
                    ring.miss(&scheme, name);
                }
            }
        }
    }
    ring
}

/// What an engine starts with when it was given some: those; the names in the settings are kept for another start.
pub(super) fn given(secrets: Vec<NamedSecret>, settings: &Settings) -> Ring {
    let mut ring = Ring::of(secrets);
    ring.miss_all(&settings.secrets);
    ring
}

impl Engine {
    /// Takes what the keychain gave after the start.
    pub(super) fn when_loaded(&self, loading: Loading) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            let loaded = tokio::select! {
                () = engine.inner.shutdown.cancelled() => return,
                loaded = loading => loaded,
            };
            let taken = async {
                let mut ring = engine.ring();
                ring.take_up(loaded.map_err(|error| Error::Input(error.to_string()))?);
                engine.use_ring(ring).await
            };
            if let Err(error) = taken.await {
                tracing::error!(%error, "the keychain's secrets could not be taken");
            }
        });
    }

    /// Takes a secret that was typed, its bytes as they are; kept in the keychain where there is one, else until the
    /// end of this run. It signs from now on, and what was there before verifies still.
    ///
    /// # Errors
    /// When it is empty, has no name, is none of that scheme, or the keychain refuses it; nothing has changed then.
    pub async fn set_secret(&self, scheme: &str, name: &str, secret: String) -> Result<()> {
        let name = name_of(name)?;
        let secret = Secret::try_from(secret.into_bytes())?;
        self.fits(scheme, &secret)?;
        let mut ring = self.ring();
        let (filed, bytes) = (name.clone(), secret.clone());
        // First in the ring, so that nothing is left in the keychain of one that it does not take.
        ring.put(scheme, NamedSecret::new(&*name, secret.clone(), "memory"))?;
        let kept_in = run_blocking(move || {
            let keychain: Arc<dyn Keychain> = secrets::keychain();
            match keychain.set(&filed, &bytes) {
                Ok(()) => Ok(keychain.kept_in()),
                // One that nobody unlocks is as good as none; the frame says where the secret is.
                Err(error @ SecretError::KeychainLocked { .. }) => {
                    tracing::warn!(%error, "the secret is kept in memory");
                    Ok("memory")
                }
                Err(error) => Err(error),
            }
        })
        .await??;
        ring.put(scheme, NamedSecret::new(name, secret, kept_in))?;
        self.use_ring(ring).await
    }

    /// Takes a secret that the system's keychain holds already.
    ///
    /// # Errors
    /// When there is no keychain or no such secret in it, or it is none of that scheme.
    pub async fn use_kept_secret(&self, scheme: &str, name: &str) -> Result<()> {
        let name = name_of(name)?;
        let wanted = name.clone();
        let secret =
            run_blocking(move || Secret::from_keychain(&secrets::SystemKeychain::open()?, &wanted))
                .await??;
        self.fits(scheme, &secret)?;
        let mut ring = self.ring();
        ring.put(scheme, NamedSecret::new(name, secret, "keychain"))?;
        self.use_ring(ring).await
    }

    /// Makes a fresh throwaway secret the one that signs.
    ///
    /// # Errors
    /// When the system gives no random bytes, or the scheme has as many secrets as it may have.
    pub async fn generate_secret(&self, scheme: &str) -> Result<()> {
        let mut ring = self.ring();
        ring.put(scheme, NamedSecret::throwaway()?)?;
        self.use_ring(ring).await
    }

    /// Makes one of a scheme's secrets the one that signs.
    ///
    /// # Errors
    /// When there is none of that name, or the settings cannot be written.
    pub async fn prefer_secret(&self, scheme: &str, name: &str) -> Result<()> {
        let mut ring = self.ring();
        if !ring.prefer(scheme, name) {
            return Err(no_such(scheme, name));
        }
        self.use_ring(ring).await
    }

    /// Uses one of a scheme's secrets no more; `forget` takes it out of the keychain too.
    ///
    /// # Errors
    /// When there is none of that name, the keychain refuses, or the settings cannot be written.
    pub async fn remove_secret(&self, scheme: &str, name: &str, forget: bool) -> Result<()> {
        let mut ring = self.ring();
        let removed = ring.remove(scheme, name).ok_or_else(|| no_such(scheme, name))?;
        if forget && removed.kept_in == "keychain" {
            let name = removed.name;
            run_blocking(move || secrets::keychain().forget(&name)).await??;
        }
        self.use_ring(ring).await
    }

    /// Verifies and signs nothing by this scheme from now on. What the keychain holds stays there.
    ///
    /// # Errors
    /// When the settings cannot be written.
    pub async fn clear_secrets(&self, scheme: &str) -> Result<()> {
        let mut ring = self.ring();
        ring.clear(scheme);
        self.use_ring(ring).await
    }

    /// The secret that signs by a scheme.
    pub(super) fn signing_secret(&self, scheme: &str) -> Option<NamedSecret> {
        lock(&self.inner.ring).of_scheme(scheme).first().cloned()
    }

    pub(super) fn ring(&self) -> Ring {
        lock(&self.inner.ring).clone()
    }

    /// C14: what could never be a secret of the scheme is refused when it is entered.
    fn fits(&self, scheme: &str, secret: &Secret) -> Result<()> {
        signing::scheme(scheme, &self.settings().schemes)?.key(secret)?;
        Ok(())
    }

    /// From now on; the next start looks for the same names.
    async fn use_ring(&self, ring: Ring) -> Result<()> {
        let settings = Settings { secrets: ring.names(), ..self.settings() };
        *lock(&self.inner.ring) = ring;
        self.keep_settings(settings).await
    }
}

fn name_of(name: &str) -> Result<String> {
    match name.trim() {
        "" => Err(Error::Input("The secret needs a name, as sume.".into())),
        name => Ok(name.to_owned()),
    }
}

fn no_such(scheme: &str, name: &str) -> Error {
    SecretError::NotInUse { scheme: scheme.to_owned(), name: name.to_owned() }.into()
}
