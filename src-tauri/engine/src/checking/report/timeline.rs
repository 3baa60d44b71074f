//! What happened to one job as a drawing: a lane a copy on one linear axis of time, downloads, effects and the handler's
//! own events beneath. Everything stands in words too: as labels, as titles of the lanes, and in the list beside it.

mod draw;
mod marks;

pub(super) use draw::{legend, svg};

use super::{
    axis::{Tick, ticks},
    text::{columns, cut, line},
    words::duration,
};
use crate::model::{CopyOutcome, Trace, TraceCopy};
use marks::Row;

/// In the drawing's own units; the page scales it.
const WIDTH: f64 = 920.0;
const TOP: f64 = 8.0;
const AXIS: f64 = 26.0;
const EDGE: f64 = 10.0;
/// One column of the monospaced face at the drawing's text size, on the wide side.
const COLUMN: f64 = 6.75;
/// Where the copies' numbers end, where labels follow them.
const NUMBERS: f64 = 34.0;
/// Columns that a copy's own label may take.
const LABEL: usize = 26;
/// Copies that have a lane.
const DRAWN: usize = 120;
/// Up to here every lane has its label.
const LABELLED: usize = 48;

/// How a copy's bar looks, besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Answered 2xx.
    Taken,
    /// Answered with another status.
    Refused,
    /// Sent, and no answer came.
    Open,
    /// Never left.
    Unsent,
}

/// One copy, in the drawing's units.
#[derive(Debug)]
struct Lane<'a> {
    n: usize,
    copy: &'a TraceCopy,
    /// Its middle.
    y: f64,
    from: f64,
    /// Where its answer began.
    first: Option<f64>,
    to: f64,
    look: Look,
    about: String,
    answer: String,
}

/// A laid out time line.
#[derive(Debug)]
struct Chart<'a> {
    height: f64,
    step: f64,
    labelled: bool,
    lanes: Vec<Lane<'a>>,
    /// How many copies have no lane.
    left_out: usize,
    rows: Vec<Row>,
    ticks: Vec<(f64, Tick)>,
    /// Where time begins and ends on the page.
    left: f64,
    right: f64,
    /// Where the copies' numbers end: beside their labels, or beside the lanes.
    numbers: f64,
    /// Where the lanes end.
    lanes_end: f64,
    /// Where the axis stands.
    bottom: f64,
}

/// Where a moment is on the page.
#[derive(Debug, Clone, Copy)]
struct Scale {
    left: f64,
    right: f64,
    end_ms: f64,
}

impl Scale {
    /// Moments before the beginning, after the end, or that are no number are put at the nearest edge.
    fn place(self, ms: f64) -> f64 {
        let share = if ms.is_nan() { 0.0 } else { (ms / self.end_ms).clamp(0.0, 1.0) };
        self.left + share * (self.right - self.left)
    }
}

fn lay_out(trace: &Trace) -> Chart<'_> {
    let drawn = trace.copies.len().min(DRAWN);
    let labelled = trace.copies.len() <= LABELLED;
    let step = match drawn {
        0..=8 => 24.0,
        9..=24 => 19.0,
        25..=LABELLED => 15.0,
        _ => 5.0,
    };
    let copies = || trace.copies.iter().take(drawn);
    let abouts: Vec<_> = copies().map(about).collect();
    let answers: Vec<_> = copies().map(answer).collect();
    let widest = |texts: &[String]| {
        if labelled { texts.iter().map(|text| columns(text)).max().unwrap_or(0) } else { 0 }
    };
    let about_width = widest(&abouts) as f64 * COLUMN;
    let kinds = if trace.marks.is_empty() { 0.0 } else { marks::names(trace) as f64 * COLUMN };
    let label_end = if about_width > 0.0 { NUMBERS + 10.0 + about_width } else { NUMBERS };
    let left = label_end.max(EDGE + kinds) + 14.0;
    let right = WIDTH - EDGE - (widest(&answers) as f64 * COLUMN + 10.0).max(30.0);
    let numbers = if about_width > 0.0 { NUMBERS } else { left - 14.0 };
    let scale = Scale { left, right, end_ms: end(trace) };

    let lanes: Vec<_> = copies()
        .zip(abouts)
        .zip(answers)
        .enumerate()
        .map(|(i, ((copy, about), answer))| {
            let y = TOP + (i as f64 + 0.5) * step;
            lane(i + 1, copy, y, scale, about, answer)
        })
        .collect();
    let left_out = trace.copies.len() - drawn;
    let note = if left_out > 0 { 18.0 } else { 0.0 };
    let lanes_end = TOP + drawn as f64 * step + note;
    let rows = marks::rows(trace, scale, lanes_end + 8.0);
    let bottom = rows.last().map_or(lanes_end, |row| row.y + marks::ROW / 2.0) + 6.0;
    let wanted = ((right - left) / 95.0) as usize;
    let ticks = ticks(scale.end_ms, wanted.max(2));
    let ticks = ticks.into_iter().map(|tick| (scale.place(tick.at_ms), tick)).collect();
    Chart {
        height: bottom + AXIS,
        step,
        labelled,
        lanes,
        left_out,
        rows,
        ticks,
        left,
        right,
        numbers,
        lanes_end,
        bottom,
    }
}

