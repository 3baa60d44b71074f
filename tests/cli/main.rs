//! The built `hooktwice` from the outside: processes, sockets, exit codes and lines, as contract.md writes them.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test stands on is not there: that is how it fails"
)]

mod cases;
mod check;
mod claims;
mod crash;
mod deliver;
mod deliveries;
mod demo;
mod doctor;
mod exits;
mod explanations;
mod fire;
mod folder;
mod forward;
mod handlers;
mod harness;
mod keychain;
mod listen;
mod live;
mod matrix;
mod oracles;
mod postgres;
mod prisma;
mod readme;
mod rotation;
mod sample;
mod schemes;
mod secrecy;
mod secrets;
mod senders;
mod serve;
mod settings_file;
mod signatures;
mod sleeping;
mod sume;
mod tunnel;
mod untried;
