//! The listener of an engine: started, stopped, moved to another address.

use super::{Engine, lock};
use crate::{
    error::Result,
    events::Event,
    listener::{self, Context},
    model::{ListenerState, Settings},
};
use std::net::SocketAddr;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A listener that runs.
#[derive(Debug)]
pub(super) struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Engine {
    /// Starts the listener where the options or else the settings say; does nothing when it runs.
    pub async fn start_listener(&self) {
        let settings = self.settings().listen;
        let host = self.inner.options.host.clone().unwrap_or(settings.host);
        let port = self.inner.options.port.unwrap_or(settings.port);
        self.listen_at(&host, port).await;
        self.autostart_tunnel().await;
    }

    /// Moves it to the address of the settings, whatever it was started with.
    pub(super) async fn restart_listener_at_settings(&self) {
        let has_tunnel = self.inner.tunnelling.is_wanted().await;
        self.stop_listener().await;
        let settings = self.settings().listen;
        self.listen_at(&settings.host, settings.port).await;
        if has_tunnel {
            self.restart_tunnel().await;
        }
    }

    async fn listen_at(&self, host: &str, port: u16) {
        let mut running = self.inner.listening.lock().await;
        if running.is_some() {
            return;
        }
        let state = match listener::bind(host, port).await {
            Ok(socket) => match socket.local_addr() {
                // Its port may be known only now.
                Ok(address) => {
                    match listener::check_forward(&self.settings().listen, address).await {
                        Ok(()) => {
                            *running = Some(self.serve(socket));
                            listening_at(address)
                        }
                        Err(error) => ListenerState::Failed { message: error.to_string() },
                    }
                }
                Err(error) => ListenerState::Failed {
                    message: format!("The socket has no address: {error}."),
                },
            },
            Err(error) => ListenerState::Failed { message: error.to_string() },
        };
        self.set_listener_state(state);
    }

    /// Refuses settings with which deliveries would come back to this listener for ever.
    pub(super) async fn check_forward(&self, settings: &Settings) -> Result<()> {
        settings.check()?;
        let (now, then) = (self.settings().listen, &settings.listen);
        let stays = now.host == then.host && now.port == then.port;
        let url = self.listener_url().filter(|_| stays);
        let address = url.and_then(|url| url.strip_prefix("http://")?.parse().ok());
        match address {
            Some(address) => listener::check_forward(then, address).await?,
            None => listener::check_forward_from(then).await?,
        }
        Ok(())
    }

    fn serve(&self, socket: tokio::net::TcpListener) -> Running {
        let stop = self.inner.shutdown.child_token();
        let context = Context {
            store: self.inner.store.clone(),
            events: self.inner.events.clone(),
            clock: self.inner.options.clock.clone(),
            proofs: self.inner.tunnelling.proofs(),
            ended: None,
        };
        let served = listener::serve(socket, self.inner.config.subscribe(), context, stop.clone());
        let engine = self.clone();
        let task = self.inner.tasks.spawn(async move {
            if let Err(error) = served.await {
                engine.set_listener_state(ListenerState::Failed { message: error.to_string() });
            }
        });
        Running { stop, task }
    }

    /// Stops it, and the tunnel that led to it; the answers in flight are written first.
    pub async fn stop_listener(&self) {
        let mut running = self.inner.listening.lock().await;
        if let Some(Running { stop, task }) = running.take() {
            stop.cancel();
            if let Err(error) = task.await {
                tracing::error!(%error, "the listener did not end well");
            }
        }
        drop(running);
        self.set_listener_state(ListenerState::Stopped);
        self.stop_tunnel().await;
    }

    /// Where it listens, if it does.
    pub fn listener_url(&self) -> Option<String> {
        match &*lock(&self.inner.listener_state) {
            ListenerState::Listening { url, .. } => Some(url.clone()),
            ListenerState::Stopped | ListenerState::Failed { .. } => None,
        }
    }

    fn set_listener_state(&self, state: ListenerState) {
        *lock(&self.inner.listener_state) = state;
        self.inner.events.publish(Event::StateChanged);
    }
}

fn listening_at(address: SocketAddr) -> ListenerState {
    ListenerState::Listening { url: listener::url(address), exposed: !address.ip().is_loopback() }
}
