//! Downloads of an artifact.

use super::{blind, probe, refusal};
use crate::{
    checking::{
        canary::{Canary, Conduct},
        probes::Subject,
    },
    model::ProbeSpec,
};

fn spec(pointer: &str) -> ProbeSpec {
    ProbeSpec::Canary { pointer: pointer.to_owned() }
}

#[tokio::test]
async fn a_download_that_was_served_counts() {
    let canary = Canary::start().await.unwrap();
    let probe = probe(&spec("/artifacts/0/url")).await;
    let subject =
        |conduct| Subject { job_id: "job_1".to_owned(), artifact: Some(canary.artifact(conduct)) };
    let (twice, failed) = (subject(Conduct::Serve), subject(Conduct::FailFirst));
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(crate::checking::probes::tls::unused().unwrap())
        .no_proxy()
        .build()
        .unwrap();
    for subject in [&twice, &twice, &failed] {
        let url = subject.artifact.as_ref().unwrap().url();
        client.get(url).send().await.unwrap().bytes().await.unwrap();
    }
    let untouched = subject(Conduct::Serve);
    assert_eq!(probe.counts(&[twice, failed, untouched]).await, [Ok(2), Ok(0), Ok(0)]);
}

#[tokio::test]
async fn outside_of_a_check_there_is_nothing_to_see() {
    let error = blind(&probe(&spec("/url")).await, "job_1").await;
    assert!(error.contains("outside of a check"), "{error}");
    let error = refusal(&spec("url")).await;
    assert!(
        error.starts_with("The canary probe cannot be used: the pointer `url` must"),
        "{error}"
    );
    assert!(refusal(&spec("/a~")).await.contains("~0"));
}
