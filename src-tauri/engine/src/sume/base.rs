//! Where Sume's API is, and whether a key may be sent there.

use super::SumeError;
use url::{Host, Url};

/// The variable that goes before the setting.
pub const BASE_URL_ENV: &str = "SUME_API_BASE_URL";

/// The base URL: the environment's where it is set there, else the one that is given.
pub fn base_url(set: &str) -> String {
    match std::env::var(BASE_URL_ENV) {
        Ok(url) if !url.trim().is_empty() => url,
        _ => set.to_owned(),
    }
}

/// Reads a base URL: https, or http for this machine.
///
/// # Errors
/// When the key must not be sent to it.
pub(crate) fn check_base_url(base: &str) -> Result<Url, SumeError> {
    let base = base.trim().trim_end_matches('/');
    let wrong = |reason: &str| SumeError::BaseUrl {
        // A password must not be shown.
        url: if base.contains('@') { "which holds an @".into() } else { base.to_owned() },
        reason: reason.to_owned(),
    };
    let url = Url::parse(base)
        .map_err(|error| wrong(&format!("{error}; give one like https://api.sume.com/v1")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it holds a user name or a password; only the API key is sent"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it holds a query or a fragment; leave out what follows ? or #"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(wrong(
            "the API key would go over the network in clear; http:// is for this machine only, use https://",
        )),
        _ => Err(wrong("it begins with neither https:// nor http://")),
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn the_key_goes_in_clear_to_this_machine_only() {
        for base in [
            "https://api.sume.com/v1",
            "https://api.sume.com/v1/",
            "http://127.0.0.1:9/v1",
            "http://[::1]:9",
            "http://LOCALHOST:9/v1",
        ] {
            assert!(check_base_url(base).is_ok(), "{base}");
        }
        for (base, word) in [
            ("http://api.sume.com/v1", "in clear"),
            ("http://localhost.example/v1", "in clear"),
            ("http://0.0.0.0/v1", "in clear"),
            ("ftp://api.sume.com", "neither"),
            ("api.sume.com/v1", "https://api"),
            ("https://api.sume.com/v1?x=1", "query"),
            ("", "https://api"),
        ] {
            let error = check_base_url(base).unwrap_err();
            assert!(error.to_string().contains(word), "{base}: {error}");
            assert_eq!(error.code(), ErrorCode::BadInput);
        }
        let error = check_base_url("https://me:hunter2@api.sume.com").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
