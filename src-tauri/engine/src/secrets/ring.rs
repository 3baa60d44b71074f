//! The secrets of a run: several a scheme, the first of which signs and all of which verify.

use super::{NamedSecret, Secret, SecretError};
use crate::model::SecretInfo;
use std::collections::{BTreeMap, BTreeSet};

/// The most secrets of one scheme. A provider that rotates has two; each one more is one more digest for each delivery.
pub const MAX_SECRETS: usize = 16;

/// Every secret that is known, by the scheme that it is for.
///
/// What was given for this run comes before what is kept, for whatever scheme; a throwaway one fills in where a scheme
/// has none.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    given: Vec<NamedSecret>,
    kept: BTreeMap<String, Vec<NamedSecret>>,
    throwaway: Option<NamedSecret>,
    /// Names that the keychain did not give at start: kept for the next one.
    absent: BTreeMap<String, Vec<String>>,
    /// Schemes of which a person has said since the start what they use, be it none: nothing comes before that.
    chosen: BTreeSet<String>,
}

impl Ring {
    /// Of secrets that hold for this run only, whatever the scheme.
    pub fn of(given: Vec<NamedSecret>) -> Self {
        Self { given, ..Self::default() }
    }

    /// With a fresh throwaway secret where a scheme has no other.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn throwaway() -> Result<Self, SecretError> {
        Ok(Self { throwaway: Some(NamedSecret::throwaway()?), ..Self::default() })
    }

    /// What deliveries of this scheme are verified with; the first one signs. Empty verifies nothing.
    pub fn of_scheme(&self, scheme: &str) -> &[NamedSecret] {
        let chosen = self.chosen.contains(scheme);
        if !chosen && !self.given.is_empty() {
            return &self.given;
        }
        match self.kept.get(scheme) {
            Some(kept) if chosen || !kept.is_empty() => kept,
            Some(_) | None if chosen => &[],
            Some(_) | None => self.throwaway.as_slice(),
        }
    }

    /// The others, of whatever scheme, for a signature that was made with one of them.
    pub fn others(&self, scheme: &str) -> Vec<NamedSecret> {
        let mine = self.of_scheme(scheme);
        let all = self.given.iter().chain(self.kept.values().flatten()).chain(&self.throwaway);
        let mut others: Vec<NamedSecret> = Vec::new();
        for secret in all {
            if !mine.iter().chain(&others).any(|other| other.same_bytes(secret)) {
                others.push(secret.clone());
            }
        }
        others
    }

    /// Every secret as it may be shown, those of the schemes in use first.
    pub fn infos(&self) -> Vec<SecretInfo> {
        let unbound = self.given.iter().chain(&self.throwaway);
        let kept = self.kept.iter().flat_map(|(scheme, secrets)| {
            secrets.iter().map(|secret| secret.info(Some(scheme.clone())))
        });
        unbound.map(|secret| secret.info(None)).chain(kept).collect()
    }

    /// Which of a scheme's are in the keychain, in order: what the settings remember.
    pub fn names(&self) -> BTreeMap<String, Vec<String>> {
        let in_keychain = |secrets: &Vec<NamedSecret>| -> Vec<String> {
            let kept = secrets.iter().filter(|secret| secret.kept_in == "keychain");
            kept.map(|secret| secret.name.clone()).collect()
        };
        let names = self.kept.iter().map(|(scheme, kept)| (scheme.clone(), in_keychain(kept)));
        let mut names: BTreeMap<_, _> = names.collect();
        for (scheme, absent) in &self.absent {
            let of_scheme: &mut Vec<String> = names.entry(scheme.clone()).or_default();
            let more = absent.iter().filter(|name| !of_scheme.contains(name)).cloned();
            let more: Vec<_> = more.collect();
            of_scheme.extend(more);
        }
        names.retain(|_, names| !names.is_empty());
        names
    }

    /// Puts a secret first of a scheme's, in the place of one of that name. What was given for this run is set aside
    /// by it: who sets a secret means to use it.
    ///
    /// # Errors
    /// When the scheme has as many as it may have, or another scheme has another secret of that name: the keychain
    /// knows them by name alone.
    pub fn put(&mut self, scheme: &str, secret: NamedSecret) -> Result<(), SecretError> {
        let elsewhere = self.kept.iter().filter(|(other, _)| *other != scheme);
        for (other, kept) in elsewhere {
            let same = |held: &NamedSecret| held.name == secret.name && !held.same_bytes(&secret);
            if !secret.throwaway && kept.iter().any(|held| !held.throwaway && same(held)) {
                return Err(SecretError::NameTaken { name: secret.name, scheme: other.clone() });
            }
        }
        let kept = self.kept.entry(scheme.to_owned()).or_default();
        let others = kept.iter().filter(|other| other.name != secret.name).count();
        if others >= MAX_SECRETS {
            return Err(SecretError::TooMany(MAX_SECRETS));
        }
        kept.retain(|other| other.name != secret.name);
        kept.insert(0, secret);
        self.chosen.insert(scheme.to_owned());
        Ok(())
    }

    /// As found in the keychain at start: behind those that are there.
    pub fn append(&mut self, scheme: &str, secret: NamedSecret) {
        self.kept.entry(scheme.to_owned()).or_default().push(secret);
    }

    /// What the keychain gave, for the schemes of which nothing else was said since the start.
    pub fn take_up(&mut self, loaded: Self) {
        for (scheme, secrets) in loaded.kept {
            if !self.chosen.contains(&scheme) {
                self.absent.remove(&scheme);
                self.kept.insert(scheme, secrets);
            }
        }
        for (scheme, names) in loaded.absent {
            if !self.chosen.contains(&scheme) {
                self.absent.insert(scheme, names);
            }
        }
    }

    /// As [`Ring::miss`], of all these.
    pub fn miss_all(&mut self, names: &BTreeMap<String, Vec<String>>) {
        for (scheme, names) in names {
            names.iter().for_each(|name| self.miss(scheme, name.clone()));
        }
    }

    /// A name that the keychain did not give.
    pub fn miss(&mut self, scheme: &str, name: String) {
        self.absent.entry(scheme.to_owned()).or_default().push(name);
    }

    /// Makes a scheme's secret the one that signs; says whether there is one of that name.
    pub fn prefer(&mut self, scheme: &str, name: &str) -> bool {
        let Some(kept) = self.kept.get_mut(scheme) else { return false };
        let Some(at) = kept.iter().position(|secret| secret.name == name) else { return false };
        kept[..=at].rotate_right(1);
        true
    }

    /// Uses a scheme's secret no more; gives it back where there was one of that name.
    pub fn remove(&mut self, scheme: &str, name: &str) -> Option<NamedSecret> {
        if let Some(absent) = self.absent.get_mut(scheme) {
            absent.retain(|other| other != name);
        }
        let kept = self.kept.get_mut(scheme)?;
        let at = kept.iter().position(|secret| secret.name == name)?;
        let removed = kept.remove(at);
        if kept.is_empty() {
            // Without the last one nothing may pass unchecked: that is [`Ring::clear`]'s to say.
            self.chosen.remove(scheme);
        }
        Some(removed)
    }

    /// Uses no secret for a scheme: neither what was given nor a throwaway one comes in its place.
    pub fn clear(&mut self, scheme: &str) {
        self.chosen.insert(scheme.to_owned());
        self.kept.remove(scheme);
        self.absent.remove(scheme);
    }

    /// The secret of that name, of whatever scheme; this scheme's first.
    pub fn find(&self, scheme: &str, name: &str) -> Option<&Secret> {
        let all = self.kept.values().flatten().chain(&self.given).chain(&self.throwaway);
        let found = self.of_scheme(scheme).iter().chain(all).find(|secret| secret.name == name);
        found.map(|secret| &secret.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> NamedSecret {
        NamedSecret::new(name, Secret::new(name.as_bytes().to_vec()), "memory")
    }

    fn names(secrets: &[NamedSecret]) -> Vec<&str> {
        secrets.iter().map(|secret| &*secret.name).collect()
    }

    #[test]
    fn the_newest_signs_and_an_older_one_verifies_still() {
        let mut ring = Ring::throwaway().unwrap();
        assert_eq!(names(ring.of_scheme("sume")), ["throwaway"]);
        ring.put("sume", named("old")).unwrap();
        ring.put("sume", named("new")).unwrap();
        ring.put("sume", named("new")).unwrap();
        assert_eq!(names(ring.of_scheme("sume")), ["new", "old"]);
        assert!(ring.prefer("sume", "old") && !ring.prefer("sume", "none"));
        assert_eq!(names(ring.of_scheme("sume")), ["old", "new"]);
        assert!(ring.remove("sume", "old").is_some() && ring.remove("sume", "old").is_none());
        assert_eq!(names(ring.of_scheme("sume")), ["new"]);
        // Another scheme has none of these.
        assert_eq!(names(ring.of_scheme("github")), ["throwaway"]);
        assert_eq!(names(&ring.others("github")), ["new"]);
        ring.remove("sume", "new").unwrap();
        assert_eq!(names(ring.of_scheme("sume")), ["throwaway"], "as at the start");
        ring.clear("sume");
        assert!(ring.of_scheme("sume").is_empty());
        assert_eq!(names(ring.of_scheme("github")), ["throwaway"], "others are as they were");
    }

    #[test]
    fn what_was_given_comes_before_what_is_kept_until_one_is_set() {
        let mut ring = Ring::of(vec![named("given")]);
        ring.append("sume", named("kept"));
        assert_eq!(names(ring.of_scheme("sume")), ["given"]);
        assert_eq!(names(ring.of_scheme("slack")), ["given"]);
        assert_eq!(names(&ring.others("sume")), ["kept"]);
        assert_eq!(ring.find("sume", "kept").unwrap().expose(), b"kept");
        ring.put("sume", named("set")).unwrap();
        assert_eq!(names(ring.of_scheme("sume")), ["set", "kept"]);
        assert_eq!(names(ring.of_scheme("slack")), ["given"], "nothing was said of it");
    }

    #[test]
    fn there_is_an_end_to_how_many() {
        let mut ring = Ring::default();
        for number in 0..MAX_SECRETS {
            ring.put("sume", named(&format!("s{number}"))).unwrap();
        }
        assert!(matches!(ring.put("sume", named("more")), Err(SecretError::TooMany(_))));
        // One that is there already can be put in its own place all the same.
        ring.put("sume", named("s0")).unwrap();
        assert_eq!(ring.of_scheme("sume").len(), MAX_SECRETS);
    }

    #[test]
    fn a_name_is_one_secret_whatever_the_scheme() {
        let mut ring = Ring::default();
        ring.put("sume", named("mine")).unwrap();
        let other = NamedSecret::new("mine", Secret::new(b"other bytes".to_vec()), "memory");
        let refused = ring.put("github", other).unwrap_err();
        assert!(matches!(refused, SecretError::NameTaken { .. }), "{refused}");
        ring.put("github", named("mine")).unwrap();
    }

    #[test]
    fn what_the_keychain_gives_late_is_taken_where_nothing_was_chosen_meanwhile() {
        let mut ring = Ring::throwaway().unwrap();
        ring.miss("sume", "a".into());
        ring.miss("github", "b".into());
        ring.put("github", named("typed")).unwrap();
        let mut loaded = Ring::default();
        loaded.append("sume", named("a"));
        loaded.append("github", named("b"));
        ring.take_up(loaded);
        assert_eq!(names(ring.of_scheme("sume")), ["a"]);
        assert_eq!(names(ring.of_scheme("github")), ["typed"]);
        assert_eq!(ring.names()["github"], ["b"], "for the next start");
    }

    #[test]
    fn names_that_the_keychain_did_not_give_are_kept_for_the_next_start() {
        let mut ring = Ring::of(vec![named("given")]);
        ring.miss("sume", "a".into());
        ring.miss("sume", "b".into());
        ring.put("sume", NamedSecret::new("c", Secret::new(b"c".to_vec()), "keychain")).unwrap();
        assert_eq!(ring.names()["sume"], ["c", "a", "b"]);
        assert!(ring.remove("sume", "a").is_none());
        assert_eq!(ring.names()["sume"], ["c", "b"]);
    }
}
