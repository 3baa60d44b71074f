//! What is done with a judged delivery: it is answered here, or it goes on to the handler.

use super::{
    challenge::Challenge,
    forward::Forwarder,
    handle::has_shape,
    judge::{Case, Judged},
    memory::{Failures, Memory},
    onward::Onward,
    respond::{Reply, fail_first, is_probe, reply},
};
use crate::model::{ClaimReason, ListenSettings, Notes, Responder, SignatureState};

/// Who answers.
#[derive(Debug)]
pub(super) enum Next {
    /// This listener.
    Answer(Reply),
    /// The handler that the delivery goes on to.
    Forward(Box<Onward>),
}

/// What is done, and why.
#[derive(Debug)]
pub(super) struct Decision {
    /// Who answers.
    pub(super) next: Next,
    /// Whatever is odd, in words.
    pub(super) notes: Notes,
    /// It asked for a value back, and is no delivery of a job.
    pub(super) is_handshake: bool,
    /// It comes from this listener itself, and is no provider's delivery.
    pub(super) is_loop: bool,
}

/// What a decision stands on, beside the delivery.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deciding<'a> {
    /// How deliveries are answered.
    pub(super) settings: &'a ListenSettings,
    /// Deliveries that were alike.
    pub(super) memory: &'a Memory,
    /// Those that were failed on purpose.
    pub(super) failures: &'a Failures,
    /// What sends deliveries on.
    pub(super) forwarder: &'a Forwarder,
}

impl Deciding<'_> {
    /// Decides. A handshake is never failed on purpose: an address that does not answer it gets no deliveries to be
    /// failed.
    pub(super) fn decide(
        self,
        case: &Case,
        judged: &Judged,
        reason: Option<ClaimReason>,
    ) -> Decision {
        let method = &case.head.method;
        let mut notes = judged.payload.notes.clone();
        if self.settings.answer_challenges
            && let Some(challenge) = Challenge::of(case, judged, reason)
        {
            notes.push(challenge.note());
            if let Challenge::Echo(value) = challenge {
                let next = Next::Answer(Reply::echo(value));
                return Decision { next, notes, is_handshake: true, is_loop: false };
            }
        }
        if self.settings.responder == Responder::Forward && self.forwarder.has_sent(&case.head) {
            notes.push(
                "forwarded in a circle: the handler's address leads back to this listener".into(),
            );
            let next = Next::Answer(Reply::new(508, "this listener has sent this on before"));
            return Decision { next, notes, is_handshake: false, is_loop: true };
        }
        if is_probe(method) {
            notes.push(format!("probe: {method} claims nothing"));
        }
        if has_shape(reason) {
            let id = judged.payload.job_id.as_deref().filter(|_| reason.is_none());
            notes.extend(self.memory.shapes.note(judged.shape, id));
        }
        let mut next = self.next(case, judged, reason, &mut notes);
        // What would have been refused anyway is no delivery of the job.
        let would_take = match &next {
            Next::Answer(reply) => (200..300).contains(&reply.status),
            Next::Forward(_) => judged.signature.state.may_claim(),
        };
        if would_take
            && !is_probe(method)
            && let Some((failed, note)) =
                fail_first(&case.path, judged, self.failures, self.settings.fail_first)
        {
            notes.push(match next {
                Next::Answer(_) => note,
                Next::Forward(_) => format!("{note}; the handler did not get it"),
            });
            next = Next::Answer(failed);
        }
        Decision { next, notes, is_handshake: false, is_loop: false }
    }

    fn next(
        self,
        case: &Case,
        judged: &Judged,
        reason: Option<ClaimReason>,
        notes: &mut Notes,
    ) -> Next {
        let method = case.head.method.as_str();
        let answer = || Next::Answer(reply(method, judged, reason, self.settings));
        if self.settings.responder != Responder::Forward || method == "CONNECT" {
            return answer();
        }
        if self.settings.forward.valid_only && judged.signature.state != SignatureState::Valid {
            notes.push("not forwarded: only valid signatures are (--forward-valid-only)".into());
            return if is_probe(method) {
                // Nothing unsigned reaches the handler, and a provider that looks whether somebody is here is told so.
                answer()
            } else {
                Next::Answer(Reply::not_valid(judged))
            };
        }
        Next::Forward(Box::new(self.forwarder.prepare(case, &self.settings.forward)))
    }
}
