//! A laid out time line as SVG.

use super::{
    super::{
        story,
        text::line,
        words::{duration, plural},
    },
    Chart, Lane, Look, NUMBERS, TOP, WIDTH, lay_out,
    marks::{Item, ROW, Row, Shape},
};
use crate::model::Trace;
use maud::{Markup, html};

/// From a baseline to the middle of a line of text.
const BASE: f64 = 4.0;
/// How high the bar of a mark that took time is.
const BAR: f64 = 13.0;

/// Draws a trace. `id` is unique in the page.
pub(in super::super) fn svg(trace: &Trace, id: &str) -> Markup {
    let chart = lay_out(trace);
    html! {
        svg class="timeline" viewBox={ "0 0 " (px(WIDTH)) " " (px(chart.height)) } role="img"
            aria-labelledby={ (id) "-title " (id) "-text" } {
            title id={ (id) "-title" } { "Time line of job " (line(&trace.job_id)) }
            desc id={ (id) "-text" } { (described(trace, &chart)) }
            (grid(&chart))
            @for row in &chart.rows { @if row.shape == Shape::Handler { (guides(row, &chart)) } }
            @for lane in &chart.lanes { (drawn(lane, &chart)) }
            @if chart.left_out > 0 {
                text x=(px(chart.left)) y=(px(chart.lanes_end - 4.0)) class="soft" {
                    (plural(chart.left_out as u32, "more copy is", "more copies are")) " not drawn"
                }
            }
            @for row in &chart.rows { (marked(row, chart.left)) }
        }
    }
}

/// How the drawings are read.
pub(in super::super) fn legend() -> Markup {
    let icon = |inside: Markup| html! { svg viewBox="0 0 26 12" aria-hidden="true" { (inside) } };
    html! {
        ul class="legend" aria-label="How time lines are read" {
            li { (icon(bar("taken"))) "answered 2xx" }
            li { (icon(bar("refused"))) "answered otherwise" }
            li {
                (icon(html! { rect class="open" x="1" y="1.5" width="24" height="9" rx="2" {} }))
                "no answer"
            }
            li {
                (icon(html! { rect class="held" x="5" y="1" width="20" height="10" rx="2" {} (shape(Shape::Download, 5.0, 6.0)) }))
                "download"
            }
            li { (icon(shape(Shape::Effect, 13.0, 6.0))) "effect" }
            li { (icon(shape(Shape::Handler, 13.0, 6.0))) "handler" }
        }
    }
}

fn bar(class: &str) -> Markup {
    html! {
        g class=(class) {
            rect class="wait" x="1" y="1.5" width="24" height="9" rx="2" {}
            rect class="read" x="17" y="1.5" width="8" height="9" {}
            rect class="end" x="22" y="1.5" width="3" height="9" {}
        }
    }
}

fn described(trace: &Trace, chart: &Chart<'_>) -> String {
    let copies = plural(trace.copies.len() as u32, "copy", "copies");
    let end = duration(super::end(trace));
    let events = match chart.rows.is_empty() {
        true => String::new(),
        false => format!(" and {}", plural(trace.marks.len() as u32, "event", "events")),
    };
    format!("{copies}{events} within {end}; {}.", story::title(trace))
}

fn grid(chart: &Chart<'_>) -> Markup {
    html! {
        @for (x, tick) in &chart.ticks {
            line class="grid" x1=(px(*x)) x2=(px(*x)) y1=(px(TOP - 4.0)) y2=(px(chart.bottom)) {}
            text x=(px(*x)) y=(px(chart.bottom + 17.0)) text-anchor="middle" { (tick.label) }
        }
        line class="axis" x1=(px(chart.left)) x2=(px(chart.right)) y1=(px(chart.bottom)) y2=(px(chart.bottom)) {}
    }
}

