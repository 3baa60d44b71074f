//! A real PostgreSQL.
#![cfg(unix)]

use super::{blind, cluster::Cluster, count, in_child, probe, refusal, see};
use crate::{checking::try_probe, model::ProbeSpec};
use std::{fs, path::Path, sync::Arc};

const COUNT: &str = "select count(*) from effects where job_id = :job_id";

fn spec(url: &str, query: &str) -> ProbeSpec {
    ProbeSpec::Sql { database: url.to_owned(), query: query.to_owned() }
}

#[tokio::test]
async fn rows_are_counted_as_they_come() {
    let cluster = Cluster::start();
    let probe = probe(&spec(&cluster.url("postgres"), COUNT)).await;
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("relation \"effects\" does not exist"), "{error}");
    assert!(error.contains("The database postgres on 127.0.0.1:"), "{error}");
    cluster.sql("create table effects (job_id text)");
    assert_eq!(see(&probe, &["job_1", "job_2"]).await, [Ok(0), Ok(0)]);
    cluster.sql("insert into effects values ('job_1'), ('job_2'), ('job_1')");
    assert_eq!(see(&probe, &["job_2", "job_1", "job_3"]).await, [Ok(1), Ok(2), Ok(0)]);
    assert_eq!(count(&probe, "' or '1'='1").await, 0, "an id is bound");
    // Many at once, and from several sides.
    let ids: Vec<String> = (0..1000).map(|n| format!("job_{}", n % 3)).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (one, other) = tokio::join!(see(&probe, &ids), see(&probe, &ids));
    let expected = |n: usize| Ok([0, 2, 1][n % 3]);
    assert!(one.iter().chain(&other).enumerate().all(|(at, sight)| *sight == expected(at % 1000)));
    // The table is made anew with another shape, as by a handler's migration.
    cluster.sql("drop table effects; create table effects (n int, job_id varchar(80))");
    assert_eq!(count(&probe, "job_1").await, 0);
    // Nothing of a count is left open, in a transaction or as a setting.
    let left = cluster.sql(
        "select count(*) from pg_stat_activity where application_name = 'hooktwice' and state <> 'idle'",
    );
    assert_eq!(left, "0");
    // The database ends every connection, and comes back.
    cluster.restart();
    assert_eq!(count(&probe, "job_1").await, 0);
    cluster.stop();
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("Connection refused"), "{error}");
    cluster.start_again();
    assert_eq!(count(&probe, "job_1").await, 0);
}

#[tokio::test]
async fn a_count_that_is_given_up_leaves_nothing_open() {
    let cluster = Cluster::start();
    let slow = "select count(*) from pg_sleep(case when :job_id = 'slow' then 3 else 0 end)";
    let probe = probe(&spec(&cluster.url("postgres"), slow)).await;
    assert_eq!(count(&probe, "job_1").await, 1);
    let sleeping = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'";
    {
        let counting = see(&probe, &["slow"]);
        tokio::pin!(counting);
        loop {
            tokio::select! {
                sights = &mut counting => panic!("{sights:?}"),
                () = tokio::task::yield_now() => {}
            }
            if cluster.sql(sleeping) == "1" {
                break;
            }
        }
    }
    // On a new connection, at once.
    assert_eq!(see(&probe, &["job_1", "job_2"]).await, [Ok(1), Ok(1)]);
}

#[tokio::test]
async fn every_kind_of_number_is_a_count_and_nothing_else() {
    let cluster = Cluster::start();
    cluster.sql("create table effects (job_id uuid, n bigint)");
    cluster.sql("create type state as enum ('done')");
    for (query, expected) in [
        ("select null from effects where job_id::text = :job_id", Ok(0)),
        ("select null::int where :job_id = 'job_1'", Ok(0)),
        ("select sum(n) from effects where job_id::text = :job_id", Ok(0)),
        ("select 2::smallint where :job_id <> ''", Ok(2)),
        ("select 3 where :job_id <> ''", Ok(3)),
        ("select 4.00 where :job_id <> ''", Ok(4)),
        ("select 120000::numeric where :job_id <> ''", Ok(120_000)),
        ("select 5::real where :job_id <> ''", Ok(5)),
        ("select 6::double precision where :job_id <> ''", Ok(6)),
        ("select '7'::text where :job_id <> ''", Ok(7)),
        ("select 8 as n, 'x' as more where :job_id = :job_id || '' -- :job_id", Ok(8)),
        ("select 99999999999 where :job_id <> ''", Ok(u32::MAX)),
        ("select -1 where :job_id <> ''", Err("-1")),
        ("select 2.5 where :job_id <> ''", Err("a fraction")),
        ("select -2.0 where :job_id <> ''", Err("a negative number")),
        ("select 'NaN'::numeric where :job_id <> ''", Err("none")),
        ("select 'two' where :job_id <> ''", Err("\"two\"")),
        ("select exists(select 1) where :job_id <> ''", Err("true or false")),
        ("select 'done'::state where :job_id <> ''", Err("the type state")),
        ("select 1 where :job_id <> '' union all select 1", Err("more than one row")),
    ] {
        let probe = probe(&spec(&cluster.url("postgres"), query)).await;
        match expected {
            Ok(expected) => assert_eq!(count(&probe, "job_1").await, expected, "{query}"),
            Err(what) => {
                let error = blind(&probe, "job_1").await;
                assert!(error.contains(what) && error.contains("count(*)"), "{query}: {error}");
            }
        }
    }
    // The id becomes what it is compared with.
    let probe = probe(&spec(&cluster.url("postgres"), COUNT)).await;
    let id = "0192aaaa-bbbb-7ccc-8ddd-eeeeffff0001";
    cluster.sql(&format!("insert into effects values ('{id}')"));
    assert_eq!(count(&probe, id).await, 1);
    let error = blind(&probe, "job_1").await;
    assert!(error.contains("invalid input syntax for type uuid"), "{error}");
    assert_eq!(count(&probe, id).await, 1);
}

