//! The filter box's language, as SQL with bound values.
//!
//! Terms stand apart by white space and all must hold; `-` before a term turns it round; `"…"` keeps spaces (and
//! makes a bare word of what would be a token), with `\"` and `\\` inside.
//!
//! | term | holds for |
//! | --- | --- |
//! | a bare word | its letters, in either case, in job id, path, event or body; 8 or more hex digits also in the id |
//! | `#12` | that number |
//! | `job:` | the whole job id, byte for byte; with a `*` at its end, ids that begin so |
//! | `event:` `path:` | a part of the text, in either case; after `=` the whole text, byte for byte |
//! | `method:` | the whole word, in either case; after `=` byte for byte |
//! | `sig:` `claim:` `ended:` | the contract's words, several with commas |
//! | `is:` | `duplicate`, `bad-signature`, `failed` (the chips), `pinned`, `body-differs`, `no-event` |
//! | `status` `size` `duration` | `:` `=` `>=` `<=` `>` `<` and `404`, `4xx`, `none`; `10KiB`; `150ms` |

mod terms;

use super::{
    StoreError,
    words::{self, Words},
};
use crate::model::{ClaimState, Ended, SignatureState};
use rusqlite::{Connection, Result as Sqlite, types::Value};
use terms::{Term, Token};

/// The longest filter, in bytes.
const LONGEST: usize = 4096;
/// The most terms.
const MOST: usize = 32;

/// A duplicate, for its chip.
pub(super) const DUPLICATE: &str = "(d.claim = 'duplicate')";
/// A signature that was judged and found wanting, for its chip.
pub(super) const BAD_SIGNATURE: &str = "(d.signature IN ('invalid', 'stale', 'unsigned'))";
/// Ended, and not with a 2xx, for its chip.
pub(super) const FAILED: &str = "(a.ended IS NOT NULL AND NOT (a.ended = 'answered'
    AND coalesce(a.status, 0) BETWEEN 200 AND 299))";

/// A filter that was understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    terms: Vec<Condition>,
}

/// What one term asks for, with its values in order.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    negated: bool,
    asks: Asks,
}

#[derive(Debug, Clone, PartialEq)]
enum Asks {
    /// A condition over `deliveries d LEFT JOIN answers a`.
    Sql(String, Vec<Value>),
    /// A bare word, in lower case.
    Word(String),
}

/// How bare words are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// Every delivery that holds one is found first, and remembered: for what needs all of them.
    All,
    /// Row by row, for what needs the first few.
    Rows,
}

/// A filter as SQL over `deliveries d LEFT JOIN answers a`, with its values in order.
pub(super) struct Where {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Filter {
    /// Reads the filter box's text.
    ///
    /// # Errors
    /// [`StoreError::Filter`], which names the term that is not understood.
    pub(super) fn parse(text: &str) -> Result<Self, StoreError> {
        let refuse =
            |term: &str, why: &str| StoreError::Filter { term: term.into(), why: why.into() };
        if text.len() > LONGEST {
            return Err(refuse("(all of them)", &format!("a filter may have {LONGEST} bytes")));
        }
        let terms =
            terms::split(text).map_err(|term| refuse(&term, "a quotation mark is not closed"))?;
        if terms.len() > MOST {
            return Err(refuse("(all of them)", &format!("a filter may have {MOST} terms")));
        }
        let read = |term: &Term| {
            let asks = Tokens::default().asks(&term.token);
            let asks = asks.map_err(|why| refuse(&term.typed, &why))?;
            Ok(Condition { negated: term.negated, asks })
        };
        Ok(Self { terms: terms.iter().map(read).collect::<Result<_, StoreError>>()? })
    }

    /// Whether everything matches.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The condition, for one snapshot of a connection.
    pub(super) fn bind(
        &self,
        connection: &Connection,
        words: &Words,
        search: Search,
    ) -> Sqlite<Where> {
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        for term in &self.terms {
            let condition = match &term.asks {
                Asks::Sql(sql, bound) => {
                    values.extend_from_slice(bound);
                    sql.clone()
                }
                Asks::Word(word) => word_condition(connection, words, word, search, &mut values)?,
            };
            // What does not apply (NULL) does not hold, so it holds when turned round.
            let not = if term.negated { "NOT " } else { "" };
            conditions.push(format!("{not}coalesce({condition}, 0)"));
        }
        let sql = if conditions.is_empty() { "1".into() } else { conditions.join(" AND ") };
        debug_assert_eq!(sql.matches('?').count(), values.len());
        Ok(Where { sql, values })
    }
}

fn word_condition(
    connection: &Connection,
    words: &Words,
    word: &str,
    search: Search,
    values: &mut Vec<Value>,
) -> Sqlite<String> {
    let holding = match search {
        Search::All => Some(words.holding(connection, word)?),
        Search::Rows => words.known(connection, word)?,
    };
    if let Some(holding) = holding {
        values.push(holding.to_bytes().into());
        return Ok("marked(?, d.seq)".into());
    }
    let mut places = Vec::new();
    if let Some(digits) = words::id_digits(word) {
        places.push("instr(lower(hex(d.id)), ?)".to_owned());
        values.push(digits.into());
    }
    values.push(words::candidates(connection, word)?.to_bytes().into());
    values.extend(std::iter::repeat_n(Value::from(word.to_owned()), 4));
    // The body last, so that it is read only where nothing else matched.
    places.push(
        "(marked(?, d.seq) AND (holds(d.job_id, ?) OR holds(d.path, ?) OR holds(d.event, ?)
            OR EXISTS (SELECT 1 FROM contents c WHERE c.seq = d.seq AND holds(c.body, ?))))"
            .into(),
    );
    Ok(format!("({})", places.join(" OR ")))
}

