//! Firing, from the outside: real sockets on both ends.

#![expect(
    clippy::unwrap_used,
    reason = "a test's own handler or set-up that breaks is a failed test"
)]

mod encrypted;
mod outcomes;
mod racing;
mod series;
mod signed;
mod support;
mod together;
mod wire;
