//! Where secrets stay between two starts: the system's keychain, or memory where none runs.

use super::{Secret, SecretError};
use keyring::{Entry, Error as KeyringError};
use std::{
    collections::HashMap,
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

/// How this program's entries are filed.
const SERVICE: &str = "hooktwice";
/// How long a keychain may take to say whether it is there.
const PROBE: Duration = Duration::from_secs(3);
/// How long one may take to answer: a person may have to unlock it.
const ANSWER: Duration = Duration::from_secs(60);

/// Keeps secrets by name. Its methods block.
pub trait Keychain: Send + Sync + Debug {
    /// Where, in the word that people see: `keychain` or `memory`.
    fn kept_in(&self) -> &'static str;

    /// The secret of that name; `None` where there is none.
    ///
    /// # Errors
    /// When the keychain does not answer or refuses.
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError>;

    /// Keeps a secret under a name, in the place of an earlier one.
    ///
    /// # Errors
    /// When the keychain does not answer or refuses.
    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretError>;

    /// Forgets a secret; says whether there was one.
    ///
    /// # Errors
    /// When the keychain does not answer or refuses.
    fn forget(&self, name: &str) -> Result<bool, SecretError>;
}

/// The system's keychain where one answers, else memory; [`Keychain::kept_in`] says which. Blocking, for three
/// seconds at most.
pub fn keychain() -> Arc<dyn Keychain> {
    match SystemKeychain::open() {
        Ok(system) => Arc::new(system),
        Err(error) => {
            tracing::info!(%error, "secrets are kept in memory");
            Arc::<MemoryKeychain>::default()
        }
    }
}

/// The system's: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
#[derive(Debug, Clone, Copy)]
pub struct SystemKeychain(());

impl SystemKeychain {
    /// Finds it. Blocking, for three seconds at most.
    ///
    /// # Errors
    /// When none runs here.
    pub fn open() -> Result<Self, SecretError> {
        let status =
            within(PROBE, || Entry::store_status().as_ref().map(|_| ()).map_err(describe))?;
        status.map(|()| Self(())).map_err(SecretError::NoKeychain)
    }

    fn ask<T: Send + 'static>(
        name: &str,
        question: impl FnOnce(&Entry) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<Option<T>, SecretError> {
        let entry = name.to_owned();
        let answer = within(ANSWER, move || {
            match Entry::new(SERVICE, &entry).and_then(|entry| question(&entry)) {
                Ok(answer) => Ok(Some(answer)),
                Err(KeyringError::NoEntry) => Ok(None),
                Err(error) => Err(describe(&error)),
            }
        })?;
        answer.map_err(|reason| SecretError::KeychainRefused { name: name.to_owned(), reason })
    }
}

impl Keychain for SystemKeychain {
    fn kept_in(&self) -> &'static str {
        "keychain"
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        Self::ask(name, |entry| entry.get_secret().map(Secret::new))
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretError> {
        let secret = secret.clone();
        Self::ask(name, move |entry| entry.set_secret(secret.expose())).map(|_| ())
    }

    fn forget(&self, name: &str) -> Result<bool, SecretError> {
        Self::ask(name, Entry::delete_credential).map(|gone| gone.is_some())
    }
}

/// Asks in a thread of its own: a keychain may wait for a person, and its client must not meet our runtime. A thread
/// that never hears an answer is left behind.
fn within<T: Send + 'static>(
    limit: Duration,
    ask: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SecretError> {
    let (tell, hear) = mpsc::sync_channel(1);
    let started = thread::Builder::new().name("keychain".into()).spawn(move || {
        // Nobody listens any more when the time was up.
        let _ = tell.send(ask());
    });
    started.map_err(|error| SecretError::NoKeychain(error.to_string()))?;
    match hear.recv_timeout(limit) {
        Ok(answer) => Ok(answer),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(SecretError::KeychainSilent(limit.as_secs())),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(SecretError::NoKeychain("its client failed".into()))
        }
    }
}

/// What went wrong, without the entry's bytes, which some of these errors carry.
fn describe(error: &KeyringError) -> String {
    match error {
        KeyringError::PlatformFailure(cause) | KeyringError::NoStorageAccess(cause) => {
            cause.to_string()
        }
        KeyringError::NoDefaultStore => "none is set up".into(),
        KeyringError::TooLong(what, limit) => format!("{what} is longer than {limit}"),
        KeyringError::Invalid(what, why) => format!("{what} {why}"),
        KeyringError::NotSupportedByStore(what) => what.clone(),
        KeyringError::Ambiguous(_) => "there are several entries of that name".into(),
        _ => "the entry cannot be read".into(),
    }
}

/// Keeps secrets until this program ends.
#[derive(Debug, Default)]
pub struct MemoryKeychain(Mutex<HashMap<String, Secret>>);

impl MemoryKeychain {
    fn secrets(&self) -> MutexGuard<'_, HashMap<String, Secret>> {
        // Every change is one step, so a panic elsewhere cannot have left it half made.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keychain for MemoryKeychain {
    fn kept_in(&self) -> &'static str {
        "memory"
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        Ok(self.secrets().get(name).cloned())
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretError> {
        self.secrets().insert(name.to_owned(), secret.clone());
        Ok(())
    }

    fn forget(&self, name: &str) -> Result<bool, SecretError> {
        Ok(self.secrets().remove(name).is_some())
    }
}
