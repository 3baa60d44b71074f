//! `hooktwice deliveries show`.

use super::{find, gone};
use crate::{
    exit::{Exit, Result},
    output::Output,
    people,
};
use clap::Args;
use hooktwice_engine::{
    export::{Line, Stored, mask},
    model::{ForwardReport, NamedHeader, SchemeSettings, Settings},
    signing::{self, SignedRequest},
    store::Store,
};
use jiff::Timestamp;
use serde::Serialize;
use std::path::Path;

/// How much of a body is shown on a screen.
const SHOWN: usize = 4 * 1024;

/// Show a delivery with its headers and its body
///
/// On the screen, sensitive header values are masked and a long or binary body is summed up, which is said. With
/// --json everything is there, as it came.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The id or the number of the delivery
    id: String,

    /// Show the values of sensitive headers (authorization, cookies, API keys)
    #[arg(long)]
    reveal: bool,
}

/// The line of an export, and what it says of the time.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    /// When the provider says that it signed it, to be told from when it came (C45).
    signed_at: Option<Timestamp>,
}

impl Show {
    pub(super) fn run(self, folder: &Path, store: &Store, out: &mut Output) -> Result {
        let schemes = Settings::load(folder)?.schemes;
        let seq = find(store, &self.id)?;
        let stored = Stored::read(store, seq, true)?.ok_or_else(|| gone(&self.id))?;
        let signed_at = signed_at(&stored, &schemes);
        if out.is_json() {
            out.object(&Whole { line: Line::from(&stored), signed_at })?;
        } else {
            self.print(out, &stored, signed_at)?;
        }
        Ok(Exit::Done)
    }

    fn print(
        &self,
        out: &mut Output,
        Stored { detail, body, .. }: &Stored,
        signed_at: Option<Timestamp>,
    ) -> Result<()> {
        let delivery = &detail.delivery;
        out.text(people::delivery(delivery))?;
        out.text(format_args!("\nid        {}", delivery.id))?;
        out.text(format_args!("received  {}", delivery.received_at))?;
        if let Some(signed_at) = signed_at {
            out.text(format_args!("signed    {signed_at}"))?;
        }
        out.text(format_args!("from      {}, HTTP/{}", detail.peer, detail.http_version))?;
        out.text(format_args!("sha256    {}\n", detail.body_sha256))?;
        self.print_headers(out, &detail.headers)?;
        if !detail.trailers.is_empty() {
            out.text("\nAfter the body:")?;
            self.print_headers(out, &detail.trailers)?;
        }
        out.text(format_args!("\n{}", body_on_screen(body, delivery.seq)))?;
        if let Some(forward) = &detail.forward {
            print_forward(out, forward)?;
        }
        if let Some(status) = delivery.status {
            out.text(format_args!("\nAnswered {status}"))?;
            self.print_headers(out, &detail.response_headers)?;
            if !detail.response_body.is_empty() {
                out.text(format_args!("\n{}", people::clean_lines(&detail.response_body)))?;
            }
        }
        Ok(())
    }

    fn print_headers(&self, out: &mut Output, headers: &[NamedHeader]) -> Result<()> {
        let mut headers = headers.to_vec();
        if !self.reveal {
            mask(&mut headers);
        }
        for (name, value) in &headers {
            out.text(format_args!("{}: {}", people::clean(name), people::header_value(value)))?;
        }
        Ok(())
    }
}

/// What became of each copy at the handler.
fn print_forward(out: &mut Output, forward: &ForwardReport) -> Result<()> {
    out.text(format_args!("\nForwarded to {}", people::clean(&forward.url)))?;
    for copy in &forward.copies {
        let took = copy.total_ms.map(|ms| format!(" in {ms:.1} ms")).unwrap_or_default();
        let end = match (copy.status, &copy.error) {
            (Some(status), _) => status.to_string(),
            (None, Some(error)) => people::clean(error).clone(),
            (None, None) => "no answer".to_owned(),
        };
        out.text(format_args!("#{}  {end}{took}", copy.n))?;
    }
    if let Some(problem) = &forward.problem {
        out.text(people::clean(problem))?;
    }
    Ok(())
}

/// The signed time that a request brought with it, whatever its signature is worth; `None` where it brought none.
fn signed_at(stored: &Stored, schemes: &SchemeSettings) -> Option<Timestamp> {
    let delivery = &stored.detail.delivery;
    let scheme = signing::scheme(&delivery.signature.scheme, schemes).ok()?;
    let request = SignedRequest {
        method: &delivery.method,
        path: &delivery.path,
        query: &delivery.query,
        headers: &stored.head.as_ref()?.headers,
        body: &stored.body,
    };
    let stamp = scheme.stamp(&request).ok().flatten()?;
    Timestamp::from_second(stamp.seconds()).ok()
}

/// A body as far as it can be shown, saying what is not.
fn body_on_screen(body: &[u8], seq: i64) -> String {
    let whole = format!("`hooktwice deliveries body {seq}` prints its exact bytes");
    if body.is_empty() {
        return "(no body)".into();
    }
    let Ok(text) = std::str::from_utf8(body) else {
        return format!("({}, not UTF-8 text; {whole})", people::size(body.len() as u64));
    };
    if text.len() <= SHOWN {
        return people::clean_lines(text);
    }
    let cut = text.floor_char_boundary(SHOWN);
    format!(
        "{}\n(the first {cut} of {} bytes; {whole})",
        people::clean_lines(&text[..cut]),
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_is_said() {
        assert_eq!(body_on_screen(b"", 1), "(no body)");
        assert_eq!(body_on_screen(b"{\"a\":1}\n", 1), "{\"a\":1}\n");
        assert!(
            body_on_screen(b"\xff\x00", 7)
                .contains("not UTF-8 text; `hooktwice deliveries body 7`")
        );
        let long = "é".repeat(SHOWN);
        assert!(body_on_screen(long.as_bytes(), 1).contains("the first 4096 of 8192 bytes"));
    }
}
