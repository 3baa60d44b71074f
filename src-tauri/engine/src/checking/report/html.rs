//! One HTML page with nothing outside it: it is read in a browser, sent as a file, printed.

mod scenario;

use super::{
    summary::{Summary, counted, word},
    text::plain,
    words::{examined, measured},
};
use crate::model::{CheckReport, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Nothing is fetched and nothing runs, whatever a handler has answered.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("style.css");

pub(super) fn write(report: &CheckReport) -> String {
    let summary = Summary::of(report);
    let target = report.spec.urls.first().map(|url| super::text::line(url)).unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (summary.word) ": hooktwice check " (target) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (top(&summary))
                    (about(report))
                    (scenarios(report))
                    (again(report))
                    (output(report))
                }
            }
        }
    };
    page.into_string()
}

fn top(summary: &Summary) -> Markup {
    html! {
        header class={ "top " (tone(summary.verdict)) } {
            p class="brand" { (mark()) "Hooktwice check" }
            h1 { (icon(summary.verdict)) (summary.word) }
            p class="say" { (summary.sentence) }
            @if !summary.counts.is_empty() {
                ul class="counts" {
                    @for (verdict, n) in &summary.counts {
                        li class=(tone(Some(*verdict))) { (icon(Some(*verdict))) (counted(*verdict, *n)) }
                    }
                }
            }
            @for notice in &summary.notices { p class="notice" { (notice) } }
        }
    }
}

fn about(report: &CheckReport) -> Markup {
    let measured = measured(&report.facts);
    html! {
        section class="about" aria-labelledby="about" {
            h2 id="about" { "What was examined" }
            dl {
                @for (name, values) in examined(report) {
                    div {
                        dt { (name) }
                        @for value in values { dd { (value) } }
                    }
                }
            }
            @if !measured.is_empty() {
                dl class="figures" aria-label="What was measured" {
                    @for (name, value) in measured {
                        div { dt { (name) } dd { (value) } }
                    }
                }
            }
        }
    }
}

fn scenarios(report: &CheckReport) -> Markup {
    let any_trace = report.scenarios.iter().any(|scenario| !scenario.traces.is_empty());
    html! {
        section aria-labelledby="scenarios" {
            h2 id="scenarios" { "Scenarios" }
            @if any_trace { (super::timeline::legend()) }
            div class="scenarios" {
                @for scenario in &report.scenarios { (scenario::row(scenario)) }
            }
        }
    }
}

fn again(report: &CheckReport) -> Markup {
    html! {
        @if !report.command.is_empty() {
            section aria-labelledby="again" {
                h2 id="again" { "The whole check again" }
                pre { (plain(&report.command)) }
            }
        }
    }
}

fn output(report: &CheckReport) -> Markup {
    html! {
        @if let Some(output) = &report.handler_output {
            section aria-labelledby="output" {
                h2 id="output" { "The end of the handler's output" }
                @if output.trim().is_empty() {
                    p class="soft" { "It wrote nothing." }
                } @else {
                    pre { (plain(output.trim_end())) }
                }
            }
        }
    }
}

/// The class that gives a verdict its colour.
fn tone(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("none", Verdict::as_str)
}

/// A word, a shape and a colour.
fn badge(verdict: Option<Verdict>) -> Markup {
    html! {
        span class={ "badge " (tone(verdict)) } {
            (icon(verdict))
            (verdict.map_or("not done".into(), |verdict| word(verdict).to_lowercase()))
        }
    }
}

/// A verdict's shape, on a field of 16 by 16.
fn icon(verdict: Option<Verdict>) -> Markup {
    let path = match verdict {
        Some(Verdict::Pass) => "M3.5 8.5l3 3 6-7",
        Some(Verdict::Fail) => "M4 4l8 8M12 4l-8 8",
        Some(Verdict::Warn) => "M8 2.5l6 10.5H2zM8 6.5v3M8 11.3h.01",
        Some(Verdict::Unknown) => "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.6M8 12.3h.01",
        Some(Verdict::Skipped) => "M4 8h8",
        None => "M8 4v4l2.5 2",
    };
    html! { svg class="icon" viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} } }
}

/// Two hooks, the second a little after the first.
fn mark() -> Markup {
    html! {
        svg class="hooks" viewBox="0 0 18 18" aria-hidden="true" {
            path class="first" d="M4 3v6a4 4 0 0 0 8 0" {}
            path class="second" d="M7 3v6a4 4 0 0 0 8 0V7" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture, *};
    use crate::model::RunState;

    #[test]
    fn nothing_is_outside_of_the_page() {
        let page = write(&fixture::failed());
        assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'"));
        for rest in page.split('<').skip(1) {
            let (tag, _) = rest.split_once('>').unwrap();
            let name = tag.split(' ').next().unwrap();
            for forbidden in
                ["script", "link", "iframe", "img", "image", "use", "object", "base", "a"]
            {
                assert_ne!(name, forbidden, "<{tag}>");
            }
            // Every other part is within quotes; what stands there is text or checked by the policy.
            let names: String = tag.split('"').step_by(2).collect();
            for forbidden in ["src=", "href=", "action=", " on", " style="] {
                assert!(!names.contains(forbidden), "<{tag}>");
            }
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn every_element_is_closed() {
        let page = write(&fixture::failed());
        let mut open = Vec::new();
        for rest in page.split('<').skip(1) {
            let (tag, _) = rest.split_once('>').unwrap();
            let name = tag.trim_start_matches('/').split(' ').next().unwrap();
            match tag.starts_with('/') {
                true => assert_eq!(open.pop(), Some(name), "</{name}>"),
                false if matches!(name, "!DOCTYPE" | "meta") => {}
                false => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn ids_are_there_once_and_what_is_named_is_there() {
        let page = write(&fixture::failed());
        let values = |name: &str| -> Vec<String> {
            let begin = format!(" {name}=\"");
            let parts = page.split(&begin).skip(1);
            parts.filter_map(|part| part.split('"').next()).map(str::to_owned).collect()
        };
        let ids = values("id");
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        for named in values("aria-labelledby") {
            assert!(named.split(' ').all(|id| ids.iter().any(|other| other == id)), "{named}");
        }
    }

    #[test]
    fn text_from_outside_stays_text() {
        let page = write(&fixture::failed());
        assert!(page.contains("&lt;script src=&quot;http://evil.example/x.js&quot;&gt;"));
        assert!(page.contains("job_&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"));
        assert!(!page.contains("<script") && !page.contains("<img"));
        assert!(!page.contains(['\0', '\u{1b}', '\u{8}', '\u{202e}', '\u{fffe}']));
        assert!(!page.contains(fixture::PASSWORD) && !page.contains("whsec_of_the_handler"));
    }

    #[test]
    fn the_verdict_is_on_top_and_the_scenarios_in_order() {
        let page = write(&fixture::failed());
        assert!(page.contains("<title>Fail: hooktwice check http://127.0.0.1:3000/"));
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
        let mut places = vec![at("<h1>"), at("What was examined</h2>")];
        places.extend(
            crate::model::ScenarioId::ALL.iter().map(|id| at(&format!(">{}<", id.as_str()))),
        );
        places.push(at("The end of the handler's output"));
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn a_stopped_check_says_so() {
        let mut report = fixture::passed();
        report.state = RunState::Stopped;
        assert!(write(&report).contains("The check was stopped"));
    }
}
