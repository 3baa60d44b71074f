//! Takes requests from a socket, keeps them, answers them.
//!
//! A connection's bytes pass through [`tap`], which keeps what hyper does not: heads and trailers exactly as sent, the
//! bytes of what is no request, the moment an answer was written. hyper serves HTTP/1 to an axum router whose only
//! handler is [`handle`]: read, verify, read the id, claim, answer. Where the answer is the developer's own handler's,
//! [`forward`] gets it once the delivery is kept. [`goodbye`] says what is left to be said when hyper is done.

mod address;
mod answer;
mod arrival;
mod challenge;
mod chunks;
mod circle;
mod decide;
mod detach;
mod forward;
mod framing;
mod goodbye;
mod handle;
mod holder;
mod judge;
mod link;
mod memory;
mod onward;
mod passing;
mod receive;
mod refusal;
mod respond;
mod server;
mod tap;
mod teller;
mod unsent;

pub use address::{ListenError, bind, url};
pub use circle::{check_forward, check_forward_from};

use crate::{
    clock::SharedClock,
    events::Events,
    model::{Delivery, Limits, ListenSettings, SchemeSettings},
    proof::Proofs,
    secrets::NamedSecret,
    signing::Scheme,
    store::Store,
};
use std::sync::Arc;
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

/// How deliveries are judged and answered; can change while the listener runs, for the requests after it.
///
/// The limits of a head, and how long it may take, are those of the moment when its connection was made.
#[derive(Debug, Clone)]
pub struct ListenConfig {
    /// Host and port are not read here.
    pub settings: ListenSettings,
    /// What is taken at most.
    pub limits: Limits,
    /// How deliveries are signed.
    pub scheme: Arc<dyn Scheme>,
    /// With what; any of them will do, and none at all verifies nothing.
    pub secrets: Vec<NamedSecret>,
    /// Other secrets, for a signature that was made with one of them.
    pub known: Vec<NamedSecret>,
    /// Every scheme as it is set, for a signature that is another one's.
    pub schemes: SchemeSettings,
}

/// What a listener stands on.
#[derive(Debug, Clone)]
pub struct Context {
    /// Where deliveries are kept.
    pub store: Store,
    /// Where they are told to the pages.
    pub events: Events,
    /// The wall clock.
    pub clock: SharedClock,
    /// The questions of a tunnel: they are answered, and are no deliveries.
    pub proofs: Proofs,
    /// Hears of every delivery once, when it has ended and its ending is written.
    pub ended: Option<mpsc::UnboundedSender<Delivery>>,
}

/// Serves a socket until `shutdown`; then takes no more, and returns when the answers in flight are written and every
/// record is whole.
///
/// # Errors
/// When the socket breaks.
pub async fn serve(
    socket: TcpListener,
    config: watch::Receiver<Arc<ListenConfig>>,
    context: Context,
    shutdown: CancellationToken,
) -> Result<(), ListenError> {
    server::serve(socket, config, context, shutdown).await
}
