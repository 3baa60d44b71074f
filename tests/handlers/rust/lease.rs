//! Works under a lease that it renews, and whose holder is asked once more where the effect is committed. No fault.
//!
//! Copies are answered 409 meanwhile and come again. A crash leaves a lease that runs out; a holder that slept through
//! its lease finds another name in the row and runs nothing.

use crate::{
    delivery::Delivery,
    serve::{Decide, Failure},
    store::Store,
};
use axum::http::StatusCode;
use std::{future::Future, time::Duration};
use tokio::{select, time::sleep};

const TABLE: &str = "create table if not exists leases \
    (job_id text primary key, holder text, until_ms integer not null, done integer not null default 0)";
const TAKE: &str = "insert into leases (job_id, holder, until_ms) values (?1, ?2, ?3) \
    on conflict (job_id) do update set holder = ?2, until_ms = ?3 where done = 0 and until_ms < ?4";
const RENEW: &str = "update leases set until_ms = ?3 where job_id = ?1 and holder = ?2 and done = 0";
const FINISH: &str = "update leases set done = 1 where job_id = ?1 and holder = ?2 and done = 0";
const GIVE_BACK: &str = "update leases set until_ms = 0 where job_id = ?1 and holder = ?2 and done = 0";

const LEASE: Duration = Duration::from_secs(1);
const RENEWAL: Duration = Duration::from_millis(250);

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
        let holder = uuid::Uuid::now_v7().to_string();
        let now = now_ms();
        let taken = (job_id, holder.as_str(), now + ms(LEASE), now);
        if self.store.connect()?.change(TAKE, taken)? == 0 {
            let done = "select done from leases where job_id = ?1";
            let done = self.store.connect()?.number(done, [job_id])? == Some(1);
            return Ok(if done { StatusCode::OK } else { StatusCode::CONFLICT });
        }
        if let Err(failure) = self.renewing(job_id, &holder, delivery.download()).await {
            self.store.connect()?.change(GIVE_BACK, [job_id, holder.as_str()])?;
            return Err(failure);
        }
        let db = self.store.connect()?;
        let held = db.together(|| {
            let held = db.change(FINISH, [job_id, holder.as_str()])? == 1;
            if held {
                db.run(job_id)?;
            }
            Ok(held)
        })?;
        Ok(if held { StatusCode::OK } else { StatusCode::CONFLICT })
    }
}

impl Handler {
    /// Does something and renews the lease meanwhile.
    async fn renewing(
        &self,
        job_id: &str,
        holder: &str,
        work: impl Future<Output = Result<(), Failure>>,
    ) -> Result<(), Failure> {
        tokio::pin!(work);
        loop {
            select! {
                done = &mut work => return done,
                () = sleep(RENEWAL) => {
                    let until = now_ms() + ms(LEASE);
                    self.store.connect()?.change(RENEW, (job_id, holder, until))?;
                }
            }
        }
    }
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
