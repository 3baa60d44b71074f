//! Finds the event and the id while a body is scanned, and what may stand elsewhere.

use super::{
    pointer::{self, Pointer},
    scan::{Fault, Kind, Part, Scanner, Span},
    text,
};

/// How many strings that may hold JSON text are looked into (C47).
const ENVELOPES: usize = 4;
/// How many bytes of such a string are looked into.
const ENVELOPE_BYTES: usize = 256 * 1024;

/// What was found in a whole text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The value at the pointer; the last one where there are several.
    pub id: Option<(Kind, Span)>,
    /// Where a key on the way to it stands for the first and for the second time.
    pub twice: Option<(usize, usize)>,
    /// The string value of `event` at the root.
    pub event: Option<Span>,
    /// The kind of the root.
    pub root: Option<Kind>,
    /// How many items the root has, where it is an array.
    pub items: usize,
    /// The pointer to the first value elsewhere under the same key.
    pub elsewhere: Option<String>,
    /// Strings that may hold JSON text, with their pointers.
    envelopes: Vec<(String, Span)>,
}

/// An object or array that is open.
#[derive(Debug)]
struct Level {
    kind: Kind,
    /// The byte where it begins.
    start: usize,
    /// It stands on the pointer's way: all names above it were met.
    on_way: bool,
    /// Its value is the one at the pointer.
    is_id: bool,
    /// The key of the value that is being read; empty in an array.
    key: Span,
    /// How many items of an array were read.
    items: usize,
    /// Where the key on the way stood.
    met: Option<usize>,
}

/// Where a value stands that is about to be read.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    on_way: bool,
    is_id: bool,
    is_event: bool,
    is_elsewhere: bool,
}

struct Finder<'a> {
    body: &'a [u8],
    pointer: &'a Pointer,
    levels: Vec<Level>,
    found: Found,
    place: Place,
}

/// Reads a whole body.
pub(super) fn find(body: &[u8], pointer: &Pointer) -> Result<Found, Fault> {
    let mut scanner = Scanner::new(body)?;
    let root = Place { on_way: true, is_id: pointer.names().is_empty(), ..Place::default() };
    let mut finder =
        Finder { body, pointer, levels: Vec::new(), found: Found::default(), place: root };
    while let Some(part) = scanner.next()? {
        finder.take(part);
    }
    Ok(finder.found)
}

