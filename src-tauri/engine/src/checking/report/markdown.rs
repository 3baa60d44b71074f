//! Markdown as GitHub and GitLab show it in a pull request.

use super::{
    story,
    summary::{Summary, counted, word},
    text::{beginning, end, line, plain},
    words::{answers, duration, effects, examined, measured, seen},
};
use crate::model::{CheckReport, ScenarioReport, Verdict};

/// A comment may have 65,536 characters at GitHub.
const LONGEST: usize = 65_000;
/// Characters of a reason in the table, and of the handler's output.
const CELL: usize = 300;
const OUTPUT: usize = 4_000;

/// What a report may take, the first that fits: whether there are time lines, and how many characters of one text.
const ROOM: [Room; 4] = [
    Room { times: true, text: 1_500 },
    Room { times: false, text: 1_500 },
    Room { times: false, text: 300 },
    Room { times: false, text: 60 },
];

#[derive(Debug, Clone, Copy)]
struct Room {
    times: bool,
    text: usize,
}

pub(super) fn write(report: &CheckReport) -> String {
    let mut page = String::new();
    for room in ROOM {
        page = render(report, room);
        if page.chars().count() <= LONGEST {
            break;
        }
    }
    page
}

fn render(report: &CheckReport, room: Room) -> String {
    let summary = Summary::of(report);
    let mut page = format!(
        "## {} hooktwice check: {}\n\n{}\n",
        sign(summary.verdict),
        summary.word,
        escaped(&summary.sentence)
    );
    for notice in &summary.notices {
        page += &format!("\n> {}\n", room.text(notice));
    }
    let counts: Vec<_> = summary.counts.iter().map(|(verdict, n)| counted(*verdict, *n)).collect();
    if !counts.is_empty() {
        page += &format!("\n{}\n", counts.join(" · "));
    }
    page += "\n| Scenario | Verdict | Why | Took |\n| :-- | :-- | :-- | --: |\n";
    for scenario in &report.scenarios {
        page += &format!(
            "| `{}` | {} | {} | {} |\n",
            scenario.id.as_str(),
            verdict(scenario),
            Room { text: room.text.min(CELL), ..room }.text(&scenario.reason),
            scenario.duration_ms.map(duration).unwrap_or_default()
        );
    }
    for scenario in report.scenarios.iter().filter(|scenario| has_details(scenario)) {
        page += &details(scenario, room);
    }
    page += &about(report, room);
    if let Some(output) = &report.handler_output {
        let output = plain(output);
        page += "\n<details><summary>The end of the handler's output</summary>\n\n";
        page += &fenced(&end(output.trim_end(), OUTPUT), "text");
        page += "\n</details>\n";
    }
    page
}

/// Passes need no more words, and a scenario that was not tried has only its reason.
fn has_details(scenario: &ScenarioReport) -> bool {
    matches!(scenario.verdict, Some(Verdict::Fail | Verdict::Warn | Verdict::Unknown))
}

fn details(scenario: &ScenarioReport, room: Room) -> String {
    let mut part = format!(
        "\n<details><summary>{}: <b>{}</b>, {}</summary>\n\n",
        verdict(scenario),
        scenario.id.as_str(),
        in_html(scenario.id.what())
    );
    part += &format!("**Why:** {}\n\n", room.text(&scenario.reason));
    let mut facts = Vec::new();
    facts.extend(effects(scenario).map(|effects| format!("Effect: {effects}")));
    facts.extend(answers(&scenario.statuses).map(|answers| format!("Answers: {answers}")));
    for evidence in &scenario.evidence {
        let said = format!("{} {}", line(&evidence.probe), seen(evidence));
        facts.push(format!("Evidence: {}", room.text(&said)));
    }
    facts.extend(scenario.notes.iter().map(|note| format!("Note: {}", room.text(note))));
    for fact in &facts {
        part += &format!("- {fact}\n");
    }
    if !facts.is_empty() {
        part += "\n";
    }
    if let Some(advice) = &scenario.advice {
        part += &format!("**Advice:** {}\n\n", room.text(advice));
    }
    if let Some(repro) = &scenario.repro {
        part += &format!("To see it again:\n\n{}\n", fenced(&room.command(repro), "sh"));
    }
    for trace in scenario.traces.iter().filter(|_| room.times) {
        let mut told = format!("job {}, {}\n", line(&trace.job_id), story::title(trace));
        told += &story::lines(trace).join("\n");
        part += &format!("{}\n", fenced(&told, "text"));
    }
    part + "</details>\n"
}

/// What was examined and measured, folded away.
fn about(report: &CheckReport, room: Room) -> String {
    let mut part = "\n<details><summary>What was examined</summary>\n\n".to_owned();
    for (name, values) in examined(report) {
        part += &format!("- {name}: {}\n", room.text(&values.join("; ")));
    }
    for (name, value) in measured(&report.facts) {
        part += &format!("- {name}: {}\n", room.text(&value));
    }
    if !report.command.is_empty() {
        part += &format!(
            "\nThe whole check again:\n\n{}",
            fenced(&room.command(&report.command), "sh")
        );
    }
    part + "\n</details>\n"
}

