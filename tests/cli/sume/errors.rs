//! What the API refuses, and what is never sent.

use super::{KEY, StandIn};
use crate::harness::{Folder, Said};
use hooktwice_provider::{Config, NewJob, Refusal};
use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

/// The code and the words of each, with the request.
fn refused(said: Said, code: i32, words: &[&str]) {
    let said = said.expect_code(code);
    assert_eq!(said.text(), "", "nothing but answers stand on stdout");
    for word in words {
        assert!(said.err.contains(word), "{word}: {}", said.err);
    }
    assert!(!said.err.contains(KEY));
}

fn always(status: u16, code: &str) -> Refusal {
    Refusal { status, code: code.into(), retry_after: None, times: u32::MAX, ..Refusal::default() }
}

#[test]
fn each_refusal_says_what_to_do() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let id = sume.job();
    refused(
        sume.run(&folder, &["status", "job_none"]),
        1,
        &["404 job_not_found", "job's id", "(request req_"],
    );
    refused(sume.run(&folder, &["redeliver", "job_none"]), 1, &["404"]);
    refused(sume.run(&folder, &["redeliver", &id]), 1, &["409 job_not_terminal", "status first"]);
    let id = sume.finished(NewJob::default());
    refused(sume.run(&folder, &["redeliver", &id]), 1, &["422 no_webhook"]);

    let mut command = sume.command(&folder, &["status", &id]);
    let wrong = Said::of(command.env("SUME_API_KEY", "another_key").output().unwrap());
    refused(wrong, 2, &["401 invalid_api_key", "set one that is valid"]);

    for (status, code, words) in [
        (403, 2, "account:write"),
        (400, 1, "URL"),
        (418, 1, "documentation"),
        (302, 2, "Redirects are not followed"),
    ] {
        let sume = StandIn::start();
        sume.provider.refuse(always(status, "some_code"));
        let said = sume.run(&folder, &["test-delivery", "--to", "https://example.com/hook"]);
        refused(said, code, &[&format!("{status} some_code"), words, "(request req_"]);
        assert_eq!(sume.seen().len(), 1, "a write is sent once");
    }
}

#[test]
fn a_question_is_asked_again_and_a_write_never() {
    let folder = Folder::new();
    for status in [500, 502, 503, 429] {
        let sume = StandIn::start();
        let id = sume.job();
        sume.provider.refuse(Refusal { times: 2, ..always(status, "passing") });
        sume.run(&folder, &["status", &id]).expect_code(0);
        assert_eq!(sume.seen().len(), 3, "{status}");

        let sume = StandIn::start();
        sume.provider.refuse(always(status, "passing"));
        refused(sume.run(&folder, &["redeliver", "job_1"]), 3, &[&status.to_string()]);
        assert_eq!(sume.seen().len(), 1, "{status}: a write is sent once");
    }
    let sume = StandIn::start();
    sume.provider.refuse(always(500, "broken"));
    refused(sume.run(&folder, &["status", "job_1"]), 3, &["500 broken", "Sume's end"]);
    assert_eq!(sume.seen().len(), 3, "and not for ever");
}

#[test]
fn retry_after_is_kept_to_within_reason() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let id = sume.job();
    let limited = |after: &str| Refusal { retry_after: Some(after.into()), ..Refusal::default() };
    let timed = |refusal| {
        sume.provider.refuse(refusal);
        let start = Instant::now();
        (sume.run(&folder, &["status", &id]), start.elapsed())
    };
    let (said, took) = timed(limited("2"));
    said.expect_code(0);
    assert!(took >= Duration::from_secs(2), "{took:?}");

    // Whole seconds, so that up to one of them is over when it is read.
    let date = jiff::Timestamp::now() + Duration::from_secs(3);
    let date =
        jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&date).unwrap();
    let (said, took) = timed(limited(&date));
    said.expect_code(0);
    assert!(took >= Duration::from_secs(1), "{took:?}");

    let (said, took) = timed(limited("3600"));
    refused(said, 3, &["429 rate_limited", "wait for 3600 s"]);
    assert!(took < Duration::from_secs(10), "it is told, not waited out: {took:?}");
}

#[test]
fn the_key_follows_no_redirect() {
    let folder = Folder::new();
    let other = StandIn::start();
    let sume = StandIn::start();
    let there = format!("{}/jobs/job_1/status", other.provider.base_url());
    sume.provider.refuse(Refusal { location: Some(there), ..always(307, "moved") });
    refused(sume.run(&folder, &["status", "job_1"]), 2, &["307"]);
    assert_eq!(other.seen(), [""; 0]);
}

#[test]
fn what_cannot_be_asked_is_refused_before_it_is_sent() {
    let folder = Folder::new();
    let sume = StandIn::start();
    let run = |args: &[&str], env: &[(&str, Option<&str>)]| {
        let mut command = sume.command(&folder, args);
        for (name, value) in env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Said::of(command.output().unwrap())
    };
    let status = ["status", "job_1"];
    refused(run(&status, &[("SUME_API_KEY", None)]), 2, &["SUME_API_KEY"]);
    refused(run(&status, &[("SUME_API_KEY", Some(""))]), 2, &["SUME_API_KEY"]);
    refused(run(&["status", "job_1", "--api-key-env", "HT_NO_KEY"], &[]), 2, &["HT_NO_KEY"]);
    refused(run(&status, &[("SUME_API_KEY", Some("a key\n"))]), 2, &["white space"]);
    let base = |url| [("SUME_API_BASE_URL", Some(url))];
    refused(run(&status, &base("http://api.example/v1")), 2, &["in clear"]);
    refused(run(&status, &base("api.example")), 2, &["base URL"]);
    refused(run(&["status", ".."], &[]), 2, &["step"]);
    refused(run(&["status", ""], &[]), 2, &["empty"]);
    refused(run(&["test-delivery", "--to", "hook"], &[]), 2, &["https://example.com/hook"]);
    refused(run(&["watch"], &[]), 2, &["JOB_ID"]);
    let far = base("https://192.0.2.1/v1");
    refused(run(&["test-delivery", "--to", "http://127.0.0.1:1/"], &far), 2, &["tunnel"]);
    assert_eq!(sume.seen(), [""; 0]);
}

#[test]
fn an_api_that_is_not_there_is_3() {
    let folder = Folder::new();
    let sume = StandIn::start();
    // Taken and given back, so that nothing listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let at = format!("http://{free}/v1");
    for args in [&["status", "job_1"][..], &["redeliver", "job_1"]] {
        let mut command = sume.command(&folder, args);
        let said = Said::of(command.env("SUME_API_BASE_URL", &at).output().unwrap());
        refused(said, 3, &[&at, "Nothing was sent"]);
    }
}

#[test]
fn an_error_that_repeats_the_key_is_shown_without_it() {
    let folder = Folder::new();
    let sume = StandIn::with(|config| Config { api_key: "the_right_one".into(), ..config });
    let words = format!("The key {KEY} was revoked.");
    sume.provider.refuse(Refusal { message: words, ..always(401, "revoked") });
    refused(sume.run(&folder, &["status", "job_1"]), 2, &["The key [API key] was revoked"]);
}
