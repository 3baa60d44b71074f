//! All copies at once.

use super::{
    copy::Run,
    release::{Held, release},
    timing::Fired,
};
use crate::model::ReleaseMethod;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc,
    task::{JoinSet, spawn_blocking},
    time::sleep,
};

/// How long to wait for more copies when none became ready: a handler that takes one connection at a time and reads
/// the held one first would never take the others.
const STALL: Duration = Duration::from_millis(1500);
/// What a copy is told that went after the others.
const LATE: &str = "It was not ready when the others were let go, and went later.";

/// Fires `count` copies together. Those that were not ready when the others went (see [`STALL`]) go as soon as they
/// are.
pub(super) async fn fire(run: &Arc<Run>, count: u32) -> (Vec<Fired>, ReleaseMethod) {
    let (hand_over, mut handed) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for n in 1..=count {
        let (run, hand_over) = (run.clone(), hand_over.clone());
        tasks.spawn(async move { run.fire(n, Some(&hand_over)).await });
    }
    drop(hand_over);
    let mut fired = Vec::with_capacity(count as usize);
    let mut held = Vec::with_capacity(count as usize);
    while held.len() + fired.len() < count as usize {
        tokio::select! {
            Some(copy) = handed.recv() => held.push(copy),
            Some(ended) = tasks.join_next() => fired.extend(ended),
            () = sleep(STALL), if !held.is_empty() => break,
            else => break,
        }
    }
    let method = let_go(run, held, None).await;
    while fired.len() < count as usize {
        tokio::select! {
            Some(copy) = handed.recv() => {
                let_go(run, vec![copy], Some(LATE)).await;
            }
            ended = tasks.join_next() => match ended {
                Some(ended) => fired.extend(ended),
                // A task that panicked has no copy to show; there is nothing left to wait for.
                None => break,
            },
        }
    }
    (fired, method)
}

async fn let_go(run: &Arc<Run>, held: Vec<Held>, note: Option<&'static str>) -> ReleaseMethod {
    let run = run.clone();
    // It cannot fail but by a panic, and then every copy says that it was not let go.
    spawn_blocking(move || release(held, &run.origin, note))
        .await
        .unwrap_or(ReleaseMethod::SendLoop)
}
