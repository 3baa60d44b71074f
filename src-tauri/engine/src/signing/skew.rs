//! A clock that is wrong: many deliveries, each signed at its own moment, that are all old or ahead by as much.

use jiff::Timestamp;

/// How many deliveries in a row say it. Fewer may be a provider's retries, or somebody who fires old requests again.
const ENOUGH: usize = 5;
/// How far their ages may lie apart, in seconds: signed times are whole seconds, and networks differ.
const APART_S: f64 = 5.0;

/// When a delivery whose digest matched was received, and how old its signed time was then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sighting {
    /// By this machine's clock.
    pub received_at: Timestamp,
    /// Seconds from the signed time to the receipt; below zero is ahead.
    pub age_s: f64,
}

impl Sighting {
    /// How many are worth keeping.
    pub const KEPT: usize = ENOUGH;

    fn signed_second(self) -> i64 {
        (self.received_at.as_duration().as_secs_f64() - self.age_s).round() as i64
    }
}

/// The sentence about a clock, where this delivery and the last ones (newest first) bear it out.
pub(super) fn hint(
    this: Sighting,
    before: impl IntoIterator<Item = Sighting>,
    tolerance_s: u32,
) -> Option<String> {
    let mut seconds = vec![this.signed_second()];
    for sighting in before {
        let off = sighting.age_s.abs() > f64::from(tolerance_s);
        if !off || (sighting.age_s - this.age_s).abs() > APART_S {
            return None;
        }
        // A request that is sent again has its old time: it says nothing of a clock.
        let second = sighting.signed_second();
        if !seconds.contains(&second) {
            seconds.push(second);
        }
        if seconds.len() == ENOUGH {
            let (by, way) =
                (this.age_s.abs().round(), if this.age_s < 0.0 { "ahead" } else { "old" });
            return Some(format!(
                "the last {ENOUGH} signed deliveries, each signed at another second, were all about {by} s {way}: the \
                 clock of this machine or of the sender is off by that much"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, age_s: f64) -> Sighting {
        Sighting { received_at: Timestamp::from_second(second).unwrap(), age_s }
    }

    fn said(sightings: &[Sighting]) -> Option<String> {
        hint(sightings[0], sightings[1..].iter().copied(), 300)
    }

    #[test]
    fn the_same_skew_over_different_seconds_is_a_clock() {
        let steady: Vec<_> = (0..5).map(|n| at(10_000 - 10 * n, 3600.0 + 0.5 * n as f64)).collect();
        assert!(said(&steady).unwrap().contains("were all about 3600 s old"));
        let ahead: Vec<_> = (0..5).map(|n| at(10_000 - 10 * n, -400.0)).collect();
        assert!(said(&ahead).unwrap().contains("400 s ahead"));
        assert_eq!(said(&steady[..4]), None);
    }

    #[test]
    fn old_requests_that_are_sent_again_are_no_clock() {
        // The same signed second each time, so the age grows as the receipt does.
        let replayed: Vec<_> = (0..9).map(|n| at(10_000 - n, 3600.0 - n as f64)).collect();
        assert_eq!(said(&replayed), None);
        let at_once = vec![at(10_000, 3600.0); 9];
        assert_eq!(said(&at_once), None);
    }

    #[test]
    fn one_that_is_in_time_ends_it() {
        let mut mixed: Vec<_> = (0..9).map(|n| at(10_000 - 10 * n, 400.0)).collect();
        mixed[2].age_s = 1.0;
        assert_eq!(said(&mixed), None);
    }
}
