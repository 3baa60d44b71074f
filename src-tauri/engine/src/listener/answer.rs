//! The end of a delivery: what was answered, and whether the sender was still there to take it.

use super::Context;
use crate::{
    clock::milliseconds,
    events::Event,
    model::{Delivery, Ended, Notes},
    store::Finish,
};
use bytes::Bytes;
use std::time::Instant;

/// An answer that waits to be written, with the stored delivery that it is for.
#[derive(Debug)]
pub(super) struct Answer {
    /// Where the ending is told.
    pub(super) context: Context,
    /// As stored; `None` where it could not be, and there is nothing to bring up to date.
    pub(super) delivery: Option<Delivery>,
    /// When its head was whole.
    pub(super) began: Instant,
    /// What is answered.
    pub(super) status: u16,
    /// Bytes of body that hyper will write.
    pub(super) body_len: usize,
    /// How it ends when the answer is written.
    pub(super) ended: Ended,
}

/// An answer that was handed to the system whole.
#[derive(Debug)]
pub(super) struct Written {
    /// Whose.
    pub(super) answer: Answer,
    /// Its head, exactly.
    pub(super) head: Bytes,
    /// Its body.
    pub(super) body: Bytes,
    /// When.
    pub(super) at: Instant,
}

impl Written {
    /// The sender took it.
    pub(super) fn taken(self) {
        let Self { answer, head, body, at } = self;
        let finish = Finish {
            ended: answer.ended,
            status: Some(answer.status),
            duration_ms: Some(milliseconds(at - answer.began)),
            response_head: head,
            response_body: body,
            notes: Notes::new(),
        };
        conclude(&answer.context, answer.delivery, finish);
    }

    /// The sender had left.
    pub(super) fn lost(self) {
        self.answer.lost();
    }
}

impl Answer {
    /// The sender left before the answer could be written.
    pub(super) fn lost(self) {
        let ended = match self.ended {
            Ended::Answered => Ended::SenderLeft,
            other => other,
        };
        let duration_ms = Some(milliseconds(self.began.elapsed()));
        let notes = vec![format!(
            "the sender had left before the answer ({}) could be written",
            self.status
        )];
        conclude(&self.context, self.delivery, Finish { duration_ms, notes, ..unanswered(ended) });
    }

    /// The connection is closed on purpose instead of answering.
    pub(super) fn dropped(self) {
        let duration_ms = Some(milliseconds(self.began.elapsed()));
        let notes = vec!["the answer was dropped on purpose".to_owned()];
        conclude(
            &self.context,
            self.delivery,
            Finish { duration_ms, notes, ..unanswered(Ended::Refused) },
        );
    }
}

/// An ending without an answer.
pub(super) fn unanswered(ended: Ended) -> Finish {
    Finish {
        ended,
        status: None,
        duration_ms: None,
        response_head: Bytes::new(),
        response_body: Bytes::new(),
        notes: Notes::new(),
    }
}

/// Writes an ending down and tells everyone.
fn conclude(context: &Context, delivery: Option<Delivery>, finish: Finish) {
    let Some(mut delivery) = delivery else { return };
    finish.apply(&mut delivery);
    context.store.finish(delivery.seq, finish);
    tell(context, delivery);
}

/// Tells everyone of a delivery that has ended.
pub(super) fn tell(context: &Context, delivery: Delivery) {
    if let Some(ended) = &context.ended {
        // Whoever listened may be gone; that is no fault of the delivery.
        let _ = ended.send(delivery.clone());
    }
    context.events.publish(Event::Delivery { delivery });
}
