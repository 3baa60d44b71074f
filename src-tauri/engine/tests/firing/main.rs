//! Firing, from the outside: real sockets on both ends.

mod encrypted;
mod outcomes;
mod racing;
mod series;
mod signed;
mod support;
mod together;
mod wire;