fn lane(
    n: usize,
    copy: &TraceCopy,
    y: f64,
    scale: Scale,
    about: String,
    answer: String,
) -> Lane<'_> {
    let from = scale.place(copy.sent_ms.unwrap_or(copy.done_ms));
    let look = look(copy);
    // A bar that is too short to be seen is drawn a little longer; a cross has its own width.
    let shortest = if look == Look::Unsent { 8.0 } else { 3.0 };
    let to = scale.place(copy.done_ms).max(from + shortest);
    let first = copy.first_byte_ms.map(|ms| scale.place(ms).clamp(from, to));
    Lane { n, copy, y, from, first, to, look, about, answer }
}

fn look(copy: &TraceCopy) -> Look {
    match (copy.outcome, copy.status) {
        (CopyOutcome::NotSent, _) => Look::Unsent,
        (CopyOutcome::Answered, Some(200..=299)) => Look::Taken,
        (CopyOutcome::Answered, Some(_)) => Look::Refused,
        (CopyOutcome::Answered | CopyOutcome::Unknown, _) => Look::Open,
    }
}

/// What is special about a copy.
fn about(copy: &TraceCopy) -> String {
    let label = line(&copy.label);
    let about = match (copy.instance > 1, label.is_empty()) {
        (false, _) => label,
        (true, true) => format!("instance {}", copy.instance),
        (true, false) => format!("{label}, instance {}", copy.instance),
    };
    cut(&about, LABEL).into_owned()
}

/// What became of it and how long that took.
fn answer(copy: &TraceCopy) -> String {
    let took = copy.sent_ms.map(|sent| duration(copy.done_ms - sent)).unwrap_or_default();
    match (look(copy), copy.status) {
        (Look::Unsent, _) => "not sent".into(),
        (Look::Taken | Look::Refused, Some(status)) => format!("{status} · {took}"),
        (Look::Taken | Look::Refused | Look::Open, _) => format!("no answer · {took}"),
    }
}

/// When the last thing ended, in milliseconds; never zero, so that everything has a place.
fn end(trace: &Trace) -> f64 {
    let copies = trace.copies.iter().flat_map(|copy| [copy.done_ms, copy.sent_ms.unwrap_or(0.0)]);
    let marks = trace.marks.iter().map(|mark| mark.at_ms + mark.lasted_ms.unwrap_or(0.0));
    let end = copies.chain(marks).filter(|ms| ms.is_finite()).fold(0.0, f64::max);
    if end > 0.0 { end } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture, *};

    #[test]
    fn nothing_is_outside_of_the_drawing_and_no_labels_overlap() {
        for trace in fixture::traces() {
            let chart = lay_out(&trace);
            for lane in &chart.lanes {
                assert!(lane.from >= chart.left && lane.to <= chart.right + 8.0, "{lane:?}");
                if chart.labelled {
                    let end = lane.to + 8.0 + columns(&lane.answer) as f64 * COLUMN;
                    assert!(end <= WIDTH, "{}: {end}", lane.answer);
                    let about = NUMBERS + 10.0 + columns(&lane.about) as f64 * COLUMN;
                    assert!(lane.about.is_empty() || about <= chart.left, "{}", lane.about);
                }
            }
            let rows = &chart.rows;
            for row in rows {
                let mut spans: Vec<_> = row.items.iter().filter_map(marks::Item::words).collect();
                spans.sort_by(|a, b| a.0.total_cmp(&b.0));
                let inside = |span: &(f64, f64)| span.0 >= chart.left && span.1 <= WIDTH;
                assert!(spans.iter().all(inside), "{}: {spans:?}", trace.label);
                assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
                for (words, item) in
                    spans.iter().flat_map(|span| row.items.iter().map(move |item| (span, item)))
                {
                    let own = item.words() == Some(*words);
                    assert!(own || item.to < words.0 || words.1 < item.from, "{words:?} {item:?}");
                }
            }
            assert!(rows.windows(2).all(|pair| pair[1].y - pair[0].y >= marks::ROW - 0.01));
            for pair in chart.ticks.windows(2) {
                let half = |tick: &Tick| columns(&tick.label) as f64 * COLUMN / 2.0;
                assert!(pair[0].0 + half(&pair[0].1) + 4.0 < pair[1].0 - half(&pair[1].1));
            }
        }
    }

    #[test]
    fn a_copy_past_the_last_lane_is_counted() {
        let mut trace = fixture::volley();
        let copy = trace.copies[0].clone();
        trace.copies = vec![copy; 1_000];
        let chart = lay_out(&trace);
        assert_eq!((chart.lanes.len(), chart.left_out), (DRAWN, 1_000 - DRAWN));
        assert!(chart.height < 1_000.0);
    }

    #[test]
    fn times_that_are_no_numbers_have_a_place_all_the_same() {
        let mut trace = fixture::volley();
        trace.copies[0].done_ms = f64::NAN;
        trace.copies[1].sent_ms = Some(f64::INFINITY);
        trace.copies[2].sent_ms = Some(-3.0);
        let drawn = svg(&trace, "t").into_string();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf\""), "{drawn}");
    }
}
