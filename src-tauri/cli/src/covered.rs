//! What a signature may cover besides the body, for a request that is described by options.

use clap::Args;
use hooktwice_engine::{head::RawHeader, signing::SignedRequest};
use http::Method;

/// Used by a custom scheme whose text names them; the providers' schemes cover none of it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where a custom scheme covers it")]
pub(crate) struct CoveredArgs {
    /// The request's method
    #[arg(long, value_name = "METHOD", value_parser = method, default_value = "POST")]
    method: String,

    /// The request's path and query, as they are sent
    #[arg(long, value_name = "TARGET", value_parser = target, default_value = "/")]
    target: String,
}

impl CoveredArgs {
    /// The request with these headers and this body. The target is parted at its first `?`; nothing is decoded.
    pub(crate) fn request<'a>(
        &'a self,
        headers: &'a [RawHeader],
        body: &'a [u8],
    ) -> SignedRequest<'a> {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        SignedRequest { method: &self.method, path, query, headers, body }
    }
}

/// Kept as typed: a method's case counts.
fn method(typed: &str) -> Result<String, String> {
    match Method::from_bytes(typed.as_bytes()) {
        Ok(_) => Ok(typed.to_owned()),
        Err(_) => Err("a method is a word of HTTP, as POST".to_owned()),
    }
}

fn target(typed: &str) -> Result<String, String> {
    if !typed.starts_with('/') {
        return Err("a target is the URL from its path on, as '/hook?x=1'".to_owned());
    }
    match typed.chars().find(|char| char.is_whitespace() || char.is_control() || *char == '#') {
        Some(char) => Err(format!("a target cannot hold {char:?}; write it as it is sent")),
        None => Ok(typed.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_parted_at_its_first_question_mark() {
        let parted = |typed: &str| {
            let target = target(typed).unwrap();
            let covered = CoveredArgs { method: "POST".into(), target };
            let request = covered.request(&[], b"");
            (request.path.to_owned(), request.query.to_owned())
        };
        assert_eq!(parted("/"), ("/".into(), String::new()));
        assert_eq!(parted("/a%2fb?x=1?y"), ("/a%2fb".into(), "x=1?y".into()));
        assert_eq!(parted("/?"), ("/".into(), String::new()));
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for typed in ["", "hook", "http://127.0.0.1/hook", "/a b", "/a#b", "/a\r\nX: y"] {
            assert!(target(typed).is_err(), "{typed:?}");
        }
        assert_eq!(method("post"), Ok("post".into()));
        for typed in ["", "PO ST", "POST\n"] {
            assert!(method(typed).is_err(), "{typed:?}");
        }
    }
}
