//! The effect seen as rows in the handler's PostgreSQL database.
//!
//! Every count is one transaction that only reads: its settings end with it, so nothing of them stays behind in a pooler
//! that hands the same session to the handler.

mod address;
mod value;

pub(super) use address::is_one;

use super::{
    Sight, for_all, number,
    query::{self, Dialect},
    sqlite::{no_count, several_rows},
    tls,
};
use address::{Address, Encryption};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::{error::Error as _, fmt::Write as _, pin::pin, time::Duration};
use tokio::{sync::Mutex, time::timeout};
use tokio_postgres::{Client, Error, Statement, error::SqlState};
use tokio_postgres_rustls::MakeRustlsConnect;
use value::{Count, Id};

/// For one query, in seconds: the server gives up after it.
const QUERY: u64 = 5;

/// For all of a count, with connecting.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many queries are under way on the connection, one behind the other.
const IN_FLIGHT: usize = 64;

/// A database and a query.
#[derive(Debug)]
pub(super) struct Postgres {
    address: Address,
    query: String,
    session: Mutex<Option<Session>>,
}

/// A connection with the query made ready. Dropped, it is closed.
struct Session {
    client: Client,
    statement: Option<Statement>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").finish_non_exhaustive()
    }
}

/// Why nothing was counted.
struct Fault {
    sentence: String,
    /// The query was at fault, so that a new connection would not help.
    settled: bool,
}

impl Postgres {
    pub(super) fn new(database: &str, query: &str) -> Result<Self, String> {
        let query = query::ready(query, Dialect::Postgres)?;
        Ok(Self { address: Address::read(database)?, query, session: Mutex::default() })
    }

    pub(super) async fn counts(&self, ids: &[String]) -> Vec<Sight> {
        let mut session = self.session.lock().await;
        // Taken out: where this is dropped or fails on the way, a connection in the midst of something is closed.
        let kept = session.take();
        let was_kept = kept.is_some();
        let mut counted = self.attempt(kept, ids).await;
        if was_kept && counted.as_ref().is_err_and(|fault| !fault.settled) {
            // The database was started again, or the handler made its tables anew, since the last count.
            counted = self.attempt(None, ids).await;
        }
        match counted {
            Ok((kept, sights)) => {
                *session = Some(kept);
                sights
            }
            Err(fault) => for_all(ids, &fault.sentence),
        }
    }

    async fn attempt(
        &self,
        kept: Option<Session>,
        ids: &[String],
    ) -> Result<(Session, Vec<Sight>), Fault> {
        let counting = async {
            let mut session = match kept {
                Some(session) => session,
                None => self.connect().await?,
            };
            let sights =
                self.count(&mut session, ids).await.map_err(|error| self.fault(&error))??;
            Ok((session, sights))
        };
        timeout(PATIENCE, counting).await.unwrap_or_else(|_| {
            Err(self.settled(&format!("did not answer within {PATIENCE:?}; is it running?")))
        })
    }

    async fn connect(&self) -> Result<Session, Fault> {
        let tls = match self.address.encryption {
            Encryption::Verified => tls::verified().await,
            Encryption::Unverified => tls::unverified(),
        };
        let tls = tls.map_err(|sentence| Fault { sentence, settled: true })?;
        let connecting = self.address.config.connect(MakeRustlsConnect::new(tls));
        let (client, connection) = connecting.await.map_err(|error| self.fault(&error))?;
        tokio::spawn(async move {
            // How it ended is told by the query that needed it.
            let _ = connection.await;
        });
        Ok(Session { client, statement: None })
    }

    /// An outer error is the database's, an inner fault is ours about the query.
    async fn count(
        &self,
        session: &mut Session,
        ids: &[String],
    ) -> Result<Result<Vec<Sight>, Fault>, Error> {
        session.client.batch_execute(&self.beginning()).await?;
        let statement = match session.statement.take() {
            Some(statement) => statement,
            None => session.client.prepare(&self.query).await?,
        };
        if statement.params().len() != 1 || statement.columns().is_empty() {
            return Ok(Err(self.settled(
                "was given a query that has other parameters than :job_id, or gives no column; let it be a select \
                 count(*) with :job_id alone.",
            )));
        }
        let client = &session.client;
        let mut counts = Vec::with_capacity(ids.len());
        for id in ids {
            counts.push(one(client, &statement, id));
        }
        let sights: Vec<Result<Sight, Error>> =
            stream::iter(counts).buffered(IN_FLIGHT).collect().await;
        // The first error is the cause; those behind it only say that the transaction is over.
        let sights = sights.into_iter().collect::<Result<_, _>>()?;
        client.batch_execute("COMMIT").await?;
        session.statement = Some(statement);
        Ok(Ok(sights))
    }

    fn beginning(&self) -> String {
        let mut sql = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL statement_timeout = '{QUERY}s'; SET LOCAL \
             idle_in_transaction_session_timeout = '30s'"
        );
        if let Some(schema) = &self.address.schema {
            // Writing to a String cannot fail.
            let _ = write!(sql, "; SET LOCAL search_path = \"{}\"", schema.replace('"', "\"\""));
        }
        sql
    }

    fn settled(&self, what: &str) -> Fault {
        Fault { sentence: format!("{} {what}", self.address.name), settled: true }
    }

    fn fault(&self, error: &Error) -> Fault {
        let name = &self.address.name;
        let Some(said) = error.as_db_error() else {
            let mut why = error.to_string();
            if let Some(source) = error.source() {
                why = format!("{why}: {source}");
            }
            let advice = if why.contains("certificate") {
                "; name the file with its issuer's certificate in SSL_CERT_FILE, or use sslmode=prefer, which \
                 encrypts without looking at the certificate"
            } else {
                "; is it running, and are host, port and password right?"
            };
            return Fault { sentence: format!("{name}: {why}{advice}."), settled: false };
        };
        let message = number::clip(said.message());
        let code = said.code();
        let (advice, settled) = if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
            ("a probe only looks; give a query that begins with select", true)
        } else if *code == SqlState::QUERY_CANCELED {
            ("make an index of the column that holds the job id", true)
        } else if code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME {
            ("correct the user, the password or the database in the URL", false)
        } else if code.code().starts_with("42") {
            (
                "if the handler makes what is missing later, it will be seen, else correct the query",
                false,
            )
        } else {
            ("correct the query, or the database", false)
        };
        Fault { sentence: format!("{name} said: {message}; {advice}."), settled }
    }
}

/// Asks about one job.
async fn one(client: &Client, statement: &Statement, id: &str) -> Result<Sight, Error> {
    let mut rows = pin!(client.query_raw(statement, [Id(id)]).await?);
    let Some(row) = rows.try_next().await? else {
        return Ok(Ok(0));
    };
    let Count(count) = row.try_get(0)?;
    if rows.try_next().await?.is_some() {
        return Ok(Err(several_rows()));
    }
    Ok(count.map_err(|what| no_count(&what)))
}
