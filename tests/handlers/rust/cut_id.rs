//! Claims the first 64 characters of the job's id.

use crate::{
    delivery::Delivery,
    serve::{Decide, Failure},
    store::Store,
};
use axum::http::StatusCode;

const COLUMN: usize = 64;

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
        // Fault: ids that differ later are one key, as in a column that cuts what does not fit.
        let key: String = job_id.chars().take(COLUMN).collect();
        if !self.store.connect()?.claim(&key)? {
            return Ok(StatusCode::OK);
        }
        match delivery.download().await {
            Ok(()) => self.store.connect()?.run(job_id)?,
            Err(failure) => {
                self.store.connect()?.release(&key)?;
                return Err(failure);
            }
        }
        Ok(StatusCode::OK)
    }
}
