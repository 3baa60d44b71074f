//! Sume's API and the watch list, for the pages.

use super::{Engine, lock, run_blocking};
use crate::{
    error::{Error, Result},
    events::Event,
    model::{JobStatus, SecretInfo, Settings, SumeAnswer, SumeSettings, WatchState, WatchedJob},
    secrets::{self, Keychain, NamedSecret, Secret, SecretError},
    sume::{self, Api, ApiKey, Pace, Patience, SumeError, Watch},
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Notify;

/// The keychain's entry of a key that was typed.
const KEY_NAME: &str = "sume-api-key";
/// How often the list is gone through while jobs are waited for.
const TURN: Duration = Duration::from_secs(1);
/// And while none is: another process may add one, and a missed one may come after all.
const IDLE: Duration = Duration::from_secs(3);

/// The key and the client.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    key: Mutex<Option<ApiKey>>,
    /// Made when it is first needed, and anew when the key or the base URL is another.
    api: Mutex<Option<(String, Api)>>,
    wake: Notify,
}

impl Keeping {
    fn use_key(&self, key: Option<ApiKey>) {
        *lock(&self.key) = key;
        *lock(&self.api) = None;
        self.wake.notify_one();
    }
}

impl Engine {
    /// The API key as it may be shown.
    pub fn sume_key(&self) -> Option<SecretInfo> {
        lock(&self.inner.sume.key).as_ref().map(ApiKey::info)
    }

    /// Takes an API key that was typed; kept in the keychain where there is one.
    ///
    /// # Errors
    /// When it is empty, cannot be a header's value, or the keychain refuses it.
    pub async fn set_sume_key(&self, key: String) -> Result<()> {
        let secret = Secret::new(key.into_bytes());
        ApiKey::new(NamedSecret::new(KEY_NAME, secret.clone(), "memory"))?;
        let bytes = secret.clone();
        let kept_in = run_blocking(move || {
            let keychain: Arc<dyn Keychain> = secrets::keychain();
            match keychain.set(KEY_NAME, &bytes) {
                Ok(()) => Ok(keychain.kept_in()),
                // One that nobody unlocks is as good as none; the page says where the key is.
                Err(error @ SecretError::KeychainLocked { .. }) => {
                    tracing::warn!(%error, "the API key is kept in memory");
                    Ok("memory")
                }
                Err(error) => Err(error),
            }
        })
        .await??;
        self.inner.sume.use_key(Some(ApiKey::new(NamedSecret::new(KEY_NAME, secret, kept_in))?));
        self.name_key((kept_in == "keychain").then(|| KEY_NAME.to_owned())).await
    }

    /// Uses no key any more, and takes it out of the keychain.
    ///
    /// # Errors
    /// When the keychain refuses.
    pub async fn forget_sume_key(&self) -> Result<()> {
        if let Some(name) = self.settings().sume.key_name {
            run_blocking(move || secrets::keychain().forget(&name)).await??;
        }
        self.inner.sume.use_key(None);
        self.name_key(None).await
    }

    async fn name_key(&self, key_name: Option<String>) -> Result<()> {
        let settings = self.settings();
        let sume = SumeSettings { key_name, ..settings.sume.clone() };
        self.keep_settings(Settings { sume, ..settings }).await
    }

    /// Asks Sume to send a `webhook.test` to a URL.
    ///
    /// # Errors
    /// When there is no key, the API cannot be reached, or it refuses.
    pub async fn sume_test_delivery(&self, url: &str) -> Result<SumeAnswer> {
        Ok(self.sume_api().await?.test_delivery(url).await?)
    }

    /// Asks Sume to send a job's terminal event again.
    ///
    /// # Errors
    /// As [`Engine::sume_test_delivery`].
    pub async fn sume_redeliver(&self, job_id: &str) -> Result<SumeAnswer> {
        Ok(self.sume_api().await?.redeliver(job_id).await?)
    }

    /// Asks Sume where a job is.
    ///
    /// # Errors
    /// As [`Engine::sume_test_delivery`].
    pub async fn sume_status(&self, job_id: &str) -> Result<JobStatus> {
        Ok(self.sume_api().await?.status(job_id).await?)
    }

    /// Puts jobs on the watch list; those that are on it already are looked at anew.
    ///
    /// # Errors
    /// When an id cannot be one, or the database cannot be written.
    pub async fn watch(&self, job_ids: Vec<String>, expect_within_s: u32) -> Result<()> {
        let within = Duration::from_secs(u64::from(expect_within_s));
        self.watching().add(job_ids, within).await?;
        self.watch_changed();
        Ok(())
    }

