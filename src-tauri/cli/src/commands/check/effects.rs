//! `--effect-…`: what sees the effect, in the order in which it was typed.

use crate::exit::{Failure, Result};
use clap::{ArgMatches, Args, Command, FromArgMatches, error::ErrorKind};
use hooktwice_engine::model::ProbeSpec;
use std::mem;

/// Where the usual effect counter keeps its number.
const POINTER: &str = "/count";

/// The options as they are typed. Which of them came first is not in here; see [`EffectArgs`].
#[derive(Debug, Args)]
#[command(
    next_help_heading = "How the effect is seen (the first one given decides, the others are reported beside it)"
)]
struct Typed {
    /// Ask this database, sqlite:PATH or postgres://…, with --effect-query
    #[arg(long, value_name = "DB")]
    effect_sql: Vec<String>,

    /// A query that gives a number, such as 'select count(*) from effects where job_id = :job_id'
    #[arg(long, value_name = "QUERY")]
    effect_query: Vec<String>,

    /// Ask this URL, such as 'http://127.0.0.1:3000/effects/{job_id}'
    #[arg(long, value_name = "URL")]
    effect_url: Vec<String>,

    /// Where the number stands in that URL's JSON (RFC 6901) [default: /count]
    #[arg(long, value_name = "POINTER")]
    effect_pointer: Vec<String>,

    /// Run this command in a shell, with {job_id} in it; it prints a number
    #[arg(long, value_name = "CMD")]
    effect_command: Vec<String>,

    /// Count the lines of this file that match --effect-pattern
    #[arg(long, value_name = "FILE")]
    effect_log: Vec<String>,

    /// A text or a regular expression with {job_id} in it, such as 'sent mail for {job_id}'
    #[arg(long, value_name = "PATTERN")]
    effect_pattern: Vec<String>,

    /// Put a URL of ours at this place of the body, such as /artifacts/0/url; each download counts
    #[arg(long, value_name = "POINTER")]
    effect_canary: Vec<String>,
}

/// One value with its place on the command line.
#[derive(Debug, Clone)]
struct Placed {
    at: usize,
    value: String,
}

/// Every effect option that was typed, each kind in its order and each value with its place.
#[derive(Debug, Default)]
pub(super) struct EffectArgs {
    sql: Vec<Placed>,
    query: Vec<Placed>,
    url: Vec<Placed>,
    pointer: Vec<Placed>,
    command: Vec<Placed>,
    log: Vec<Placed>,
    pattern: Vec<Placed>,
    canary: Vec<Placed>,
}

/// clap's derived types forget the order over different options, and here it decides.
impl FromArgMatches for EffectArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        let mut effects = Self::default();
        effects.update_from_arg_matches_mut(matches)?;
        Ok(effects)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.update_from_arg_matches_mut(&mut matches.clone())
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), clap::Error> {
        let places = |id: &str| -> Vec<usize> {
            matches.indices_of(id).map(Iterator::collect).unwrap_or_default()
        };
        let places = [
            places("effect_sql"),
            places("effect_query"),
            places("effect_url"),
            places("effect_pointer"),
            places("effect_command"),
            places("effect_log"),
            places("effect_pattern"),
            places("effect_canary"),
        ];
        let typed = Typed::from_arg_matches_mut(matches)?;
        let [sql, query, url, pointer, command, log, pattern, canary] = places;
        *self = Self {
            sql: placed(sql, typed.effect_sql)?,
            query: placed(query, typed.effect_query)?,
            url: placed(url, typed.effect_url)?,
            pointer: placed(pointer, typed.effect_pointer)?,
            command: placed(command, typed.effect_command)?,
            log: placed(log, typed.effect_log)?,
            pattern: placed(pattern, typed.effect_pattern)?,
            canary: placed(canary, typed.effect_canary)?,
        };
        Ok(())
    }
}

impl Args for EffectArgs {
    fn augment_args(command: Command) -> Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args_for_update(command)
    }
}

fn placed(places: Vec<usize>, values: Vec<String>) -> Result<Vec<Placed>, clap::Error> {
    if places.len() != values.len() {
        let message =
            "the order of the --effect options cannot be told; give each as --option VALUE\n";
        return Err(clap::Error::raw(ErrorKind::InvalidValue, message));
    }
    Ok(places.into_iter().zip(values).map(|(at, value)| Placed { at, value }).collect())
}

