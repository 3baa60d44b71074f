//! Looks whether the job was done, and inserts with the next statement.

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
        delivery.download().await?;
        let db = self.store.connect()?;
        // Fault: two statements are not one, however close they stand; another connection looks between them.
        if db.count(job_id)? == 0 {
            db.run(job_id)?;
        }
        Ok(StatusCode::OK)
    }
}
