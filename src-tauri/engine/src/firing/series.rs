//! Copies one after another: each after the answer before it, or each so long after the one before.

use super::{
    copy::Run,
    release::{Held, release},
    timing::Fired,
};
use std::{
    cmp::Ordering,
    collections::BinaryHeap,
    hint,
    sync::{Arc, mpsc as blocking},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep, sleep_until},
};

/// How long before its moment a copy is connected and written, so that its moment is one send.
const LEAD: Duration = Duration::from_millis(250);
/// How long the first copies are waited for, one by one; a handler that takes one connection at a time would never
/// take the second while the first is held.
const STALL: Duration = Duration::from_millis(1500);
/// A sleeping thread wakes late by up to so much; the rest is waited awake.
const AWAKE: Duration = Duration::from_micros(150);
/// From how late on a copy says so.
const TOLD_LATE: Duration = Duration::from_millis(1);
/// What it says.
const LATE: &str = "It went later than its moment: its connection was not ready.";

/// Each copy after the answer to the one before it.
pub(super) async fn sequential(run: &Arc<Run>, count: u32) -> Vec<Fired> {
    let mut fired = Vec::with_capacity(count as usize);
    for n in 1..=count {
        fired.push(if run.stop.is_cancelled() {
            run.not_begun(n)
        } else {
            run.fire(n, None).await
        });
    }
    fired
}

/// Each copy `gap` after the one before it, on one schedule without drift, answered or not.
///
/// Connections are opened in the copies' order, since a handler that takes them one at a time takes them in that order.
pub(super) async fn by_gap(run: &Arc<Run>, count: u32, gap: Duration) -> Vec<Fired> {
    let (hand_over, mut handed) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let mut fired = Vec::with_capacity(count as usize);
    let mut ready = Vec::new();
    let begin = |tasks: &mut JoinSet<Fired>, n: u32| {
        let (run, hand_over) = (run.clone(), hand_over.clone());
        tasks.spawn(async move { run.fire(n, Some(&hand_over)).await });
    };
    let mut next = 1;
    while next <= count && gap * (next - 1) < LEAD && !run.stop.is_cancelled() {
        begin(&mut tasks, next);
        next += 1;
        tokio::select! {
            Some(copy) = handed.recv() => ready.push(copy),
            Some(ended) = tasks.join_next() => fired.extend(ended),
            () = sleep(STALL) => {}
        }
    }
    let schedule = Schedule { start: Instant::now(), gap };
    let at_moment = schedule.keep(run);
    for copy in ready {
        let _ = at_moment.send(copy);
    }
    while fired.len() < count as usize {
        if run.stop.is_cancelled() {
            fired.extend((next..=count).map(|n| run.not_begun(n)));
            next = count + 1;
        }
        tokio::select! {
            Some(copy) = handed.recv() => {
                // The thread ends with its channel, not before.
                let _ = at_moment.send(copy);
            }
            Some(ended) = tasks.join_next() => fired.extend(ended),
            () = sleep_until(schedule.lead(next).into()), if next <= count => {
                begin(&mut tasks, next);
                next += 1;
            }
            () = run.stop.cancelled(), if next <= count => {}
            else => break,
        }
    }
    fired
}

/// When each copy goes.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    start: Instant,
    gap: Duration,
}

/// A copy in the queue for its moment.
#[derive(Debug)]
struct Due {
    at: Instant,
    copy: Held,
}

impl Schedule {
    fn moment(&self, n: u32) -> Instant {
        self.start + self.gap * (n - 1)
    }

    /// When a copy's connection is opened.
    fn lead(&self, n: u32) -> Instant {
        let moment = self.moment(n);
        moment.checked_sub(LEAD).unwrap_or(moment)
    }

    /// A thread that lets each copy that it is sent go at its moment. It ends when the sender is gone.
    fn keep(self, run: &Arc<Run>) -> blocking::Sender<Held> {
        let (sender, receiver) = blocking::channel::<Held>();
        let run = run.clone();
        thread::spawn(move || {
            let mut queue = BinaryHeap::<Due>::new();
            loop {
                let received = match queue.peek() {
                    None => receiver.recv().map_err(|_| blocking::RecvTimeoutError::Disconnected),
                    Some(due) => receiver.recv_timeout(
                        due.at.saturating_duration_since(Instant::now()).saturating_sub(AWAKE),
                    ),
                };
                match received {
                    Ok(copy) => queue.push(Due { at: self.moment(copy.n), copy }),
                    Err(blocking::RecvTimeoutError::Timeout) => {
                        let Some(Due { at, copy }) = queue.pop() else { continue };
                        let late = (at.elapsed() > TOLD_LATE).then_some(LATE);
                        while Instant::now() < at {
                            hint::spin_loop();
                        }
                        release(vec![copy], &run.origin, late);
                    }
                    // Nobody waits for what is still here.
                    Err(blocking::RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        sender
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        // The earliest is the greatest.
        (other.at, other.copy.n).cmp(&(self.at, self.copy.n))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}
