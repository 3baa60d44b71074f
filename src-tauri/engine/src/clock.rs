//! The time: real outside, settable in tests.

use jiff::Timestamp;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// Where the wall clock is read. Durations are measured with [`std::time::Instant`], never with this.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// A clock that is shared.
pub type SharedClock = Arc<dyn Clock>;

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is set (tests).
#[derive(Debug, Default)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Stands at so many microseconds after the epoch.
    pub fn at_micros(micros: i64) -> Self {
        Self(AtomicI64::new(micros))
    }

    /// Moves to so many microseconds after the epoch.
    pub fn set_micros(&self, micros: i64) {
        self.0.store(micros, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// RFC 3339 in UTC with exactly six digits of a second, as everything that leaves the engine writes time.
pub fn rfc3339(time: Timestamp) -> String {
    format!("{time:.6}")
}
