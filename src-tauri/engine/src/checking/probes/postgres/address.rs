//! Where a database is, from a URL as frameworks write it: with settings in it that are for others than PostgreSQL.

use std::{fmt, time::Duration};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

/// Settings that only other clients understand, or that say nothing of where the database is. They stand in the
/// `DATABASE_URL` of a handler that uses Prisma, libpq, node-postgres, SQLx or pgx, and nothing is lost without them.
const FOR_OTHERS: &[&str] = &[
    "connection_limit",
    "pool_timeout",
    "socket_timeout",
    "pgbouncer",
    "single_use_connections",
    "statement_cache_size",
    "statement-cache-capacity",
    "sslaccept",
    "sslidentity",
    "sslpassword",
    "sslcert",
    "sslkey",
    "sslrootcert",
    "sslcrl",
    "sslcompression",
    "uselibpqcompat",
    "gssencmode",
    "passfile",
    "client_encoding",
    "fallback_application_name",
    "pool_max_conns",
    "pool_min_conns",
    "default_query_exec_mode",
];

/// How long one address of a host may take to be connected to, where the URL does not say.
const CONNECT: Duration = Duration::from_secs(5);

/// What is asked of a certificate, where the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    Verified,
    Unverified,
}

/// A database.
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) encryption: Encryption,
    /// Prisma's setting for the schema that tables are looked for in.
    pub(super) schema: Option<String>,
    /// To be shown: `The database orders on 127.0.0.1:5432`.
    pub(super) name: String,
}

/// Never with the password.
impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Address").field(&self.name).finish()
    }
}

/// Whether it is PostgreSQL's.
pub(in super::super) fn is_one(database: &str) -> bool {
    split(database).is_some()
}

fn split(database: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = database.split_once("://")?;
    matches!(scheme, "postgres" | "postgresql").then_some((scheme, rest))
}

impl Address {
    /// An error goes on after a colon. It shows nothing of the URL but the names of settings.
    pub(super) fn read(database: &str) -> Result<Self, String> {
        let (scheme, rest) =
            split(database).ok_or("the database is no postgres:// URL; give one")?;
        // Else a part of the password would be taken for the host, and shown.
        let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
        if rest.matches('@').count() > 1 || rest[authority_end..].contains('@') {
            return Err("the database's URL has an `@` in an odd place; write `@`, `/`, `?` and `:` of the user, the \
                        password and the database as %40, %2F, %3F and %3A"
                .to_owned());
        }
        let (place, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let mut kept = Vec::new();
        let mut encryption = Encryption::Unverified;
        let mut ssl_mode = SslMode::Prefer;
        let mut schema = None;
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let value_text = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
            match key {
                "schema" => schema = Some(value_text.into_owned()).filter(|name| !name.is_empty()),
                "sslmode" => (ssl_mode, encryption) = mode(&value_text)?,
                key if FOR_OTHERS.contains(&key) => {}
                _ => kept.push(setting),
            }
        }
        let url = format!("{scheme}://{place}?{}", kept.join("&"));
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error).map(|why| format!(" ({why})"));
            format!(
                "the database's URL cannot be read{}; give one like postgres://user@127.0.0.1:5432/orders",
                why.unwrap_or_default()
            )
        })?;
        config.ssl_mode(ssl_mode);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("the database's URL has no host; give one like postgres://user@127.0.0.1:5432/orders"
                .to_owned());
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("hooktwice");
        }
        // So that it need not stand on a command line, as with every client of PostgreSQL.
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        let name = name(&config);
        Ok(Self { config, encryption, schema, name })
    }
}

fn mode(value: &str) -> Result<(SslMode, Encryption), String> {
    match value {
        "disable" => Ok((SslMode::Disable, Encryption::Unverified)),
        "allow" | "prefer" => Ok((SslMode::Prefer, Encryption::Unverified)),
        "no-verify" => Ok((SslMode::Require, Encryption::Unverified)),
        "require" | "verify-ca" | "verify-full" => Ok((SslMode::Require, Encryption::Verified)),
        _ => Err("the database's sslmode is unknown; use disable, prefer or require".to_owned()),
    }
}

fn name(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
    let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(at)),
        #[cfg(unix)]
        Host::Unix(folder) => format!("{} (port {})", folder.display(), port(at)),
    });
    let mut hosts: Vec<String> = hosts.collect();
    if hosts.is_empty() {
        let addresses = config.get_hostaddrs().iter().enumerate();
        hosts = addresses.map(|(at, ip)| format!("{ip}:{}", port(at))).collect();
    }
    let database = config.get_dbname().or(config.get_user()).unwrap_or("of the user's name");
    format!("The database {database} on {}", hosts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checking::probes::tests::in_child;

    #[test]
    fn a_url_is_read_as_frameworks_write_it() {
        let address = Address::read(
            "postgresql://me:p%40ss@db.local:6543/orders?schema=shop&connection_limit=5&pgbouncer=true&sslmode=require",
        )
        .unwrap();
        assert_eq!(address.name, "The database orders on db.local:6543");
        assert_eq!(address.schema.as_deref(), Some("shop"));
        assert_eq!(address.config.get_password(), Some(b"p@ss".as_slice()));
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.encryption, Encryption::Verified);
        assert!(!format!("{address:?}").contains("p@ss"));
    }

    #[test]
    fn what_is_not_said_is_as_with_libpq() {
        let address = Address::read("postgres://127.0.0.1/x").unwrap();
        assert_eq!(address.config.get_ssl_mode(), SslMode::Prefer);
        assert_eq!(address.encryption, Encryption::Unverified);
        assert_eq!(address.config.get_connect_timeout(), Some(&CONNECT));
        let address = Address::read("postgres://u@127.0.0.1/x?sslmode=disable").unwrap();
        assert_eq!(address.config.get_ssl_mode(), SslMode::Disable);
        #[cfg(unix)]
        {
            let address = Address::read("postgres://u@%2Frun%2Fpg/x").unwrap();
            assert_eq!(address.name, "The database x on /run/pg (port 5432)");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_without_the_password() {
        for (url, what) in [
            ("postgres://u:hush@hush@h/x", "odd place"),
            ("postgres://u:hush/hush@h/x", "odd place"),
            ("postgres://u:hush?hush@h/x", "odd place"),
            ("postgres://u:hush@h:port/x", "port"),
            ("postgres://u:hush@h/x?sslmod=require", "sslmod"),
            ("postgres://u:hush@h/x?sslmode=always", "sslmode"),
            ("postgres://u:hush@/x", "no host"),
            ("postgres://", "no host"),
        ] {
            let error = Address::read(url).unwrap_err();
            assert!(error.contains(what) && !error.contains("hush"), "{url}: {error}");
        }
    }

    #[test]
    fn a_password_need_not_stand_in_the_url() {
        let this = concat!(module_path!(), "::a_password_need_not_stand_in_the_url");
        let (_, this) = this.split_once("::").unwrap();
        if !in_child(this, &[("PGPASSWORD", "hush")]) {
            return;
        }
        let password = |url| Address::read(url).unwrap().config.get_password().map(<[u8]>::to_vec);
        assert_eq!(password("postgres://u@h/x").as_deref(), Some(b"hush".as_slice()));
        assert_eq!(password("postgres://u:own@h/x").as_deref(), Some(b"own".as_slice()));
    }
}