/// Tokens as SQL, with their values.
#[derive(Default)]
struct Tokens {
    values: Vec<Value>,
}

impl Tokens {
    fn asks(mut self, token: &Token) -> Result<Asks, String> {
        let sql = match token {
            Token::Word(word) => return Ok(Asks::Word(word.to_ascii_lowercase())),
            Token::Number(seq) => format!("(d.seq = {})", self.bind(*seq)),
            Token::Pair { key, operator, value } => self.pair(key, operator, value)?,
        };
        Ok(Asks::Sql(sql, self.values))
    }

    fn bind(&mut self, value: impl Into<Value>) -> &'static str {
        self.values.push(value.into());
        "?"
    }

    fn pair(&mut self, key: &str, operator: &str, value: &str) -> Result<String, String> {
        if value.is_empty() {
            return Err(format!("something must stand after {key}{operator}"));
        }
        match key {
            "status" => return self.status(operator, value),
            "size" => {
                let bytes = terms::size(value).ok_or("a size reads like 500, 10KiB or 1.5MB")?;
                return Ok(format!("(d.size {} {})", comparison(operator), self.bind(bytes)));
            }
            "duration" => {
                let ms =
                    terms::duration_ms(value).ok_or("a duration reads like 150ms, 2s or 1m")?;
                return Ok(format!("(a.duration_ms {} {})", comparison(operator), self.bind(ms)));
            }
            _ => {}
        }
        if !matches!(operator, ":" | "=") {
            return Err(
                "only status, size and duration can be compared; put it in quotes to search for it"
                    .into(),
            );
        }
        match key {
            "event" | "path" | "method" if operator == "=" => {
                Ok(format!("(d.{key} = {})", self.bind(value.to_owned())))
            }
            "job" => Ok(self.job(value)),
            "event" => Ok(format!("holds(d.event, {})", self.bind(value.to_ascii_lowercase()))),
            "path" => Ok(format!("holds(d.path, {})", self.bind(value.to_ascii_lowercase()))),
            "method" => Ok(format!("(d.method = {} COLLATE NOCASE)", self.bind(value.to_owned()))),
            "sig" => self.words("d.signature", value, "valid, invalid, stale, unsigned or unchecked", |word| {
                SignatureState::parse(word).is_some()
            }),
            "claim" => {
                self.words("d.claim", value, "won, duplicate or none", |word| ClaimState::parse(word).is_some())
            }
            "ended" => {
                let known = "answered, sender-left, incomplete, refused or interrupted";
                self.words("a.ended", value, known, |word| Ended::parse(word).is_some())
            }
            "is" => match value.to_ascii_lowercase().as_str() {
                "duplicate" => Ok(DUPLICATE.into()),
                "bad-signature" => Ok(BAD_SIGNATURE.into()),
                "failed" => Ok(FAILED.into()),
                "pinned" => Ok("d.pinned".into()),
                "body-differs" => Ok("d.body_differs".into()),
                "no-event" => Ok("(d.event IS NULL)".into()),
                _ => Err("known are duplicate, bad-signature, failed, pinned, body-differs and no-event".into()),
            },
            _ => Err("known are job, event, path, method, sig, claim, ended, is, status, size and duration; put it in \
                      quotes to search for it"
                .into()),
        }
    }

    fn job(&mut self, value: &str) -> String {
        match value.strip_suffix('*') {
            // An id that really ends in a star is found too.
            Some(prefix) => {
                let length = i64::try_from(prefix.chars().count()).unwrap_or(i64::MAX);
                let (length, prefix) = (self.bind(length), self.bind(prefix.to_owned()));
                format!("(substr(d.job_id, 1, {length}) = {prefix})")
            }
            None => format!("(d.job_id = {})", self.bind(value.to_owned())),
        }
    }

    fn words(
        &mut self,
        column: &str,
        value: &str,
        known: &str,
        is_known: fn(&str) -> bool,
    ) -> Result<String, String> {
        let mut marks = Vec::new();
        for word in value.to_ascii_lowercase().split(',') {
            if !is_known(word) {
                return Err(format!("known are {known}"));
            }
            marks.push(self.bind(word.to_owned()));
        }
        Ok(format!("({column} IN ({}))", marks.join(", ")))
    }

    fn status(&mut self, operator: &str, value: &str) -> Result<String, String> {
        let why = "a status reads like 404, or like 4xx or none after a colon";
        if value.eq_ignore_ascii_case("none") && matches!(operator, ":" | "=") {
            return Ok("(a.status IS NULL)".into());
        }
        if let Some(class) = value.to_ascii_lowercase().strip_suffix("xx") {
            let class: i64 =
                class.parse().ok().filter(|class| (1..=9).contains(class)).ok_or(why)?;
            if !matches!(operator, ":" | "=") {
                return Err(why.into());
            }
            return Ok(format!("(a.status / 100 = {})", self.bind(class)));
        }
        let status: i64 = value.parse::<u16>().map_err(|_| why)?.into();
        Ok(format!("(a.status {} {})", comparison(operator), self.bind(status)))
    }
}

/// A token's operator as SQL's.
fn comparison(operator: &str) -> &str {
    if operator == ":" { "=" } else { operator }
}