#[tokio::test]
async fn a_query_that_does_not_look_is_told_so() {
    let cluster = Cluster::start();
    cluster.sql("create table effects (job_id text); create sequence s");
    for (query, what) in [
        ("insert into effects values (:job_id) returning 1", "read-only"),
        ("select nextval('s') where :job_id <> ''", "read-only"),
        ("select count(*) from effects where job_id = :job_id and $2 = ''", "other parameters"),
        ("select from effects where job_id = :job_id", "no column"),
        ("select count(*) from pg_sleep(60) where :job_id <> ''", "statement timeout"),
    ] {
        let error = blind(&probe(&spec(&cluster.url("postgres"), query)).await, "job_1").await;
        assert!(error.contains(what), "{query}: {error}");
    }
    assert_eq!(cluster.sql("select count(*) from effects"), "0");
}

#[tokio::test]
async fn a_url_is_taken_as_the_handler_has_it() {
    let cluster = Cluster::start();
    cluster.sql("create schema shop; create table shop.effects (job_id text)");
    cluster.sql("insert into shop.effects values ('job_1')");
    let url = cluster.url("postgres") + "?schema=shop&connection_limit=5&sslmode=disable";
    assert_eq!(count(&probe(&spec(&url, COUNT)).await, "job_1").await, 1);
    let evidence = try_probe(&spec(&url, COUNT), "job_1").await.unwrap();
    assert_eq!((evidence.probe.as_str(), evidence.count, evidence.error), ("sql", Some(1), None));
    let without = cluster.url("postgres");
    assert!(blind(&probe(&spec(&without, COUNT)).await, "job_1").await.contains("does not exist"));
    let error = blind(&probe(&spec(&cluster.url("orders"), COUNT)).await, "job_1").await;
    assert!(error.contains("database \"orders\" does not exist"), "{error}");
    let error = refusal(&spec("postgres://u:hush@h/x", "select count(*) from effects")).await;
    assert!(error.contains("other jobs' effects") && !error.contains("hush"), "{error}");
    let error = refusal(&spec("postgres://u:hush@h/x?ssl=on", COUNT)).await;
    assert!(error.contains("`ssl`") && !error.contains("hush"), "{error}");
}

#[tokio::test]
async fn a_password_is_never_shown() {
    let cluster = Cluster::start_with(|data| {
        fs::write(
            data.join("pg_hba.conf"),
            "host all guarded all scram-sha-256\nhost all all all trust\n",
        )
        .unwrap();
        String::new()
    });
    cluster.sql("create user guarded password 'p@ss/word'");
    cluster.sql("create table effects (job_id text); grant select on effects to guarded");
    let url = |password: &str| {
        cluster.url("postgres").replace("postgres@", &format!("guarded:{password}@"))
    };
    assert_eq!(count(&probe(&spec(&url("p%40ss%2Fword"), COUNT)).await, "job_1").await, 0);
    let wrong = probe(&spec(&url("hush%40hush"), COUNT)).await;
    let error = blind(&wrong, "job_1").await;
    assert!(error.contains("password authentication failed"), "{error}");
    assert!(!error.contains("hush") && !format!("{wrong:?}").contains("hush"), "{error}");
    let none = probe(&spec(&url("").replace(":@", "@"), COUNT)).await;
    let error = blind(&none, "job_1").await;
    assert!(error.contains("password"), "{error}");
}

/// What is asked of a server's certificate, in a process of its own that trusts one.
#[test]
fn a_connection_is_encrypted_as_the_url_says() {
    const ROOT: &str = "HOOKTWICE_TEST_ROOT";
    let folder = tempfile::tempdir().unwrap();
    let root = std::env::var(ROOT)
        .unwrap_or_else(|_| folder.path().join("root.pem").display().to_string());
    let environment = [(ROOT, root.as_str()), ("SSL_CERT_FILE", root.as_str())];
    let this = "checking::probes::tests::postgres::a_connection_is_encrypted_as_the_url_says";
    if !in_child(this, &environment) {
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(encryption(Path::new(&root)));
}

async fn encryption(root: &Path) {
    let key = || Arc::new(rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap());
    let (trusted, other) = (key(), key());
    fs::write(root, trusted.cert.pem()).unwrap();
    let encrypted =
        "select count(*) from pg_stat_ssl where pid = pg_backend_pid() and ssl and :job_id <> ''";
    for (key, is_trusted) in [(trusted, true), (other, false)] {
        let cluster = Cluster::start_with(|data| {
            let private = data.join("server.key");
            fs::write(data.join("server.crt"), key.cert.pem()).unwrap();
            fs::write(&private, key.signing_key.serialize_pem()).unwrap();
            let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(private, owner_only).unwrap();
            "ssl = on".to_owned()
        });
        let look = async |mode: &str| {
            let url = cluster.url("postgres") + mode;
            see(&probe(&spec(&url, encrypted)).await, &["job_1"]).await.remove(0)
        };
        assert_eq!(look("").await, Ok(1));
        assert_eq!(look("?sslmode=prefer").await, Ok(1));
        assert_eq!(look("?sslmode=disable").await, Ok(0));
        for mode in ["?sslmode=require", "?sslmode=verify-full"] {
            let seen = look(mode).await;
            if is_trusted {
                assert_eq!(seen, Ok(1));
            } else {
                let error = seen.unwrap_err();
                assert!(
                    error.contains("certificate") && error.contains("SSL_CERT_FILE"),
                    "{error}"
                );
            }
        }
    }
}
