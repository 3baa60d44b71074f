//! `hooktwice sume watch`: which jobs are finished with no delivery here.

use crate::{
    cli::Global,
    exit::{Exit, Failure, Result},
    output::Output,
    people, terminal, units,
};
use clap::Args;
use hooktwice_engine::{
    clock::SystemClock,
    export,
    model::{Settings, WatchState, WatchedJob},
    store::{Role, Store, WatchEntry},
    sume::{self, Api, Pace, SumeError, Turn, Watch as Watching},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// Between two looks into the data folder.
const TURN: Duration = Duration::from_millis(250);
/// How many looks in a row fail until the API is taken to be out of reach, once the webhooks were due.
const UNANSWERED: u32 = 3;

/// See which jobs are finished with no delivery here: the missed webhooks
///
/// Looks at each job's status, more and more rarely, and at the deliveries of this data folder, beside a `hooktwice listen`
/// or the window. A line for each change; it ends when every job was delivered, was missed, or is not known to Sume, and
/// names the command that brings a missed one. The jobs stay on the watch list, which the window's Sume page shows. Exits 1
/// where a webhook was missed or a job is not known, 3 where that could not be told.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// The jobs
    #[arg(value_name = "JOB_ID", required = true)]
    job_ids: Vec<String>,

    /// How long a webhook may take; a job that is not finished by then is late [default: 90s]
    #[arg(long, value_name = "DUR", value_parser = units::duration)]
    expect_within: Option<Duration>,
}

/// The lines for programs.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Watch {
        #[serde(flatten)]
        job: &'a WatchedJob,
        /// What brings a missed one.
        redeliver: Option<&'a str>,
    },
    Summary(&'a Summary),
}

/// How it ended, each job by what is known of it.
#[derive(Debug, Default, Serialize)]
struct Summary {
    delivered: Vec<String>,
    missed: Vec<String>,
    late: Vec<String>,
    waiting: Vec<String>,
    unknown: Vec<String>,
}

/// What a person would call a change.
type Shown = (WatchState, Option<String>, Option<String>);

impl Watch {
    pub(super) async fn run(
        mut self,
        global: &Global,
        settings: &Settings,
        api: &Api,
        mut out: Output,
    ) -> Result {
        let stop = terminal::ended_by_person()?;
        let mut seen = HashSet::new();
        self.job_ids.retain(|id| seen.insert(id.clone()));
        let within = self
            .expect_within
            .unwrap_or(Duration::from_secs(u64::from(settings.sume.expect_within_s)));
        let store = Store::open(&global.data_folder()?, Role::Guest, settings.retention)?;
        let mut watching = Watching::new(store.clone(), Arc::new(SystemClock), Pace::default());
        watching.add(self.job_ids.clone(), within).await?;
        let due = Instant::now() + within;

        let only: HashSet<String> = self.job_ids.iter().cloned().collect();
        let mut shown = BTreeMap::new();
        let mut unanswered = 0;
        loop {
            let turn = tokio::select! {
                () = stop.cancelled() => break,
                turn = watching.turn(Some(api), Some(&only)) => turn?,
            };
            print(&mut out, &turn, &mut shown)?;
            unanswered = if turn.answered > 0 { 0 } else { unanswered };
            if let Some(error) = turn.failed.into_iter().next_back() {
                unanswered += 1;
                give_up(error, unanswered, due)?;
            }
            if self.entries(&store)?.iter().all(sume::settled) {
                break;
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = sleep(TURN) => {}
            }
        }
        let summary = summary(self.entries(&store)?);
        out.either(&Line::Summary(&summary), in_words(&summary))?;
        out.flush()?;
        Ok(if !summary.missed.is_empty() || !summary.unknown.is_empty() {
            Exit::No
        } else if !summary.late.is_empty() || !summary.waiting.is_empty() {
            Exit::Unknown
        } else {
            Exit::Done
        })
    }

    /// Those that were named, as they are now. One that somebody took off the list meanwhile is not waited for.
    fn entries(&self, store: &Store) -> Result<Vec<WatchEntry>> {
        let mut entries = store.watched()?;
        entries.retain(|entry| self.job_ids.contains(&entry.job_id));
        entries.sort_by_key(|entry| self.job_ids.iter().position(|id| *id == entry.job_id));
        Ok(entries)
    }
}

/// A key that is refused will be refused again, and an API that does not answer may never do.
fn give_up(error: SumeError, unanswered: u32, due: Instant) -> Result<()> {
    let failure = Failure::from(error);
    let late = unanswered >= UNANSWERED && Instant::now() >= due;
    match failure.exit() {
        Exit::Usage => Err(failure),
        Exit::Unknown if late => Err(failure),
        _ => Ok(()),
    }
}

fn print(out: &mut Output, turn: &Turn, shown: &mut BTreeMap<String, Shown>) -> Result<()> {
    for entry in &turn.changed {
        let now = (entry.state, entry.word.clone(), entry.problem.clone());
        if shown.insert(entry.job_id.clone(), now.clone()) == Some(now) {
            continue;
        }
        let job = entry.to_model();
        let redeliver = (job.state == WatchState::Missed).then(|| redeliver(&job.job_id));
        let line = Line::Watch { job: &job, redeliver: redeliver.as_deref() };
        out.either(&line, job_in_words(&job, redeliver.as_deref()))?;
    }
    out.flush()
}

fn redeliver(job_id: &str) -> String {
    // One that begins with a dash would be read as an option.
    let end = if job_id.starts_with('-') { "-- " } else { "" };
    format!("hooktwice sume redeliver {end}{}", export::shell_word(job_id))
}

fn job_in_words(job: &WatchedJob, redeliver: Option<&str>) -> String {
    let id = people::clean(&job.job_id);
    let says = match &job.word {
        Some(word) => format!("Sume says {}", people::clean(word)),
        None => "Sume has not said where it is".into(),
    };
    let mut text = match (job.state, job.delivery) {
        (WatchState::Delivered, Some(seq)) => format!("{id}: delivered, #{seq}"),
        (WatchState::Delivered, None) => format!("{id}: delivered"),
        (WatchState::Missed, _) => format!("{id}: MISSED; {says}, and no delivery is here"),
        (WatchState::Late, _) => format!("{id}: late; {says}"),
        (WatchState::Waiting, _) => format!("{id}: waiting; {says}"),
        (WatchState::Unknown, _) => format!("{id}: unknown"),
    };
    for line in job.problem.as_deref().into_iter().chain(redeliver) {
        text.push_str("\n    ");
        text.push_str(&people::clean(line));
    }
    text
}

fn summary(entries: Vec<WatchEntry>) -> Summary {
    let mut summary = Summary::default();
    for entry in entries {
        let ids = match entry.state {
            WatchState::Delivered => &mut summary.delivered,
            WatchState::Missed => &mut summary.missed,
            WatchState::Late => &mut summary.late,
            WatchState::Waiting => &mut summary.waiting,
            WatchState::Unknown => &mut summary.unknown,
        };
        ids.push(entry.job_id);
    }
    summary
}

fn in_words(summary: &Summary) -> String {
    let parts = [
        (summary.delivered.len(), "delivered"),
        (summary.missed.len(), "missed"),
        (summary.late.len(), "late"),
        (summary.waiting.len(), "waited for still"),
        (summary.unknown.len(), "not known to Sume"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() {
        "None is on the watch list any more.".into()
    } else {
        parts.join(", ") + "."
    }
}
