//! Where secrets stay between two starts: the system's keychain, or memory where none runs.

use super::{Secret, SecretError};
use keyring::{Entry, Error as KeyringError};
use std::{
    collections::HashMap,
    fmt::Debug,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// How this program's entries are filed.
const SERVICE: &str = "hooktwice";
/// How long a keychain may take to say whether it is there.
const PROBE: Duration = Duration::from_secs(3);
/// How long one may take to answer: a person may have to unlock it.
const ANSWER: Duration = Duration::from_secs(60);

/// How many questions nobody waits for any more. Each holds the client until the keychain answers, so whoever comes
/// after it would hear nothing either.
static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);

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
pub struct SystemKeychain {
    patience: Duration,
}

impl SystemKeychain {
    /// Finds it. Blocking, for three seconds at most.
    ///
    /// # Errors
    /// When none runs here.
    pub fn open() -> Result<Self, SecretError> {
        let status =
            within(PROBE, || Entry::store_status().as_ref().map(|_| ()).map_err(describe))?;
        status.map(|()| Self { patience: ANSWER }).map_err(SecretError::NoKeychain)
    }

    /// Waits three seconds for an answer and no longer: for what can be done without.
    #[must_use]
    pub fn hurried(self) -> Self {
        Self { patience: PROBE }
    }

    fn ask<T: Send + 'static>(
        self,
        name: &str,
        question: impl FnOnce(&Entry) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<Option<T>, SecretError> {
        let entry = name.to_owned();
        let answer = within(self.patience, move || {
            match Entry::new(SERVICE, &entry).and_then(|entry| question(&entry)) {
                Ok(answer) => Ok(Some(answer)),
                Err(KeyringError::NoEntry) => Ok(None),
                Err(error) => {
                    let locked = matches!(error, KeyringError::NoStorageAccess(_));
                    Err((locked, describe(&error)))
                }
            }
        })?;
        answer.map_err(|(locked, reason)| {
            let name = name.to_owned();
            if locked {
                SecretError::KeychainLocked { name, reason }
            } else {
                SecretError::KeychainRefused { name, reason }
            }
        })
    }
}

impl Keychain for SystemKeychain {
    fn kept_in(&self) -> &'static str {
        "keychain"
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        self.ask(name, |entry| entry.get_secret().map(Secret::new))
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretError> {
        let secret = secret.clone();
        self.ask(name, move |entry| entry.set_secret(secret.expose())).map(|_| ())
    }

    fn forget(&self, name: &str) -> Result<bool, SecretError> {
        self.ask(name, Entry::delete_credential).map(|gone| gone.is_some())
    }
}

/// Asks in a thread of its own: a keychain may wait for a person, and its client must not meet our runtime. A thread
/// that never hears an answer is left behind.
fn within<T: Send + 'static>(
    limit: Duration,
    ask: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SecretError> {
    let limit = if GIVEN_UP.load(Ordering::Relaxed) > 0 { limit.min(PROBE) } else { limit };
    // Without room, so that an answer is either heard or known not to be.
    let (tell, hear) = mpsc::sync_channel(0);
    let started = thread::Builder::new().name("keychain".into()).spawn(move || {
        if tell.send(ask()).is_err() {
            GIVEN_UP.fetch_sub(1, Ordering::Relaxed);
        }
    });
    started.map_err(|error| SecretError::NoKeychain(error.to_string()))?;
    match hear.recv_timeout(limit) {
        Ok(answer) => Ok(answer),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            // Before `hear` is gone, which the thread takes it down after.
            GIVEN_UP.fetch_add(1, Ordering::Relaxed);
            Err(SecretError::KeychainSilent(limit.as_secs()))
        }
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
        KeyringError::Ambiguous(_) => {
            "there are several entries of that name; leave one of them there".into()
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn one_question_without_an_answer_does_not_make_the_next_ones_wait_as_long() {
        let (open, closed) = mpsc::channel::<()>();
        let closed = Arc::new(Mutex::new(closed));
        let wait = |limit| {
            let closed = closed.clone();
            within(limit, move || drop(closed.lock().map(|gate| gate.recv())))
        };
        let first = wait(Duration::from_millis(10));
        assert!(matches!(first, Err(SecretError::KeychainSilent(0))), "{first:?}");
        let second = wait(ANSWER);
        assert!(matches!(second, Err(SecretError::KeychainSilent(3))), "{second:?}");

        // It answers again, both of those who are gone, and the next one may take its time.
        drop(open);
        let start = Instant::now();
        while GIVEN_UP.load(Ordering::Relaxed) > 0 {
            assert!(start.elapsed() < ANSWER, "a question is open still");
            thread::yield_now();
        }
        assert_eq!(within(ANSWER, || 7).ok(), Some(7));
    }
}
