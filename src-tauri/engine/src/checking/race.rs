//! `race-search`: looks for the moment at which two copies of one job both get through.
//!
//! Shots are fired one after another, so that none disturbs another's release; everything after that (late second copies,
//! refused copies that come again, effects that are awaited, counts that settle) goes on beside the next shots, so that
//! waiting costs nothing. How many jobs are in the air follows what the handler keeps up with.

mod offsets;

use super::{
    advice::Advice,
    bench::Bench,
    counting::Judged,
    finding::{Finding, plural, span, times},
    job::Job,
    sending::Seconds,
};
use crate::model::{CopyReport, ScenarioId, ScenarioReport};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use offsets::{Offsets, Shape, Shot};
use std::time::{Duration, Instant};
use tokio::{sync::oneshot, time::sleep};

/// How many jobs may wait for their count, at first and at most.
const IN_AIR: (usize, usize) = (24, 400);
/// How long shots are gathered before they are counted together.
const GATHER: Duration = Duration::from_millis(250);
/// How often a shot that hit is repeated, to say how often it does.
const REPEATS: usize = 20;
/// From how far apart on a pair is not fired alone.
const FAR: Duration = Duration::from_millis(4);
/// How long a shot has to leave before the next begins: many times what a volley over loopback needs.
const LEAVES: Duration = Duration::from_millis(40);
/// How many shots may wait for their second copy, or for an answer.
const FLYING: (usize, usize) = (6, 48);
/// How often what goes on is told.
const TELL: Duration = Duration::from_millis(400);

/// A shot with its job.
struct Fired {
    shot: Shot,
    job: Job,
    shape: Option<Shape>,
    in_flight: u32,
}

/// What was found so far.
#[derive(Debug, Default)]
struct Tally {
    volleys: usize,
    pairs: usize,
    counted: usize,
    refused: usize,
    unseen: Option<String>,
    most_in_flight: u32,
}

/// Shots that were judged together.
struct Batch {
    fired: Vec<Fired>,
    judged: Judged,
    took: Duration,
}

/// A search on its way.
struct Search<'a> {
    bench: &'a Bench,
    offsets: Offsets,
    tally: Tally,
    /// Jobs that were fired and not counted, and how many of them there may be.
    in_air: usize,
    in_air_limit: usize,
    /// Shots that landed and are to be counted together, and since when.
    gathered: Vec<Fired>,
    since: Instant,
    hit: Option<Batch>,
    lost: Option<Batch>,
}

pub(super) async fn search(bench: &Bench) -> Finding {
    let budget = Duration::from_millis(bench.spec.race_budget_ms);
    let seed = u64::from(bench.spec.seed.unwrap_or_default());
    let mut search = Search {
        bench,
        offsets: Offsets::new(bench.duration(), bench.spec.copies, seed),
        tally: Tally::default(),
        in_air: 0,
        in_air_limit: first_limit(bench),
        gathered: Vec::new(),
        since: Instant::now(),
        hit: None,
        lost: None,
    };
    let most_flying = most_flying(bench);
    let (begun, mut told) = (Instant::now(), Instant::now());
    let mut flying = FuturesUnordered::new();
    let mut counting = FuturesUnordered::new();
    // The shot that has not left yet: the next one waits for it, and what else happens does not.
    let mut leaving: Option<oneshot::Receiver<()>> = None;
    loop {
        let over = begun.elapsed() >= budget || search.hit.is_some() || search.lost.is_some();
        if over && flying.is_empty() && search.gathered.is_empty() && counting.is_empty() {
            break;
        }
        if search.has_gathered(over && flying.is_empty()) {
            counting.push(judge(bench, std::mem::take(&mut search.gathered)));
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            tell(bench, &search.tally, begun.elapsed(), budget);
        }
        if !over
            && leaving.is_none()
            && search.in_air < search.in_air_limit
            && flying.len() < most_flying
        {
            search.in_air += 1;
            let (left, gone) = oneshot::channel();
            flying.push(fire(bench, search.offsets.next(), left));
            leaving = Some(gone);
        }
        tokio::select! {
            () = has_left(leaving.as_mut()), if leaving.is_some() => leaving = None,
            Some(fired) = flying.next(), if !flying.is_empty() => search.land(fired),
            Some(batch) = counting.next(), if !counting.is_empty() => search.count(batch),
            () = sleep(GATHER / 5) => {}
        }
    }
    let Search { offsets, tally, hit, lost, .. } = search;
    match (hit, lost) {
        (Some(batch), _) => doubled(bench, batch, &tally).await,
        (None, Some(batch)) => gone(bench, batch).await,
        (None, None) => nothing(bench, &offsets, &tally),
    }
}

/// Waits until a shot has left: a volley whole, a pair with its first copy.
async fn has_left(leaving: Option<&mut oneshot::Receiver<()>>) {
    if let Some(gone) = leaving {
        // One that was dropped has left as well.
        let _ = gone.await;
    }
}