impl EffectArgs {
    /// The probes, the deciding one first.
    ///
    /// # Errors
    /// When there is none, or one half of a pair is missing.
    pub(super) fn probes(mut self) -> Result<Vec<ProbeSpec>> {
        let queries = mem::take(&mut self.query);
        let pointers = mem::take(&mut self.pointer);
        let patterns = mem::take(&mut self.pattern);
        let mut probes = Vec::new();

        let databases = pairs("--effect-sql", self.sql, "--effect-query", queries)?;
        probes.extend(
            databases.map(|(at, database, query)| (at, ProbeSpec::Sql { database, query })),
        );

        let pointers = match (pointers.is_empty(), self.url.is_empty()) {
            // Beside its URL each: they then keep that URL's place.
            (true, false) => {
                let usual = |url: &Placed| Placed { at: url.at, value: POINTER.to_owned() };
                self.url.iter().map(usual).collect()
            }
            _ => pointers,
        };
        let urls = pairs("--effect-url", self.url, "--effect-pointer", pointers)?;
        probes.extend(urls.map(|(at, url, pointer)| (at, ProbeSpec::Url { url, pointer })));

        let commands = self.command.into_iter();
        probes.extend(
            commands.map(|Placed { at, value }| (at, ProbeSpec::Command { command: value })),
        );

        let logs = pairs("--effect-log", self.log, "--effect-pattern", patterns)?;
        probes.extend(logs.map(|(at, file, pattern)| (at, ProbeSpec::Log { file, pattern })));

        let canaries = self.canary.into_iter();
        probes.extend(
            canaries.map(|Placed { at, value }| (at, ProbeSpec::Canary { pointer: value })),
        );

        if probes.is_empty() {
            return Err(Failure::Usage(
                "Nothing says how the effect is seen, and without evidence nothing can pass. Give at least one of \
                 --effect-sql DB --effect-query QUERY, --effect-url URL, --effect-command CMD, --effect-log FILE \
                 --effect-pattern PATTERN, --effect-canary POINTER."
                    .into(),
            ));
        }
        probes.sort_by_key(|(at, _)| *at);
        Ok(probes.into_iter().map(|(_, probe)| probe).collect())
    }
}

/// The n-th of the one with the n-th of the other, at the place of whichever came first.
fn pairs(
    one: &str,
    ones: Vec<Placed>,
    other: &str,
    others: Vec<Placed>,
) -> Result<impl Iterator<Item = (usize, String, String)> + use<>> {
    if ones.len() != others.len() {
        return Err(Failure::Usage(format!(
            "{one} and {other} belong together, the first with the first and so on, and {} of the one and {} of the \
             other were given. Give as many of both.",
            ones.len(),
            others.len(),
        )));
    }
    let zipped = ones.into_iter().zip(others);
    Ok(zipped.map(|(one, other)| (one.at.min(other.at), one.value, other.value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        effects: EffectArgs,
    }

    fn probes(words: &[&str]) -> Result<Vec<ProbeSpec>> {
        Line::try_parse_from([&["check"], words].concat()).unwrap().effects.probes()
    }

    fn names(words: &[&str]) -> Vec<&'static str> {
        probes(words).unwrap().iter().map(ProbeSpec::name).collect()
    }

    #[test]
    fn the_order_on_the_command_line_counts() {
        let sql = ["--effect-sql", "sqlite:a", "--effect-query", "select 1"];
        let url = ["--effect-url", "http://u/{job_id}"];
        let canary = ["--effect-canary=/artifacts/0/url"];
        assert_eq!(names(&[&sql[..], &url, &canary].concat()), ["sql", "url", "canary"]);
        assert_eq!(names(&[&canary[..], &url, &sql].concat()), ["canary", "url", "sql"]);
        assert_eq!(names(&[&url[..], &sql, &url].concat()), ["url", "sql", "url"]);
        // A pair stands where its first half stands.
        let halves = ["--effect-pattern", "p", "--effect-command", "c", "--effect-log", "f"];
        assert_eq!(names(&halves), ["log", "command"]);
    }

    #[test]
    fn the_nth_goes_with_the_nth() {
        let words = [
            "--effect-url",
            "u1",
            "--effect-url",
            "u2",
            "--effect-pointer",
            "/one",
            "--effect-pointer",
            "",
        ];
        let url = |url: &str, pointer: &str| ProbeSpec::Url {
            url: url.to_owned(),
            pointer: pointer.to_owned(),
        };
        assert_eq!(probes(&words).unwrap(), [url("u1", "/one"), url("u2", "")]);
        assert_eq!(probes(&words[..4]).unwrap(), [url("u1", POINTER), url("u2", POINTER)]);
    }

    #[test]
    fn half_a_pair_is_refused_with_both_names() {
        for (words, names) in [
            (&["--effect-query", "q"][..], ["--effect-sql", "--effect-query"]),
            (&["--effect-sql", "sqlite:a"], ["--effect-sql", "--effect-query"]),
            (&["--effect-pointer", "/n"], ["--effect-url", "--effect-pointer"]),
            (&["--effect-log", "f"], ["--effect-log", "--effect-pattern"]),
            (
                &["--effect-url", "a", "--effect-url", "b", "--effect-pointer", "/n"],
                ["--effect-url", "--effect-pointer"],
            ),
        ] {
            let refused = probes(words).unwrap_err().to_string();
            assert!(names.iter().all(|name| refused.contains(name)), "{words:?}: {refused}");
        }
        assert!(probes(&[]).unwrap_err().to_string().contains("--effect-url"));
    }
}
