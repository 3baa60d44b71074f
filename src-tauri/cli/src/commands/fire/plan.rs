//! From what was typed to what is fired.

use super::Fire;
use crate::{
    cli::Global,
    commands::deliveries::{body, find, gone},
    exit::{Failure, Result},
    input, terminal,
};
use bytes::Bytes;
use hooktwice_engine::{
    firing::Plan,
    head::{Head, RawHeader},
    ids,
    model::{Settings, Signing},
    signing::{self, Signer},
    store::{Role, Store},
};

/// What is sent: typed, or stored.
struct Request {
    url: String,
    method: String,
    headers: Vec<RawHeader>,
    body: Bytes,
}

/// Makes the plan; reads the body, the stored delivery and the secret.
pub(super) fn make(fire: Fire, global: &Global) -> Result<Plan> {
    let signer = match fire.secret.read()? {
        Some(secret) => Some(Signer { scheme: global.scheme()?, secret }),
        None => None,
    };
    let signing = match (fire.sign, &signer) {
        (Some(sign), _) => Signing::from(sign),
        (None, Some(_)) => Signing::Each,
        (None, None) => {
            if fire.delivery.is_none() {
                terminal::say(
                    "No secret is given, so the copies go unsigned. Add --secret-env NAME to sign them.",
                );
            }
            Signing::Verbatim
        }
    };
    if signing != Signing::Verbatim && signer.is_none() {
        return Err(Failure::Usage(
            "There is no secret to sign with: give one of --secret-env NAME, --secret-file PATH, --secret-name NAME, \
             or send the headers as they are with --sign verbatim."
                .into(),
        ));
    }

    let mut request = match (&fire.delivery, &fire.url, &fire.body_file) {
        (Some(id), url, _) => stored(id, url.as_deref(), global)?,
        (None, Some(url), Some(file)) => Request {
            url: url.clone(),
            method: "POST".into(),
            headers: vec![RawHeader::new("Content-Type", "application/json")],
            body: input::body(file)?,
        },
        // clap asks for one of them before this is reached.
        (None, ..) => {
            return Err(Failure::Usage("Give --url with --body-file, or --delivery.".into()));
        }
    };
    let event_id = event_id(&request, signer.as_ref());
    if let Some(signer) = signer.as_ref().filter(|_| signing != Signing::Verbatim) {
        // The stored signature would stand beside the fresh one.
        let fresh = signer.sign(0, &event_id, &request.body)?;
        request.headers.retain(|stored| !fresh.iter().any(|header| same_name(stored, header)));
    }
    request.headers.retain(|header| !fire.headers.iter().any(|typed| same_name(header, typed)));
    request.headers.extend(fire.headers);

    Ok(Plan {
        url: request.url,
        method: request.method,
        headers: request.headers,
        body: request.body,
        copies: fire.copies,
        release: fire.release,
        signing,
        signer,
        event_id,
        protocol: fire.http.into(),
        timeout: fire.timeout,
        allow_hosts: fire.allow_hosts,
    })
}

fn same_name(one: &RawHeader, other: &RawHeader) -> bool {
    one.name.eq_ignore_ascii_case(&other.name)
}

/// A stored delivery keeps its event id: a handler may well go by it.
fn event_id(request: &Request, signer: Option<&Signer>) -> String {
    signer
        .and_then(|signer| signing::event_id(signer.scheme.as_ref(), &request.headers))
        .unwrap_or_else(|| format!("evt_{}", ids::new_id().simple()))
}

/// The stored target, headers and bytes, at the host of `url`, else where its Host header says.
fn stored(id: &str, url: Option<&str>, global: &Global) -> Result<Request> {
    let folder = global.data_folder()?;
    let store = Store::open(&folder, Role::Guest, Settings::load(&folder)?.retention)?;
    let seq = find(&store, id)?;
    let head = store.head(seq)?.ok_or_else(|| gone(id))?;
    let body = body(&store, seq)?;
    let cannot =
        |why: String| Failure::Usage(format!("Delivery #{seq} cannot be fired again: {why}."));
    let (head, _) = Head::parse(&head).map_err(|error| cannot(error.to_string()))?;
    let target =
        std::str::from_utf8(&head.target).map_err(|_| cannot("its target is not UTF-8".into()))?;
    let target = &target[origin_length(target)..];
    let origin = match url {
        Some(url) => {
            let (origin, rest) = url.split_at(origin_length(url));
            if !matches!(rest, "" | "/") && rest != target {
                terminal::say(&format!(
                    "Delivery #{seq} goes to its stored target {target}; the path of --url is not used."
                ));
            }
            origin.to_owned()
        }
        None => {
            let host = head
                .values("host")
                .next()
                .ok_or_else(|| cannot("it has no Host, so give --url".into()))?;
            let host = std::str::from_utf8(host)
                .map_err(|_| cannot("its Host is not text, so give --url".into()))?;
            format!("http://{host}")
        }
    };
    Ok(Request {
        url: format!("{origin}{target}"),
        method: head.method,
        headers: head.headers,
        body,
    })
}

/// How much of a URL is scheme and authority; 0 for a target in origin form.
fn origin_length(url: &str) -> usize {
    if url.starts_with('/') {
        return 0;
    }
    let Some(scheme) = url.find("://") else { return 0 };
    let authority = scheme + "://".len();
    url[authority..].find(['/', '?', '#']).map_or(url.len(), |end| authority + end)
}

#[cfg(test)]
mod tests {
    use super::origin_length;

    #[test]
    fn a_url_is_parted_after_its_authority() {
        let part = |url: &str| {
            let (origin, rest) = url.split_at(origin_length(url));
            (origin.to_owned(), rest.to_owned())
        };
        assert_eq!(part("http://h:1/a?b"), ("http://h:1".into(), "/a?b".into()));
        assert_eq!(part("http://[::1]:1?b"), ("http://[::1]:1".into(), "?b".into()));
        assert_eq!(part("https://h"), ("https://h".into(), String::new()));
        assert_eq!(part("/r?to=http://h/x"), (String::new(), "/r?to=http://h/x".into()));
    }
}
