//! How wide lines may be, and whether they may have colour.

use std::{
    env,
    io::{self, IsTerminal as _},
};

/// Where no terminal says how wide it is.
const USUAL_WIDTH: usize = 100;
/// Narrower than this, wrapping helps nobody.
const LEAST_WIDTH: usize = 40;

/// How text for people looks on stdout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// In columns.
    pub(super) width: usize,
    /// Never the only thing that says something.
    colour: bool,
}

/// What a word is coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
    Doubt,
    Faint,
}

impl Style {
    /// As stdout is.
    pub(super) fn of_stdout() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        Self {
            width: if terminal { width_of_terminal() } else { USUAL_WIDTH },
            colour: terminal && colour_is_wanted(),
        }
    }

    #[cfg(test)]
    pub(super) fn plain(width: usize) -> Self {
        Self { width, colour: false }
    }

    #[cfg(test)]
    pub(super) fn coloured(width: usize) -> Self {
        Self { width, colour: true }
    }

    pub(super) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Doubt => "33",
            Tone::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// As <https://no-color.org> has it: set to anything but nothing.
fn colour_is_wanted() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// The columns of the terminal that this runs in.
pub(super) fn width_of_terminal() -> usize {
    let size = terminal_size::terminal_size();
    size.map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0).max(LEAST_WIDTH))
}

/// Breaks text between words so that no line is longer than `width`, each behind `indent`. A longer word stays whole.
pub(super) fn wrap(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(1);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let (mut line, mut length) = (String::new(), 0);
        for word in paragraph.split_whitespace() {
            let more = word.chars().count();
            if length > 0 && length + 1 + more > room {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            if length > 0 {
                line.push(' ');
                length += 1;
            }
            line.push_str(word);
            length += more;
        }
        lines.push(line);
    }
    let indented = lines.iter().filter(|line| !line.is_empty());
    indented.map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_a_long_word_stays_whole() {
        assert_eq!(wrap("one two three", "  ", 9), "  one two\n  three");
        assert_eq!(wrap("a http://127.0.0.1:3000/x b", " ", 8), " a\n http://127.0.0.1:3000/x\n b");
        assert_eq!(wrap("é é é", "", 3), "é é\né");
        assert_eq!(wrap("one\n\ntwo", "-", 80), "-one\n-two");
        assert_eq!(wrap("", "-", 80), "");
    }
}
