//! A handler that is carried to its end even when nobody waits for it any more.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// A future that goes on in a task of its own when it is dropped before its end.
///
/// hyper drops a handler with its connection. A delivery whose record is being written then must still end whole, and
/// without a task for every request.
pub(super) struct Detach<F: Future + Send + 'static> {
    work: Option<Pin<Box<F>>>,
    tracker: TaskTracker,
}

impl<F: Future + Send + 'static> Detach<F> {
    /// The work, and who waits for what is carried on.
    pub(super) fn new(work: F, tracker: TaskTracker) -> Self {
        Self { work: Some(Box::pin(work)), tracker }
    }
}

impl<F: Future + Send + 'static> Future for Detach<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let done = work.as_mut().poll(cx);
        if done.is_ready() {
            self.work = None;
        }
        done
    }
}

impl<F: Future + Send + 'static> Drop for Detach<F> {
    fn drop(&mut self) {
        // Without a runtime the program is ending, and the next start finds what was interrupted.
        if let (Some(work), Ok(runtime)) = (self.work.take(), Handle::try_current()) {
            self.tracker.spawn_on(
                async move {
                    work.await;
                },
                &runtime,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn dropped_work_is_carried_to_its_end() {
        let tracker = TaskTracker::new();
        let (go, wait) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        let mut work = Box::pin(Detach::new(
            async move {
                wait.await.unwrap();
                tell.send("done").unwrap();
            },
            tracker.clone(),
        ));
        assert!(work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(work);
        go.send(()).unwrap();
        assert_eq!(told.await, Ok("done"));
        tracker.close();
        tracker.wait().await;
    }
}
