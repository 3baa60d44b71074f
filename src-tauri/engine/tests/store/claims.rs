//! One delivery of a job wins, whatever its id is made of.

use crate::support::*;
use hooktwice_engine::{
    model::{ClaimReason, ClaimSelector, ClaimState, Delivery, JobIdType, JobKey},
    store::{ClaimRequest, NewDelivery, Store},
};
use proptest::prelude::*;
use std::collections::HashMap;

async fn record(store: &Store, new: NewDelivery) -> (ClaimState, Option<i64>) {
    let delivery = store.record(new).await.unwrap();
    (delivery.claim, delivery.duplicate_of)
}

#[tokio::test]
async fn c30_the_third_is_a_duplicate_of_its_own_job() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    assert_eq!(record(&store, delivery("a")).await, (ClaimState::Won, None));
    assert_eq!(record(&store, delivery("b")).await, (ClaimState::Won, None));
    assert_eq!(record(&store, delivery("a")).await, (ClaimState::Duplicate, Some(1)));
}

#[tokio::test]
async fn c31_c32_c33_what_has_no_id_claims_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let cases = [
        (ClaimReason::NullId, None, JobIdType::Null),
        (ClaimReason::EmptyId, Some(""), JobIdType::String),
        (ClaimReason::EmptyId, Some("   "), JobIdType::String),
        (ClaimReason::MissingId, None, JobIdType::Missing),
        (ClaimReason::NoBody, None, JobIdType::Missing),
    ];
    for (reason, id, id_type) in cases {
        for _ in 0..2 {
            let delivery = store.record(unclaimed(reason, id, id_type)).await.unwrap();
            assert_eq!((delivery.claim, delivery.claim_reason), (ClaimState::None, Some(reason)));
            assert_eq!((delivery.duplicate_of, delivery.job_id.as_deref()), (None, id));
        }
    }
    // Asked to claim without an id, the store makes none up.
    for _ in 0..2 {
        let new = NewDelivery {
            claim: ClaimRequest::Insert,
            ..unclaimed(ClaimReason::NullId, None, JobIdType::Null)
        };
        assert_eq!(record(&store, new).await, (ClaimState::None, None));
    }
    assert_eq!(store.claims(0, 0).unwrap(), (vec![], 0));
}

#[tokio::test]
async fn c36_a_number_is_not_the_string_of_its_digits() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let ids = ["123", "123.0", "1.23e2", "0123", "9007199254740993"];
    for id in ids {
        for id_type in [JobIdType::Number, JobIdType::String] {
            assert_eq!(
                record(&store, delivery_of("/hook", id, id_type)).await,
                (ClaimState::Won, None),
                "{id}"
            );
        }
    }
    let (claims, total) = store.claims(0, 0).unwrap();
    assert_eq!(total, 10);
    let kept: Vec<_> =
        claims.iter().rev().map(|claim| (claim.job_id.as_str(), claim.job_id_type)).collect();
    let sent: Vec<_> =
        ids.into_iter().flat_map(|id| [(id, JobIdType::Number), (id, JobIdType::String)]).collect();
    assert_eq!(kept, sent);
}

#[tokio::test]
async fn c43_long_ids_are_told_apart_by_their_last_character() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for length in [64, 255, 2048, 4095] {
        let common = "x".repeat(length);
        let [one, two] = [format!("{common}1"), format!("{common}2")];
        let first = store.record(delivery(&one)).await.unwrap();
        assert_eq!(record(&store, delivery(&two)).await, (ClaimState::Won, None), "{length}");
        assert_eq!(record(&store, delivery(&one)).await, (ClaimState::Duplicate, Some(first.seq)));
        assert_eq!(store.show(first.seq).unwrap().unwrap().delivery.job_id, Some(one));
    }
}

#[tokio::test]
async fn c44_two_paths_are_two_scopes() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for path in ["/a", "/b", "/A", "/a/", "/%61"] {
        let new = delivery_of(path, "1", JobIdType::String);
        assert_eq!(record(&store, new).await, (ClaimState::Won, None), "{path}");
    }
}

