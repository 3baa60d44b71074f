//! `hooktwice listen --tunnel`: real tunnels over loopback, programs that print what the real ones do, and every way to
//! end.

mod bore;
mod ends;
mod fakes;
mod ssh;
mod stand;
