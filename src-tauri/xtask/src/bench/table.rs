//! What a bench says in the end: one line a figure, and what it was measured on.

use std::{fs, thread};

/// What a ratio has to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Target {
    AtLeast(f64),
    AtMost(f64),
    Above(f64),
    /// It is only told.
    Told,
}

/// One figure beside its yardstick.
pub(super) struct Row {
    pub(super) figure: String,
    pub(super) ours: String,
    pub(super) beside: String,
    pub(super) theirs: String,
    pub(super) ratio: f64,
    pub(super) target: Target,
}

#[derive(Default)]
pub(super) struct Table(Vec<Row>);

impl Target {
    fn text(self) -> String {
        match self {
            Self::AtLeast(ratio) => format!(">= {ratio}"),
            Self::AtMost(ratio) => format!("<= {ratio}"),
            Self::Above(ratio) => format!("> {ratio}"),
            Self::Told => String::new(),
        }
    }

    fn verdict(self, ratio: f64) -> &'static str {
        let reached = match self {
            Self::AtLeast(least) => ratio >= least,
            Self::AtMost(most) => ratio <= most,
            Self::Above(bound) => ratio > bound,
            Self::Told => return "",
        };
        if reached { "ok" } else { "below" }
    }
}

impl Table {
    pub(super) fn add(&mut self, row: Row) {
        self.0.push(row);
    }

    /// Prints the table and the machine.
    pub(super) fn print(&self) {
        let mut lines = vec![
            ["figure", "hooktwice", "beside", "yardstick", "ratio", "target", ""].map(String::from),
        ];
        lines.extend(self.0.iter().map(|row| {
            [
                row.figure.clone(),
                row.ours.clone(),
                row.beside.clone(),
                row.theirs.clone(),
                format!("{:.2}", row.ratio),
                row.target.text(),
                row.target.verdict(row.ratio).into(),
            ]
        }));
        let widths: Vec<usize> = (0..7)
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        println!();
        for line in &lines {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("{}", cells.join("  ").trim_end());
        }
        println!("\n{}", machine());
    }
}

/// Cores, processor and kernel, as far as they can be told.
fn machine() -> String {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        Some(
            text.lines()
                .find(|line| line.starts_with("model name"))?
                .split_once(": ")?
                .1
                .to_owned(),
        )
    });
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "measured in one run on {cores} cores, {}, {} {}",
        processor.unwrap_or_else(|| std::env::consts::ARCH.into()),
        std::env::consts::OS,
        kernel.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_reached_at_its_bound_unless_it_says_above() {
        assert_eq!(Target::AtLeast(0.6).verdict(0.6), "ok");
        assert_eq!(Target::AtLeast(0.6).verdict(0.59), "below");
        assert_eq!(Target::AtMost(1.0).verdict(1.0), "ok");
        assert_eq!(Target::AtMost(1.0).verdict(1.01), "below");
        assert_eq!(Target::Above(1.0).verdict(1.0), "below");
        assert_eq!(Target::Above(1.0).verdict(f64::INFINITY), "ok");
        assert_eq!(Target::AtLeast(0.6).verdict(f64::NAN), "below");
        assert_eq!(Target::Told.verdict(0.0), "");
    }
}
