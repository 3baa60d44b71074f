//! What sees the effect: five ways to count how often it ran for a job.

mod canary;
mod command;
mod file;
mod log;
mod number;
mod postgres;
mod query;
mod sqlite;
#[cfg(test)]
mod tests;
mod tls;
mod url;

use super::{canary::Artifact, error::CheckError};
use crate::{
    model::ProbeSpec,
    payload::{PointerError, check_pointer},
};

/// A job as a probe is asked about it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The id.
    pub(super) job_id: String,
    /// Its artifact, where the body names one.
    pub(super) artifact: Option<Artifact>,
}

/// What a probe saw of a job, or why it could not, as a sentence.
pub(super) type Sight = Result<u32, String>;

/// One way to count.
#[derive(Debug)]
pub(super) struct Probe {
    name: &'static str,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Postgres>),
    Url(url::Url),
    Command(command::Command),
    Log(log::Log),
    Canary,
}

impl Probe {
    /// Makes a probe ready: what can be seen to be wrong with it now is an error, what may come right (a database that the
    /// handler makes later) is not.
    pub(super) async fn new(spec: &ProbeSpec) -> Result<Self, CheckError> {
        let name = spec.name();
        let way = Way::new(spec).await;
        way.map(|way| Self { name, way })
            .map_err(|reason| CheckError::Probe { probe: name, reason })
    }

    /// As in `evidence`.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Counts each job's effect, in their order. Many jobs at once are asked about in as few steps as the way allows.
    pub(super) async fn counts(&self, subjects: &[Subject]) -> Vec<Sight> {
        if let Way::Canary = self.way {
            return subjects.iter().map(canary::count).collect();
        }
        let ids: Vec<String> = subjects.iter().map(|subject| subject.job_id.clone()).collect();
        match &self.way {
            _ if ids.is_empty() => Vec::new(),
            Way::Sqlite(sqlite) => sqlite.counts(ids).await,
            Way::Postgres(postgres) => postgres.counts(&ids).await,
            Way::Url(url) => url.counts(&ids).await,
            Way::Command(command) => command.counts(&ids).await,
            Way::Log(log) => log.counts(ids).await,
            Way::Canary => Vec::new(),
        }
    }
}

impl Way {
    /// An error goes on after a colon and ends in what to do.
    async fn new(spec: &ProbeSpec) -> Result<Self, String> {
        Ok(match spec {
            ProbeSpec::Sql { database, query } => Self::sql(database, query)?,
            ProbeSpec::Url { url, pointer } => {
                usable_pointer(pointer, "/count")?;
                Self::Url(url::Url::new(url, pointer).await?)
            }
            ProbeSpec::Command { command } => Self::Command(command::Command::new(command)?),
            ProbeSpec::Log { file, pattern } => Self::Log(log::Log::new(file, pattern)?),
            ProbeSpec::Canary { pointer } => {
                usable_pointer(pointer, "/artifacts/0/url")?;
                Self::Canary
            }
        })
    }

    fn sql(database: &str, query: &str) -> Result<Self, String> {
        if let Some(path) = database.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return Ok(Self::Sqlite(sqlite::Sqlite::new(path, query)?));
        }
        if postgres::is_one(database) {
            return Ok(Self::Postgres(Box::new(postgres::Postgres::new(database, query)?)));
        }
        // Not shown: it may hold a password.
        Err("the database is neither `sqlite:PATH` nor `postgres://…`; give one of these, for \
             example sqlite:./dev.db or postgres://user@127.0.0.1/orders"
            .to_owned())
    }
}

fn usable_pointer(pointer: &str, example: &str) -> Result<(), String> {
    check_pointer(pointer).map_err(|error| match error {
        PointerError::NoSlash(text) => format!(
            "the pointer `{text}` must be empty or begin with `/`, for example {example} (RFC 6901)"
        ),
        PointerError::Tilde(text) => format!(
            "the pointer `{text}` has a `~` that is neither `~0` (for ~) nor `~1` (for /) (RFC 6901)"
        ),
    })
}

/// The same for all of them.
fn for_all(ids: &[String], error: &str) -> Vec<Sight> {
    ids.iter().map(|_| Err(error.to_owned())).collect()
}
