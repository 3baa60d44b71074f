//! The grammar of RFC 8259 as a stream of parts, over bytes, strict and without recursion.

use std::ops::Range;

/// How deep arrays and objects may stand in each other: what serde_json takes (C73).
pub(super) const MAX_DEPTH: usize = 127;

/// UTF-8's byte order mark, which is passed over for reading only (C09).
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A byte range in the body as sent.
pub(super) type Span = Range<usize>;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Number,
    True,
    False,
    Null,
    Object,
    Array,
}

impl Kind {
    /// As the end of a sentence.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
            Self::Object => "an object",
            Self::Array => "an array",
        }
    }
}

/// One part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A key, with its quotes; its value follows.
    Key(Span),
    /// A value that holds no others.
    Scalar(Kind, Span),
    /// An object or array begins.
    Open(Kind, usize),
    /// The innermost object or array ended; the byte after it.
    Close(usize),
}

/// Why a body is not JSON; the byte is counted from 0, in the body as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("not UTF-8 at byte {0}")]
    NotUtf8(usize),
    #[error("not valid JSON at byte {at}: {what}")]
    Syntax { at: usize, what: &'static str },
    #[error("too deep at byte {0}: more than {MAX_DEPTH} arrays and objects stand in each other")]
    TooDeep(usize),
}

/// What may stand at the place that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Value,
    FirstItemOrEnd,
    FirstKeyOrEnd,
    CommaOrEnd,
    Nothing,
}

/// Reads a text part by part.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    body: &'a [u8],
    at: usize,
    due: Due,
    /// One bit for each open level, 1 for an object.
    objects: u128,
    depth: usize,
}

/// Reads a whole text for its faults alone.
pub(super) fn check(body: &[u8]) -> Result<(), Fault> {
    let mut scanner = Scanner::new(body)?;
    while scanner.next()?.is_some() {}
    Ok(())
}

impl<'a> Scanner<'a> {
    /// Begins; every byte is known to be UTF-8 from here on (C25).
    pub(super) fn new(body: &'a [u8]) -> Result<Self, Fault> {
        std::str::from_utf8(body).map_err(|error| Fault::NotUtf8(error.valid_up_to()))?;
        let at = if body.starts_with(BOM) { BOM.len() } else { 0 };
        Ok(Self { body, at, due: Due::Value, objects: 0, depth: 0 })
    }

    /// The next part; `None` at the end of a whole text.
    pub(super) fn next(&mut self) -> Result<Option<Part>, Fault> {
        loop {
            self.space();
            let Some(byte) = self.peek() else {
                return if self.due == Due::Nothing {
                    Ok(None)
                } else {
                    Err(self.syntax("it ends too early"))
                };
            };
            return match (self.due, byte) {
                (Due::Nothing, _) => Err(self.syntax("something follows the value")),
                (Due::FirstItemOrEnd | Due::CommaOrEnd, b']') if !self.in_object() => self.close(),
                (Due::FirstKeyOrEnd | Due::CommaOrEnd, b'}') if self.in_object() => self.close(),
                (Due::CommaOrEnd, b',') => {
                    self.at += 1;
                    if self.in_object() {
                        self.space();
                        return self.key();
                    }
                    self.due = Due::Value;
                    continue;
                }
                (Due::CommaOrEnd, _) => {
                    Err(self.syntax("a comma or the end of the object or array is due"))
                }
                (Due::FirstKeyOrEnd, _) => self.key(),
                (Due::Value | Due::FirstItemOrEnd, _) => self.value(byte),
            };
        }
    }

    fn peek(&self) -> Option<u8> {
        self.body.get(self.at).copied()
    }

    fn syntax(&self, what: &'static str) -> Fault {
        let what = if self.at >= self.body.len() { "it ends too early" } else { what };
        Fault::Syntax { at: self.at, what }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn in_object(&self) -> bool {
        self.depth > 0 && self.objects >> (self.depth - 1) & 1 == 1
    }

    fn after_value(&mut self) {
        self.due = if self.depth == 0 { Due::Nothing } else { Due::CommaOrEnd };
    }

    fn open(&mut self, kind: Kind) -> Result<Option<Part>, Fault> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::TooDeep(self.at));
        }
        let bit = 1 << self.depth;
        (self.objects, self.due) = match kind {
            Kind::Object => (self.objects | bit, Due::FirstKeyOrEnd),
            _ => (self.objects & !bit, Due::FirstItemOrEnd),
        };
        self.depth += 1;
        self.at += 1;
        Ok(Some(Part::Open(kind, self.at - 1)))
    }

    fn close(&mut self) -> Result<Option<Part>, Fault> {
        self.depth -= 1;
        self.at += 1;
        self.after_value();
        Ok(Some(Part::Close(self.at)))
    }

    fn key(&mut self) -> Result<Option<Part>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a key in double quotes is due"));
        }
        let span = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.syntax("a colon is due after a key"));
        }
        self.at += 1;
        self.due = Due::Value;
        Ok(Some(Part::Key(span)))
    }

    fn value(&mut self, byte: u8) -> Result<Option<Part>, Fault> {
        let (kind, span) = match byte {
            b'{' => return self.open(Kind::Object),
            b'[' => return self.open(Kind::Array),
            b'"' => (Kind::String, self.string()?),
            b'-' | b'0'..=b'9' => (Kind::Number, self.number()?),
            b't' => (Kind::True, self.word(b"true")?),
            b'f' => (Kind::False, self.word(b"false")?),
            b'n' => (Kind::Null, self.word(b"null")?),
            b'N' | b'I' => {
                return Err(self.syntax("NaN and Infinity are not JSON (Python writes them)"));
            }
            b'\'' => return Err(self.syntax("a string stands in double quotes")),
            _ => return Err(self.syntax("a value is due")),
        };
        self.after_value();
        Ok(Some(Part::Scalar(kind, span)))
    }

    fn word(&mut self, word: &'static [u8]) -> Result<Span, Fault> {
        let start = self.at;
        for &letter in word {
            if self.peek() != Some(letter) {
                return Err(self.syntax("only true, false and null stand without quotes"));
            }
            self.at += 1;
        }
        Ok(start..self.at)
    }

    fn number(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        self.skip(b"-");
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'I') => {
                return Err(self.syntax("NaN and Infinity are not JSON (Python writes them)"));
            }
            _ => self.digits()?,
        }
        if self.skip(b".") {
            self.digits()?;
        }
        if self.skip(b"eE") {
            self.skip(b"+-");
            self.digits()?;
        }
        Ok(start..self.at)
    }

    fn skip(&mut self, any_of: &[u8]) -> bool {
        let there = self.peek().is_some_and(|byte| any_of.contains(&byte));
        self.at += usize::from(there);
        there
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self.body[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.syntax("a digit is due"));
        }
        self.at += count;
        Ok(())
    }

    /// Passes over a string and returns it with its quotes.
    fn string(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = &self.body[self.at..];
            let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            // Without a branch for each byte, so that the compiler makes wide steps of it.
            if rest[..end].iter().fold(false, |any, byte| any | (*byte < 0x20)) {
                self.at += rest.iter().position(|byte| *byte < 0x20).unwrap_or(0);
                return Err(self.syntax("a control character stands unescaped in a string"));
            }
            self.at += end;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(_) => self.escape()?,
                None => return Err(self.syntax("")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.syntax("four hex digits are due after \\u"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.syntax("there is no such escape")),
        }
        Ok(())
    }
}
