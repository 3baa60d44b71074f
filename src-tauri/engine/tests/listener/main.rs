//! The listener from the outside: bytes into a socket, records out of the store.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test's helpers fail the test as the test itself does"
)]

mod addresses;
mod answers;
mod captured;
mod challenges;
mod claims;
mod forward_faults;
mod forwarding;
mod leaving;
mod limits;
mod sleeping;
mod stopping;
mod support;
mod target;
mod weather;
