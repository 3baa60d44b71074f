//! HAR 1.2 (<http://www.softwareishard.com/blog/har-12-spec/>) as browsers, proxies and we ourselves write it.
//!
//! Only what makes the request is wanted of an entry; tools differ in the rest.

use super::{
    Entry, ImportError, fit,
    ours::Ours,
    request::{Answer, Request, bytes, raw},
    without_position,
};
use crate::head::RawHeader;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarEntry {
    started_date_time: Option<String>,
    time: Option<f64>,
    request: HarRequest,
    response: Option<HarResponse>,
    #[serde(rename = "_hooktwice")]
    ours: Option<Ours>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    http_version: Option<String>,
    headers: Vec<HarHeader>,
    post_data: Option<PostData>,
    body_size: Option<f64>,
}

#[derive(Deserialize)]
struct HarHeader {
    name: String,
    value: String,
    #[serde(rename = "_encoding")]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct PostData {
    text: Option<String>,
    #[serde(rename = "_encoding", alias = "encoding")]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct HarResponse {
    status: Option<f64>,
    #[serde(default)]
    headers: Vec<HarHeader>,
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
    encoding: Option<String>,
}

/// Takes every entry of a log.
pub(super) fn read(log: &RawValue, take: &mut impl FnMut(u64, Entry)) -> Result<(), ImportError> {
    let log: Log<'_> = serde_json::from_str(log.get())
        .map_err(|error| ImportError::Log { why: without_position(&error) })?;
    for (number, value) in (1..).zip(log.entries) {
        let har: HarEntry = fit(number, value)?;
        let entry = entry(har).map_err(|why| ImportError::Entry { entry: number, why })?;
        take(number, entry);
    }
    Ok(())
}

/// One entry; an outer error is one of the file.
fn entry(har: HarEntry) -> Result<Entry, String> {
    let HarEntry { started_date_time, time, request, response, ours } = har;
    let HarRequest { method, url, http_version, headers, post_data, body_size } = request;
    let version = http_version.unwrap_or_default();
    let headers = raw_headers(headers)?;
    let body = match post_data.map(body).transpose()?.flatten() {
        Some(body) => body,
        // One that did not come whole has the Content-Length of more.
        None if ours.is_none() && has_body(body_size, &headers) => {
            return Ok(Err("its body is not in the file".into()));
        }
        None => Vec::new(),
    };
    let answer = response.map_or_else(|| Ok(Answer::default()), answer)?;
    let request = Request {
        minor_version: u8::from(!version.ends_with("1.0")),
        headers,
        body: body.into(),
        answer: Answer { duration_ms: time, ..answer },
        ..Request::default()
    };
    if let Some(ours) = ours {
        return ours.complete(request);
    }
    let started = started_date_time.filter(|text| !text.is_empty());
    let received_at = started.map(|text| time_of(&text)).transpose()?;
    Ok(foreign(Request { method, received_at, ..request }, &url, &version))
}

/// A request of another tool: its address is a whole URL, and it may have been HTTP/2.
fn foreign(mut request: Request, url: &str, version: &str) -> Entry {
    let Some((host, target)) = address(url) else {
        let scheme: String = url.chars().take_while(|c| *c != ':').take(20).collect();
        return Err(format!("its address is no http:// or https:// URL ({scheme}:…)"));
    };
    request.target = target.into_bytes();
    let pseudo = request.headers.iter().any(|header| header.name.starts_with(b":"));
    request.headers.retain(|header| !header.name.starts_with(b":"));
    if !request.headers.iter().any(|header| header.is("host")) {
        request.headers.insert(0, raw("Host", host.as_bytes()));
    }
    let major = version.chars().find(char::is_ascii_digit);
    if pseudo || matches!(major, Some('2' | '3')) {
        request.notes.push(format!("it went over {version}; its head is written here as HTTP/1.1"));
    }
    let length = request.headers.iter().find(|header| header.is("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(&header.value).ok()?.parse().ok());
    if let Some(length) = length.filter(|length: &usize| *length != request.body.len()) {
        request.notes.push(format!(
            "its body in the file has {} bytes and its Content-Length says {length}: other bytes were sent",
            request.body.len()
        ));
    }
    if request.answer.status.is_none() {
        request.notes.push("the file has no answer to it".into());
    }
    Ok(request)
}

/// Host and target of a URL, as they stand there: nothing decoded, nothing folded.
fn address(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let (host, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    let slash = if target.starts_with('/') { "" } else { "/" };
    (!host.is_empty()).then(|| (host.to_owned(), format!("{slash}{target}")))
}

/// A time with its offset; one without is taken as UTC.
fn time_of(text: &str) -> Result<Timestamp, String> {
    let with_offset = text.parse();
    with_offset
        .or_else(|_| format!("{text}Z").parse())
        .map_err(|_| format!("startedDateTime: {text:?} is no ISO 8601 time"))
}

/// The body's bytes, where they are there.
fn body(post_data: PostData) -> Result<Option<Vec<u8>>, String> {
    match (post_data.text, post_data.encoding.as_deref()) {
        (Some(text), Some("base64")) => bytes("request.postData.text", &text).map(Some),
        (text, _) => Ok(text.map(String::into_bytes)),
    }
}

/// Whether the request had a body when it was sent.
fn has_body(body_size: Option<f64>, headers: &[RawHeader]) -> bool {
    let promised = headers.iter().find(|header| header.is("content-length"));
    promised.is_some_and(|header| header.value != "0") || body_size.is_some_and(|size| size > 0.0)
}

fn answer(response: HarResponse) -> Result<Answer, String> {
    // 0 stands for no answer.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    let status = response
        .status
        .filter(|status| (100.0..1000.0).contains(status))
        .map(|status| status as u16);
    let body = match response.content {
        Some(Content { text: Some(text), encoding: Some(encoding) }) if encoding == "base64" => {
            bytes("response.content.text", &text)?
        }
        Some(Content { text: Some(text), .. }) => text.into_bytes(),
        Some(Content { text: None, .. }) | None => Vec::new(),
    };
    let headers = raw_headers(response.headers)?;
    Ok(Answer { status, headers, body: body.into(), duration_ms: None })
}

fn raw_headers(headers: Vec<HarHeader>) -> Result<Vec<RawHeader>, String> {
    let one = |HarHeader { name, value, encoding }: HarHeader| match encoding.as_deref() {
        Some("base64") => {
            let value = bytes(&format!("header {name}"), &value)?;
            Ok(raw(name, &value))
        }
        _ => Ok(raw(name, value.as_bytes())),
    };
    headers.into_iter().map(one).collect()
}
