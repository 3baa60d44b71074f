//! What happened besides the copies, laid out in rows so that no words overlap.

use super::{
    super::text::{columns, cut, line},
    COLUMN, EDGE, Scale, WIDTH,
};
use crate::model::{Trace, TraceMark};
use std::collections::BTreeMap;

/// How high a row is.
pub(super) const ROW: f64 = 18.0;
/// Rows with words that one kind may take; what does not fit is drawn without its words in one more.
const ROWS: usize = 6;
/// From a shape's middle to its edge, and between it and its words.
const HALF: f64 = 5.0;
const GAP: f64 = 5.0;
/// Marks of the same words that are closer than this are one.
const NEAR: f64 = 4.0;

/// What is drawn for a kind of mark. In the order of their rows: the handler's are next to the lanes, since their guides
/// go through the lanes and should cross nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Handler,
    Download,
    Effect,
    Other,
}

impl Shape {
    fn of(kind: &str) -> Self {
        match kind {
            "download" => Self::Download,
            "effect" => Self::Effect,
            "handler" => Self::Handler,
            _ => Self::Other,
        }
    }

    /// What stands before the first of its rows.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Download => "downloads",
            Self::Effect => "effects",
            Self::Handler => "handler",
            Self::Other => "other",
        }
    }
}

/// Marks on one line.
#[derive(Debug)]
pub(super) struct Row {
    /// Its middle.
    pub(super) y: f64,
    pub(super) shape: Shape,
    /// The first of its kind.
    pub(super) first: bool,
    pub(super) items: Vec<Item>,
}

/// One mark, or several that are one on the page.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) from: f64,
    pub(super) to: f64,
    /// Where its words begin; `None` where there was no room for them.
    pub(super) text_x: Option<f64>,
    pub(super) text: String,
    /// Whole, with its time.
    pub(super) title: String,
}

impl Item {
    /// From where to where its words go.
    pub(super) fn words(&self) -> Option<(f64, f64)> {
        self.text_x.map(|x| (x, x + columns(&self.text) as f64 * COLUMN))
    }

    /// From where to where nothing else may stand.
    fn span(&self) -> (f64, f64) {
        let (from, to) = (self.from - HALF, self.to + HALF);
        match self.words() {
            Some((begin, end)) => (from.min(begin) - GAP, to.max(end) + GAP),
            None => (from, to),
        }
    }
}

/// How many columns the names of a trace's kinds take.
pub(super) fn names(trace: &Trace) -> usize {
    let shapes = trace.marks.iter().map(|mark| Shape::of(&mark.kind));
    shapes.map(|shape| shape.name().len()).max().unwrap_or(0)
}

/// Lays the marks out, from a height on downwards.
pub(super) fn rows(trace: &Trace, scale: Scale, top: f64) -> Vec<Row> {
    let mut kinds: BTreeMap<Shape, Vec<&TraceMark>> = BTreeMap::new();
    for mark in &trace.marks {
        kinds.entry(Shape::of(&mark.kind)).or_default().push(mark);
    }
    let mut placed: Vec<Row> = Vec::new();
    for (shape, mut marks) in kinds {
        marks.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
        let mut rows: Vec<Vec<Item>> = Vec::new();
        let mut wordless = Vec::new();
        for item in items(shape, &marks, scale) {
            let (from, to) = item.span();
            let free = |row: &&mut Vec<Item>| {
                row.iter().all(|other| other.span().1 <= from || to <= other.span().0)
            };
            let full = rows.len() == ROWS;
            match rows.iter_mut().find(free) {
                Some(row) => row.push(item),
                None if full => wordless.push(Item { text_x: None, ..item }),
                None => rows.push(vec![item]),
            }
        }
        if !wordless.is_empty() {
            rows.push(wordless);
        }
        for (i, items) in rows.into_iter().enumerate() {
            let y = top + (placed.len() as f64 + 0.5) * ROW;
            placed.push(Row { y, shape, first: i == 0, items });
        }
    }
    placed
}

/// The marks of one kind, those that say the same at the same place put together.
fn items(shape: Shape, marks: &[&TraceMark], scale: Scale) -> Vec<Item> {
    let mut groups: Vec<(f64, f64, String, String, u32)> = Vec::new();
    for mark in marks {
        let from = scale.place(mark.at_ms);
        let to = scale.place(mark.at_ms + mark.lasted_ms.unwrap_or(0.0)).max(from);
        let text = line(&mark.text);
        let told = super::super::story::mark(mark);
        match groups.last_mut() {
            Some((begin, end, same, title, count))
                if *same == text && from - *begin < NEAR && (to - *end).abs() < NEAR =>
            {
                *end = to.max(*end);
                *count += 1;
                *title += &format!("; {told}");
            }
            _ => groups.push((from, to, text, told, 1)),
        }
    }
    groups
        .into_iter()
        .map(|(from, to, text, title, count)| {
            let text = if count > 1 { format!("{text} × {count}") } else { text };
            item(shape, scale.left, (from, to), &text, title)
        })
        .collect()
}

/// Words go into a bar that is long enough, else to the right of the mark where there is room, else to its left, else
/// into the wider side, cut.
fn item(shape: Shape, left: f64, (from, to): (f64, f64), text: &str, title: String) -> Item {
    let width = columns(text) as f64 * COLUMN;
    let has_bar = shape != Shape::Handler;
    let inside = from + HALF + GAP;
    if has_bar && inside + width + GAP <= to {
        return Item { from, to, text_x: Some(inside), text: text.to_owned(), title };
    }
    let before = from - HALF - GAP - left;
    let after = WIDTH - EDGE - (to + HALF + GAP);
    let fitting = (before.max(after) / COLUMN).max(1.0) as usize;
    let text = cut(text, fitting).into_owned();
    let width = columns(&text) as f64 * COLUMN;
    let x = if width <= after { to + HALF + GAP } else { from - HALF - GAP - width };
    Item { from, to, text_x: Some(x), text, title }
}