impl Search<'_> {
    /// Whether what was gathered is to be counted now.
    fn has_gathered(&self, last: bool) -> bool {
        !self.gathered.is_empty() && (last || self.since.elapsed() >= GATHER)
    }

    /// Takes a shot that has landed to those that are to be counted.
    fn land(&mut self, fired: Fired) {
        match (fired.shot, &fired.shape) {
            (Shot::Pair(at), Some(shape)) => {
                self.tally.pairs += 1;
                self.offsets.learn(at, shape.clone());
            }
            (Shot::Pair(_), None) => self.tally.pairs += 1,
            (Shot::Volley(_), _) => self.tally.volleys += 1,
        }
        self.tally.most_in_flight = self.tally.most_in_flight.max(fired.in_flight);
        if self.gathered.is_empty() {
            self.since = Instant::now();
        }
        self.gathered.push(fired);
    }

    /// Takes what was counted.
    fn count(&mut self, batch: Batch) {
        self.in_air -= batch.fired.len();
        self.in_air_limit = adapt(self.bench, self.in_air_limit, batch.took);
        self.tally.counted += batch.fired.len();
        self.tally.refused += batch.judged.refused.len();
        if let Some(why) = &batch.judged.unseen {
            self.tally.unseen.get_or_insert_with(|| why.clone());
        }
        if !batch.judged.doubled.is_empty() {
            self.hit.get_or_insert(batch);
        } else if !batch.judged.lost.is_empty() {
            self.lost.get_or_insert(batch);
        }
    }
}

/// How many jobs may wait for their count at first: fewer where a worker takes long for each.
fn first_limit(bench: &Bench) -> usize {
    if bench.one_at_a_time() {
        return 4;
    }
    let work_ms = bench.facts().work_ms.unwrap_or(0.0).max(1.0);
    ((2000.0 / work_ms) as usize).clamp(4, IN_AIR.0)
}

/// How many shots may be unanswered: fewer where each keeps the handler busy for long.
fn most_flying(bench: &Bench) -> usize {
    if bench.one_at_a_time() {
        return 1;
    }
    let slow = bench.duration().as_secs_f64() / 0.05;
    ((FLYING.1 as f64 / slow.max(1.0)) as usize).max(FLYING.0)
}

/// Fires one shot; says through `left` when the next may begin.
async fn fire(bench: &Bench, shot: Shot, left: oneshot::Sender<()>) -> Fired {
    let job = bench.job(in_words(shot));
    let copies = release(bench, shot, &job, left).await;
    let (shape, in_flight) = (Shape::of(&copies), peak(&copies));
    Fired { shot, job, shape, in_flight }
}

async fn release(
    bench: &Bench,
    shot: Shot,
    job: &Job,
    left: oneshot::Sender<()>,
) -> Vec<CopyReport> {
    let firing = async {
        match shot {
            Shot::Volley(copies) => bench.volley(job, copies, &[bench.url().to_owned()]).await,
            Shot::Pair(gap) => bench.pair(job, gap, Seconds::Same).await,
        }
    };
    // A pair that is far apart is in nobody's way from the beginning; the rest once they have left, answered or not.
    let leave = match shot {
        Shot::Pair(gap) if gap >= FAR => Duration::ZERO,
        Shot::Volley(_) | Shot::Pair(_) => LEAVES,
    };
    tokio::pin!(firing);
    tokio::select! {
        copies = &mut firing => {
            let _ = left.send(());
            copies
        }
        () = sleep(leave) => {
            let _ = left.send(());
            firing.await
        }
    }
}

/// The most copies that were let go and not yet answered at one moment.
fn peak(copies: &[CopyReport]) -> u32 {
    let mut steps: Vec<(f64, i32)> = copies
        .iter()
        .filter_map(|copy| Some((copy.released_us? / 1e3, copy.total_ms?)))
        .flat_map(|(from, took)| [(from, 1), (from + took, -1)])
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most) = (0, 0);
    for (_, step) in steps {
        now += step;
        most = most.max(now);
    }
    u32::try_from(most).unwrap_or(0)
}

async fn judge(bench: &Bench, fired: Vec<Fired>) -> Batch {
    let begun = Instant::now();
    let jobs: Vec<&Job> = fired.iter().map(|fired| &fired.job).collect();
    let judged = bench.judge(&jobs).await;
    Batch { judged, took: begun.elapsed(), fired }
}

/// More in the air while the handler's effects keep up, fewer when they lag behind.
fn adapt(bench: &Bench, limit: usize, took: Duration) -> usize {
    let usual = bench.duration() + bench.settle() * 2;
    if took > usual * 2 {
        (limit / 2).max(4)
    } else if bench.one_at_a_time() {
        limit
    } else {
        (limit + limit / 2 + 1).min(IN_AIR.1)
    }
}