fn verdict(scenario: &ScenarioReport) -> String {
    let said = scenario.verdict.map_or("not done".into(), |verdict| word(verdict).to_lowercase());
    format!("{} {said}", sign(scenario.verdict))
}

fn sign(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "✅",
        Some(Verdict::Fail) => "❌",
        Some(Verdict::Warn) => "⚠️",
        Some(Verdict::Unknown) => "❔",
        Some(Verdict::Skipped) => "➖",
        None => "⏳",
    }
}

impl Room {
    /// Text from outside on one line, as long as there is room for.
    fn text(self, outside: &str) -> String {
        escaped(&beginning(&line(outside), self.text))
    }

    /// A command, for a fence.
    fn command(self, outside: &str) -> String {
        beginning(&plain(outside), self.text * 4).into_owned()
    }
}

/// One line that Markdown shows as it is. It never stands at the beginning of a line, so that numbers and dashes make no
/// list. Nobody is called by an `@`, and no issue is linked by a `#`: the host looks for them after the escapes are gone,
/// so a space without width parts them.
fn escaped(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '&' => shown += "&amp;",
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '@' => shown += "@&#8203;",
            '#' => shown += "\\#&#8203;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => {
                shown.push('\\');
                shown.push(character);
            }
            '\n' | '\r' => shown.push(' '),
            other => shown.push(other),
        }
    }
    shown
}

/// One line within an HTML element, where Markdown's escapes mean nothing.
fn in_html(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A block of code that its content cannot end: the fence is longer than any in it.
fn fenced(content: &str, language: &str) -> String {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{content}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{
        super::fixture::{self, HOSTILE},
        *,
    };

    /// A table row's cells, parted as GitHub does it.
    fn cells(row: &str) -> usize {
        row.replace("\\\\", "").replace("\\|", "").matches('|').count() - 1
    }

    /// Lines outside of fences.
    fn outside_of_fences(page: &str) -> Vec<&str> {
        let mut fence: Option<usize> = None;
        let mut outside = Vec::new();
        for line in page.lines() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            match fence {
                None if ticks >= 3 => fence = Some(ticks),
                None => outside.push(line),
                Some(open) if ticks >= open && line.len() == ticks => fence = None,
                Some(_) => {}
            }
        }
        assert_eq!(fence, None, "a fence stays open");
        outside
    }

    #[test]
    fn the_table_has_a_row_a_scenario_and_equal_columns() {
        let page = write(&fixture::failed());
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 2 + 21);
        assert!(rows.iter().all(|row| cells(row) == 4), "{rows:#?}");
        assert!(
            page.starts_with("## ❌ hooktwice check: Fail\n\n4 of 20 scenarios failed"),
            "{page}"
        );
    }

    #[test]
    fn what_did_not_pass_has_details() {
        let page = write(&fixture::failed());
        for part in [
            "<b>concurrent</b>",
            "**Advice:** The handler looks",
            "- Evidence: sql saw it 3 times",
            "```sh\nhooktwice check --url",
            "copy 20 sent at",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("<b>retry</b>"));
        let lines = outside_of_fences(&page);
        let opened = lines.iter().filter(|line| line.starts_with("<details>")).count();
        let closed = lines.iter().filter(|line| **line == "</details>").count();
        // Four failures, two warnings, one unknown, what was examined, the handler's output.
        assert_eq!((opened, closed), (9, 9));
    }

    #[test]
    fn text_from_outside_does_not_break_out() {
        let page = write(&fixture::failed());
        assert!(!page.contains(fixture::PASSWORD));
        for line in outside_of_fences(&page) {
            assert!(!line.contains("<script") && !line.contains("</pre>"), "{line}");
            assert!(!line.contains("@someone") && !line.contains("#1 "), "{line}");
            assert!(!line.contains("![x]") && !line.starts_with("# "), "{line}");
        }
        assert!(!page.contains(['\0', '\u{1b}', '\u{202e}']));
        assert_eq!(escaped("a|b"), "a\\|b");
        assert!(cells(&format!("| {} |", escaped(HOSTILE))) == 1);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a", "sh"), "```sh\na\n```\n");
        assert_eq!(fenced("````\nb", ""), "`````\n````\nb\n`````\n");
    }

    #[test]
    fn a_comment_has_room_for_it() {
        let mut report = fixture::failed();
        for scenario in &mut report.scenarios {
            let long = "long | @text ".repeat(500);
            scenario.notes = vec![long.clone(); 3];
            scenario.advice = Some(long.clone());
            scenario.repro = Some(long.clone());
            scenario.reason = long;
            scenario.verdict = Some(Verdict::Fail);
            scenario.traces = vec![fixture::volley(); 4];
        }
        assert!(write(&report).chars().count() < 65_536);
    }
}
