//! Tells of deliveries that have ended, once their endings are written: whoever hears of one and looks finds it.

use super::Context;
use crate::{
    events::Event,
    model::{Delivery, ForwardReport},
    store::{Finish, Store},
};
use std::fmt;
use tokio::{sync::mpsc, task::JoinHandle};

/// How many are told at once.
const BURST: usize = 256;

/// Where endings are handed in. A clone is the same one.
#[derive(Clone)]
pub(super) struct Teller {
    store: Store,
    /// `None` when nothing more comes.
    messages: mpsc::UnboundedSender<Option<Told>>,
}

/// A delivery as it is when the store has written so much of what was handed to it.
struct Told {
    delivery: Delivery,
    written: u64,
    /// It was told of before: only who shows it looks again.
    again: bool,
}

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").finish_non_exhaustive()
    }
}

impl Teller {
    /// Tells until it is stopped; the task ends when all that came before the stop is told.
    pub(super) fn start(context: Context) -> (Self, JoinHandle<()>) {
        let (messages, received) = mpsc::unbounded_channel();
        let teller = Self { store: context.store.clone(), messages };
        (teller, tokio::spawn(run(context, received)))
    }

    /// Writes down how a delivery ended, and tells of it as it is then.
    pub(super) fn end(&self, delivery: Delivery, finish: Finish) {
        let written = self.store.finish(delivery.seq, finish);
        self.send(Some(Told { delivery, written, again: false }));
    }

    /// Tells of a delivery that was written with its ending.
    pub(super) fn tell(&self, delivery: Delivery) {
        self.send(Some(Told { delivery, written: 0, again: false }));
    }

    /// Writes down what became of a delivery at the handler; the number of that is for `again`.
    pub(super) fn forwarded(&self, seq: i64, report: &ForwardReport) -> u64 {
        self.store.forwarded(seq, report)
    }

    /// Tells once more of a delivery that has ended, of which more was written since.
    pub(super) fn again(&self, delivery: Delivery, written: u64) {
        self.send(Some(Told { delivery, written, again: true }));
    }

    /// Nothing comes after it.
    pub(super) fn stop(&self) {
        self.send(None);
    }

    fn send(&self, told: Option<Told>) {
        // After the stop nobody listens.
        let _ = self.messages.send(told);
    }
}

async fn run(context: Context, mut messages: mpsc::UnboundedReceiver<Option<Told>>) {
    let mut settled = context.store.settled();
    let mut some = Vec::new();
    while messages.recv_many(&mut some, BURST).await > 0 {
        for message in some.drain(..) {
            let Some(Told { delivery, written, again }) = message else { return };
            // A store that has closed writes no more: what is known is told all the same.
            let _ = settled.wait_for(|settled| *settled >= written).await;
            if let Some(ended) = &context.ended
                && !again
            {
                // Whoever listened may be gone; that is no fault of the delivery.
                let _ = ended.send(delivery.clone());
            }
            context.events.publish(Event::Delivery { delivery });
        }
    }
}
