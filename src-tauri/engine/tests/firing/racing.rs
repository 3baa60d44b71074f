//! What firing together is for: a handler that looks first and inserts later runs its effect twice.

use crate::support::{fire, plan};
use axum::{Router, extract::State, routing::post};
use hooktwice_engine::{firing::Plan, model::Release};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

#[derive(Clone, Default)]
struct Shop {
    done: Arc<Mutex<HashSet<String>>>,
    effects: Arc<AtomicUsize>,
}

/// Looks, lets others run, inserts: right for one delivery after another, wrong for two at once.
async fn racy(State(shop): State<Shop>, body: String) -> &'static str {
    if shop.done.lock().unwrap().contains(&body) {
        return "again";
    }
    tokio::task::yield_now().await;
    shop.effects.fetch_add(1, Ordering::SeqCst);
    shop.done.lock().unwrap().insert(body);
    "done"
}

/// The insert is the lock.
async fn claiming(State(shop): State<Shop>, body: String) -> &'static str {
    if !shop.done.lock().unwrap().insert(body) {
        return "again";
    }
    tokio::task::yield_now().await;
    shop.effects.fetch_add(1, Ordering::SeqCst);
    "done"
}

async fn serve() -> (String, Shop) {
    let shop = Shop::default();
    let router = Router::new()
        .route("/racy", post(racy))
        .route("/claiming", post(claiming))
        .with_state(shop.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // On a runtime of its own, of one thread, as a Node handler would be.
    std::thread::spawn(move || {
        let listener = listener.into_std().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), router)
                .await
                .unwrap();
        });
    });
    (url, shop)
}

async fn effects(path: &str, release: Release) -> usize {
    let (url, shop) = serve().await;
    for round in 0..20 {
        let body = format!("{{\"job_id\":\"job_{round}\"}}");
        let plan = Plan { copies: 10, release, body: body.into(), ..plan(&format!("{url}{path}")) };
        let (copies, summary) = fire(plan).await.unwrap();
        assert_eq!(summary.statuses.get(&200), Some(&10), "{copies:?}");
    }
    shop.effects.load(Ordering::SeqCst)
}

#[tokio::test(flavor = "multi_thread")]
async fn volleys_double_a_handler_that_looks_first() {
    let effects = effects("/racy", Release::Together).await;
    assert!(effects > 20, "20 volleys of 10 had {effects} effects");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_after_another_the_same_handler_looks_right() {
    assert_eq!(effects("/racy", Release::Sequential).await, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn volleys_do_not_double_a_handler_that_claims() {
    assert_eq!(effects("/claiming", Release::Together).await, 20);
}
