//! The time: real outside, settable in tests.

use jiff::Timestamp;
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
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

/// A duration in milliseconds, with no digits that were not measured: one division of whole nanoseconds, so that
/// 1.664519 is not written as 1.6645189999999999.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

/// The same in microseconds.
pub fn microseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}

/// RFC 3339 in UTC with exactly six digits of a second, as everything that leaves the engine writes time.
pub fn rfc3339(time: Timestamp) -> String {
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_with_the_digits_that_were_measured() {
        let duration = Duration::from_nanos(1_664_519);
        assert_eq!(milliseconds(duration).to_string(), "1.664519");
        assert_eq!(microseconds(duration).to_string(), "1664.519");
        assert_eq!(microseconds(Duration::from_nanos(13_676)).to_string(), "13.676");
    }
}
