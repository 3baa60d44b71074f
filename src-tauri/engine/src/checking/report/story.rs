//! What happened to one job, in words: for readers of plain text and of screens that speak.

use super::{
    text::line,
    words::{duration, offset, ran},
};
use crate::model::{CopyOutcome, Trace, TraceCopy, TraceMark};

/// Copies and marks that are told one by one; the rest is counted.
const TOLD: usize = 40;

/// What the job stands for and what became of its effect, without the job's id.
pub(super) fn title(trace: &Trace) -> String {
    let label = line(&trace.label);
    let effect = match trace.effects {
        Some(n) => format!("the effect {}", ran(n)),
        None => "the effect was not seen".into(),
    };
    if label.is_empty() { effect } else { format!("{label}: {effect}") }
}

/// A line a copy in the order in which they were sent, then what else happened in the order of time.
pub(super) fn lines(trace: &Trace) -> Vec<String> {
    let copies = trace.copies.iter().enumerate().take(TOLD);
    let mut lines: Vec<_> = copies.map(|(i, sent)| copy(i + 1, sent)).collect();
    if let more @ 1.. = trace.copies.len().saturating_sub(TOLD) {
        lines.push(format!("and {more} more copies"));
    }
    let mut marks: Vec<_> = trace.marks.iter().collect();
    marks.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
    lines.extend(marks.iter().take(TOLD).map(|seen| mark(seen)));
    if let more @ 1.. = marks.len().saturating_sub(TOLD) {
        lines.push(format!("and {more} more events"));
    }
    lines
}

/// One copy, numbered from 1.
pub(super) fn copy(n: usize, copy: &TraceCopy) -> String {
    let mut what = format!("copy {n}");
    let mut about = Vec::new();
    if copy.instance > 1 {
        about.push(format!("instance {}", copy.instance));
    }
    if !copy.label.is_empty() {
        about.push(line(&copy.label));
    }
    if !about.is_empty() {
        what += &format!(" ({})", about.join(", "));
    }
    let why = copy.error.as_deref().map(|error| format!(": {}", line(error))).unwrap_or_default();
    let Some(sent) = copy.sent_ms else {
        return format!("{what} was not sent{why}");
    };
    let took = duration(copy.done_ms - sent);
    let answer = match (copy.outcome, copy.status) {
        (CopyOutcome::NotSent, _) => "not sent whole".into(),
        (CopyOutcome::Answered, Some(status)) => format!("answered {status} after {took}"),
        (CopyOutcome::Answered | CopyOutcome::Unknown, _) => format!("no answer after {took}"),
    };
    format!("{what} sent at {}, {answer}{why}", offset(sent))
}

/// One event.
pub(super) fn mark(mark: &TraceMark) -> String {
    let text = line(&mark.text);
    let lasted = mark.lasted_ms.map(|ms| format!(", took {}", duration(ms))).unwrap_or_default();
    let kind = line(&mark.kind);
    // `download: download 1` says one word twice.
    let what =
        if text.to_lowercase().starts_with(&kind) { text } else { format!("{kind}: {text}") };
    format!("at {}: {what}{lasted}", offset(mark.at_ms))
}
