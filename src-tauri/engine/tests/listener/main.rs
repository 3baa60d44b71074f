//! The listener from the outside: bytes into a socket, records out of the store.

mod addresses;
mod answers;
mod captured;
mod claims;
mod leaving;
mod limits;
mod stopping;
mod support;
mod weather;
