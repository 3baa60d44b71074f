//! What a panic or a log line could print of a value that holds a secret.

use super::{IN_USE, TRIED, all_needles, found};
use hooktwice_engine::{
    api::SetSecret,
    engine::EngineOptions,
    listener::ListenConfig,
    model::{JudgeSpec, Limits, ListenSettings, SchemeSettings, TrySecret},
    secrets::{Keychain as _, MemoryKeychain, NamedSecret, Ring, Secret},
    signing::{self, Signer},
};
use std::fmt::Debug;

fn printed(value: &dyn Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

fn named() -> NamedSecret {
    NamedSecret::new("in use", Secret::new(IN_USE.into()), "memory")
}

#[test]
fn no_value_prints_the_secret_that_it_holds() {
    let schemes = SchemeSettings::default();
    let scheme = signing::scheme("sume", &schemes).unwrap();
    let mut ring = Ring::of(vec![named()]);
    ring.append("sume", named());
    let keychain = MemoryKeychain::default();
    keychain.set("in use", &named().secret).unwrap();
    let mut options = EngineOptions::new("folder".into());
    options.secrets.push(named());
    let config = ListenConfig {
        settings: ListenSettings::default(),
        limits: Limits::default(),
        scheme: scheme.clone(),
        secrets: vec![named()],
        known: vec![named()],
        schemes,
    };
    let typed = TrySecret::Typed { secret: TRIED.into() };
    let judge = JudgeSpec { seq: 1, scheme: "sume".into(), secret: typed.clone() };
    let set = SetSecret { scheme: "sume".into(), name: "x".into(), secret: TRIED.into() };
    let standard = signing::scheme("standard-webhooks", &SchemeSettings::default()).unwrap();
    let not_of_it = standard.key(&Secret::new(TRIED.into()));
    assert!(not_of_it.is_err());
    let values: [&dyn Debug; 12] = [
        &named().secret,
        &named(),
        &named().info(None),
        &ring,
        &keychain,
        &Signer { scheme, secret: named().secret },
        &config,
        &options,
        &typed,
        &judge,
        &set,
        &not_of_it,
    ];
    let needles = all_needles();
    for value in values {
        let text = printed(value);
        assert!(found(&needles, text.as_bytes()).is_empty(), "{text}");
    }
    // A value that printed them would be found.
    for text in [printed(&IN_USE), printed(&IN_USE.as_bytes())] {
        assert!(!found(&needles, text.as_bytes()).is_empty());
    }
}
