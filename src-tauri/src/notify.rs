//! Notifications of the desktop: of duplicates and bad signatures, where the person asked for them and looks elsewhere.

mod gathering;

use crate::native;
use gathering::{Gathering, Notice};
#[cfg(target_os = "linux")]
use hooktwice_engine::ErrorCode;
use hooktwice_engine::{
    WireError,
    engine::Engine,
    events::{Event, Events},
    model::{NotifySettings, Settings},
};
use std::time::Instant;
use tauri::{
    AppHandle, Manager as _, Wry,
    async_runtime::spawn,
    plugin::{Plugin, TauriPlugin},
};
use tauri_plugin_notification::{ActionPerformed, NotificationExt as _};
use tokio::{sync::watch, time::sleep_until};

/// What shows them.
pub(crate) fn plugin() -> impl Plugin<Wry> {
    Unscripted(tauri_plugin_notification::init())
}

/// The plugin without its script, which would run in each page and begin with a call that no page of ours may make.
struct Unscripted(TauriPlugin<Wry>);

impl Plugin<Wry> for Unscripted {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn initialize(
        &mut self,
        app: &AppHandle,
        config: serde_json::Value,
    ) -> Result<(), Box<dyn std::error::Error>> {
        self.0.initialize(app, config)
    }
}

/// A click on a notification brings the window to the front and shows the delivery. Where a desktop has no clicks, or
/// Windows has put the notification away already, nothing happens.
pub(crate) fn start(app: &AppHandle) -> tauri_plugin_notification::Result<()> {
    let clicked = app.clone();
    app.notification().on_action(move |action: &ActionPerformed| {
        native::bring_to_front(&clicked);
        let seq = action.notification().map(|notification| i64::from(notification.id()));
        if let Some(seq) = seq.filter(|seq| *seq > 0) {
            show(&clicked, seq);
        }
    })
}

/// Asks the page for a delivery.
fn show(app: &AppHandle, seq: i64) {
    let app = app.clone();
    spawn(async move {
        if let Ok(engine) = app.state::<crate::state::Shell>().engine().await {
            engine.events().publish(Event::Show { seq });
        }
    });
}

/// Tells of what happens from now on, as long as this program runs.
pub(crate) fn follow(app: AppHandle, engine: &Engine) {
    let (events, settings) = (engine.events().clone(), engine.follow_settings());
    spawn(async move { tell(&app, &events, settings).await });
}

/// Ends with the engine.
async fn tell(app: &AppHandle, events: &Events, mut settings: watch::Receiver<Settings>) {
    loop {
        let wanted = settings.borrow_and_update().notify;
        if wanted.duplicates || wanted.bad_signatures {
            tell_of(app, events, wanted, &mut settings).await;
        } else if settings.changed().await.is_err() {
            return;
        }
        if settings.has_changed().is_err() {
            return;
        }
    }
}

/// Until the settings change. What happens is read only here, so that it costs nothing where nothing is wanted.
async fn tell_of(
    app: &AppHandle,
    events: &Events,
    wanted: NotifySettings,
    settings: &mut watch::Receiver<Settings>,
) {
    let mut subscription = events.subscribe(None);
    let mut gathering = Gathering::default();
    loop {
        let due = gathering.due();
        let time_to_tell = async {
            match due {
                Some(due) => sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = settings.changed() => {
                // Another setting may have changed; what was gathered is told all the same.
                if changed.is_err() || settings.borrow().notify != wanted {
                    return;
                }
            }
            batch = subscription.next_batch() => {
                let Some(batch) = batch else { return };
                for event in &batch.events {
                    if let Event::Delivery { delivery } = event {
                        gathering.take(delivery, wanted, Instant::now());
                    }
                }
                if gathering.due().is_some() && !is_wanted(app, wanted) {
                    gathering.forget();
                }
            }
            () = time_to_tell => {
                let notice = gathering.tell(Instant::now());
                if let Some(notice) = notice.filter(|_| is_wanted(app, wanted)) {
                    notify(app, &notice);
                }
            }
        }
    }
}

/// Whoever looks at the window sees it there.
fn is_wanted(app: &AppHandle, wanted: NotifySettings) -> bool {
    let focused =
        || app.get_webview_window("main").is_some_and(|it| it.is_focused().unwrap_or(false));
    wanted.in_front || !focused()
}

fn notify(app: &AppHandle, notice: &Notice) {
    let builder = app.notification().builder().title(&notice.title).body(&notice.text);
    // A number past this is not shown by a click.
    let builder = builder.id(i32::try_from(notice.seq).unwrap_or(0));
    if let Err(error) = builder.show() {
        tracing::warn!(%error, "a notification cannot be shown");
    }
}

/// Whether notifications can be shown here, as an error that says why not; `attempt` shows one.
#[tauri::command]
pub(crate) async fn notifications(app: AppHandle, attempt: bool) -> Result<(), WireError> {
    is_anybody_there().await?;
    if attempt {
        let title = "Hooktwice can notify you".to_owned();
        let text = "A click on a notification shows its delivery.".to_owned();
        notify(&app, &Notice { title, text, seq: 0 });
    }
    Ok(())
}

/// The plugin sends, and does not tell when nobody is there who would show it.
#[cfg(target_os = "linux")]
async fn is_anybody_there() -> Result<(), WireError> {
    let asked = async {
        let bus = zbus::Connection::session().await?;
        let service = "org.freedesktop.Notifications";
        bus.call_method(
            Some(service),
            "/org/freedesktop/Notifications",
            Some(service),
            "GetServerInformation",
            &(),
        )
        .await
    };
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(nobody(Some(error.to_string()))),
        Err(_) => Err(nobody(Some("it did not answer in time".into()))),
    }
}

/// How long a desktop has to say that it shows notifications; it may have to be started for it.
#[cfg(target_os = "linux")]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(3);

#[cfg(target_os = "linux")]
fn nobody(detail: Option<String>) -> WireError {
    let message = "No program on this desktop shows notifications. Start or install one (a desktop has its own; dunst \
                   and mako stand alone), and try again.";
    WireError { code: ErrorCode::Unreachable, message: message.into(), detail }
}

/// The system itself shows them, or says in its own settings that it may not.
#[cfg(not(target_os = "linux"))]
async fn is_anybody_there() -> Result<(), WireError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_runs_in_the_page() {
        assert!(tauri_plugin_notification::init::<Wry>().initialization_script_2().is_some());
        assert!(plugin().initialization_script_2().is_none());
    }
}
