//! What was measured: one copy's times on the run's clock, and the summary of all.

use crate::{
    clock::{microseconds, milliseconds},
    model::{CopyOutcome, CopyReport, ReleaseMethod, RunSummary},
};
use std::{
    collections::BTreeMap,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// The moment from which a run's times are counted: the release of the first copy that went.
#[derive(Debug, Default)]
pub(super) struct Origin(OnceLock<Instant>);

impl Origin {
    /// The first to say so decides.
    pub(super) fn set(&self, at: Instant) {
        self.0.get_or_init(|| at);
    }

    /// `None` while nothing was let go.
    pub(super) fn get(&self) -> Option<Instant> {
        self.0.get().copied()
    }
}

/// A copy that has an outcome, with the instants that the summary needs.
#[derive(Debug)]
pub(super) struct Fired {
    pub(super) report: CopyReport,
    pub(super) released: Option<Instant>,
    pub(super) done: Instant,
}

/// Milliseconds from one instant to another, below zero when it came before.
pub(super) fn ms(from: Instant, to: Instant) -> f64 {
    match to.checked_duration_since(from) {
        Some(later) => milliseconds(later),
        None => -milliseconds(from.duration_since(to)),
    }
}

/// The summary of copies that all have an outcome.
pub(super) fn summary(
    copies: u32,
    fired: &[Fired],
    released_by: ReleaseMethod,
    stopped: bool,
) -> RunSummary {
    let mut statuses = BTreeMap::new();
    for status in fired.iter().filter_map(|copy| copy.report.status) {
        *statuses.entry(status).or_insert(0) += 1;
    }
    let count = |outcome| {
        fired.iter().filter(|copy| copy.report.outcome == outcome).fold(0, |count, _| count + 1)
    };
    RunSummary {
        copies,
        statuses,
        release_spread_us: microseconds(spread(fired)),
        peak_in_flight: peak(fired),
        outcome_unknown: count(CopyOutcome::Unknown),
        not_sent: count(CopyOutcome::NotSent),
        released_by,
        stopped,
    }
}

fn spread(fired: &[Fired]) -> Duration {
    let released = || fired.iter().filter_map(|copy| copy.released);
    match (released().min(), released().max()) {
        (Some(first), Some(last)) => last - first,
        _ => Duration::ZERO,
    }
}

/// The most copies that were let go and not yet answered at one moment.
fn peak(fired: &[Fired]) -> u32 {
    let mut steps: Vec<(Instant, i32)> = fired
        .iter()
        .filter_map(|copy| Some((copy.released?, copy.done)))
        .flat_map(|(released, done)| [(released, 1), (done.max(released), -1)])
        .collect();
    // Of two at one instant the end comes first: they were not in flight together.
    steps.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, step) in steps {
        now += step;
        most = most.max(now);
    }
    u32::try_from(most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(start: Instant, flight: Option<(u64, u64)>, status: Option<u16>) -> Fired {
        let at = |us: u64| start + Duration::from_micros(us);
        let outcome = match (flight, status) {
            (_, Some(_)) => CopyOutcome::Answered,
            (Some(_), None) => CopyOutcome::Unknown,
            (None, None) => CopyOutcome::NotSent,
        };
        let report = CopyReport {
            n: 1,
            local_port: None,
            connected_ms: None,
            written_ms: None,
            released_us: None,
            first_byte_ms: None,
            total_ms: None,
            status,
            outcome,
            error: None,
            warnings: vec![],
            location: None,
            response_body: String::new(),
        };
        Fired {
            report,
            released: flight.map(|(from, _)| at(from)),
            done: at(flight.map_or(0, |(_, to)| to)),
        }
    }

    #[test]
    fn spread_and_peak_come_from_the_intervals() {
        let start = Instant::now();
        let fired = [
            copy(start, Some((0, 100)), Some(204)),
            copy(start, Some((40, 90)), Some(204)),
            copy(start, Some((100, 300)), None),
            copy(start, Some((95, 99)), Some(500)),
            copy(start, None, None),
        ];
        let summary = summary(5, &fired, ReleaseMethod::SendLoop, false);
        assert_eq!(summary.statuses, BTreeMap::from([(204, 2), (500, 1)]));
        assert!((summary.release_spread_us - 100.0).abs() < 1e-6);
        assert_eq!((summary.peak_in_flight, summary.outcome_unknown, summary.not_sent), (2, 1, 1));
    }

    #[test]
    fn a_run_of_which_nothing_left_has_no_spread() {
        let summary = summary(1, &[copy(Instant::now(), None, None)], ReleaseMethod::Unheld, true);
        assert_eq!((summary.peak_in_flight, summary.not_sent, summary.stopped), (0, 1, true));
        assert!(summary.release_spread_us.abs() < f64::EPSILON);
    }

    #[test]
    fn what_came_before_is_below_zero() {
        let now = Instant::now();
        let later = now + Duration::from_millis(2);
        assert!((ms(now, later) - 2.0).abs() < 1e-6 && (ms(later, now) + 2.0).abs() < 1e-6);
    }
}
