//! The built `hooktwice` from the outside: processes, sockets, exit codes and lines, as contract.md writes them.

mod claims;
mod crash;
mod deliveries;
mod demo;
mod doctor;
mod exits;
mod fire;
mod folder;
mod harness;
mod listen;
mod readme;
mod secrets;
mod senders;
mod serve;
mod signatures;
