//! Downloads first, then counts the delivery with an upsert; whoever inserted runs the effect in the same transaction. No
//! fault. A crash at any moment leaves both rows or none.

use crate::{
    delivery::Delivery,
    serve::{Decide, Failure},
    store::Store,
};
use axum::http::StatusCode;

const TABLE: &str =
    "create table if not exists jobs (job_id text primary key, deliveries integer not null)";
const UPSERT: &str = "insert into jobs values (?1, 1) \
    on conflict (job_id) do update set deliveries = deliveries + 1 returning deliveries";

pub(crate) struct Handler {
    store: Store,
}

impl Decide for Handler {
    fn new(store: Store) -> Result<Self, Failure> {
        store.connect()?.change(TABLE, [])?;
        Ok(Self { store })
    }

    fn store(&self) -> &Store {
        &self.store
    }

    async fn deliver(&self, delivery: &Delivery, job_id: &str) -> Result<StatusCode, Failure> {
        delivery.download().await?;
        let db = self.store.connect()?;
        db.together(|| {
            let deliveries = db.number(UPSERT, [job_id])?;
            if deliveries == Some(1) { db.run(job_id) } else { Ok(()) }
        })?;
        Ok(StatusCode::OK)
    }
}
