//! The store from the outside: real files, real locks, a real full disk.

#![expect(clippy::unwrap_used, reason = "helpers of tests, which clippy does not see as such")]

mod claims;
mod contention;
mod facets;
mod folders;
mod indexing;
mod keeping;
mod listing;
mod records;
mod support;
mod undoing;