impl Finder<'_> {
    fn take(&mut self, part: Part) {
        match part {
            Part::Key(span) => self.key(span),
            Part::Scalar(kind, span) => {
                let place = self.before_value(kind);
                if place.is_id {
                    self.found.id = Some((kind, span.clone()));
                }
                if place.is_event {
                    self.found.event = (kind == Kind::String).then(|| span.clone());
                }
                if kind == Kind::String && !place.is_id {
                    self.envelope(span);
                }
            }
            Part::Open(kind, start) => {
                let place = self.before_value(kind);
                if place.is_event {
                    self.found.event = None;
                }
                let Place { on_way, is_id, .. } = place;
                self.levels.push(Level {
                    kind,
                    start,
                    on_way,
                    is_id,
                    key: 0..0,
                    items: 0,
                    met: None,
                });
            }
            Part::Close(end) => {
                let Some(level) = self.levels.pop() else { return };
                if level.is_id {
                    self.found.id = Some((level.kind, level.start..end));
                }
                if self.levels.is_empty() {
                    self.found.items = level.items;
                }
            }
        }
    }

    fn key(&mut self, span: Span) {
        let depth = self.levels.len();
        let wanted = self.pointer.names().get(depth - 1).map(String::as_str);
        let is_last = self.pointer.names().len() == depth;
        let Some(level) = self.levels.last_mut() else { return };
        let on_way = level.on_way && wanted.is_some_and(|name| same(self.body, &span, name));
        if on_way {
            if let Some(first) = level.met {
                self.found.twice.get_or_insert((first, span.start));
            }
            level.met.get_or_insert(span.start);
        }
        self.place = Place {
            on_way,
            is_id: on_way && is_last,
            is_event: depth == 1 && same(self.body, &span, "event"),
            is_elsewhere: self.found.elsewhere.is_none()
                && self.pointer.last().is_some_and(|name| same(self.body, &span, name)),
        };
        level.key = span;
    }

    /// What is known of the place of a value that begins here.
    fn before_value(&mut self, kind: Kind) -> Place {
        let depth = self.levels.len();
        let Some(level) = self.levels.last_mut() else {
            self.found.root = Some(kind);
            return self.place;
        };
        if level.kind == Kind::Array {
            let names = self.pointer.names();
            let on_way = level.on_way
                && names.get(depth - 1).is_some_and(|name| is_index(name, level.items));
            level.items += 1;
            return Place { on_way, is_id: on_way && names.len() == depth, ..Place::default() };
        }
        if self.place.is_elsewhere
            && !self.place.is_id
            && matches!(kind, Kind::String | Kind::Number)
        {
            self.found.elsewhere = Some(self.here());
        }
        self.place
    }

    /// Remembers a string that may hold JSON text.
    fn envelope(&mut self, span: Span) {
        let text = self.body[span.start + 1..span.end - 1].trim_ascii_start();
        let in_object = self.levels.last().is_some_and(|level| level.kind == Kind::Object);
        if in_object
            && matches!(text.first(), Some(b'{' | b'['))
            && self.found.envelopes.len() < ENVELOPES
            && span.len() <= ENVELOPE_BYTES
        {
            let here = self.here();
            self.found.envelopes.push((here, span));
        }
    }

    /// The pointer to the value that is being read.
    fn here(&self) -> String {
        let name = |level: &Level| match level.kind {
            Kind::Array => (level.items.saturating_sub(1)).to_string(),
            _ => text::decode(&self.body[level.key.clone()]).unwrap_or_else(|_| "\u{fffd}".into()),
        };
        self.levels.iter().map(|level| format!("/{}", pointer::escape(&name(level)))).collect()
    }
}

/// Whether a key, with its quotes, is that name.
fn same(body: &[u8], key: &Span, name: &str) -> bool {
    let inner = &body[key.start + 1..key.end - 1];
    inner == name.as_bytes()
        || memchr::memchr(b'\\', inner).is_some()
            && text::decode_inner(inner).is_ok_and(|key| key == name)
}

/// Whether a pointer's name is that index of an array: digits, no zero before others (RFC 6901, section 4).
fn is_index(name: &str, index: usize) -> bool {
    let canonical =
        name == "0" || !name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit());
    canonical && name.parse() == Ok(index)
}

/// Why no id was found, as a sentence, with where one stands instead.
pub(super) fn missing(body: &[u8], pointer: &Pointer, found: &Found) -> String {
    let place = match (pointer.names(), found.root) {
        ([_], Some(Kind::Array)) => {
            return format!("root is an array of {}; no job_id is read from a batch", found.items);
        }
        ([name], Some(Kind::Object)) => format!("no {name} at the root"),
        (_, Some(root)) if root != Kind::Object && root != Kind::Array => {
            format!("no {}: the root is {}", pointer.name(), root.describe())
        }
        _ => format!("nothing stands at {}", pointer.name()),
    };
    if let Some(elsewhere) = &found.elsewhere {
        return format!("{place}; found at {elsewhere}");
    }
    match found.envelopes.iter().find(|(_, span)| holds(&body[span.clone()], pointer)) {
        Some((envelope, _)) => format!("{place}; found in the JSON text at {envelope}"),
        None => place,
    }
}

/// Whether a string's text is JSON with an id in it, at the pointer or elsewhere.
fn holds(string: &[u8], pointer: &Pointer) -> bool {
    let Ok(text) = text::decode(string) else { return false };
    find(text.as_bytes(), pointer)
        .is_ok_and(|found| found.id.is_some() || found.elsewhere.is_some())
}
