//! What a line has to hold.

use regex::Regex;
use std::{cell::OnceCell, ops::Range};

/// Where the id goes.
const PLACE: &str = "{job_id}";

/// The group of the id in a regular expression.
const GROUP: &str = "hooktwice_job_id";

/// A text that a line holds, or a regular expression that it matches.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    /// As a regular expression it is one, and finds other things than as a text.
    is_regex: bool,
    /// The text ends with the id.
    ends_with_id: bool,
    /// In the regular expression, a letter or a digit follows the id at once.
    runs_on: bool,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let Some((before, after)) = text.split_once(PLACE) else {
            return Err(format!(
                "the pattern has no `{PLACE}`, so it would count other jobs' effects too; put it where the id stands \
                 in a line, for example: sent mail for {PLACE}"
            ));
        };
        let rest = [before, after].concat().replace(PLACE, "");
        let is_regex = regex::escape(&rest) != rest && with_id(text, "job_1").is_some();
        let runs_on = after.chars().next().is_some_and(char::is_alphanumeric);
        Ok(Self { text: text.to_owned(), is_regex, ends_with_id: text.ends_with(PLACE), runs_on })
    }

    /// For one job.
    pub(super) fn matcher<'a>(&'a self, id: &'a str) -> Matcher<'a> {
        Matcher { pattern: self, id, text: self.text.replace(PLACE, id), regex: OnceCell::new() }
    }
}

/// A pattern with an id in it.
#[derive(Debug)]
pub(super) struct Matcher<'a> {
    pattern: &'a Pattern,
    id: &'a str,
    text: String,
    /// Made when a line needs it.
    regex: OnceCell<Option<Regex>>,
}

impl Matcher<'_> {
    pub(super) fn id(&self) -> &str {
        self.id
    }

    /// Whether the line speaks of the job, and not of another whose id only begins with the same letters.
    pub(super) fn is_in(&self, line: &str) -> bool {
        if !line.contains(self.id) {
            return false;
        }
        let ends = |end: usize| !line[end..].chars().next().is_some_and(goes_on);
        let mut texts = line.match_indices(&self.text).map(|(at, text)| at + text.len());
        if texts.any(|end| !self.pattern.ends_with_id || ends(end)) {
            return true;
        }
        if !self.pattern.is_regex {
            return false;
        }
        let regex = self.regex.get_or_init(|| with_id(&self.pattern.text, self.id));
        let ids = regex.iter().flat_map(|regex| regex.captures_iter(line));
        let mut ids = ids.filter_map(|found| found.name(GROUP).map(|id| id.range()));
        ids.any(|Range { end, .. }| self.pattern.runs_on || ends(end))
    }
}

/// The pattern as a regular expression; `None` where it is none.
fn with_id(text: &str, id: &str) -> Option<Regex> {
    // As it is, also where the pattern itself is without regard to case or spaces.
    let id = format!("(?-ix:{})", regex::escape(id));
    let first = text.replacen(PLACE, &format!("(?P<{GROUP}>{id})"), 1);
    Regex::new(&first.replace(PLACE, &id)).ok()
}

/// Whether an id that is followed by this is another one. A mark belongs to the letter before it.
fn goes_on(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(pattern: &str, id: &str, line: &str) -> bool {
        Pattern::new(pattern).unwrap().matcher(id).is_in(line)
    }

    #[test]
    fn a_text_is_found_as_it_stands() {
        assert!(is_in("sent mail for {job_id}", "job_1", "12:00 sent mail for job_1"));
        assert!(is_in("sent mail for {job_id}", "job_1", "sent mail for job_1."));
        assert!(is_in("out/{job_id}", "job_1", "wrote out/job_1_video.mp4"));
        assert!(is_in("[{job_id}] (done)", "job_1", "[job_1] (done)"));
        assert!(is_in("{job_id} is {job_id}", "job_1", "job_1 is job_1"));
        assert!(is_in("{job_id}done", "job_1", "job_1done"));
        assert!(is_in("unfinished ( {job_id}", "job_1", "unfinished ( job_1"), "no regex at all");
        assert!(!is_in("sent mail for {job_id}", "job_1", "sent no mail for job_1"));
        assert!(!is_in("{job_id} is {job_id}", "job_1", "job_1 is job_2"));
    }

    #[test]
    fn another_id_that_begins_the_same_is_another() {
        for longer in
            ["for job_12", "for job_1a", "for job_1é", "for job_1e\u{301}", "for job_1\u{301}"]
        {
            assert!(!is_in("for {job_id}", "job_1", longer), "{longer}");
            assert!(!is_in("f.r {job_id}", "job_1", longer), "{longer}");
            assert!(!is_in("f.r {job_id}.*", "job_1", longer), "{longer}");
        }
        assert!(is_in("for {job_id}", "job_1", "for job_12, for job_1"));
        assert!(is_in("f.r {job_id}", "job_1", "for job_12, for job_1"));
        assert!(!is_in("for {job_id}", "job_A", "for job_a"));
    }

    #[test]
    fn a_regular_expression_is_one() {
        assert!(is_in(r"^\d+ sent .*{job_id}$", "job_1", "12 sent mail for job_1"));
        assert!(!is_in(r"^\d+ sent .*{job_id}$", "job_1", "x sent mail for job_1"));
        assert!(is_in("(?i)SENT {job_id}", "job_a", "sent job_a"));
        assert!(!is_in("(?i)SENT {job_id}", "job_a", "sent job_A"), "ids keep their case");
        assert!(
            is_in("a.b {job_id}", "job_1", "a.b job_1")
                && is_in("a.b {job_id}", "job_1", "axb job_1")
        );
        assert!(!is_in("mail|{job_id}", "job_1", "mail for another"), "the id has to be there");
        assert!(is_in("for .{job_id}.", "a+b", "for <a+b>"));
        assert!(!is_in("for .{job_id}.", "a+b", "for <aab>"), "an id is no pattern");
    }

    #[test]
    fn a_pattern_without_a_place_is_refused() {
        assert!(Pattern::new("sent mail").unwrap_err().contains("{job_id}"));
        assert!(Pattern::new("").is_err());
    }
}
