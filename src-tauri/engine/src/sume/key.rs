//! The key of Sume's API: sent, and never shown.

use super::SumeError;
use crate::{model::SecretInfo, secrets::NamedSecret};
use reqwest::header::HeaderValue;

/// The variable that holds the key, where no other is named.
pub const KEY_ENV: &str = "SUME_API_KEY";

/// A key of Sume's API that can be sent.
#[derive(Debug, Clone)]
pub struct ApiKey(NamedSecret);

impl ApiKey {
    /// Looks it through.
    ///
    /// # Errors
    /// When it is empty or cannot be a header's value as it is.
    pub fn new(key: NamedSecret) -> Result<Self, SumeError> {
        let bytes = key.secret.expose();
        if bytes.is_empty() {
            return Err(SumeError::Key("it is empty"));
        }
        if bytes.trim_ascii().len() != bytes.len() {
            return Err(SumeError::Key(
                "it has white space or a line end at its ends, which a header cannot carry; cut that off where it comes from",
            ));
        }
        if !bytes.iter().all(u8::is_ascii_graphic) {
            return Err(SumeError::Key(
                "it holds a space, a control character or a letter outside ASCII; copy it again",
            ));
        }
        Ok(Self(key))
    }

    /// As it may be shown.
    pub fn info(&self) -> SecretInfo {
        // What looks odd in a signing secret is nothing in a key.
        SecretInfo { warning: None, ..self.0.info(None) }
    }

    pub(super) fn header(&self) -> Result<HeaderValue, SumeError> {
        let mut value = HeaderValue::from_bytes(self.0.secret.expose())
            .map_err(|_| SumeError::Key("it cannot be a header's value; copy it again"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A text of the API's without the key, which some put into their errors.
    pub(super) fn redact(&self, text: &str) -> String {
        match std::str::from_utf8(self.0.secret.expose()) {
            // A key of a letter or two would take every word apart.
            Ok(key) if key.len() >= 4 => text.replace(key, "[API key]"),
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::ErrorCode, secrets::Secret};

    fn key(text: &str) -> Result<ApiKey, SumeError> {
        ApiKey::new(NamedSecret::new("key", Secret::new(text.into()), "memory"))
    }

    #[test]
    fn a_key_that_no_header_carries_is_refused_without_being_said() {
        for bad in ["", "sk_1234\n", " sk_1234", "sk 1234", "sk_\u{e9}1234", "sk_\u{0}1234"] {
            let error = key(bad).unwrap_err();
            assert_eq!(error.code(), ErrorCode::NoSecret);
            assert!(bad.is_empty() || !error.to_string().contains("1234"), "{error}");
        }
        let good = key("sk_1234").unwrap();
        assert!(!format!("{good:?} {:?}", good.header().unwrap()).contains("sk_1234"));
        assert_eq!(good.redact("bad key sk_1234!"), "bad key [API key]!");
    }
}
