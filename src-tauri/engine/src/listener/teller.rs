//! Tells of deliveries that have ended, once their endings are written: whoever hears of one and looks finds it.

use super::Context;
use crate::{events::Event, model::Delivery};
use std::fmt;
use tokio::{sync::mpsc, task::JoinHandle};

/// How many are told at once.
const BURST: usize = 256;

/// Where endings are handed in. A clone is the same one.
#[derive(Clone)]
pub(super) struct Teller(mpsc::UnboundedSender<Option<Told>>);

/// A delivery, and the number of its ending among those that were handed to the store.
type Told = (Delivery, u64);

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").finish_non_exhaustive()
    }
}

impl Teller {
    /// Tells until it is stopped; the task ends when all that came before the stop is told.
    pub(super) fn start(context: Context) -> (Self, JoinHandle<()>) {
        let (sender, messages) = mpsc::unbounded_channel();
        (Self(sender), tokio::spawn(run(context, messages)))
    }

    /// Tells of a delivery when the store has written so many endings.
    pub(super) fn tell(&self, delivery: Delivery, written: u64) {
        // After the stop nobody listens.
        let _ = self.0.send(Some((delivery, written)));
    }

    /// Nothing comes after it.
    pub(super) fn stop(&self) {
        let _ = self.0.send(None);
    }
}

async fn run(context: Context, mut messages: mpsc::UnboundedReceiver<Option<Told>>) {
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
