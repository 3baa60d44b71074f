//! A provider's schedule as durations, and real deliveries laid beside it.

mod lay;

pub use lay::lay;

use crate::{
    error::{Error, Result},
    model::Schedule,
};
use std::time::Duration;

/// The most attempts of one delivery.
const MOST_ATTEMPTS: u32 = 100;
/// The longest gap and the longest timeout, in milliseconds: a day.
const LONGEST_MS: u64 = 86_400_000;
/// The shortest time that an attempt can be given.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);
/// How far a schedule can be squeezed, or stretched.
const SCALES: std::ops::RangeInclusive<f64> = 0.01..=100_000.0;

/// Gap and timeout as they are waited out: squeezed by the time scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Squeezed {
    /// From the end of an attempt to the beginning of the next.
    pub(super) gap: Duration,
    /// From an attempt's release to its whole answer.
    pub(super) timeout: Duration,
}

impl Squeezed {
    /// Of a schedule that can be kept.
    ///
    /// # Errors
    /// When it cannot: a number is out of its range, or a status that would stop it acknowledges it already.
    pub(super) fn of(schedule: &Schedule) -> Result<Self> {
        let refuse = |why: String| Err(Error::Input(why));
        let Schedule { attempts, gap_ms, timeout_ms, time_scale, ref stop_on } = *schedule;
        if !(1..=MOST_ATTEMPTS).contains(&attempts) {
            return refuse(format!(
                "{attempts} attempts cannot be made. Give a number from 1 to {MOST_ATTEMPTS}."
            ));
        }
        if !SCALES.contains(&time_scale) {
            return refuse(format!(
                "A time scale of {time_scale} cannot be kept. Give a number from {} to {}; 60 is sixty times faster.",
                SCALES.start(),
                SCALES.end()
            ));
        }
        for (what, ms) in [("gap", gap_ms), ("timeout", timeout_ms)] {
            if ms > LONGEST_MS {
                return refuse(format!(
                    "A {what} of {ms} ms cannot be kept. Give a time of up to a day."
                ));
            }
        }
        if let Some(status) = stop_on.iter().find(|status| !(100..600).contains(*status)) {
            return refuse(format!("{status} is no status. Give one from 300 to 599 to stop on."));
        }
        if let Some(status) = stop_on.iter().find(|status| acknowledges(**status)) {
            return refuse(format!(
                "{status} is an acknowledgement, which ends a delivery well. Give a status from 300 to 599 to stop on."
            ));
        }
        let squeeze = |ms| Duration::from_millis(ms).div_f64(time_scale);
        let squeezed = Self { gap: squeeze(gap_ms), timeout: squeeze(timeout_ms) };
        if squeezed.timeout < SHORTEST_TIMEOUT {
            return refuse(format!(
                "A timeout of {timeout_ms} ms at a time scale of {time_scale} is under a millisecond, in which nothing \
                 is answered. Give a longer timeout or a smaller scale."
            ));
        }
        Ok(squeezed)
    }
}

/// Any 2xx, and nothing else (C51 to C53).
pub(super) fn acknowledges(status: u16) -> bool {
    (200..300).contains(&status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sumes_schedule_is_kept_as_it_is_and_squeezed_as_a_whole() {
        let of =
            |time_scale| Squeezed::of(&Schedule { time_scale, ..Schedule::default() }).unwrap();
        let seconds = Duration::from_secs_f64;
        assert_eq!(of(1.0), Squeezed { gap: seconds(30.0), timeout: seconds(10.0) });
        assert_eq!(of(60.0).gap, seconds(0.5));
        assert_eq!(of(0.5), Squeezed { gap: seconds(60.0), timeout: seconds(20.0) });
    }

    #[test]
    fn c52_only_a_2xx_acknowledges() {
        let acknowledging: Vec<u16> = (100..600).filter(|status| acknowledges(*status)).collect();
        assert_eq!(acknowledging, (200..300).collect::<Vec<u16>>());
    }

    #[test]
    fn what_cannot_be_kept_is_refused_with_its_number() {
        let usual = Schedule::default;
        for (schedule, named) in [
            (Schedule { attempts: 0, ..usual() }, "0 attempts"),
            (Schedule { attempts: 101, ..usual() }, "101 attempts"),
            (Schedule { time_scale: 0.0, ..usual() }, "scale of 0"),
            (Schedule { time_scale: -1.0, ..usual() }, "scale of -1"),
            (Schedule { time_scale: f64::NAN, ..usual() }, "scale of NaN"),
            (Schedule { time_scale: f64::INFINITY, ..usual() }, "scale of inf"),
            (Schedule { gap_ms: u64::MAX, ..usual() }, "gap of"),
            (Schedule { timeout_ms: LONGEST_MS + 1, ..usual() }, "timeout of"),
            (Schedule { timeout_ms: 0, ..usual() }, "timeout of 0"),
            (Schedule { timeout_ms: 50, time_scale: 60.0, ..usual() }, "under a millisecond"),
            (Schedule { stop_on: vec![410, 204], ..usual() }, "204 is an acknowledgement"),
            (Schedule { stop_on: vec![42], ..usual() }, "42 is no status"),
        ] {
            let why = Squeezed::of(&schedule).unwrap_err().to_string();
            assert!(why.contains(named), "{why}");
        }
        let close = Schedule { gap_ms: 0, attempts: 1, stop_on: vec![410], ..usual() };
        assert_eq!(Squeezed::of(&close).unwrap().gap, Duration::ZERO);
    }
}
