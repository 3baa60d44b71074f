//! How often the effect ran: awaited while it is due, then counted when it has been still.

use super::{bench::Bench, job::Job, probes::Subject};
use crate::model::Evidence;
use futures_util::future::join_all;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The first pause between two looks, and the longest.
const LOOK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(150));
/// How often a count may change while it is awaited to be still, before it is taken as it is.
const MOST_CHANGES: u32 = 20;

/// What is awaited before the settling time begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// An effect of every job.
    Once,
    /// None: only the settling time.
    Never,
}

/// What came of some jobs of which each must have its effect once.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Positions of jobs of which no copy was ever acknowledged, and that have no effect.
    pub(super) refused: Vec<usize>,
    /// The effect ran, and no copy was ever acknowledged.
    pub(super) unacknowledged: Vec<usize>,
    /// Acknowledged, and the effect never came.
    pub(super) lost: Vec<usize>,
    /// The effect ran more than once.
    pub(super) doubled: Vec<usize>,
    /// It could not be seen, with why.
    pub(super) unseen: Option<String>,
}

impl Judged {
    /// Every job had its effect once, and that was seen.
    pub(super) fn is_once(&self) -> bool {
        self.refused.is_empty()
            && self.unacknowledged.is_empty()
            && self.lost.is_empty()
            && self.doubled.is_empty()
            && self.unseen.is_none()
    }

    /// The job that shows it best: doubled, else lost, else refused, else the first.
    pub(super) fn worst(&self) -> usize {
        let first = |jobs: &Vec<usize>| jobs.first().copied();
        first(&self.doubled)
            .or_else(|| first(&self.lost))
            .or_else(|| first(&self.refused))
            .or_else(|| first(&self.unacknowledged))
            .unwrap_or(0)
    }
}

impl Bench {
    /// Counts each job's effect. The counts stand in the jobs; why one could not be seen is returned.
    ///
    /// An effect that is due is awaited for up to the timeout after the last one that came, so that a slow queue is
    /// waited for as long as it moves.
    pub(super) async fn count(&self, jobs: &[&Job], due: Due) -> Option<String> {
        if jobs.is_empty() {
            return None;
        }
        if self.sighted() == Some(false) {
            return Some(BLIND.to_owned());
        }
        if due == Due::Once {
            self.await_effects(jobs, None).await;
        }
        let mut changes = 0;
        let mut before = self.look(jobs).await;
        loop {
            sleep(self.settle()).await;
            let now = self.look(jobs).await;
            let still = now == before;
            before = now;
            changes += 1;
            if still || changes > MOST_CHANGES {
                break;
            }
        }
        let mut unseen = None;
        for (job, sight) in jobs.iter().zip(before) {
            match sight {
                Ok(count) => job.set_effects(Some(count)),
                Err(why) => {
                    job.set_effects(None);
                    unseen.get_or_insert(why);
                }
            }
        }
        unseen
    }

    /// Looks until every job has shown an effect, or none came for so long (where it is not given, for as long as the handler
    /// may still be at it). Marks when each was seen first.
    pub(super) async fn await_effects(&self, jobs: &[&Job], patience: Option<Duration>) {
        let mut waiting: Vec<&Job> = jobs.to_vec();
        let mut last_came = Instant::now();
        let mut pause = LOOK.0;
        loop {
            let begun = Instant::now();
            let sights = self.look(&waiting).await;
            let took = begun.elapsed();
            let mut sights = sights.into_iter();
            let before = waiting.len();
            waiting.retain(|_| !matches!(sights.next(), Some(Ok(count)) if count > 0));
            if waiting.len() < before {
                last_came = Instant::now();
            }
            let patience = patience.unwrap_or_else(|| self.patience());
            if waiting.is_empty() || last_came.elapsed() > patience || self.stop.is_cancelled() {
                return;
            }
            // A look that is dear (a command) is not taken all the time.
            sleep(pause.max(took * 2)).await;
            pause = (pause * 3 / 2).min(LOOK.1);
        }
    }

    /// What the deciding probe sees now. A count that grew since the last look is marked in the job.
    async fn look(&self, jobs: &[&Job]) -> Vec<Result<u32, String>> {
        let Some(decider) = self.probes.first() else { return Vec::new() };
        let subjects: Vec<Subject> = jobs.iter().map(|job| Self::subject(job)).collect();
        let sights = decider.counts(&subjects).await;
        for (job, sight) in jobs.iter().zip(&sights) {
            if let Ok(count) = sight {
                let before = job.effects().unwrap_or(0);
                for n in before..(*count).min(before.saturating_add(20)) {
                    job.mark("effect", format!("effect {} seen by {}", n + 1, decider.name()));
                }
                if *count > before {
                    job.set_effects(Some(*count));
                }
                if before == 0 && *count > 0 {
                    self.came(job);
                }
            }
        }
        sights
    }

    /// Sends what was refused again, awaits and counts, and says which jobs are wrong.
    pub(super) async fn judge(&self, jobs: &[&Job]) -> Judged {
        let mut acknowledging = Vec::with_capacity(jobs.len());
        for job in jobs {
            acknowledging.push(self.acknowledge(job));
        }
        let acknowledged = join_all(acknowledging).await;
        let answered: Vec<&Job> = jobs
            .iter()
            .zip(&acknowledged)
            .filter_map(|(job, acknowledged)| acknowledged.then_some(*job))
            .collect();
        let refused: Vec<&Job> = jobs
            .iter()
            .zip(&acknowledged)
            .filter_map(|(job, acknowledged)| (!acknowledged).then_some(*job))
            .collect();
        // An effect of a job that was never acknowledged is not due; it is counted all the same.
        let (unseen, also) =
            tokio::join!(self.count(&answered, Due::Once), self.count(&refused, Due::Never));
        let mut judged = Judged { unseen: unseen.or(also), ..Judged::default() };
        for (index, (job, acknowledged)) in jobs.iter().zip(&acknowledged).enumerate() {
            match (job.effects(), *acknowledged) {
                (Some(count), _) if count > 1 => judged.doubled.push(index),
                (Some(0), true) => judged.lost.push(index),
                (Some(1), false) => judged.unacknowledged.push(index),
                (_, false) => judged.refused.push(index),
                (_, true) => {}
            }
        }
        judged
    }

    /// What every probe sees of a job, the deciding one first.
    pub(super) async fn evidence(&self, job: &Job) -> Vec<Evidence> {
        let mut evidence = Vec::with_capacity(self.probes.len());
        for (index, probe) in self.probes.iter().enumerate() {
            // What the verdict stands on is the count that was taken when it was still.
            let sight = match job.effects() {
                Some(count) if index == 0 => Some(Ok(count)),
                _ => probe.counts(&[Self::subject(job)]).await.pop(),
            };
            let (count, error) = match sight {
                Some(Ok(count)) => (Some(count), None),
                Some(Err(error)) => (None, Some(error)),
                None => (None, None),
            };
            evidence.push(Evidence { probe: probe.name().to_owned(), count, error });
        }
        evidence
    }
}

/// Why no effect is counted any more.
pub(super) const BLIND: &str =
    "No probe saw the effect of the first delivery, so nothing can be said of effects.";
