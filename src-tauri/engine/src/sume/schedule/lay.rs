//! Which delivery of a job is which attempt of the schedule.
//!
//! Nothing in a delivery says so, so that only the moments tell: an attempt comes a gap after the end of the one before
//! it. Where a moment fits two attempts or none, the delivery has no number; that is better than a wrong one.

use super::acknowledges;
use crate::{
    clock::rfc3339,
    model::{ClaimState, Delivery, Ended, JobSchedule, LaidAttempt, Schedule},
};
use jiff::{SignedDuration, Timestamp};

/// How early or late an attempt may be, as a part of the gap.
const TOLERANCE: f64 = 0.1;
/// How late the very next attempt may be, which is the likeliest of all to come: a provider's queue may be behind.
const NEXT_LATE: f64 = 0.25;

/// What is known of one delivery, in milliseconds after the first.
#[derive(Debug)]
struct Seen {
    seq: i64,
    at: f64,
    took: Option<f64>,
    /// When the provider had its answer or gave it up: the earliest and the latest that it can have been.
    end: (f64, f64),
    /// A 2xx in time.
    acknowledged: bool,
    too_slow: bool,
    /// Until when its handler was at work; `None` where that is not known.
    busy_until: Option<f64>,
    /// It is a verified delivery of the job, with the event of the first.
    counts: bool,
}

/// The deliveries of a job, whichever order they are in, beside the schedule, as it looks `now`. The first verified one
/// is taken for the first attempt. `None` where no delivery is verified, or where the ones before them are gone, so that
/// there is nothing to count from.
pub fn lay(deliveries: &[Delivery], schedule: Schedule, now: Timestamp) -> Option<JobSchedule> {
    let mut timed: Vec<(Timestamp, &Delivery)> = deliveries
        .iter()
        .map(|delivery| Some((delivery.received_at.parse().ok()?, delivery)))
        .collect::<Option<_>>()?;
    timed.sort_by_key(|(at, delivery)| (*at, delivery.seq));
    let origin = timed.first()?.0;
    let (_, first) = *timed.iter().find(|(_, delivery)| verified(delivery))?;
    let is_here = |seq| deliveries.iter().any(|delivery| delivery.seq == seq);
    if first.duplicate_of.is_some_and(|winner| !is_here(winner)) {
        return None;
    }
    let now_ms = since(origin, now);
    let seen: Vec<Seen> = timed
        .iter()
        .map(|(at, delivery)| Seen {
            counts: verified(delivery) && delivery.event == first.event,
            ..look(delivery, since(origin, *at), &schedule, now_ms)
        })
        .collect();

    let grid = Grid::of(&schedule);
    let numbers = number(&seen, &grid, schedule.attempts);
    let (last, last_number) = last_of(&seen, &numbers)?;
    let ended =
        numbers.iter().zip(&seen).any(|(number, seen)| number.is_some() && seen.acknowledged);
    let more = schedule.attempts - last_number;
    let left = if ended { 0 } else { more - grid.passed(last, more, now_ms) };
    // The attempts in between may each take their whole time.
    let ends_ms = match more {
        0 => last.at,
        more => last.end.1 + grid.gap * f64::from(more) + grid.timeout * f64::from(more - 1),
    };
    let ends_at = origin.saturating_add(SignedDuration::from_micros((ends_ms * 1e3) as i64));
    let attempts = numbers.iter().zip(&seen).enumerate();
    Some(JobSchedule {
        attempts: attempts
            .map(|(index, (number, this))| LaidAttempt {
                seq: this.seq,
                attempt: number.map(|(number, _)| number),
                at_ms: this.at,
                due_ms: number.map(|(_, due)| due),
                took_ms: this.took,
                too_slow: this.too_slow,
                overlaps: overlapped(&seen[..index], this.at),
            })
            .collect(),
        left,
        acknowledged_by: seen
            .iter()
            .find(|seen| seen.counts && seen.acknowledged)
            .map(|seen| seen.seq),
        ends_ms,
        ends_at: ends_at.map(rfc3339).unwrap_or_default(),
        schedule,
    })
}

/// A delivery that could claim the job: it counts, whoever won.
fn verified(delivery: &Delivery) -> bool {
    delivery.claim != ClaimState::None
}

fn since(origin: Timestamp, at: Timestamp) -> f64 {
    at.duration_since(origin).as_micros() as f64 / 1e3
}