#[tokio::test]
async fn c05_c40_another_body_for_the_same_job_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let sent = |body: &str| with_body(delivery("A1"), body);
    let bodies = [("paid", false), ("paid", false), ("shipped", true), ("paid", false)];
    for (body, differs) in bodies {
        assert_eq!(store.record(sent(body)).await.unwrap().body_differs, differs);
    }
    // The winner may be gone; what its body was is still known.
    store.delete(vec![1]).await.unwrap();
    let late = store.record(sent("paid")).await.unwrap();
    assert_eq!((late.duplicate_of, late.body_differs), (Some(1), false));
    assert!(store.record(sent("lost")).await.unwrap().body_differs);
}

#[tokio::test]
async fn c37_a_forged_body_holds_nothing_and_is_told_about_the_signed_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let forged = || unclaimed(ClaimReason::NotVerified, Some("a"), JobIdType::String);
    let first = store.record(forged()).await.unwrap();
    assert_eq!((first.claim, first.notes.len()), (ClaimState::None, 0));
    assert_eq!(record(&store, delivery("a")).await, (ClaimState::Won, None));
    let second = store.record(forged()).await.unwrap();
    assert_eq!(second.notes, ["same job as #2, but that body was signed"]);
    assert_eq!(store.show(3).unwrap().unwrap().delivery, second);
    assert_eq!(store.claims(0, 0).unwrap().0[0].deliveries, 1);
}

#[tokio::test]
async fn c34_a_released_claim_can_be_won_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    for path in ["/a", "/b"] {
        record(&store, delivery_of(path, "1", JobIdType::String)).await;
        record(&store, delivery_of(path, "1", JobIdType::Number)).await;
    }
    let which = |path: Option<&str>| ClaimSelector {
        job_id: "1".into(),
        job_id_type: JobIdType::String,
        path: path.map(Into::into),
    };
    assert_eq!(store.release(which(Some("/a"))).await.unwrap(), 1);
    assert_eq!(store.release(which(Some("/a"))).await.unwrap(), 0);
    let again = delivery_of("/a", "1", JobIdType::String);
    assert_eq!(record(&store, again).await, (ClaimState::Won, None));
    assert_eq!(store.release(which(None)).await.unwrap(), 2);
    assert_eq!(store.clear_claims().await.unwrap(), 2);
    assert_eq!(store.claims(10, 0).unwrap(), (vec![], 0));
}

