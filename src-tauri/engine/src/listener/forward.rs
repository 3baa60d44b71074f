//! Deliveries that go on to the developer's own handler.
//!
//! A delivery is kept first, so that nothing that reached the handler is unknown here. Its copies go to their end, whoever
//! leaves meanwhile.

use super::{judge::Case, onward::Onward, passing::Passed, respond::Reply, teller::Teller};
use crate::{
    firing::{NoAnswer, PassedOn, Relay},
    head::Head,
    ids,
    model::{CopyReport, Delivery, ForwardReport, ForwardSettings, Notes},
};
use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{Semaphore, oneshot};
use tokio_util::task::TaskTracker;

/// How much of a handler's answer is passed back, in bytes.
const MOST: usize = 10 * 1024 * 1024;
/// How many copies are on their way at once, of whatever deliveries; the rest wait for their turn (C57).
const AT_ONCE: usize = 512;

/// What sends deliveries on.
#[derive(Debug)]
pub(super) struct Forwarder {
    relay: Relay,
    /// This listener's name in `Via`, by which its own requests are known when they come back.
    pseudonym: String,
    room: Semaphore,
    /// Waits for the copies.
    tracker: TaskTracker,
}

/// What the provider gets of a delivery that went on.
#[derive(Debug)]
pub(super) struct Answered {
    /// The handler's answer, or what is said in its place.
    pub(super) answer: Result<Box<Passed>, Reply>,
    /// For the record.
    pub(super) notes: Notes,
    /// Why the handler's answer is not the provider's, as a sentence.
    problem: Option<String>,
}

impl Forwarder {
    /// Of a new listener.
    pub(super) fn new(tracker: TaskTracker) -> Arc<Self> {
        Arc::new(Self {
            relay: Relay::default(),
            pseudonym: format!("hooktwice-{}", ids::new_id().simple()),
            room: Semaphore::new(AT_ONCE),
            tracker,
        })
    }

    /// Whether a request was sent on by this listener before.
    pub(super) fn has_sent(&self, head: &Head) -> bool {
        let entries = head.values("via").flat_map(|value| value.split(|byte| *byte == b','));
        // The protocol comes first, then who received it (RFC 9110, 7.6.3).
        let mut names = entries.filter_map(|entry| {
            entry.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(1)
        });
        names.any(|name| name == self.pseudonym.as_bytes())
    }

    /// A delivery as it goes on.
    pub(super) fn prepare(&self, case: &Case, settings: &ForwardSettings) -> Onward {
        Onward::new(&case.head, &case.body, settings, &self.pseudonym)
    }

    /// Sends a stored delivery on; returns with the first copy's answer.
    pub(super) async fn send(
        self: &Arc<Self>,
        onward: Onward,
        teller: &Teller,
        seq: i64,
    ) -> (Answered, Meeting) {
        let meeting = Meeting::default();
        let (tell, told) = oneshot::channel();
        let forwarder = Arc::clone(self);
        let closing = Closing { teller: teller.clone(), seq, meeting: meeting.clone() };
        self.tracker.spawn(async move { forwarder.carry(onward, tell, closing).await });
        let answered = told.await.unwrap_or_else(|_| {
            // The task panicked.
            Answered::fault(
                502,
                "was not asked",
                "A part of this program broke while it sent the delivery on; please report it."
                    .into(),
            )
        });
        (answered, meeting)
    }

    /// Carries the copies to their end, and tells the first one's answer on the way.
    async fn carry(&self, onward: Onward, tell: oneshot::Sender<Answered>, closing: Closing) {
        let Onward { plan, target, url } = onward;
        // It is never closed, so this cannot fail; were it to, nothing would be limited.
        let copies = plan.copies.min(u32::try_from(AT_ONCE).unwrap_or(1));
        let _room = self.room.acquire_many(copies).await;
        let (first, mut came) = oneshot::channel();
        let mut sending = pin!(self.relay.send(plan, target, MOST, first));
        let (answered, sent) = tokio::select! {
            // Where the first copy is the last one to end, the report is whole before the answer goes.
            biased;
            sent = &mut sending => {
                let first = match (&sent, came.try_recv()) {
                    (_, Ok(first)) => first,
                    (Err(error), _) => Err(NoAnswer::Down(error.to_string())),
                    (Ok(_), Err(_)) => Err(NoAnswer::Nonsense("No answer came.".into())),
                };
                (Answered::of(first, &url), Some(sent))
            }
            Ok(first) = &mut came => (Answered::of(first, &url), None),
        };
        let problem = answered.problem.clone();
        if let Some(sent) = sent {
            closing.close(url, sent.unwrap_or_default(), problem);
            // The provider may have left; it was sent on all the same.
            let _ = tell.send(answered);
        } else {
            let _ = tell.send(answered);
            closing.close(url, sending.await.unwrap_or_default(), problem);
        }
    }
}

impl Answered {
    fn of(first: Result<PassedOn, NoAnswer>, url: &str) -> Self {
        let (status, what, why) = match first {
            Ok(answer) => {
                let cut = answer.is_longer.then(|| {
                    format!(
                        "the handler's answer is longer than {} MiB; the rest was not passed back",
                        MOST >> 20
                    )
                });
                let notes = cut.into_iter().collect();
                return Self { answer: Ok(Box::new(Passed::new(answer))), notes, problem: None };
            }
            Err(NoAnswer::Down(why)) => (502, "could not be reached", why),
            Err(NoAnswer::Slow(why)) => (504, "did not answer in time", why),
            Err(NoAnswer::Nonsense(why)) => (502, "gave no answer that can be passed on", why),
        };
        Self::fault(status, what, format!("The handler at {url} {what}: {why}"))
    }

    /// An answer of our own. The provider has no business with the handler's address: that is for the record.
    fn fault(status: u16, what: &str, problem: String) -> Self {
        let note = format!("answered {status} here. {}", problem.trim_end_matches('.'));
        Self {
            answer: Err(Reply::new(status, &format!("the handler behind this listener {what}"))),
            notes: vec![note],
            problem: Some(problem),
        }
    }
}

/// Where a delivery's ending and its forward's meet: pages are told of the later one.
#[derive(Debug, Clone, Default)]
pub(super) struct Meeting(Arc<Mutex<Met>>);

#[derive(Debug, Default)]
struct Met {
    /// The copies have ended.
    forwarded: bool,
    /// The delivery has, before them.
    ended: Option<Box<Delivery>>,
}

impl Meeting {
    /// The delivery has ended, as it is now.
    pub(super) fn delivery_ended(&self, delivery: &Delivery) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !met.forwarded {
            met.ended = Some(Box::new(delivery.clone()));
        }
    }

    /// The copies have ended. The delivery, where it had ended before.
    fn copies_ended(&self) -> Option<Box<Delivery>> {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        met.forwarded = true;
        met.ended.take()
    }
}

/// What is done when the copies have ended.
#[derive(Debug)]
struct Closing {
    teller: Teller,
    seq: i64,
    meeting: Meeting,
}

impl Closing {
    fn close(self, url: String, copies: Vec<CopyReport>, problem: Option<String>) {
        let Self { teller, seq, meeting } = self;
        let written = teller.forwarded(seq, &ForwardReport { url, copies, problem });
        // The delivery was told of without its copies: whoever looks at it looks again, and finds them.
        if let Some(delivery) = meeting.copies_ended() {
            teller.again(*delivery, written);
        }
    }
}
