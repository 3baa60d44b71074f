//! Deliveries that did not arrive: they were read from a file, and are stored together or not at all.

use super::{Finish, NewDelivery, Role, Store, StoreError, group, queue::Order, record::Late};
use crate::model::ForwardReport;
use rusqlite::{Connection, Error, Result, Transaction, TransactionBehavior};
use std::ops::RangeInclusive;
use tokio::sync::oneshot;

/// A delivery of a file.
#[derive(Debug, Clone)]
pub struct Import {
    /// It claims nothing.
    pub new: NewDelivery,
    /// How it ended where it arrived.
    pub finish: Finish,
    /// What became of it at the handler that it went on to there.
    pub forward: Option<ForwardReport>,
}

impl Store {
    /// Stores deliveries of a file under the next numbers, which it says; `None` where there are none.
    ///
    /// # Errors
    /// When one of them could not be stored; then none was.
    pub async fn import(
        &self,
        all: Vec<Import>,
    ) -> Result<Option<RangeInclusive<i64>>, StoreError> {
        if self.0.role != Role::Owner {
            return Err(StoreError::NotOwner);
        }
        let Some(more) = all.len().checked_sub(1) else { return Ok(None) };
        let (answer, answered) = oneshot::channel();
        self.0.queue.order(Order::Import(all, answer));
        let first = answered.await.map_err(|_| StoreError::Closed)??;
        Ok(Some(first..=first.saturating_add_unsigned(more as u64)))
    }
}

/// Writes all of them, numbered from `first`, in one transaction; says the number after the last.
pub(super) fn write(connection: &mut Connection, first: i64, all: &[Import]) -> Result<i64> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let mut seq = first;
    for Import { new, finish, forward } in all {
        group::insert_one(&transaction, seq, new)?;
        // As what becomes known later, so that a long answer is counted.
        group::insert_late(&transaction, seq, &Late::Ended(finish.clone()))?;
        if let Some(forward) = forward {
            let report = serde_json::to_string(forward)
                .map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
            group::insert_late(&transaction, seq, &Late::Forwarded(report))?;
        }
        seq += 1;
    }
    transaction.commit()?;
    Ok(seq)
}
