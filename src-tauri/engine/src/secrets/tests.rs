use super::*;

const BYTES: &str = "hunter2-secret";

fn file_with(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn a_file_is_taken_as_it_is() {
    for bytes in [&b"plain"[..], b"with newline\n", b"\xff\x00 \r\n"] {
        let (_folder, path) = file_with(bytes);
        assert_eq!(Secret::from_file(&path).unwrap().expose(), bytes);
    }
}

#[test]
fn what_cannot_be_a_secret_is_refused_with_its_place() {
    let (folder, path) = file_with(b"");
    let shown = |result: Result<Secret, SecretError>| result.unwrap_err().to_string();
    assert!(shown(Secret::from_file(&path)).contains(path.to_str().unwrap()));
    assert!(matches!(Secret::from_file(&path), Err(SecretError::Empty(_))));
    std::fs::write(&path, vec![b'a'; 64 * 1024 + 1]).unwrap();
    assert!(matches!(Secret::from_file(&path), Err(SecretError::FileTooLarge(_))));
    let missing = folder.path().join("no-such-file");
    assert!(shown(Secret::from_file(&missing)).contains("no-such-file"));
    let variable = "HOOKTWICE_TEST_NO_SUCH_VARIABLE";
    assert!(shown(Secret::from_env(variable)).contains(variable));
    assert!(matches!(Secret::try_from(Vec::new()), Err(SecretError::Empty(_))));
}

#[test]
fn an_environment_variable_is_taken_as_it_is() {
    // One that every process of the test runner has; its value is not asserted to be anything in particular.
    let value = std::env::var_os("CARGO_MANIFEST_DIR").unwrap().into_encoded_bytes();
    assert_eq!(Secret::from_env("CARGO_MANIFEST_DIR").unwrap().expose(), value);
}

#[test]
fn c12_c13_what_looks_copied_wrong_is_named() {
    let warning = |text: &str| Secret::new(text.into()).warning().unwrap_or_default();
    for (secret, said) in [
        ("test-secret\n", "newline"),
        ("test-secret\r\n", "CR LF"),
        ("test-secret\r", "carriage return"),
        ("test-secret ", "white space"),
        ("\ttest-secret", "white space"),
        ("\u{feff}test-secret", "byte order mark"),
        ("whsec_dGVzdC1zZWNyZXQ=", "`whsec_`"),
        ("v1,whsec_dGVzdC1zZWNyZXQ=", "`v1,whsec_`"),
        ("", "empty"),
    ] {
        let warning = warning(secret);
        assert!(warning.contains(said), "{secret:?}: {warning}");
        assert!(!warning.contains("test-secret") && !warning.contains("dGVz"), "{warning}");
    }
    assert_eq!(warning("test secret"), "");
}

#[test]
fn a_throwaway_secret_is_fresh_text_of_every_scheme() {
    let (one, other) = (Secret::throwaway().unwrap(), Secret::throwaway().unwrap());
    assert_eq!(one.expose().len(), 64);
    assert!(one.expose().iter().all(u8::is_ascii_hexdigit));
    assert_ne!(one.expose(), other.expose());
    assert_eq!(one.warning(), None);
}

#[test]
fn a_fingerprint_tells_two_apart_and_is_no_plain_digest() {
    let secret = Secret::new(BYTES.into());
    assert_eq!(secret.fingerprint().len(), 4);
    assert_eq!(secret.fingerprint(), secret.clone().fingerprint());
    assert_ne!(secret.fingerprint(), Secret::new(b"hunter2-secret\n".to_vec()).fingerprint());
    assert_ne!(secret.fingerprint(), hex::encode(&Sha256::digest(BYTES)[..2]));
}

#[test]
fn memory_keeps_replaces_and_forgets() {
    let keychain = MemoryKeychain::default();
    assert_eq!(keychain.kept_in(), "memory");
    assert!(matches!(Secret::from_keychain(&keychain, "sume"), Err(SecretError::NotInKeychain(_))));
    keychain.set("sume", &Secret::new(b"one".to_vec())).unwrap();
    keychain.set("sume", &Secret::new(b"two".to_vec())).unwrap();
    assert_eq!(Secret::from_keychain(&keychain, "sume").unwrap().expose(), b"two");
    assert!(keychain.forget("sume").unwrap());
    assert!(!keychain.forget("sume").unwrap());
}

#[test]
fn where_secrets_are_kept_is_answered_on_any_machine() {
    let kept_in = keychain().kept_in();
    assert_eq!(kept_in == "keychain", SystemKeychain::open().is_ok());
    assert!(["keychain", "memory"].contains(&kept_in));
}

#[test]
fn no_text_of_a_secret_holds_its_bytes() {
    let secret = Secret::new(BYTES.into());
    let keychain = MemoryKeychain::default();
    keychain.set("name", &secret).unwrap();
    let empty = MemoryKeychain::default();
    for text in [
        format!("{secret:?}"),
        format!("{secret:#?}"),
        format!("{keychain:?}"),
        format!("{:?}", secret.warning()),
        secret.fingerprint(),
        format!("{:?}", Secret::from_keychain(&empty, "name")),
        format!("{:?}", Some(&secret)),
    ] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(!text.contains("104, 117"), "{text}");
    }
}
