//! The one channel that carries every event.

use crate::state::Shell;
use hooktwice_engine::{WireError, events::Batch};
use std::sync::PoisonError;
use tauri::{State, async_runtime::spawn, ipc::Channel};

/// Sends batches of events to the page, from a number on. A page has one feed: asking again ends the one before.
#[tauri::command]
pub(crate) async fn subscribe(
    shell: State<'_, Shell>,
    from: Option<u64>,
    channel: Channel<Batch>,
) -> Result<(), WireError> {
    let mut subscription = shell.engine().await?.events().subscribe(from);
    let feed = spawn(async move {
        while let Some(batch) = subscription.next_batch().await {
            // The page is gone, or was loaded anew and asks again.
            if channel.send(batch).is_err() {
                return;
            }
        }
    });
    let before = shell.feed.lock().unwrap_or_else(PoisonError::into_inner).replace(feed);
    if let Some(before) = before {
        before.abort();
    }
    Ok(())
}
