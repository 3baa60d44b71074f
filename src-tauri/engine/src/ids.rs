//! Ids of our own making.

use uuid::Uuid;

/// A new id: UUID version 7, so that ids sort by the time they were made.
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}
