//! One request from its head to its answer: read it, verify, read the id, claim, answer, in this order.

use super::{
    Context, ListenConfig,
    answer::{Answer, unanswered},
    arrival::{Arrival, mono_us},
    decide::{Deciding, Decision, Next},
    forward::{Answered, Forwarder, Meeting},
    judge::{Case, Judged, judge},
    link::Link,
    memory::{Failures, Memory},
    onward::Onward,
    passing::Answering,
    receive::{BodyLimits, Received, receive},
    refusal::Refusal,
    respond::{Reply, claim_reason},
    teller::Teller,
};
use crate::{
    events::Event,
    ids,
    model::{ClaimReason, Delivery, Ended, JobKey, Notes, Responder},
    payload::Payload,
    signing::event_name,
    store::{ClaimRequest, NewDelivery},
};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;

/// A record that takes longer than this is shown before it is answered.
const SOON: Duration = Duration::from_millis(100);

/// What all handlers of a listener share.
#[derive(Debug)]
pub(super) struct Handling {
    /// How deliveries are judged and answered, as it is now.
    pub(super) config: watch::Receiver<Arc<ListenConfig>>,
    /// Where deliveries are kept and told.
    pub(super) context: Context,
    teller: Teller,
    memory: Arc<Memory>,
    failures: Failures,
    forwarder: Arc<Forwarder>,
}

/// In a response's extensions: the connection is closed instead of answering.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("closed without an answer")]
pub(super) struct NoAnswer;

/// A delivery that is ready to be answered.
#[derive(Debug)]
struct Outcome {
    /// `None` where it could not be kept.
    delivery: Option<Delivery>,
    began: Instant,
    is_head: bool,
    answering: Answering,
    ended: Ended,
    /// What was odd since it was stored.
    notes: Notes,
    meeting: Option<Meeting>,
}

impl Outcome {
    /// With an answer of our own.
    fn own(delivery: Option<Delivery>, began: Instant, is_head: bool, reply: Reply) -> Self {
        Self {
            delivery,
            began,
            is_head,
            answering: Answering::Own(reply),
            ended: Ended::Answered,
            notes: Notes::new(),
            meeting: None,
        }
    }
}

impl Handling {
    /// Of a new listener; `tracker` waits for what goes on when its request has ended.
    pub(super) fn new(
        config: watch::Receiver<Arc<ListenConfig>>,
        context: Context,
        teller: Teller,
        tracker: TaskTracker,
    ) -> Self {
        Self {
            config,
            context,
            teller,
            memory: Arc::default(),
            failures: Failures::default(),
            forwarder: Forwarder::new(tracker),
        }
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
            Received::Whole(body) => match self.proof(link, &arrival) {
                Some(proof) => proof,
                None => self.take(link, arrival, body, &config).await,
            },
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
                let outcome = Outcome::own(delivery, began, is_head, reply);
                self.answer(link, Outcome { ended: Ended::Refused, ..outcome })
            }
        }
    }

    /// The answer to a question of our own that came through a tunnel: it is no delivery, and no record is kept.
    fn proof(&self, link: &Link, arrival: &Arrival) -> Option<Response> {
        let answer = self.context.proofs.answer(&arrival.head.method, &arrival.path)?;
        let outcome = Outcome::own(None, arrival.began, false, Reply::echo(answer));
        Some(self.answer(link, outcome))
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
            return self.answer(link, Outcome::own(None, began, is_head, Reply::not_kept()));
        };
        let reason = claim_reason(&case.head.method, &judged);
        let deciding = Deciding {
            settings,
            memory: &self.memory,
            failures: &self.failures,
            forwarder: &self.forwarder,
        };
        let Decision { next, mut notes, is_handshake, is_loop } =
            deciding.decide(&case, &judged, reason);
        let claim = if is_loop {
            ClaimRequest::None(None)
        } else {
            self.claim(&case.path, &judged.payload, reason, settings.responder).await
        };
        if matches!(next, Next::Forward(_)) && !trailers.is_empty() {
            notes.push("what came after the body (trailers) was not forwarded".into());
        }
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
            return self.answer(link, Outcome::own(None, began, is_head, Reply::not_kept()));
        };
        if has_shape(reason) && !is_handshake && !is_loop {
            self.memory.shapes.remember(shape, id.as_deref(), delivery.seq);
        }
        let delay = Duration::from_millis(settings.delay_ms.into());
        let mut shown = false;
        let outcome = match next {
            Next::Answer(reply) => Outcome::own(Some(delivery), began, is_head, reply),
            // In a box: most deliveries go nowhere, and need no room for it.
            Next::Forward(onward) => {
                Box::pin(self.send_on(*onward, delivery, began, is_head, &mut shown)).await
            }
        };
        if !shown && (!delay.is_zero() || began.elapsed() > SOON) {
            self.show(outcome.delivery.as_ref());
        }
        if !delay.is_zero() {
            sleep(delay).await;
        }
        if settings.drop && !is_handshake {
            self.drop_answer(outcome)
        } else {
            self.answer(link, outcome)
        }
    }

    /// Sends a stored delivery on, and shows it where its answer takes long.
    async fn send_on(
        &self,
        onward: Onward,
        delivery: Delivery,
        began: Instant,
        is_head: bool,
        shown: &mut bool,
    ) -> Outcome {
        let mut sending = pin!(self.forwarder.send(onward, &self.teller, delivery.seq));
        let (Answered { answer, notes, .. }, meeting) =
            if let Ok(sent) = timeout(SOON, &mut sending).await {
                sent
            } else {
                self.show(Some(&delivery));
                *shown = true;
                sending.await
            };
        let answering = answer.map_or_else(Answering::Own, Answering::Handlers);
        let ended = Ended::Answered;
        let (delivery, meeting) = (Some(delivery), Some(meeting));
        Outcome { delivery, began, is_head, answering, ended, notes, meeting }
    }

    /// Shows a delivery that is not answered yet.
    fn show(&self, delivery: Option<&Delivery>) {
        if let Some(delivery) = delivery {
            self.context.events.publish(Event::Delivery { delivery: delivery.clone() });
        }
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
            (None, Responder::Claim | Responder::Status { .. } | Responder::Forward) => {
                ClaimRequest::Insert
            }
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
            self.teller.tell(delivery);
        }
    }

    fn answer(&self, link: &Link, outcome: Outcome) -> Response {
        let Outcome { delivery, began, is_head, answering, ended, notes, meeting } = outcome;
        let close = ended == Ended::Refused || link.is_closing();
        let status = answering.status();
        let (response, body_len) = answering.into_response(is_head, close);
        let teller = self.teller.clone();
        let answer = Answer { teller, delivery, began, status, body_len, ended, notes, meeting };
        if let Some(late) = link.put_answer(answer) {
            late.lost();
        }
        response
    }

    fn drop_answer(&self, outcome: Outcome) -> Response {
        let Outcome { delivery, began, answering, notes, meeting, .. } = outcome;
        let (teller, status) = (self.teller.clone(), answering.status());
        let ended = Ended::Refused;
        Answer { teller, delivery, began, status, body_len: 0, ended, notes, meeting }.dropped();
        no_answer()
    }
}

/// Whether a delivery is compared with those before it: it may claim, or would if it had an id.
pub(super) fn has_shape(reason: Option<ClaimReason>) -> bool {
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
