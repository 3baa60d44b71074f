//! Values and how often they occur.

use crate::support::*;
use hooktwice_engine::{
    model::{
        ClaimReason, DeliveryQuery, Ended, FacetKey, FacetValue, JobIdType, SignatureReport,
        SignatureState,
    },
    store::{Finish, NewDelivery, Store},
};
use proptest::prelude::*;

const EVENTS: [Option<&str>; 6] =
    [Some("job.completed"), Some("job"), Some("Job"), Some("a \"b\" \\ c"), Some(""), None];
const PATHS: [&str; 5] = ["/hook", "/hook2", "/a%20b", "/a b", "/\u{202e}\"x"];
const METHODS: [&str; 3] = ["POST", "post", "GET"];
const STATES: [SignatureState; 5] = [
    SignatureState::Valid,
    SignatureState::Invalid,
    SignatureState::Stale,
    SignatureState::Unsigned,
    SignatureState::Unchecked,
];
const STATUSES: [Option<u16>; 5] = [Some(204), Some(404), Some(500), Some(799), None];

/// Deliveries that differ in everything that is counted.
async fn mixed(store: &Store, count: usize) {
    for n in 0..count {
        let state = STATES[n % 5];
        let new = delivery_of(PATHS[n / 2 % 5], &format!("job_{}", n % 30), JobIdType::String);
        let reason = ClaimReason::NotVerified;
        let claimed = state == SignatureState::Valid;
        let new = if claimed { new } else { unclaimed(reason, None, JobIdType::Missing) };
        let recorded = store
            .record(NewDelivery {
                method: METHODS[n / 3 % 3].into(),
                path: PATHS[n / 2 % 5].into(),
                event: EVENTS[n / 5 % 6].map(Into::into),
                signature: SignatureReport {
                    state,
                    scheme: "sume".into(),
                    reason: None,
                    hints: vec![],
                    secret: None,
                    age_s: None,
                },
                ..with_body(new, format!("{{\"n\":{n}}}"))
            })
            .await
            .unwrap();
        let finish = match STATUSES[n / 7 % 5] {
            Some(status) => Some(answered(status)),
            // Of those without a status one half is still being answered.
            None if n % 2 == 0 => {
                Some(Finish { ended: Ended::Incomplete, status: None, ..answered(200) })
            }
            None => None,
        };
        if let Some(finish) = finish {
            store.finish(recorded.seq, finish);
        }
    }
    store.flush().await.unwrap();
}

fn total(store: &Store, filter: &str) -> u64 {
    let query = DeliveryQuery { filter: filter.into(), limit: 1, ..DeliveryQuery::default() };
    store.list(&query).unwrap().total
}

/// Every count is what the list finds under the value's term, and nothing is left out.
fn agree(store: &Store, filter: &str) {
    let all = total(store, filter);
    let facets = store.facets(filter).unwrap();
    assert_eq!(facets.iter().map(|facet| facet.key).collect::<Vec<_>>(), FacetKey::ALL);
    for facet in facets {
        let listed: u64 = facet.values.iter().map(|value| value.count).sum();
        assert_eq!(listed + facet.others, all, "{filter}: {:?}", facet.key);
        for FacetValue { value, count, term } in facet.values {
            let Some(term) = term else {
                assert!(value.is_none_or(|value| value.is_empty() || value.len() > 1024));
                continue;
            };
            assert_eq!(total(store, &format!("{filter} {term}")), count, "{filter} | {term}");
            assert_eq!(
                total(store, &format!("{filter} -{term}")),
                all - count,
                "{filter} | {term}"
            );
        }
    }
}

#[test]
fn counts_agree_with_the_list_under_any_filter() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = owner(folder.path());
    runtime.block_on(mixed(&store, 420));
    let terms = prop::sample::select(vec![
        "claim:won",
        "claim:duplicate",
        "-claim:none",
        "sig:valid,stale",
        "status>=400",
        "-status:2xx",
        "status:none",
        "event:job",
        "event=job",
        "-is:no-event",
        "path:/hook",
        "path=/hook",
        "method:post",
        "method=post",
        "is:failed",
        "job:job_3",
        "size>10",
        "n",
        "\"n\":1",
        "-\"3\"",
        "#12",
    ]);
    let filters = prop::collection::vec(terms, 0..4).prop_map(|terms| terms.join(" "));
    agree(&store, "");
    proptest!(ProptestConfig::with_cases(48), |(filter in filters)| agree(&store, &filter));
}

#[tokio::test]
async fn the_most_frequent_come_first_and_the_rest_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let long = format!("/{}", "é".repeat(2000));
    for n in 0..60_u32 {
        // `/0` once, `/1` twice and so on, until none is left.
        let path = (0..30).find(|path| n < path * (path + 1) / 2 + path + 1).unwrap_or(30);
        store
            .record(delivery_of(&format!("/{path}"), &format!("{n}"), JobIdType::String))
            .await
            .unwrap();
    }
    for n in 0..30 {
        store.record(delivery_of(&format!("/once{n}"), "", JobIdType::Missing)).await.unwrap();
        store.record(delivery_of(&long, "", JobIdType::Missing)).await.unwrap();
    }
    let paths = store.facets("").unwrap().remove(5);
    let [first, second, ..] = &paths.values[..] else { panic!("{paths:?}") };
    assert_eq!((first.count, first.term.as_deref()), (30, None));
    let cut = first.value.as_deref().unwrap();
    assert!(
        cut.starts_with("/éé") && cut.ends_with("é…") && cut.len() <= 1024 + 3,
        "{}",
        cut.len()
    );
    assert_eq!((second.value.as_deref(), second.count), (Some("/9"), 10));
    assert_eq!(paths.values.len(), 20);
    let listed: u64 = paths.values.iter().map(|value| value.count).sum();
    assert_eq!(paths.others, 120 - listed);
    assert_eq!(
        store.facets("colour:red").unwrap_err().to_string(),
        store.counts("colour:red").unwrap_err().to_string()
    );
}
