//! One scenario of the page: a line, and beneath it what shows it.

use super::{
    super::{
        story,
        text::{line, plain},
        timeline,
        words::{answers, duration, effects, seen},
    },
    badge, tone,
};
use crate::model::{ScenarioReport, Trace, Verdict};
use maud::{Markup, html};

pub(super) fn row(scenario: &ScenarioReport) -> Markup {
    let class = format!("scenario {}", tone(scenario.verdict));
    html! {
        @if has_details(scenario) {
            details class=(class) open[is_open(scenario)] {
                summary { (head(scenario)) }
                (body(scenario))
            }
        } @else {
            div class=(class) { (head(scenario)) }
        }
    }
}

/// There is more to say than the line says.
fn has_details(scenario: &ScenarioReport) -> bool {
    !scenario.traces.is_empty()
        || !scenario.evidence.is_empty()
        || !scenario.notes.is_empty()
        || !scenario.statuses.is_empty()
        || scenario.advice.is_some()
        || scenario.repro.is_some()
}

/// What has to be looked at is open; where nothing was seen at all, the same error over and over is not.
fn is_open(scenario: &ScenarioReport) -> bool {
    match scenario.verdict {
        Some(Verdict::Fail | Verdict::Warn) => true,
        Some(Verdict::Unknown) => scenario.advice.is_some() || !scenario.traces.is_empty(),
        Some(Verdict::Pass | Verdict::Skipped) | None => false,
    }
}

fn head(scenario: &ScenarioReport) -> Markup {
    html! {
        span class="verdict" { (badge(scenario.verdict)) }
        span class="id" { (scenario.id.as_str()) }
        span class="why" { (line(&scenario.reason)) }
        span class="took" { (scenario.duration_ms.map(duration).unwrap_or_default()) }
    }
}

fn body(scenario: &ScenarioReport) -> Markup {
    html! {
        div class="body" {
            dl {
                div { dt { "Sent" } dd { (scenario.id.what()) } }
                @if let Some(effects) = effects(scenario) { div { dt { "Effect" } dd { (effects) } } }
                @if let Some(answers) = answers(&scenario.statuses) { div { dt { "Answers" } dd { (answers) } } }
                @for (i, evidence) in scenario.evidence.iter().enumerate() {
                    div {
                        dt { "Evidence" }
                        dd {
                            code { (line(&evidence.probe)) } " " (seen(evidence))
                            @if i == 0 && scenario.evidence.len() > 1 { " (it decides)" }
                        }
                    }
                }
                @for note in &scenario.notes { div { dt { "Note" } dd { (line(note)) } } }
            }
            @if let Some(advice) = &scenario.advice {
                div class="advice" { h3 { "What to do" } p { (plain(advice)) } }
            }
            @if let Some(repro) = &scenario.repro {
                div { h3 { "To see it again" } pre { (plain(repro)) } }
            }
            @for (i, trace) in scenario.traces.iter().enumerate() {
                (time_line(scenario, trace, &format!("{}-{i}", scenario.id.as_str())))
            }
        }
    }
}

fn time_line(scenario: &ScenarioReport, trace: &Trace, id: &str) -> Markup {
    let wrong = match (trace.effects, scenario.expected_effects) {
        (Some(seen), Some(due)) => seen != due,
        _ => false,
    };
    html! {
        figure {
            figcaption {
                strong class=[wrong.then_some("wrong")] { (story::title(trace)) }
                code class="job" { (line(&trace.job_id)) }
            }
            div class="scroll" tabindex="0" role="group" aria-label={ "Time line of job " (line(&trace.job_id)) } {
                (timeline::svg(trace, id))
            }
            details class="words" {
                summary { "In words" }
                ul { @for line in story::lines(trace) { li { (line) } } }
            }
        }
    }
}
