//! Finds `:job_id` in a query as the database would: not inside quotes, not in comments, not as a cast.

use std::ops::Range;

/// Where the id goes.
const PLACE: &str = ":job_id";

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// The query as its database takes it; an error says what is wrong with it and what to do, to go on after a colon.
pub(super) fn ready(query: &str, dialect: Dialect) -> Result<String, String> {
    let found = Scan { text: query.as_bytes(), at: 0, dialect }.run();
    if found.places.is_empty() {
        return Err(if query.contains(PLACE) {
            "`:job_id` stands only in quotes or in a comment, where it is text; write it without \
             them, it is bound as a text: where job_id = :job_id"
                .to_owned()
        } else {
            "the query has no `:job_id`, so it would count other jobs' effects too; add it, for \
             example: where job_id = :job_id"
                .to_owned()
        });
    }
    if found.several {
        return Err("the query holds more than one statement; leave one select, and no `;` in \
                    between"
            .to_owned());
    }
    if dialect == Dialect::Sqlite {
        return Ok(query.to_owned());
    }
    let mut out = String::with_capacity(query.len());
    let mut done = 0;
    for place in found.places {
        out.push_str(&query[done..place.start]);
        out.push_str("$1");
        done = place.end;
    }
    out.push_str(&query[done..]);
    Ok(out)
}

#[derive(Default)]
struct Found {
    places: Vec<Range<usize>>,
    /// Something stands behind a `;`.
    several: bool,
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    dialect: Dialect,
}

impl Scan<'_> {
    fn run(mut self) -> Found {
        let mut found = Found::default();
        let mut ended = false;
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            if self.comment() || byte.is_ascii_whitespace() {
                self.at = self.at.max(start + 1);
                continue;
            }
            if byte == b';' {
                ended = true;
                self.at += 1;
                continue;
            }
            found.several |= ended;
            match byte {
                b'\'' => self.quoted(b'\'', self.escapes()),
                b'"' => self.quoted(b'"', false),
                b'`' if self.dialect == Dialect::Sqlite => self.quoted(b'`', false),
                b'[' if self.dialect == Dialect::Sqlite => self.quoted(b']', false),
                b'$' if self.dialect == Dialect::Postgres && !self.in_word() => self.dollars(),
                b':' if self.text[start..].starts_with(b"::") => self.at += 2,
                b':' if self.place() => {
                    self.at += PLACE.len();
                    found.places.push(start..self.at);
                }
                _ => self.at += 1,
            }
        }
        found
    }

    /// Goes over a comment, where there is one.
    fn comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        if rest.starts_with(b"--") {
            self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            return true;
        }
        if !rest.starts_with(b"/*") {
            return false;
        }
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            // Only PostgreSQL's comments stand in one another.
            if rest.starts_with(b"/*") && (depth == 0 || self.dialect == Dialect::Postgres) {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with(b"*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    break;
                }
            } else {
                self.at += 1;
            }
        }
        true
    }

    /// Goes over what stands between quotes. A doubled quote ends one text and begins the next, which comes to the same.
    fn quoted(&mut self, end: u8, escapes: bool) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += if escapes && byte == b'\\' { 2 } else { 1 };
            if byte == end {
                break;
            }
        }
    }

    /// Whether the text that begins here is one of PostgreSQL's with backslashes: `E'it\'s'`.
    fn escapes(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).map(|at| self.text[at]);
        self.dialect == Dialect::Postgres
            && matches!(before(1), Some(b'e' | b'E'))
            && !before(2).is_some_and(is_word)
    }

    /// Goes over a text between dollars: `$$…$$`, `$tag$…$tag$`.
    fn dollars(&mut self) {
        let rest = &self.text[self.at..];
        let tag = rest[1..].iter().take_while(|byte| is_word(**byte)).count();
        let is_tag = rest.get(1 + tag) == Some(&b'$') && !rest[1].is_ascii_digit();
        if !is_tag {
            self.at += 1;
            return;
        }
        let (mark, text) = rest.split_at(tag + 2);
        let end = memchr::memmem::find(text, mark).map_or(text.len(), |end| end + mark.len());
        self.at += mark.len() + end;
    }

    fn in_word(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|before| is_word(self.text[before]))
    }

    fn place(&self) -> bool {
        let rest = &self.text[self.at..];
        rest.starts_with(PLACE.as_bytes())
            && !rest.get(PLACE.len()).is_some_and(|next| is_word(*next) || *next == b'$')
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::{
        Dialect::{Postgres, Sqlite},
        ready,
    };

    #[test]
    fn a_place_is_found_where_the_database_would_find_it() {
        let bound = |query| ready(query, Postgres).unwrap();
        assert_eq!(
            bound("select count(*) from t where id=:job_id"),
            "select count(*) from t where id=$1"
        );
        assert_eq!(bound("select :job_id::text, ':job_id'"), "select $1::text, ':job_id'");
        assert_eq!(bound("select a::job_id, (:job_id)"), "select a::job_id, ($1)");
        assert_eq!(bound("select 'it''s :job_id', :job_id;"), "select 'it''s :job_id', $1;");
        assert_eq!(bound(r"select E'\' :job_id', :job_id"), r"select E'\' :job_id', $1");
        assert_eq!(bound(r"select type'\', :job_id"), r"select type'\', $1");
        assert_eq!(
            bound("select \":job_id\" -- :job_id\n, :job_id"),
            "select \":job_id\" -- :job_id\n, $1"
        );
        assert_eq!(
            bound("/* a /* b */ :job_id */ select :job_id"),
            "/* a /* b */ :job_id */ select $1"
        );
        assert_eq!(
            bound("select $a$ :job_id $$ $a$, $$:job_id$$, :job_id"),
            "select $a$ :job_id $$ $a$, $$:job_id$$, $1"
        );
        assert_eq!(bound("select t[:job_id], :job_ids, :job_id"), "select t[$1], :job_ids, $1");
    }

    #[test]
    fn sqlite_has_other_quotes() {
        let query = "select [:job_id], `:job_id`, /* /* */ :job_id";
        assert_eq!(ready(query, Sqlite).unwrap(), query);
        let query = "select [it's], :job_id";
        assert_eq!(ready(query, Sqlite).unwrap(), query);
        for only_text in ["select [:job_id]", "select `:job_id`", "select 'x' || ':job_id'"] {
            assert!(ready(only_text, Sqlite).unwrap_err().contains("only in quotes"));
        }
    }

    #[test]
    fn what_counts_other_jobs_is_refused() {
        for dialect in [Sqlite, Postgres] {
            for without in
                ["select count(*) from effects", "", "select :job_idx", "select x::job_id"]
            {
                let error = ready(without, dialect).unwrap_err();
                assert!(error.contains(":job_id"), "{error}");
            }
            let error = ready("select 1 where :job_id = 'a'; delete from t", dialect).unwrap_err();
            assert!(error.contains("more than one statement"), "{error}");
            assert!(ready("select :job_id ; -- the end\n ; ", dialect).is_ok());
        }
    }

    #[test]
    fn nothing_unfinished_breaks_it() {
        for dialect in [Sqlite, Postgres] {
            for tail in ["'", "\"", "[", "`", "$", "$a", "$a$", "/*", "--", ":", "::", "E'\\", "é"]
            {
                assert!(ready(&format!("select :job_id {tail}"), dialect).is_ok(), "{tail}");
            }
        }
    }
}
