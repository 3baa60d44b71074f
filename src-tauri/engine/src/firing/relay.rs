//! Requests of somebody else's that go on to a handler, whose first answer goes back whole.

use super::{
    FireError, Plan,
    answer::Heard,
    carry_out, check_numbers,
    connect::{Connector, tls_config},
    copy::{End, Shot},
    request::Request,
    target::Target,
};
use crate::model::{CopyOutcome, CopyReport, Protocol};
use bytes::Bytes;
use http::response::Parts;
use rustls::ClientConfig;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Sends requests on. It reads the root certificates once, with the first request that needs them.
#[derive(Debug, Default)]
pub struct Relay {
    tls: OnceCell<Arc<ClientConfig>>,
}

/// An answer as it came, for whoever asked.
#[derive(Debug)]
pub struct PassedOn {
    /// Status, reason phrase and headers; those of the connection are among them.
    pub head: Parts,
    /// Its bytes, the transfer coding removed.
    pub body: Bytes,
    /// There was more than that.
    pub is_longer: bool,
}

/// Why there is no answer to pass on, each with a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// Nothing was sent whole.
    Down(String),
    /// The time for it went by.
    Slow(String),
    /// What came is not HTTP, is not whole, or is nothing at all.
    Nonsense(String),
}

impl Relay {
    /// Sends the copies of a plan over HTTP/1.1, with `target` in the request line as it is, and tells `first` of the
    /// first copy's answer as soon as it is whole, up to `most` bytes of body. Every copy goes to its end, whoever waits.
    /// The host needs no further permission: whoever named it wants the requests there.
    ///
    /// # Errors
    /// When the plan cannot be carried out; nothing was sent.
    pub async fn send(
        &self,
        plan: Plan,
        target: Bytes,
        most: usize,
        first: oneshot::Sender<Result<PassedOn, NoAnswer>>,
    ) -> Result<Vec<CopyReport>, FireError> {
        check_numbers(&plan)?;
        let to = Target { path_and_query: target, ..Target::parse(&plan.url)? };
        let plan = Plan { protocol: Protocol::Http1, ..plan };
        let request = Request::new(&plan, &to)?;
        let addresses = to.resolve(std::slice::from_ref(&to.authority)).await?;
        let tls = if to.tls {
            let config = self.tls.get_or_try_init(|| tls_config(&[b"http/1.1"])).await?;
            Some(Arc::clone(config))
        } else {
            None
        };
        let connector = Connector::over(&to, addresses, tls, plan.protocol, plan.timeout)?;
        let shots = vec![Shot { connector, request, timeout: plan.timeout }];
        let (tell, _) = mpsc::unbounded_channel();
        let first = First { most, tell: Mutex::new(Some(first)) };
        let stop = CancellationToken::new();
        let fired = carry_out(shots, plan.copies, plan.release, tell, stop, Some(first)).await?;
        Ok(fired.copies)
    }
}

/// Who waits for the first copy's answer.
#[derive(Debug)]
pub(super) struct First {
    most: usize,
    tell: Mutex<Option<oneshot::Sender<Result<PassedOn, NoAnswer>>>>,
}

impl First {
    /// Where the answer is kept.
    pub(super) fn heard(&self) -> Heard {
        Heard::passed_on(self.most)
    }

    /// The first copy has ended.
    pub(super) fn tell(&self, heard: Heard, end: Option<End>, outcome: CopyOutcome) {
        let tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(tell) = tell {
            // Nobody may wait any more; the copies are reported all the same.
            let _ = tell.send(answer(heard, end, outcome));
        }
    }
}

fn answer(heard: Heard, end: Option<End>, outcome: CopyOutcome) -> Result<PassedOn, NoAnswer> {
    let why = match end {
        None => {
            let is_longer = heard.is_longer;
            return match heard.into_answer() {
                Some((head, _)) if head.status.is_informational() => Err(NoAnswer::Nonsense(
                    format!("It answered {}, which ends no request.", head.status.as_u16()),
                )),
                Some((head, body)) => Ok(PassedOn { head, body, is_longer }),
                None => Err(NoAnswer::Nonsense("No answer came.".into())),
            };
        }
        Some(End::Slow(why)) => return Err(NoAnswer::Slow(why)),
        Some(End::Broke(why)) => why,
        Some(End::Stopped) => "It was stopped.".into(),
    };
    Err(match (heard.status, outcome) {
        (Some(status), _) => {
            NoAnswer::Nonsense(format!("Its answer ({status}) was cut short. {why}"))
        }
        (None, CopyOutcome::NotSent) => NoAnswer::Down(why),
        (None, _) => NoAnswer::Nonsense(why),
    })
}
