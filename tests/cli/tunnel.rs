//! `hooktwice listen --tunnel`: real tunnels over loopback, programs that print what the real ones do, and every way to
//! end.

mod bore;
mod ends;
mod fakes;
mod ssh;
mod stand;

pub(crate) use bore::Server;
pub(crate) use stand::{Tunnelled, path_with, tools};