fn tell(bench: &Bench, tally: &Tally, elapsed: Duration, budget: Duration) {
    let left = budget.saturating_sub(elapsed).as_secs();
    bench.tell(super::Told::Scenario(Box::new(ScenarioReport {
        reason: format!(
            "{} and {} so far, {} counted; {left} s left.",
            plural(tally.volleys, "volley", "volleys"),
            plural(tally.pairs, "pair", "pairs"),
            tally.counted
        ),
        ..super::waiting(ScenarioId::RaceSearch)
    })));
}

fn in_words(shot: Shot) -> String {
    match shot {
        Shot::Volley(copies) => format!("{copies} copies at once"),
        Shot::Pair(gap) if gap.is_zero() => "two copies at once".into(),
        Shot::Pair(gap) => format!("two copies {} apart", span(gap.as_secs_f64() * 1e3)),
    }
}

/// An effect doubled: the same shot is repeated, to say how often it hits.
async fn doubled(bench: &Bench, batch: Batch, tally: &Tally) -> Finding {
    let first = batch.judged.worst();
    let Fired { shot, job, in_flight, .. } = &batch.fired[first];
    let mut again: Vec<Job> = Vec::with_capacity(REPEATS);
    let far = matches!(shot, Shot::Pair(gap) if *gap >= Duration::from_millis(50));
    if far && !bench.one_at_a_time() {
        let fired = FuturesUnordered::new();
        for _ in 0..REPEATS {
            fired.push(fire(bench, *shot, oneshot::channel().0));
        }
        again.extend(fired.map(|fired| fired.job).collect::<Vec<_>>().await);
    } else {
        for _ in 0..REPEATS {
            again.push(fire(bench, *shot, oneshot::channel().0).await.job);
        }
    }
    let repeated: Vec<&Job> = again.iter().collect();
    let judged = bench.judge(&repeated).await;
    let hits = judged.doubled.len();
    let count = job.effects().unwrap_or(0);
    let reason = format!(
        "{} (offset {}) ran the effect {}, and {hits} of {REPEATS} more of the same did; found after {} and {}, \
         {in_flight} in flight.",
        capital(&in_words(*shot)),
        match shot {
            Shot::Volley(_) => "0".into(),
            Shot::Pair(gap) => span(gap.as_secs_f64() * 1e3),
        },
        times(count),
        plural(tally.volleys, "volley", "volleys"),
        plural(tally.pairs, "pair", "pairs"),
    );
    let (copies, gap) = match shot {
        Shot::Volley(copies) => (*copies, None),
        Shot::Pair(gap) => (2, Some(gap.as_secs_f64() * 1e3)),
    };
    let late = gap.is_some_and(|gap| gap > bench.duration().as_secs_f64() * 1e3 * 1.5 + 5.0);
    let advice = if late { Advice::ClaimAcrossTime } else { Advice::ClaimByInsert };
    let mut shown = vec![job];
    shown.extend(judged.doubled.iter().take(2).map(|index| repeated[*index]));
    let all: Vec<&Job> = batch.fired.iter().map(|fired| &fired.job).chain(again.iter()).collect();
    Finding::fail(reason, advice)
        .answers(&all)
        .shown_by(&shown)
        .counted(bench, 1, job)
        .await
        .fired(copies, gap)
}

/// Acknowledged, and the effect never came.
async fn gone(bench: &Bench, batch: Batch) -> Finding {
    let Fired { shot, .. } = &batch.fired[batch.judged.worst()];
    let reason =
        format!("{} were acknowledged, and the effect never came.", capital(&in_words(*shot)));
    let jobs: Vec<&Job> = batch.fired.iter().map(|fired| &fired.job).collect();
    Finding::fail(reason, Advice::AcknowledgeAfterKeeping).once(bench, &jobs, &batch.judged).await
}

/// Nothing was found: how much was tried, and whether it was tried at all.
fn nothing(bench: &Bench, offsets: &Offsets, tally: &Tally) -> Finding {
    let tried = tally.volleys + tally.pairs;
    let reason = format!(
        "0 of {tried} doubled: {}, and {} from nothing to {} apart; the handler takes {}, and up to {} copies were in \
         flight.",
        plural(tally.volleys, "volley", "volleys"),
        plural(tally.pairs, "pair", "pairs"),
        span(offsets.furthest().as_secs_f64() * 1e3),
        span(bench.duration().as_secs_f64() * 1e3),
        tally.most_in_flight,
    );
    let finding = if let Some(why) = &tally.unseen {
        Finding::unknown(format!("{tried} fired. {why}"))
    } else if tried == 0 {
        Finding::unknown(
            "The budget was over before anything was fired; give a longer --race-budget.",
        )
    } else if bench.one_at_a_time() {
        Finding::warn(
            format!("Not exercised: the handler took the copies one at a time. {reason}"),
            Advice::OneAtATime,
        )
    } else {
        Finding::pass(reason)
    };
    let finding = if tally.refused > 0 {
        let jobs = plural(tally.refused, "job was", "jobs were");
        finding.note(format!("{jobs} never acknowledged, and say nothing."))
    } else {
        finding
    };
    Finding { expected: Some(1), observed: tally.unseen.is_none().then_some(1), ..finding }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}
