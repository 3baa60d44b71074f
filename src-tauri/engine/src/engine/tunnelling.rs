//! The tunnel of an engine: started and stopped from the pages, with the app, and ended with it.

use super::{Engine, lock};
use crate::{
    error::Result,
    events::Event,
    model::{ListenerState, TunnelSettings, TunnelState},
    proof::Proofs,
    tunnel::{Ground, HttpProver, Local, Plan, Tunnel, TunnelError},
};
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};
use tokio::sync::{Mutex, watch};

/// The tunnel, if there is one.
#[derive(Debug)]
pub(super) struct Tunnelling {
    proofs: Proofs,
    state: watch::Sender<TunnelState>,
    /// Held over a start or stop, so that two of them follow each other.
    running: Mutex<Option<Tunnel>>,
}

impl Default for Tunnelling {
    fn default() -> Self {
        Self {
            proofs: Proofs::default(),
            state: watch::Sender::new(TunnelState::Off),
            running: Mutex::new(None),
        }
    }
}

impl Tunnelling {
    /// The questions that the listener answers.
    pub(super) fn proofs(&self) -> Proofs {
        self.proofs.clone()
    }

    /// Whether somebody wants a tunnel.
    pub(super) async fn is_wanted(&self) -> bool {
        self.running.lock().await.is_some()
    }
}

impl Engine {
    /// Where the tunnel is.
    pub fn tunnel_state(&self) -> TunnelState {
        self.inner.tunnelling.state.borrow().clone()
    }

    /// The command that would be run, as it would be typed: shown before it runs.
    ///
    /// # Errors
    /// When the settings do not make one.
    pub fn tunnel_command(&self) -> Result<String> {
        let settings = self.settings();
        let local = self.local().unwrap_or_else(|| {
            let ip: Option<IpAddr> = settings.listen.host.parse().ok();
            let ip = ip.unwrap_or(Ipv4Addr::LOCALHOST.into());
            Local::of(SocketAddr::new(ip, settings.listen.port))
        });
        Ok(Plan::new(&settings.tunnel, local)?.command())
    }

    /// Starts the tunnel of the settings; does nothing when one runs.
    ///
    /// # Errors
    /// When the settings do not make a command, its program is not there, or the listener does not run.
    pub async fn start_tunnel(&self) -> Result<()> {
        let tunnelling = &self.inner.tunnelling;
        let mut running = tunnelling.running.lock().await;
        if running.as_ref().is_some_and(Tunnel::is_running) {
            return Ok(());
        }
        let plan = self.local().ok_or(TunnelError::NoListener).and_then(|local| {
            Plan::new(&self.settings().tunnel, local).and_then(Plan::look_for_program)
        });
        let plan = plan.inspect_err(|error| {
            let message = error.to_string();
            tunnelling.state.send_replace(TunnelState::Failed { message, lines: Vec::new() });
        })?;
        let ground = Ground {
            spawner: Arc::clone(&self.inner.options.spawner),
            prover: Arc::new(HttpProver::new(tunnelling.proofs())),
            clock: self.inner.options.clock.clone(),
        };
        *running = Some(Tunnel::start(plan, ground, tunnelling.state.clone()));
        Ok(())
    }

    /// Ends it with all of its processes.
    pub async fn stop_tunnel(&self) {
        let tunnelling = &self.inner.tunnelling;
        let mut running = tunnelling.running.lock().await;
        if let Some(tunnel) = running.take() {
            tunnel.stop().await;
        }
        tunnelling.state.send_if_modified(|state| {
            let was = std::mem::replace(state, TunnelState::Off);
            was != TunnelState::Off
        });
    }

    /// Starts it with the listener, where that is set. What is in the way is in its state.
    pub(super) async fn autostart_tunnel(&self) {
        if self.settings().tunnel.autostart
            && let Err(error) = self.start_tunnel().await
        {
            tracing::warn!(%error, "the tunnel was not started");
        }
    }

    /// Starts it anew where what it runs has changed; a path that is only shown is nothing to it.
    pub(super) async fn tunnel_settings_changed(&self, before: &TunnelSettings) {
        let now = self.settings().tunnel;
        let shown =
            TunnelSettings { path: now.path.clone(), autostart: now.autostart, ..before.clone() };
        if shown != now && self.inner.tunnelling.is_wanted().await {
            self.restart_tunnel().await;
        }
    }

    /// Ends it and starts it again. What is in the way is in its state.
    pub(super) async fn restart_tunnel(&self) {
        self.stop_tunnel().await;
        if let Err(error) = self.start_tunnel().await {
            tracing::warn!(%error, "the tunnel was not started again");
        }
    }

    /// Tells the pages whenever it is somewhere else.
    pub(super) fn follow_tunnel(&self) {
        let mut state = self.inner.tunnelling.state.subscribe();
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = engine.inner.shutdown.cancelled() => return,
                    changed = state.changed() => match changed {
                        Ok(()) => engine.inner.events.publish(Event::StateChanged),
                        Err(_) => return,
                    }
                }
            }
        });
    }

    /// Where the listener is reached, if it runs.
    fn local(&self) -> Option<Local> {
        match &*lock(&self.inner.listener_state) {
            ListenerState::Listening { url, .. } => Local::of_url(url),
            ListenerState::Stopped | ListenerState::Failed { .. } => None,
        }
    }
}