fn look(delivery: &Delivery, at: f64, schedule: &Schedule, now: f64) -> Seen {
    let timeout = schedule.timeout_ms as f64;
    let took = delivery.duration_ms;
    let given_up = at + timeout;
    let end = match (delivery.ended, took) {
        // In time or not: the provider had it, or had given it up.
        (Some(Ended::Answered | Ended::Refused), Some(took)) => {
            let end = at + took.min(timeout);
            (end, end)
        }
        (Some(Ended::SenderLeft), Some(took)) if took >= timeout => (given_up, given_up),
        // It had left before that was noticed.
        (Some(Ended::SenderLeft), Some(took)) => (at, at + took),
        (None, _) => (now.clamp(at, given_up), given_up),
        (Some(_), _) => (at, given_up),
    };
    let answered = delivery.ended == Some(Ended::Answered);
    let in_time = took.is_some_and(|took| took <= timeout);
    let at_work = delivery.ended.is_none();
    Seen {
        seq: delivery.seq,
        at,
        took: took.filter(|_| matches!(delivery.ended, Some(Ended::Answered | Ended::SenderLeft))),
        end,
        acknowledged: answered && in_time && delivery.status.is_some_and(acknowledges),
        too_slow: took.is_some_and(|took| took > timeout) || (at_work && now > given_up),
        busy_until: if at_work { Some(f64::INFINITY) } else { took.map(|took| at + took) },
        counts: false,
    }
}

/// The latest of the earlier deliveries that was still at work.
fn overlapped(earlier: &[Seen], at: f64) -> Option<i64> {
    let at_work = |seen: &&Seen| seen.busy_until.is_some_and(|until| until > at);
    earlier.iter().rev().find(at_work).map(|seen| seen.seq)
}

/// The last delivery that has a number.
fn last_of<'a>(seen: &'a [Seen], numbers: &[Option<(u32, f64)>]) -> Option<(&'a Seen, u32)> {
    let mut numbered = seen.iter().zip(numbers).rev();
    numbered.find_map(|(seen, number)| Some((seen, (*number)?.0)))
}

/// The moments at which attempts are due.
#[derive(Debug, Clone, Copy)]
struct Grid {
    gap: f64,
    timeout: f64,
}

impl Grid {
    fn of(schedule: &Schedule) -> Self {
        Self { gap: schedule.gap_ms as f64, timeout: schedule.timeout_ms as f64 }
    }

    /// How many attempts after `last` must have begun by now, whether they came here or not.
    fn passed(&self, last: &Seen, most: u32, now: f64) -> u32 {
        let begun = |step: &u32| {
            let others = self.timeout * f64::from(step - 1);
            last.end.1 + self.gap * (f64::from(*step) + NEXT_LATE) + others < now
        };
        (1..=most).take_while(begun).count() as u32
    }

    /// When the attempt so many `steps` after `last` was due, where `at` is its moment. Each attempt that was lost in
    /// between was refused at once or timed out.
    fn due(&self, last: &Seen, step: u32, at: f64) -> Option<f64> {
        let late = if step == 1 { NEXT_LATE } else { TOLERANCE };
        (0..step).find_map(|timed_out| {
            let after = self.gap * f64::from(step) + self.timeout * f64::from(timed_out);
            let (earliest, latest) = (last.end.0 + after, last.end.1 + after);
            let fits = at >= earliest - self.gap * TOLERANCE && at <= latest + self.gap * late;
            fits.then(|| at.clamp(earliest, latest))
        })
    }
}

/// The number of each attempt, and when it was due.
fn number(seen: &[Seen], grid: &Grid, attempts: u32) -> Vec<Option<(u32, f64)>> {
    let mut numbers = vec![None; seen.len()];
    let Some(first) = seen.iter().position(|seen| seen.counts) else { return numbers };
    numbers[first] = Some((1, seen[first].at));
    let (mut last, mut n) = (first, 1);
    while !seen[last].acknowledged
        && let Some((next, step, due)) = successor(seen, last, grid, attempts - n)
    {
        (last, n) = (next, n + step);
        numbers[last] = Some((n, due));
    }
    numbers
}

/// The delivery that is the next attempt here after `last`, how many steps after, and when it was due.
fn successor(seen: &[Seen], last: usize, grid: &Grid, most: u32) -> Option<(usize, u32, f64)> {
    let fit = |index: usize| {
        let at = seen[index].at;
        let mut fits = (1..=most).filter_map(|step| Some((step, grid.due(&seen[last], step, at)?)));
        let (step, due) = fits.next()?;
        // Two attempts may have come at this moment: which one did is not known.
        fits.next().is_none().then_some((index, step, due))
    };
    let later = last + 1..seen.len();
    let (_, step, _) = later.clone().filter(|index| seen[*index].counts).find_map(fit)?;
    // A Redeliver may have come about the same time: the nearer one is the attempt.
    let off = |(index, _, due): &(usize, u32, f64)| (seen[*index].at - due).abs();
    later
        .filter(|index| seen[*index].counts)
        .filter_map(fit)
        .filter(|(_, other, _)| *other == step)
        .min_by(|one, other| off(one).total_cmp(&off(other)))
}

#[cfg(test)]
mod tests;
