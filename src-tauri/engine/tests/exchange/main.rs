//! Files of deliveries: what goes out comes in again byte for byte, and what is bad is refused whole.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops")]

mod devtools;
mod files;
mod round_trip;
mod support;
mod wire;
