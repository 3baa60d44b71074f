//! Enough open files for a volley: each copy is a socket.

use super::FireError;

/// For whatever is opened meanwhile.
const SPARE: u64 = 64;

/// Makes sure that so many sockets more can be opened; raises this process's soft limit where the hard one allows it.
#[cfg(unix)]
pub(super) fn make_room(copies: u32) -> Result<(), FireError> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    let needed = open_now() + u64::from(copies) + SPARE;
    if needed <= soft {
        return Ok(());
    }
    if needed > hard || setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_err() {
        return Err(FireError::OpenFiles { copies, needed, limit: hard });
    }
    Ok(())
}

/// How many files this process has open, where it can be told.
#[cfg(unix)]
fn open_now() -> u64 {
    // `/dev/fd` is there on Linux and macOS.
    std::fs::read_dir("/dev/fd").map_or(SPARE, |files| files.count() as u64)
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub(super) fn make_room(_: u32) -> Result<(), FireError> {
    Ok(())
}
