//! The end of a delivery: what was answered, and whether the sender was still there to take it.

use super::{forward::Meeting, teller::Teller};
use crate::{
    clock::milliseconds,
    model::{Delivery, Ended, Notes},
    store::Finish,
};
use bytes::Bytes;
use std::time::Instant;

/// How much of an answer's body is kept, in bytes: a handler's may be of any size.
const KEPT: usize = 64 * 1024;

/// An answer that waits to be written, with the stored delivery that it is for.
#[derive(Debug)]
pub(super) struct Answer {
    /// Where the ending is written down and told.
    pub(super) teller: Teller,
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
    /// What was odd since it was stored.
    pub(super) notes: Notes,
    /// Of a delivery that went on to the handler.
    pub(super) meeting: Option<Meeting>,
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
        let Self { answer, head, mut body, at } = self;
        let mut notes = answer.notes;
        if body.len() > KEPT {
            notes.push(format!(
                "the first {} KiB of the answer's {} bytes are kept",
                KEPT >> 10,
                body.len()
            ));
            body = Bytes::copy_from_slice(&body[..KEPT]);
        }
        let finish = Finish {
            ended: answer.ended,
            status: Some(answer.status),
            duration_ms: Some(milliseconds(at - answer.began)),
            response_head: head,
            response_body: body,
            notes,
        };
        conclude(&answer.teller, answer.delivery, answer.meeting.as_ref(), finish);
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
        let mut notes = self.notes;
        notes.push(format!(
            "the sender had left before the answer ({}) could be written",
            self.status
        ));
        let finish = Finish { duration_ms, notes, ..unanswered(ended) };
        conclude(&self.teller, self.delivery, self.meeting.as_ref(), finish);
    }

    /// The connection is closed on purpose instead of answering.
    pub(super) fn dropped(self) {
        let duration_ms = Some(milliseconds(self.began.elapsed()));
        let mut notes = self.notes;
        notes.push("the answer was dropped on purpose".to_owned());
        let finish = Finish { duration_ms, notes, ..unanswered(Ended::Refused) };
        conclude(&self.teller, self.delivery, self.meeting.as_ref(), finish);
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
fn conclude(
    teller: &Teller,
    delivery: Option<Delivery>,
    meeting: Option<&Meeting>,
    finish: Finish,
) {
    let Some(mut delivery) = delivery else { return };
    finish.apply(&mut delivery);
    // First: copies that end from here on are told of by themselves, and what those before have written comes before this.
    if let Some(meeting) = meeting {
        meeting.delivery_ended(&delivery);
    }
    teller.end(delivery, finish);
}
