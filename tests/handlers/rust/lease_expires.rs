//! Works under a lease of 500 ms that nobody renews, and marks the job done after the work.

use crate::{
    delivery::Delivery,
    serve::{Decide, Failure},
    store::Store,
};
use axum::http::StatusCode;

const TABLE: &str = "create table if not exists leases \
    (job_id text primary key, until_ms integer not null, done integer not null default 0)";
const TAKE: &str = "insert into leases (job_id, until_ms) values (?1, ?2) \
    on conflict (job_id) do update set until_ms = ?2 where done = 0 and until_ms < ?3";

const LEASE_MS: i64 = 500;

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
        let now = jiff::Timestamp::now().as_millisecond();
        if self.store.connect()?.change(TAKE, (job_id, now + LEASE_MS, now))? == 0 {
            let done = "select done from leases where job_id = ?1";
            let done = self.store.connect()?.number(done, [job_id])? == Some(1);
            return Ok(if done { StatusCode::OK } else { StatusCode::CONFLICT });
        }
        if let Err(failure) = delivery.download().await {
            let give_back = "update leases set until_ms = 0 where job_id = ?1 and done = 0";
            self.store.connect()?.change(give_back, [job_id])?;
            return Err(failure);
        }
        let db = self.store.connect()?;
        // Fault: the lease may be somebody else's by now, and nobody asks.
        db.together(|| {
            db.change("update leases set done = 1 where job_id = ?1", [job_id])?;
            db.run(job_id)
        })?;
        Ok(StatusCode::OK)
    }
}
