//! Tells of deliveries that have ended, once their endings are written: whoever hears of one and looks finds it.

use super::Context;
use crate::{
    events::Event,
    model::Delivery,
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
    messages: mpsc::UnboundedSender<Message>,
}

/// A delivery, and the number of its ending among those that were handed to the store; `None` when nothing more comes.
type Message = Option<(Delivery, u64)>;

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
        let number = self.store.finish(delivery.seq, finish);
        self.send(Some((delivery, number)));
    }

    /// Tells of a delivery that was written with its ending.
    pub(super) fn tell(&self, delivery: Delivery) {
        self.send(Some((delivery, 0)));
    }

    /// Nothing comes after it.
    pub(super) fn stop(&self) {
        self.send(None);
    }

    fn send(&self, message: Message) {
        // After the stop nobody listens.
        let _ = self.messages.send(message);
    }
}

async fn run(context: Context, mut messages: mpsc::UnboundedReceiver<Message>) {
    let mut settled = context.store.settled();
    let mut some = Vec::new();
    while messages.recv_many(&mut some, BURST).await > 0 {
        for message in some.drain(..) {
            let Some((delivery, number)) = message else { return };
            // A store that has closed writes no more: what is known is told all the same.
            let _ = settled.wait_for(|settled| *settled >= number).await;
            if let Some(ended) = &context.ended {
                // Whoever listened may be gone; that is no fault of the delivery.
                let _ = ended.send(delivery.clone());
            }
            context.events.publish(Event::Delivery { delivery });
        }
    }
}
