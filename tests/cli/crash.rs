//! SIGKILL: what was acknowledged is kept, and nothing is claimed twice.

use crate::harness::{Folder, Listener, post, signed, until};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

#[test]
fn c48_killed_between_the_commit_and_the_answer() {
    let folder = Folder::new();
    let body = br#"{"job_id":"a1"}"#;
    let mut listener = Listener::start(&folder, &["--delay", "60s"]);
    let url = listener.at("/hook");
    let sender = thread::spawn(move || post(&url, &signed(body), body));
    until("it is stored", || (folder.deliveries().len() == 1).then_some(()));
    listener.run.kill();
    assert_eq!(sender.join().unwrap(), None);

    let listener = Listener::start(&folder, &[]);
    assert_eq!(listener.deliver("/hook", body), 204);
    assert_eq!(listener.next()["duplicate_of"], 1);
    let deliveries = folder.deliveries();
    assert_eq!(deliveries.len(), 2);
    assert_eq!(
        (&deliveries[0]["claim"], &deliveries[0]["ended"]),
        (&"won".into(), &"interrupted".into())
    );
    assert_eq!(folder.run(&["claims", "list"]).line()["first_delivery"], 1);
}

const SENDERS: usize = 8;
const ROUNDS: usize = 5;
const ACKNOWLEDGED: usize = 150;

#[test]
fn killed_under_load_five_times_over_one_folder() {
    let folder = Folder::new();
    let acknowledged = Mutex::new(HashSet::new());
    for round in 0..ROUNDS {
        let mut listener = Listener::start(&folder, &["--quiet"]);
        let url = listener.at("/hook");
        let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (stop, count, acknowledged, url) = (&stop, &count, &acknowledged, &url);
                // Two senders share a job, so each of them is delivered twice, now and again in the next round.
                scope.spawn(move || {
                    let job = |n: usize| format!("job_{}_{n}", sender / 2);
                    for n in (round * 50..).take_while(|_| !stop.load(Ordering::SeqCst)) {
                        let body = format!(r#"{{"job_id":"{}"}}"#, job(n));
                        if post(url, &signed(body.as_bytes()), body.as_bytes()) == Some(204) {
                            acknowledged.lock().unwrap().insert(job(n));
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                });
            }
            until("enough is acknowledged", || {
                (count.load(Ordering::SeqCst) >= ACKNOWLEDGED).then_some(())
            });
            listener.run.kill();
            stop.store(true, Ordering::SeqCst);
        });
    }

    let mut listener = Listener::start(&folder, &["--quiet"]);
    let mut won: HashMap<String, usize> = HashMap::new();
    for delivery in folder.deliveries() {
        let job = delivery["job_id"].as_str().unwrap().to_owned();
        *won.entry(job).or_default() += usize::from(delivery["claim"] == "won");
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() >= ACKNOWLEDGED / 2);
    for job in &acknowledged {
        assert_eq!(won.get(job), Some(&1), "{job}");
    }
    assert!(won.values().all(|&times| times == 1));
    let claims = folder.run(&["claims", "list"]).expect_code(0).lines();
    assert_eq!(claims.len(), won.len());
    assert_eq!(listener.run.terminate().0, 0);
}
