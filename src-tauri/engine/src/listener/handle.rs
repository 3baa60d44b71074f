//! One request from its head to its answer: read it, verify, read the id, claim, answer, in this order.

use super::{
    Context, ListenConfig,
    answer::{Answer, tell, unanswered},
    arrival::{Arrival, mono_us},
    challenge::Challenge,
    judge::{Case, Judged, judge},
    link::Link,
    memory::{Failures, Memory},
    receive::{BodyLimits, Received, receive},
    refusal::Refusal,
    respond::{Reply, claim_reason, fail_first, is_probe, reply},
};
use crate::{
    events::Event,
    ids,
    model::{ClaimReason, Delivery, Ended, JobKey, ListenSettings, Notes, Responder},
    payload::Payload,
    signing::event_name,
    store::{ClaimRequest, NewDelivery},
};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::watch, task::spawn_blocking, time::sleep};

/// A record that takes longer than this is shown before it is answered.
const SOON: Duration = Duration::from_millis(100);

/// What all handlers of a listener share.
#[derive(Debug)]
pub(super) struct Handling {
    /// How deliveries are judged and answered, as it is now.
    pub(super) config: watch::Receiver<Arc<ListenConfig>>,
    /// Where deliveries are kept and told.
    pub(super) context: Context,
    memory: Arc<Memory>,
    failures: Failures,
}

/// In a response's extensions: the connection is closed instead of answering.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("closed without an answer")]
pub(super) struct NoAnswer;

/// What is answered, and why.
#[derive(Debug)]
struct Decision {
    reply: Reply,
    /// Whatever is odd, in words.
    notes: Notes,
    /// It asked for a value back, and is no delivery of a job.
    is_handshake: bool,
}

/// A delivery that is ready to be answered.
#[derive(Debug)]
struct Outcome {
    /// `None` where it could not be kept.
    delivery: Option<Delivery>,
    began: Instant,
    is_head: bool,
    reply: Reply,
    ended: Ended,
}

impl Handling {
    /// Of a new listener.
    pub(super) fn new(config: watch::Receiver<Arc<ListenConfig>>, context: Context) -> Self {
        Self { config, context, memory: Arc::default(), failures: Failures::default() }
    }

    /// Serves one request.
    pub(super) async fn handle(&self, link: &Link, body: Body) -> Response {
        let Some(captured) = link.take_request() else {
            // hyper and the framer saw two different requests: nothing that follows can be trusted.
            return no_answer();
        };
        let config = Arc::clone(&self.config.borrow());
        let arrival = Arrival::new(captured, link);
        let received = match link.over_limit {
            Some(limit) => Received::Refused(Bytes::new(), Refusal::too_many_connections(limit)),
            None => {
                let limits = BodyLimits {
                    bytes: config.limits.body_bytes,
                    idle: Duration::from_secs(config.limits.idle_s.into()),
                };
                receive(link, body, arrival.framing, limits).await
            }
        };
        match received {
            Received::Whole(body) => self.take(link, arrival, body, &config).await,
            Received::Incomplete(body, why) => {
                let new = arrival.unjudged(body, &config.settings.scheme, why);
                self.keep_ended(NewDelivery { ended: Some(unanswered(Ended::Incomplete)), ..new })
                    .await;
                no_answer()
            }
            Received::Refused(body, refusal) => {
                let (began, is_head) = (arrival.began, arrival.head.method == "HEAD");
                let new = arrival.unjudged(body, &config.settings.scheme, refusal.reason.clone());
                let delivery = self.keep(new).await;
                let reply = Reply::new(refusal.status, &refusal.reason);
                self.answer(
                    link,
                    Outcome { delivery, began, is_head, reply, ended: Ended::Refused },
                )
            }
        }
    }

    /// A whole delivery.
    async fn take(
        &self,
        link: &Link,
        arrival: Arrival,
        body: Bytes,
        config: &Arc<ListenConfig>,
    ) -> Response {
        let Arrival { head, bytes, path, query, began, received_at, peer, .. } = arrival;
        let settings = &config.settings;
        let is_head = head.method == "HEAD";
        let trailers = link.take_trailers();
        let case = Case { head, path, query, body, received_at };
        let Ok((case, judged)) = judge(case, config, &self.memory).await else {
            let reply = Reply::not_kept();
            return self.answer(
                link,
                Outcome { delivery: None, began, is_head, reply, ended: Ended::Answered },
            );
        };
        let reason = claim_reason(&case.head.method, &judged);
        let Decision { reply, notes, is_handshake } = self.decide(&case, &judged, reason, settings);
        let claim = self.claim(&case.path, &judged.payload, reason, settings.responder).await;
        let Judged { signature, payload, sha256, shape } = judged;
        let id = payload.job_id.clone().filter(|_| reason.is_none());
        let new = NewDelivery {
            id: ids::new_id(),
            received_at,
            received_mono_us: mono_us(began),
            head: bytes,
            method: case.head.method,
            path: case.path,
            query: case.query,
            body: case.body,
            body_sha256: sha256,
            trailers,
            peer,
            signature,
            event: payload.event.or_else(|| event_name(config.scheme.as_ref(), &case.head.headers)),
            job_id: payload.job_id,
            job_id_type: payload.job_id_type,
            claim,
            notes,
            expected_size: None,
            ended: None,
        };
        let Some(delivery) = self.keep(new).await else {
            let reply = Reply::not_kept();
            return self.answer(
                link,
                Outcome { delivery: None, began, is_head, reply, ended: Ended::Answered },
            );
        };
        if has_shape(reason) && !is_handshake {
            self.memory.shapes.remember(shape, id.as_deref(), delivery.seq);
        }
        let delay = Duration::from_millis(settings.delay_ms.into());
        if !delay.is_zero() || began.elapsed() > SOON {
            self.context.events.publish(Event::Delivery { delivery: delivery.clone() });
        }
        if !delay.is_zero() {
            sleep(delay).await;
        }
        let outcome =
            Outcome { delivery: Some(delivery), began, is_head, reply, ended: Ended::Answered };
        if settings.drop && !is_handshake {
            self.drop_answer(outcome)
        } else {
            self.answer(link, outcome)
        }
    }