#[tokio::test]
async fn naive_lets_several_win_and_touches_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let naive = |found| NewDelivery { claim: ClaimRequest::Naive { found }, ..delivery("n") };
    assert_eq!(store.winner(&key("n")).unwrap(), None);
    assert_eq!(record(&store, naive(None)).await, (ClaimState::Won, None));
    assert_eq!(record(&store, naive(None)).await, (ClaimState::Won, None));
    assert_eq!(store.winner(&key("n")).unwrap(), Some(1));
    assert_eq!(record(&store, naive(Some(1))).await, (ClaimState::Duplicate, Some(1)));
    assert_eq!((store.effects(&key("n")).unwrap(), store.effects(&key("m")).unwrap()), (2, 0));
    assert_eq!(store.claims(0, 0).unwrap().1, 0);
    record(&store, delivery("c")).await;
    record(&store, delivery("c")).await;
    assert_eq!((store.winner(&key("c")).unwrap(), store.effects(&key("c")).unwrap()), (Some(4), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_once_one_wins_and_all_others_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = owner(folder.path());
    let tasks: Vec<_> = (0..1000)
        .map(|n| {
            let (store, new) = (store.clone(), delivery(&format!("job_{}", n % 10)));
            tokio::spawn(async move { store.record(new).await.unwrap() })
        })
        .collect();
    let mut jobs: HashMap<String, Vec<Delivery>> = HashMap::new();
    for task in tasks {
        let delivery = task.await.unwrap();
        jobs.entry(delivery.job_id.clone().unwrap()).or_default().push(delivery);
    }
    assert_eq!(jobs.len(), 10);
    for (job_id, deliveries) in jobs {
        let won: Vec<_> = deliveries.iter().filter(|one| one.claim == ClaimState::Won).collect();
        let &[winner] = &won[..] else { panic!("{} won {job_id}", won.len()) };
        let others = deliveries.iter().filter(|one| one.seq != winner.seq);
        assert!(others.into_iter().all(|other| other.duplicate_of == Some(winner.seq)));
        let (claims, _) = store.claims(0, 0).unwrap();
        let claim = claims.iter().find(|claim| claim.job_id == job_id).unwrap();
        assert_eq!((claim.first_delivery, claim.deliveries), (winner.seq, 100));
    }
}

fn any_type() -> impl Strategy<Value = JobIdType> {
    prop_oneof![Just(JobIdType::String), Just(JobIdType::Number)]
}

/// Any text, and often one of a few that a careless table would take for each other.
fn any_id() -> impl Strategy<Value = String> {
    const ALIKE: [&str; 13] = [
        "1",
        "1.0",
        "01",
        "1e0",
        " 1",
        "a",
        "A",
        "a ",
        "a\0",
        "a\0b",
        "e\u{301}",
        "\u{e9}",
        "\u{e9}\u{feff}",
    ];
    prop_oneof![
        3 => proptest::sample::select(&ALIKE[..]).prop_map(String::from),
        1 => "\\PC{1,80}",
        1 => proptest::collection::vec(any::<char>(), 1..40).prop_map(String::from_iter),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Send { path: &'static str, id: String, id_type: JobIdType, body: u8 },
    Release { path: Option<&'static str>, id: String, id_type: JobIdType },
    Clear,
}

fn any_path() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&["/a", "/A", "/a/"][..])
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (any_path(), any_id(), any_type(), 0..3_u8)
            .prop_map(|(path, id, id_type, body)| Step::Send { path, id, id_type, body }),
        2 => (proptest::option::of(any_path()), any_id(), any_type())
            .prop_map(|(path, id, id_type)| Step::Release { path, id, id_type }),
        1 => Just(Step::Clear),
    ]
}

/// What a claim table is: a map from keys to the winner, its body, and how many came.
type Model = HashMap<JobKey, (i64, u8, u64)>;

async fn follow(store: &Store, model: &mut Model, step: Step) -> Result<(), TestCaseError> {
    match step {
        Step::Send { path, id, id_type, body } => {
            let sent =
                store.record(with_body(delivery_of(path, &id, id_type), [body])).await.unwrap();
            let key = JobKey { path: path.into(), job_id: id.clone(), job_id_type: id_type };
            let (winner, first_body, count) = model.entry(key).or_insert((sent.seq, body, 0));
            *count += 1;
            let won = *winner == sent.seq;
            let expected = (!won).then_some(*winner);
            prop_assert_eq!((sent.claim == ClaimState::Won, sent.duplicate_of), (won, expected));
            prop_assert_eq!(sent.body_differs, body != *first_body);
            let stored = store.show(sent.seq).unwrap().unwrap().delivery;
            prop_assert_eq!(stored.job_id.as_deref(), Some(id.as_str()));
            prop_assert_eq!(stored, sent);
        }
        Step::Release { path, id, id_type } => {
            let which = ClaimSelector {
                job_id: id.clone(),
                job_id_type: id_type,
                path: path.map(Into::into),
            };
            let released = store.release(which).await.unwrap();
            let before = model.len();
            model.retain(|key, _| {
                key.job_id != id
                    || key.job_id_type != id_type
                    || path.is_some_and(|path| path != key.path)
            });
            prop_assert_eq!(released, (before - model.len()) as u64);
        }
        Step::Clear => {
            prop_assert_eq!(store.clear_claims().await.unwrap(), model.len() as u64);
            model.clear();
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claims_behave_like_a_map(steps in proptest::collection::vec(any_step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = owner(folder.path());
            let mut model = Model::new();
            for step in steps {
                follow(&store, &mut model, step).await?;
            }
            let (claims, total) = store.claims(0, 0).unwrap();
            prop_assert_eq!(total, model.len() as u64);
            for claim in claims {
                let key = JobKey { path: claim.path, job_id: claim.job_id, job_id_type: claim.job_id_type };
                let (winner, _, count) = model[&key];
                prop_assert_eq!((claim.first_delivery, claim.deliveries), (winner, count));
                prop_assert_eq!(store.winner(&key).unwrap(), Some(winner));
            }
            Ok(())
        })?;
    }
}