    /// Takes a job off the watch list.
    ///
    /// # Errors
    /// When it is not on it, or the database cannot be written.
    pub async fn unwatch(&self, job_id: &str) -> Result<()> {
        if !self.inner.store.remove_watched(job_id.to_owned()).await? {
            return Err(Error::NotFound(format!("{job_id} is not on the watch list any more.")));
        }
        self.watch_changed();
        Ok(())
    }

    /// The watch list, the missed ones on top.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn watched(&self) -> Result<Vec<WatchedJob>> {
        let mut entries = self.read(crate::store::Store::watched).await?;
        entries.sort_by_key(|entry| match entry.state {
            WatchState::Missed => 0,
            WatchState::Unknown => 1,
            WatchState::Late => 2,
            WatchState::Waiting => 3,
            WatchState::Delivered => 4,
        });
        Ok(entries.iter().map(crate::store::WatchEntry::to_model).collect())
    }

    fn watch_changed(&self) {
        self.inner.sume.wake.notify_one();
        self.inner.events.publish(Event::WatchChanged);
    }

    fn watching(&self) -> Watch {
        let clock = self.inner.options.clock.clone();
        Watch::new(self.inner.store.clone(), clock, Pace::default())
    }

    /// The client, by the key and the base URL that are set now.
    async fn sume_api(&self) -> Result<Api, SumeError> {
        let base = sume::base_url(&self.settings().sume.base_url);
        let kept = lock(&self.inner.sume.api).clone();
        if let Some((_, api)) = kept.filter(|(of, _)| *of == base) {
            return Ok(api);
        }
        let key = lock(&self.inner.sume.key).clone();
        let key = key.ok_or_else(|| SumeError::NoKey(sume::KEY_ENV.into()))?;
        let api = Api::new(&base, key, Patience::default()).await?;
        *lock(&self.inner.sume.api) = Some((base, api.clone()));
        Ok(api)
    }

    /// Finds the key, and goes through the watch list until the end of this engine.
    pub(super) fn start_watching(&self) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            engine.find_sume_key().await;
            let mut watch = engine.watching();
            loop {
                let pause = engine.watch_turn(&mut watch).await;
                tokio::select! {
                    () = engine.inner.shutdown.cancelled() => return,
                    () = engine.inner.sume.wake.notified() => {}
                    // Monotonic, so that a sleep of the machine is followed by one turn (C85).
                    () = tokio::time::sleep(pause) => {}
                }
            }
        });
    }

    async fn watch_turn(&self, watch: &mut Watch) -> Duration {
        let waiting = match self.read(crate::store::Store::watched).await {
            Ok(entries) if entries.is_empty() => return IDLE,
            Ok(entries) => entries.iter().any(|entry| !sume::settled(entry)),
            Err(_) => return IDLE,
        };
        // Without a key what comes is seen all the same; the page says that none is set.
        let api = if waiting { self.sume_api().await.ok() } else { None };
        let turn = tokio::select! {
            () = self.inner.shutdown.cancelled() => return TURN,
            turn = watch.turn(api.as_ref(), None) => turn,
        };
        match turn {
            Ok(turn) if !turn.changed.is_empty() => {
                self.inner.events.publish(Event::WatchChanged);
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the watch list could not be gone through"),
        }
        if waiting { TURN } else { IDLE }
    }

    /// The environment's key, else the keychain's. A keychain that does not answer is no reason not to start.
    async fn find_sume_key(&self) {
        let name = self.settings().sume.key_name;
        let found = run_blocking(move || sume_key_at_hand(name.as_deref())).await;
        let key = match found {
            Ok(Ok(Some(key))) => key,
            Ok(Ok(None)) => return,
            Ok(Err(error)) | Err(error) => {
                tracing::warn!(%error, "Sume's API goes without its key");
                return;
            }
        };
        // One that was typed meanwhile is newer.
        if lock(&self.inner.sume.key).is_none() {
            self.inner.sume.use_key(Some(key));
            self.inner.events.publish(Event::StateChanged);
        }
    }
}

/// The key of the environment, else the one that the keychain keeps. Blocking.
fn sume_key_at_hand(kept: Option<&str>) -> Result<Option<ApiKey>> {
    match Secret::from_env(sume::KEY_ENV) {
        Ok(secret) => {
            let named = NamedSecret::new(sume::KEY_ENV, secret, "environment");
            return Ok(Some(ApiKey::new(named)?));
        }
        Err(SecretError::NotInEnvironment(_) | SecretError::Empty(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let Some(name) = kept else { return Ok(None) };
    let keychain = secrets::keychain();
    let secret = Secret::from_keychain(&*keychain, name)?;
    Ok(Some(ApiKey::new(NamedSecret::new(name, secret, keychain.kept_in()))?))
}
