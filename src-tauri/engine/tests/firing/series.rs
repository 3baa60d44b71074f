//! `sequential` and `gap`.

use crate::support::{Answer, Handler, OK, fire, plan};
use hooktwice_engine::{
    firing::{self, Plan},
    model::{CopyOutcome, CopyReport, Release, ReleaseMethod},
};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn sequential_is_each_after_the_answer_before_it() {
    let handler = Handler::start(OK).await;
    let plan = Plan { copies: 6, release: Release::Sequential, ..plan(&handler.url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!((summary.peak_in_flight, summary.released_by), (1, ReleaseMethod::Unheld));
    for pair in copies.windows(2) {
        let answered = pair[0].released_us.unwrap() / 1e3 + pair[0].total_ms.unwrap();
        assert!(pair[1].connected_ms.unwrap() >= answered, "{pair:?}");
    }
    let seen = handler.seen();
    assert!(seen.windows(2).all(|pair| pair[0].whole < pair[1].opened));
}

#[tokio::test]
async fn by_gap_each_goes_at_its_moment_though_none_is_answered() {
    // None is answered before the last has come.
    let handler = Handler::start(Answer::WhenWhole(15)).await;
    let gap = 20.0;
    let plan = Plan { copies: 15, release: Release::Gap { ms: gap }, ..plan(&handler.url) };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!(
        (summary.statuses.get(&200), summary.peak_in_flight),
        (Some(&15), 15),
        "{summary:?}"
    );
    // The schedule is told by its most punctual copy: on a busy machine any of them may be late, the first (from which
    // the times are counted) too. Late ones say so; with a drift, those at the end would be late and say nothing.
    let off = |copy: &CopyReport| copy.released_us.unwrap() / 1e3 - gap * f64::from(copy.n - 1);
    let schedule = copies.iter().map(off).fold(f64::INFINITY, f64::min);
    for copy in &copies {
        let late = copy.warnings.iter().any(|warning| warning.contains("later"));
        assert!(off(copy) < schedule + 5.0 || late, "copy {}: {copies:?}", copy.n);
    }
    let seen = handler.seen();
    assert!(seen.windows(2).all(|pair| pair[0].whole < pair[1].whole));
}

#[tokio::test]
async fn a_gap_longer_than_the_lead_connects_shortly_before() {
    let handler = Handler::start(OK).await;
    let plan = Plan { copies: 3, release: Release::Gap { ms: 400.0 }, ..plan(&handler.url) };
    let (copies, _) = fire(plan).await.unwrap();
    for copy in &copies[1..] {
        let due = 400.0 * f64::from(copy.n - 1);
        assert!(copy.connected_ms.unwrap() > due - 300.0, "{copy:?}");
        assert!((copy.released_us.unwrap() / 1e3 - due).abs() < 50.0, "{copy:?}");
    }
}

#[tokio::test]
async fn a_stopped_series_leaves_the_rest_unsent() {
    for release in [Release::Sequential, Release::Gap { ms: 60_000.0 }] {
        let mut handler = Handler::start(Answer::Never).await;
        let stop = CancellationToken::new();
        let (told, _tells) = mpsc::unbounded_channel();
        let firing = tokio::spawn(firing::fire(
            Plan { copies: 4, release, ..plan(&handler.url) },
            told,
            stop.clone(),
        ));
        handler.count.wait_for(|count| *count == 1).await.unwrap();
        stop.cancel();
        let (copies, summary) = firing.await.unwrap().unwrap();
        let outcomes: Vec<_> = copies.iter().map(|copy| copy.outcome).collect();
        assert_eq!(outcomes[0], CopyOutcome::Unknown, "{copies:?}");
        assert!(outcomes[1..].iter().all(|outcome| *outcome == CopyOutcome::NotSent));
        assert_eq!((summary.stopped, summary.not_sent, handler.seen().len()), (true, 3, 1));
    }
}

#[tokio::test]
async fn a_copy_that_is_not_answered_in_time_is_unknown_and_the_next_goes() {
    let handler = Handler::start(Answer::Never).await;
    let plan = Plan {
        copies: 2,
        release: Release::Sequential,
        timeout: Duration::from_millis(50),
        ..plan(&handler.url)
    };
    let (copies, summary) = fire(plan).await.unwrap();
    assert_eq!((summary.outcome_unknown, handler.seen().len()), (2, 2), "{copies:?}");
    assert!(copies[0].total_ms.unwrap() >= 50.0);
}
