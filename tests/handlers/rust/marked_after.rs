//! Looks for a mark, works, and sets the mark.

use crate::{
    delivery::Delivery,
    serve::{Decide, Failure},
    store::Store,
};
use axum::http::StatusCode;

pub(crate) struct Handler {
    store: Store,
}

impl Decide for Handler {
    fn new(store: Store) -> Result<Self, Failure> {
        Ok(Self { store })
    }

    fn store(&self) -> &Store {
        &self.store
    }

    async fn deliver(&self, delivery: &Delivery, job_id: &str) -> Result<StatusCode, Failure> {
        let marked = "select count(*) from claims where job_id = ?1";
        if self.store.connect()?.number(marked, [job_id])? == Some(1) {
            return Ok(StatusCode::OK);
        }
        // Fault: there is no mark as long as the work takes, and a retry works as well.
        delivery.download().await?;
        let db = self.store.connect()?;
        db.run(job_id)?;
        db.claim(job_id)?;
        Ok(StatusCode::OK)
    }
}