    /// The answer, and what is odd in words. A handshake is never failed on purpose: an address that does not answer it
    /// gets no deliveries to be failed.
    fn decide(
        &self,
        case: &Case,
        judged: &Judged,
        reason: Option<ClaimReason>,
        settings: &ListenSettings,
    ) -> Decision {
        let method = &case.head.method;
        let mut notes = judged.payload.notes.clone();
        if settings.answer_challenges
            && let Some(challenge) = Challenge::of(case, judged, reason)
        {
            notes.push(challenge.note());
            if let Challenge::Echo(value) = challenge {
                return Decision { reply: Reply::echo(value), notes, is_handshake: true };
            }
        }
        if is_probe(method) {
            notes.push(format!("probe: {method} claims nothing"));
        }
        if has_shape(reason) {
            let id = judged.payload.job_id.as_deref().filter(|_| reason.is_none());
            notes.extend(self.memory.shapes.note(judged.shape, id));
        }
        let mut reply = reply(method, judged, reason, settings);
        if !is_probe(method)
            && let Some((failed, note)) =
                fail_first(&reply, &case.path, judged, &self.failures, settings.fail_first)
        {
            notes.push(note);
            reply = failed;
        }
        Decision { reply, notes, is_handshake: false }
    }

    /// What is asked of the claim table; the naive responder looks and pauses here.
    async fn claim(
        &self,
        path: &str,
        payload: &Payload,
        reason: Option<ClaimReason>,
        responder: Responder,
    ) -> ClaimRequest {
        match (reason, responder) {
            (Some(reason), _) => ClaimRequest::None(Some(reason)),
            (None, Responder::Claim | Responder::Status { .. }) => ClaimRequest::Insert,
            (None, Responder::Naive { pause_ms }) => {
                let found = self.winner(path, payload).await;
                sleep(Duration::from_millis(pause_ms.into())).await;
                ClaimRequest::Naive { found }
            }
        }
    }

    /// The delivery that won under this key, as far as the store can tell at the moment.
    async fn winner(&self, path: &str, payload: &Payload) -> Option<i64> {
        let job_id = payload.job_id.clone()?;
        let key = JobKey { path: path.to_owned(), job_id, job_id_type: payload.job_id_type };
        let store = self.context.store.clone();
        spawn_blocking(move || store.winner(&key)).await.ok()?.ok()?
    }

    /// Writes a delivery down. `None` where that failed: it must not be acknowledged then.
    async fn keep(&self, new: NewDelivery) -> Option<Delivery> {
        self.context
            .store
            .record(new)
            .await
            .inspect_err(|error| tracing::warn!(%error, "a delivery could not be written down"))
            .ok()
    }

    /// Writes a delivery down whose ending is known, and tells it.
    pub(super) async fn keep_ended(&self, new: NewDelivery) {
        if let Some(delivery) = self.keep(new).await {
            tell(&self.context, delivery);
        }
    }

    fn answer(&self, link: &Link, outcome: Outcome) -> Response {
        let Outcome { delivery, began, is_head, reply, ended } = outcome;
        let close = ended == Ended::Refused || link.is_closing();
        let status = reply.status;
        let (response, body_len) = reply.into_response(is_head, close);
        let context = self.context.clone();
        if let Some(late) =
            link.put_answer(Answer { context, delivery, began, status, body_len, ended })
        {
            late.lost();
        }
        response
    }

    fn drop_answer(&self, outcome: Outcome) -> Response {
        let Outcome { delivery, began, reply, .. } = outcome;
        let (context, status) = (self.context.clone(), reply.status);
        Answer { context, delivery, began, status, body_len: 0, ended: Ended::Refused }.dropped();
        no_answer()
    }
}

/// Whether a delivery is compared with those before it: it may claim, or would if it had an id.
fn has_shape(reason: Option<ClaimReason>) -> bool {
    matches!(
        reason,
        None | Some(
            ClaimReason::MissingId
                | ClaimReason::NullId
                | ClaimReason::EmptyId
                | ClaimReason::NoBody
        )
    )
}

fn no_answer() -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(NoAnswer);
    response
}
