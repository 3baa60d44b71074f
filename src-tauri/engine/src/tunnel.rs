//! A tunnel: a program of the person's that makes the listener reachable from outside.
//!
//! [`preset`] says what is run and where its public URL stands in what it prints; [`supervisor`] runs it, has the URL
//! proven, watches it and runs it again; [`spawner`] starts the process, on a leash that ends it with us. Nothing is
//! ever fetched or installed.

mod pattern;
mod preset;
mod program;
mod proof;
mod server;
mod spawner;
mod supervisor;
#[cfg(test)]
mod tests;

pub use preset::{Local, Plan};
pub use program::{PROGRAMS, Program, find};
pub use proof::{HttpProver, Prover, Proving};
pub use spawner::{Invocation, LEASH, Output, Spawner, Started, TokioSpawner};

use crate::{clock::SharedClock, error::ErrorCode, model::TunnelState};
use std::sync::Arc;
use supervisor::Supervisor;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A tunnel that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TunnelError {
    /// The program is not on the PATH.
    #[error("{name} is not on the PATH. {how}")]
    Missing {
        /// Which program.
        name: &'static str,
        /// How to get it on this system.
        how: &'static str,
    },
    /// A setting that cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// There is nothing that it could lead to.
    #[error("the tunnel has nowhere to lead: the listener does not run. Start the listener first")]
    NoListener,
}

impl TunnelError {
    /// What a caller can tell apart.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } => ErrorCode::NotFound,
            Self::Unusable(_) | Self::NoListener => ErrorCode::BadInput,
        }
    }
}

/// What a tunnel stands on.
#[derive(Debug, Clone)]
pub struct Ground {
    /// Starts the program.
    pub spawner: Arc<dyn Spawner>,
    /// Asks through the tunnel.
    pub prover: Arc<dyn Prover>,
    /// The wall clock, for what is shown.
    pub clock: SharedClock,
}

/// A tunnel that runs. Dropped, its program is ended too, but nobody waits for that.
#[derive(Debug)]
pub struct Tunnel {
    stop: CancellationToken,
    task: JoinHandle<()>,
    state: watch::Sender<TunnelState>,
}

impl Tunnel {
    /// Starts it; where it is goes to `state`. It is called inside of a tokio runtime.
    pub fn start(plan: Plan, ground: Ground, state: watch::Sender<TunnelState>) -> Self {
        let stop = CancellationToken::new();
        let supervisor = Supervisor::new(plan, ground, state.clone());
        let task = tokio::spawn(supervisor.run(stop.clone()));
        Self { stop, task, state }
    }

    /// Whether it still tries: not once it has failed for good.
    pub fn is_running(&self) -> bool {
        !self.task.is_finished()
    }

    /// Ends it, and waits until no process of it is left.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Err(error) = (&mut self.task).await {
            tracing::error!(%error, "the tunnel did not end well");
        }
        self.state.send_replace(TunnelState::Off);
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
