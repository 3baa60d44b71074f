//! What each setting has to be.

use super::SettingsError;
use crate::{
    model::{ForwardSettings, Limits, ListenSettings, Responder, Settings, SumeForm},
    payload,
};
use http::HeaderName;
use url::Url;

/// Names the first setting that is out of its range.
pub(super) fn check(settings: &Settings) -> Result<(), SettingsError> {
    check_listen(&settings.listen)?;
    check_limits(&settings.limits)?;
    check_sume(&settings.schemes.sume)
}

fn range(
    ok: bool,
    key: &'static str,
    name: &'static str,
    value: &dyn ToString,
    wanted: &'static str,
) -> Result<(), SettingsError> {
    if ok {
        Ok(())
    } else {
        Err(SettingsError::OutOfRange { key, name, value: value.to_string(), wanted })
    }
}

fn check_listen(listen: &ListenSettings) -> Result<(), SettingsError> {
    range(
        !listen.host.trim().is_empty(),
        "listen.host",
        "The host",
        &"empty",
        "an address or a name, as 127.0.0.1",
    )?;
    let pointer = &listen.id_pointer;
    let pointer_ok = payload::check_pointer(pointer).is_ok();
    range(
        pointer_ok,
        "listen.id_pointer",
        "The id pointer",
        &pointer,
        "a JSON pointer (RFC 6901), as /job_id",
    )?;
    range(
        listen.tolerance_s >= 1,
        "listen.tolerance_s",
        "The tolerance",
        &listen.tolerance_s,
        "1 second or more",
    )?;
    range(
        listen.delay_ms <= 600_000,
        "listen.delay_ms",
        "The delay",
        &format!("{} ms", listen.delay_ms),
        "10 minutes or less",
    )?;
    check_forward(&listen.forward, listen.responder == Responder::Forward)?;
    match listen.responder {
        Responder::Claim | Responder::Forward => Ok(()),
        Responder::Naive { pause_ms } => range(
            pause_ms <= 60_000,
            "listen.responder",
            "The naive pause",
            &format!("{pause_ms} ms"),
            "a minute or less",
        ),
        Responder::Status { code } => range(
            (200..=599).contains(&code),
            "listen.responder",
            "The status to answer",
            &code,
            "between 200 and 599",
        ),
    }
}

/// The place is looked at only where deliveries go there.
fn check_forward(forward: &ForwardSettings, is_used: bool) -> Result<(), SettingsError> {
    if is_used {
        // The place alone cannot be put right: it is the responder that goes back to what it is at first.
        let wanted = "the http:// or https:// URL of your handler, as http://localhost:3000/hook, without a query \
                      (each delivery keeps its own)";
        range(
            is_place(&forward.url),
            "listen.responder",
            "The forward URL",
            &quoted(&forward.url),
            wanted,
        )?;
    }
    range(
        (1..=100).contains(&forward.copies),
        "listen.forward.copies",
        "The number of forwarded copies",
        &forward.copies,
        "between 1 and 100",
    )?;
    range(
        (1_000..=600_000).contains(&forward.timeout_ms),
        "listen.forward.timeout_ms",
        "The forward timeout",
        &format!("{} ms", forward.timeout_ms),
        "between 1 second and 10 minutes",
    )
}

fn is_place(text: &str) -> bool {
    // The parser would let white space pass, and fold a backslash.
    let is_clean = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_place = |url: Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.port() != Some(0)
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    is_clean && text.contains("://") && Url::parse(text).is_ok_and(is_place)
}

fn check_limits(limits: &Limits) -> Result<(), SettingsError> {
    const GIB: u64 = 1024 * 1024 * 1024;
    let body = limits.body_bytes;
    range(
        (1..=GIB).contains(&body),
        "limits.body_bytes",
        "The body limit",
        &format!("{body} bytes"),
        "between 1 byte and 1 GiB",
    )?;
    let head = limits.head_bytes;
    let head_ok = (8192..=1024 * 1024).contains(&head);
    range(
        head_ok,
        "limits.head_bytes",
        "The head limit",
        &format!("{head} bytes"),
        "between 8 KiB and 1 MiB",
    )?;
    range(
        (16..=2048).contains(&limits.headers),
        "limits.headers",
        "The header count",
        &limits.headers,
        "between 16 and 2,048",
    )?;
    let connections = limits.connections;
    range(
        (1..=65_536).contains(&connections),
        "limits.connections",
        "The connection limit",
        &connections,
        "between 1 and 65,536",
    )?;
    let idle = limits.idle_s;
    range(
        (1..=3600).contains(&idle),
        "limits.idle_s",
        "The idle limit",
        &format!("{idle} s"),
        "between 1 second and an hour",
    )
}

fn check_sume(sume: &SumeForm) -> Result<(), SettingsError> {
    let names = [
        ("schemes.sume.timestamp_header", "Sume's timestamp header", &sume.timestamp_header),
        ("schemes.sume.signature_header", "Sume's signature header", &sume.signature_header),
        ("schemes.sume.event_id_header", "Sume's event id header", &sume.event_id_header),
    ];
    for (index, (key, what, name)) in names.iter().enumerate() {
        let ok = HeaderName::from_bytes(name.as_bytes()).is_ok();
        range(ok, key, what, &quoted(name), "the name of a header, as X-Sume-Signature")?;
        let twice = names[..index].iter().any(|(_, _, other)| other.eq_ignore_ascii_case(name));
        range(!twice, key, what, &quoted(name), "another than Sume's other headers")?;
    }
    // Signatures in one line are parted by commas and trimmed, so a tag with either could not be read back.
    let tag = &sume.tag;
    let tag_ok = tag.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',');
    range(
        tag_ok,
        "schemes.sume.tag",
        "Sume's tag",
        &quoted(tag),
        "ASCII without spaces and commas, as v1=, or empty",
    )
}

/// White space at an end, control characters and nothing at all are seen.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}