fn drawn(lane: &Lane<'_>, chart: &Chart<'_>) -> Markup {
    let Lane { n, copy, y, from, first, to, look, about, answer } = lane;
    let thick = (chart.step - 6.0).clamp(3.0, 13.0);
    let top = px(y - thick / 2.0);
    let high = px(thick);
    let class = match look {
        Look::Taken => "taken",
        Look::Refused => "refused",
        Look::Open => "open",
        Look::Unsent => "unsent",
    };
    let baseline = px(y + BASE);
    html! {
        g class={ "lane " (class) } {
            title { (story::copy(*n, copy)) }
            @if chart.labelled || *n == 1 || n % 20 == 0 {
                text x=(px(chart.numbers)) y=(baseline) text-anchor="end" class="soft" { (n) }
            }
            @if chart.labelled && !about.is_empty() {
                text x=(px(NUMBERS + 10.0)) y=(baseline) { (about) }
            }
            @match look {
                Look::Taken | Look::Refused => {
                    rect class="wait" x=(px(*from)) y=(top) width=(px(to - from)) height=(high) rx="2" {}
                    @if let Some(first) = first {
                        rect class="read" x=(px(*first)) y=(top) width=(px(to - first)) height=(high) {}
                    }
                    rect class="end" x=(px(to - 3.0)) y=(top) width="3" height=(high) {}
                }
                Look::Open => {
                    rect class="open" x=(px(*from)) y=(top) width=(px(to - from)) height=(high) rx="2" {}
                }
                Look::Unsent => {
                    path class="cross" d={ "M" (px(*from)) " " (px(y - 3.5)) "l7 7m0 -7l-7 7" } {}
                }
            }
            @if chart.labelled {
                text x=(px(to + 8.0)) y=(baseline) { (answer) }
            }
        }
    }
}

/// A line through the lanes for everything that happened to the handler itself.
fn guides(row: &Row, chart: &Chart<'_>) -> Markup {
    html! {
        @for item in &row.items {
            line class="guide" x1=(px(item.from)) x2=(px(item.from)) y1=(px(TOP - 4.0)) y2=(px(row.y)) {}
            @if item.to > item.from + 1.0 {
                rect class="away" x=(px(item.from)) width=(px(item.to - item.from))
                    y=(px(TOP - 4.0)) height=(px(chart.lanes_end - TOP + 4.0)) {}
            }
        }
    }
}

fn marked(row: &Row, left: f64) -> Markup {
    html! {
        @if row.first {
            text x=(px(left - 14.0)) y=(px(row.y + BASE)) text-anchor="end" class="soft" {
                (row.shape.name())
            }
        }
        @for item in &row.items { (mark(item, row)) }
    }
}

fn mark(item: &Item, row: &Row) -> Markup {
    html! {
        g class="mark" {
            title { (item.title) }
            @if item.to > item.from + 1.0 && row.shape != Shape::Handler {
                rect class="held" x=(px(item.from)) y=(px(row.y - BAR / 2.0))
                    width=(px(item.to - item.from)) height=(px(BAR)) rx="2" {}
            }
            (shape(row.shape, item.from, row.y))
            @if let Some(x) = item.text_x {
                text x=(px(x)) y=(px(row.y + BASE)) { (item.text) }
            }
        }
    }
}

/// Each kind has a shape of its own.
fn shape(shape: Shape, x: f64, y: f64) -> Markup {
    let high = ROW / 3.5;
    let (x, y, top) = (px(x), px(y), px(y - high));
    match shape {
        Shape::Download => {
            html! { path class="download" d={ "M" (x) " " (y) "m-5 -4h10l-5 8z" } {} }
        }
        Shape::Effect => {
            html! { path class="effect" d={ "M" (x) " " (top) "l5.14 5.14l-5.14 5.14l-5.14 -5.14z" } {} }
        }
        Shape::Handler => html! { path class="handler" d={ "M" (x) " " (y) "m-4 -4h8v8h-8z" } {} },
        Shape::Other => html! { circle class="other" cx=(x) cy=(y) r="4" {} },
    }
}

/// A length with the digits that a screen can show.
fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
