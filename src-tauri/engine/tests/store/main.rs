//! The store from the outside: real files, real locks, a real full disk.

mod claims;
mod contention;
mod folders;
mod keeping;
mod listing;
mod records;
mod support;
