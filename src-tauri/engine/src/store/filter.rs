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
//! | `event:` `path:` | a part of the text, in either case |
//! | `method:` | the whole word, in either case |
//! | `sig:` `claim:` `ended:` | the contract's words, several with commas |
//! | `is:` | `duplicate`, `bad-signature`, `failed` (the chips), `pinned`, `body-differs` |
//! | `status` `size` `duration` | `:` `=` `>=` `<=` `>` `<` and `404`, `4xx`; `10KiB`; `150ms` |

mod terms;

use super::StoreError;
use crate::model::{ClaimState, Ended, SignatureState};
use rusqlite::types::Value;
use terms::{Term, Token};

/// The longest filter, in bytes.
const LONGEST: usize = 4096;
/// The most terms.
const MOST: usize = 32;
/// From so many hex digits on a bare word is looked for in ids: a short one is in many by chance.
const ID_DIGITS: usize = 8;

/// A duplicate, for its chip.
pub(super) const DUPLICATE: &str = "(d.claim = 'duplicate')";
/// A signature that was judged and found wanting, for its chip.
pub(super) const BAD_SIGNATURE: &str = "(d.signature IN ('invalid', 'stale', 'unsigned'))";
/// Ended, and not with a 2xx, for its chip.
pub(super) const FAILED: &str = "(a.ended IS NOT NULL AND NOT (a.ended = 'answered'
    AND coalesce(a.status, 0) BETWEEN 200 AND 299))";

/// A filter that was understood: a condition over `deliveries d LEFT JOIN answers a`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    conditions: Vec<String>,
    values: Vec<Value>,
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
        let mut filter = Self::default();
        for term in &terms {
            let values = filter.values.len();
            let condition = filter.condition(term).map_err(|why| refuse(&term.typed, &why))?;
            debug_assert_eq!(condition.matches('?').count(), filter.values.len() - values);
            // What does not apply (NULL) does not hold, so it holds when turned round.
            let not = if term.negated { "NOT " } else { "" };
            filter.conditions.push(format!("{not}coalesce({condition}, 0)"));
        }
        Ok(filter)
    }

    /// Whether everything matches.
    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The condition.
    pub(super) fn sql(&self) -> String {
        if self.is_empty() { "1".into() } else { self.conditions.join(" AND ") }
    }

    /// Its values, in order.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    fn bind(&mut self, value: impl Into<Value>) -> &'static str {
        self.values.push(value.into());
        "?"
    }

    fn condition(&mut self, term: &Term) -> Result<String, String> {
        match &term.token {
            Token::Word(word) => Ok(self.word(word)),
            Token::Number(seq) => Ok(format!("(d.seq = {})", self.bind(*seq))),
            Token::Pair { key, operator, value } => self.pair(key, operator, value),
        }
    }

    fn word(&mut self, word: &str) -> String {
        let needle = word.to_ascii_lowercase();
        let mut places: Vec<String> = Vec::new();
        let digits: String = needle.chars().filter(|c| *c != '-').collect();
        if digits.len() >= ID_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            places.push(format!("holds(lower(hex(d.id)), {})", self.bind(digits)));
        }
        for column in ["d.job_id", "d.path", "d.event"] {
            places.push(format!("holds({column}, {})", self.bind(needle.clone())));
        }
        // Last, so that a body is read only where nothing else matched.
        let body = self.bind(needle);
        places.push(format!(
            "EXISTS (SELECT 1 FROM contents c WHERE c.seq = d.seq AND holds(c.body, {body}))"
        ));
        format!("({})", places.join(" OR "))
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
                _ => Err("known are duplicate, bad-signature, failed, pinned and body-differs".into()),
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
        let why = "a status reads like 404, or like 4xx after a colon";
        if let Some(class) = value.to_ascii_lowercase().strip_suffix("xx") {
            let class: i64 =
                class.parse().ok().filter(|class| (1..=5).contains(class)).ok_or(why)?;
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
