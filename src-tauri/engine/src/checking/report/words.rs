//! What every format says in the same words: times, counts, what was examined, what was seen.

use super::text::line;
use crate::model::{CheckReport, Evidence, HandlerFacts, ProbeSpec, ScenarioReport};
use std::collections::BTreeMap;

/// `41 µs`, `0.8 ms`, `143 ms`, `9.8 s`, `2 min 5 s`. From milliseconds.
pub(super) fn duration(ms: f64) -> String {
    let size = ms.abs();
    if !size.is_finite() {
        return "?".into();
    }
    if size < 0.095 {
        return format!("{:.0} µs", ms * 1000.0);
    }
    if size < 9.95 {
        return format!("{ms:.1} ms");
    }
    if size < 999.5 {
        return format!("{ms:.0} ms");
    }
    if size < 59_950.0 {
        return format!("{:.1} s", ms / 1000.0);
    }
    let seconds = (ms / 1000.0).round();
    format!("{:.0} min {:.0} s", (seconds / 60.0).trunc(), seconds % 60.0)
}

/// `2026-11-29 12:00:01 UTC` of an RFC 3339 moment.
pub(super) fn moment(rfc3339: &str) -> String {
    match rfc3339.parse::<jiff::Timestamp>() {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => line(rfc3339),
    }
}

/// `1 volley`, `1,204 volleys`.
pub(super) fn plural(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A moment on a time line, close enough to tell two apart: `11 µs`, `1.20 ms`, `143.2 ms`, `1.004 s`. From
/// milliseconds.
pub(super) fn offset(ms: f64) -> String {
    match ms.abs() {
        0.0 => "0".into(),
        size if !size.is_finite() => "?".into(),
        size if size < 0.9995 => format!("{:.0} µs", ms * 1000.0),
        size if size < 9.995 => format!("{ms:.2} ms"),
        size if size < 999.95 => format!("{ms:.1} ms"),
        _ => format!("{:.3} s", ms / 1000.0),
    }
}

/// `0 times`, `once`, `twice`, `3 times`.
pub(super) fn times(n: u32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{} times", count(n)),
    }
}

/// `did not run`, `ran once`.
pub(super) fn ran(n: u32) -> String {
    if n == 0 { "did not run".into() } else { format!("ran {}", times(n)) }
}

/// `1,204`.
pub(super) fn count(n: u32) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `18 × 200, 2 × 500`; nothing where nothing was answered.
pub(super) fn answers(statuses: &BTreeMap<u16, u32>) -> Option<String> {
    let each: Vec<_> =
        statuses.iter().map(|(status, n)| format!("{} × {status}", count(*n))).collect();
    (!each.is_empty()).then(|| each.join(", "))
}

/// How often the effect was due and how often it ran; nothing where it does not matter.
pub(super) fn effects(scenario: &ScenarioReport) -> Option<String> {
    match (scenario.observed_effects, scenario.expected_effects) {
        (Some(seen), Some(due)) if seen == due => Some(format!("{}, as expected", ran(seen))),
        (Some(seen), Some(0)) => Some(format!("{}; it must not run", ran(seen))),
        (Some(seen), Some(due)) => Some(format!("{}, expected {}", ran(seen), times(due))),
        (Some(seen), None) => Some(ran(seen)),
        (None, Some(_)) => Some("was not seen".into()),
        (None, None) => None,
    }
}

/// What one probe saw, as the end of a sentence that the probe's name begins.
pub(super) fn seen(evidence: &Evidence) -> String {
    match (evidence.count, &evidence.error) {
        (Some(n), None) => format!("saw it {}", times(n)),
        (Some(n), Some(error)) => format!("saw it {}; {}", times(n), line(error)),
        (None, Some(error)) => format!("could not see it: {}", line(error)),
        (None, None) => "could not see it".into(),
    }
}

/// What was examined, how and when: a name and its values.
pub(super) fn examined(report: &CheckReport) -> Vec<(&'static str, Vec<String>)> {
    let spec = &report.spec;
    let mut facts = Vec::new();
    let instances = if spec.urls.len() > 1 { "Instances" } else { "Handler" };
    facts.push((instances, spec.urls.iter().map(|url| line(url)).collect()));
    if let Some(start) = &spec.start_command {
        facts.push(("Started with", vec![line(start)]));
    }
    facts.push(("Effect seen by", spec.effects.iter().map(probe).collect()));
    facts.push(("Signed as", vec![line(&report.scheme)]));
    let mut when = moment(&report.started_at);
    if let Some(seconds) = report.duration_s {
        when += &format!(", took {}", duration(seconds * 1000.0));
    }
    facts.push(("Checked", vec![when]));
    let mut by = format!("hooktwice {}", line(&report.version));
    if let Some(seed) = spec.seed {
        by += &format!(", seed {seed}");
    }
    facts.push(("By", vec![by]));
    facts.retain(|(_, values)| values.iter().any(|value| !value.is_empty()));
    facts
}

/// What was measured of the handler: a name and its value.
pub(super) fn measured(facts: &HandlerFacts) -> Vec<(&'static str, String)> {
    let mut measured = Vec::new();
    let mut push = |name, value: Option<String>| measured.extend(value.map(|value| (name, value)));
    push("Answers after", facts.answer_ms.map(duration));
    push("Effect after", facts.effect_ms.map(duration));
    push("Settling time", facts.settle_ms.map(duration));
    push("Fetches the artifact", facts.fetches_artifact.map(|yes| word(yes, "yes", "no")));
    push(
        "Takes deliveries",
        facts.one_at_a_time.map(|one| word(one, "one at a time", "side by side")),
    );
    let counted = |n: u32| (n > 0).then(|| count(n));
    push("Deliveries", counted(facts.deliveries));
    push("Volleys", counted(facts.volleys));
    push("Pairs", counted(facts.pairs));
    measured
}

fn word(yes: bool, one: &str, other: &str) -> String {
    if yes { one } else { other }.into()
}

/// A probe and where it looks, on one line.
fn probe(spec: &ProbeSpec) -> String {
    let place = match spec {
        ProbeSpec::Sql { database, query } => format!("{database}, {query}"),
        ProbeSpec::Url { url, pointer } if pointer.is_empty() => url.clone(),
        ProbeSpec::Url { url, pointer } => format!("{url}, {pointer}"),
        ProbeSpec::Command { command } => command.clone(),
        ProbeSpec::Log { file, pattern } => format!("{file}, {pattern}"),
        ProbeSpec::Canary { pointer } => format!("downloads of {pointer}"),
    };
    line(&format!("{}: {place}", spec.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_digits_that_matter() {
        for (ms, text) in [
            (0.0, "0 µs"),
            (0.041, "41 µs"),
            (0.8, "0.8 ms"),
            (9.96, "10 ms"),
            (143.2, "143 ms"),
            (999.6, "1.0 s"),
            (125_000.0, "2 min 5 s"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(count(999), "999");
        assert_eq!(count(1_204), "1,204");
        assert_eq!(count(1_000_000), "1,000,000");
    }

    #[test]
    fn a_moment_that_is_none_stays_as_it_is() {
        assert_eq!(moment("2026-11-29T12:00:01.5Z"), "2026-11-29 12:00:01 UTC");
        assert_eq!(moment("yesterday"), "yesterday");
    }
}
