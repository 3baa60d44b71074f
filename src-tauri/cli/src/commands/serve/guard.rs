//! Who may speak to the pages: whoever has the token, on this machine, from these pages.
//!
//! Any page in any browser can send requests to a loopback port. The token keeps them out; the Host check keeps out a
//! name that was made to point here (DNS rebinding), and the Origin check a form or a script of another page.

use crate::exit::{Failure, Result};
use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE},
    },
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// The token of this start and the port of the pages.
pub(super) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    /// With a fresh token.
    pub(super) fn new(port: u16) -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Failure::CannotTell(format!("The system gives no random bytes: {error}."))
        })?;
        Ok(Self { token: URL_SAFE_NO_PAD.encode(bytes), port })
    }

    /// Where the pages are.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where a person gets in.
    pub(super) fn token_url(&self) -> String {
        format!("{}/?token={}", self.url(), self.token)
    }

    /// Cookies do not keep ports apart, so the name does.
    fn cookie_name(&self) -> String {
        format!("hooktwice-{}", self.port)
    }

    fn is_token(&self, given: &str) -> bool {
        self.token.as_bytes().ct_eq(given.as_bytes()).into()
    }

    fn is_here(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|name| host == format!("{name}:{}", self.port))
    }

    /// Whether a request comes from these pages, or from no page at all.
    fn check_place(&self, headers: &HeaderMap) -> std::result::Result<(), Refusal> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !self.is_here(host) {
            return Err(Refusal::Host);
        }
        match headers.get(ORIGIN) {
            Some(origin) if origin.as_bytes() != format!("http://{host}").as_bytes() => {
                Err(Refusal::Origin)
            }
            _ => Ok(()),
        }
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let text = |header: &HeaderValue| header.to_str().unwrap_or_default().to_owned();
        let bearer = headers.get(AUTHORIZATION).map(text);
        if bearer
            .as_deref()
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|given| self.is_token(given))
        {
            return true;
        }
        let name = self.cookie_name();
        headers.get_all(COOKIE).iter().map(text).any(|cookies| {
            cookies
                .split(';')
                .filter_map(|cookie| cookie.trim().split_once('='))
                .any(|(found, given)| found == name && self.is_token(given))
        })
    }

    /// Trades the token in the URL for a cookie, so that the URL in the address bar can be shown to a room.
    fn let_in(&self) -> Response {
        let cookie =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.token);
        (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())]).into_response()
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Refusal {
    fn answer(self) -> Response {
        let (status, text) = match self {
            Self::Host => (
                StatusCode::MISDIRECTED_REQUEST,
                "These pages answer to 127.0.0.1, localhost and [::1] with their port only.\n",
            ),
            Self::Origin => (StatusCode::FORBIDDEN, "Another page may not speak to these.\n"),
            Self::Token => (
                StatusCode::UNAUTHORIZED,
                "Open the URL that `hooktwice serve` printed: it has the token of this start.\n",
            ),
        };
        (status, text).into_response()
    }
}

/// Stands before every route.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    if let Err(refusal) = guard.check_place(request.headers()) {
        return refusal.answer();
    }
    let given = if request.uri().path() == "/" { token_in(request.uri().query()) } else { None };
    match given {
        Some(given) if guard.is_token(given) => guard.let_in(),
        Some(_) => Refusal::Token.answer(),
        None if guard.has_token(request.headers()) => next.run(request).await,
        None => Refusal::Token.answer(),
    }
}

fn token_in(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_these_pages_of_this_machine_are_answered() {
        let guard = Guard::new(4401).unwrap();
        for host in ["127.0.0.1:4401", "localhost:4401", "[::1]:4401"] {
            assert_eq!(guard.check_place(&headers(&[(HOST, host)])), Ok(()));
            let origin = format!("http://{host}");
            assert_eq!(guard.check_place(&headers(&[(HOST, host), (ORIGIN, &origin)])), Ok(()));
        }
        for host in
            ["", "127.0.0.1", "127.0.0.1:4400", "evil.example:4401", "localhost.evil.example:4401"]
        {
            assert_eq!(guard.check_place(&headers(&[(HOST, host)])), Err(Refusal::Host), "{host}");
        }
        for origin in
            ["null", "http://evil.example", "http://127.0.0.1:3000", "https://127.0.0.1:4401"]
        {
            let here = headers(&[(HOST, "127.0.0.1:4401"), (ORIGIN, origin)]);
            assert_eq!(guard.check_place(&here), Err(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn the_token_is_a_cookie_of_this_port_or_a_bearer() {
        let guard = Guard::new(4401).unwrap();
        let token = guard.token.clone();
        assert!(guard.has_token(&headers(&[(AUTHORIZATION, &format!("Bearer {token}"))])));
        assert!(guard.has_token(&headers(&[(COOKIE, &format!("a=b; hooktwice-4401={token}"))])));
        for wrong in [
            format!("hooktwice-4402={token}"),
            "hooktwice-4401=".into(),
            format!("hooktwice-4401={token}x"),
        ] {
            assert!(!guard.has_token(&headers(&[(COOKIE, &wrong)])), "{wrong}");
        }
        assert!(!guard.has_token(&headers(&[(AUTHORIZATION, &token)])));
        assert!(!guard.has_token(&HeaderMap::new()));
    }
}
