//! Reports as a check makes them, for the tests: every verdict, several time lines, and texts from outside that mean ill.

use crate::model::{
    CheckReport, CheckSpec, CopyOutcome, Evidence, HandlerFacts, Overall, ProbeSpec, RunState,
    ScenarioId, ScenarioReport, Trace, TraceCopy, TraceMark, Verdict,
};
use std::collections::BTreeMap;

/// Text that tries to get out of HTML, XML, a Markdown table and a fence, and to act on a terminal.
pub(super) const HOSTILE: &str = "</pre></details><script src=\"http://evil.example/x.js\">alert(1)</script> ]]> \
     | a | b |\n```\n~~~~\n# heading\n@someone fixes #1 ![x](http://evil.example/p.png)\n\u{1b}[31mred\u{1b}[0m\0\u{8}\u{fffe}\u{202e}";

pub(super) const PASSWORD: &str = "hunter2-of-the-database";

/// A check that went well but for two warnings.
pub(super) fn passed() -> CheckReport {
    let mut report = failed();
    for scenario in &mut report.scenarios {
        if matches!(scenario.verdict, Some(Verdict::Fail | Verdict::Unknown)) {
            *scenario = done(scenario.id, Verdict::Pass, "the effect ran once for each of 4 jobs");
        }
    }
    finish(report, Verdict::Pass)
}

/// A check in which nothing was seen.
pub(super) fn unseen() -> CheckReport {
    let mut report = failed();
    for scenario in &mut report.scenarios {
        if scenario.verdict == Some(Verdict::Skipped) {
            continue;
        }
        *scenario = ScenarioReport {
            expected_effects: Some(1),
            evidence: vec![unreadable()],
            ..done(
                scenario.id,
                Verdict::Unknown,
                "answered 200; no probe saw the first effect within 10 s",
            )
        };
    }
    finish(report, Verdict::Unknown)
}

/// A check with every verdict.
pub(super) fn failed() -> CheckReport {
    let report = CheckReport {
        id: "019ac8d5-1f3a-7c00-8000-0123456789ab".into(),
        version: "0.1.0".into(),
        started_at: "2026-11-29T12:00:01.123456Z".into(),
        duration_s: Some(31.4),
        state: RunState::Done,
        spec: spec(),
        scheme: "sume".into(),
        command: format!(
            "hooktwice check --url http://127.0.0.1:3000/api/webhooks/sume --url http://127.0.0.1:3001/api/webhooks/sume \
             --effect-sql postgres://app:{PASSWORD}@127.0.0.1:5432/app --effect-query 'select count(*) from effects where \
             job_id = :job_id' --effect-canary /artifacts/0/url --secret-env SUME_WEBHOOK_SECRET --seed 4711"
        ),
        facts: HandlerFacts {
            answer_ms: Some(12.3),
            effect_ms: Some(9.1),
            work_ms: None,
            settle_ms: Some(500.0),
            fetches_artifact: Some(true),
            one_at_a_time: Some(false),
            volleys: 12,
            pairs: 840,
            deliveries: 2_412,
        },
        scenarios: ScenarioId::ALL.iter().map(|id| scenario(*id)).collect(),
        overall: None,
        handler_output: Some(format!(
            "listening on 3000\n{HOSTILE}\nPOST /api/webhooks/sume 200\n"
        )),
        error: None,
    };
    finish(report, Verdict::Fail)
}

/// Every time line there is.
pub(super) fn traces() -> Vec<Trace> {
    let mut all = vec![crowded()];
    all.extend(failed().scenarios.into_iter().flat_map(|scenario| scenario.traces));
    all
}

/// 20 copies at once, three of which ran the effect.
pub(super) fn volley() -> Trace {
    let copies = (0..20_u32).map(|i| {
        let sent = f64::from(i) * 0.011;
        let done = 9.0 + f64::from((i * 7) % 20) * 0.9;
        answered("", sent, done, 200)
    });
    Trace {
        job_id: "job_1f3a-日本語-é-77c0".into(),
        label: "volley 2 of 4".into(),
        copies: copies.collect(),
        marks: vec![
            mark("download", 2.1, Some(3.4), "download 1"),
            mark("download", 2.2, Some(3.6), "download 2"),
            mark("download", 2.3, Some(3.9), "download 3"),
            mark("effect", 8.2, None, "effect seen"),
            mark("effect", 8.3, None, "effect seen"),
            mark("effect", 24.9, None, "effect 3 seen"),
        ],
        effects: Some(3),
    }
}

fn spec() -> CheckSpec {
    CheckSpec {
        urls: vec![
            "http://127.0.0.1:3000/api/webhooks/sume".into(),
            "http://127.0.0.1:3001/api/webhooks/sume".into(),
        ],
        seed: Some(4711),
        start_command: Some("WEBHOOK_SECRET=whsec_of_the_handler node server.mjs".into()),
        effects: vec![
            ProbeSpec::Sql {
                database: format!("postgres://app:{PASSWORD}@127.0.0.1:5432/app"),
                query: "select count(*) from effects where job_id = :job_id".into(),
            },
            ProbeSpec::Canary { pointer: "/artifacts/0/url".into() },
        ],
        ..CheckSpec::default()
    }
}

fn scenario(id: ScenarioId) -> ScenarioReport {
    match id {
        ScenarioId::Concurrent => ScenarioReport {
            expected_effects: Some(1),
            observed_effects: Some(3),
            statuses: BTreeMap::from([(200, 80)]),
            evidence: vec![saw("sql", 3), saw("canary", 3)],
            advice: Some(
                "The handler looks for the job first and inserts it later: copies that come within about 2 ms of each \
                 other all find nothing, and all do the work. Deliveries come at least once, so this happens. Insert the \
                 job id under a unique key first, look at how many rows the insert changed, and do the work only where \
                 it changed one; answer the others 2xx."
                    .into(),
            ),
            repro: Some(
                "hooktwice check --url http://127.0.0.1:3000/api/webhooks/sume --only concurrent --seed 4711 \
                 --secret-env SUME_WEBHOOK_SECRET"
                    .into(),
            ),
            notes: vec!["All 20 copies were in flight at once in each of 4 volleys.".into()],
            traces: vec![volley()],
            ..done(id, Verdict::Fail, "20 at once: the effect ran 3 times for one job, in 4 of 4 volleys")
        },
        ScenarioId::RaceSearch => ScenarioReport {
            expected_effects: Some(1),
            observed_effects: Some(2),
            statuses: BTreeMap::from([(200, 1_610), (409, 70)]),
            evidence: vec![saw("sql", 2), unreadable()],
            advice: Some("The window is about 2 ms wide: claim by insert before the work.".into()),
            repro: Some("hooktwice fire --url http://127.0.0.1:3000/api/webhooks/sume --copies 2 --release gap=1.2ms".into()),
            traces: vec![pair()],
            ..done(id, Verdict::Fail, "34 of 840 pairs doubled the effect, most often 1.2 ms apart (6 of 10)")
        },
        ScenarioId::ForgedSignature => ScenarioReport {
            statuses: BTreeMap::from([(401, 4), (500, 1)]),
            expected_effects: Some(0),
            observed_effects: Some(0),
            advice: Some("Compare digests of unequal length without an exception, and answer 401.".into()),
            traces: vec![forged()],
            ..done(id, Verdict::Warn, "an over-long signature was answered 500 instead of a refusal")
        },
        ScenarioId::MalformedJson => ScenarioReport {
            notes: vec![HOSTILE.into()],
            advice: Some(HOSTILE.into()),
            repro: Some(format!("hooktwice fire --header '{HOSTILE}'")),
            evidence: vec![Evidence { probe: "command".into(), count: None, error: Some(HOSTILE.into()) }],
            ..done(id, Verdict::Fail, HOSTILE)
        },
        ScenarioId::SlowWork => ScenarioReport {
            expected_effects: Some(1),
            observed_effects: Some(1),
            advice: Some("Claim, answer 2xx, and do slow work after the answer.".into()),
            traces: vec![slow()],
            ..done(id, Verdict::Warn, "no answer within 1 s while the download was slow; the effect ran once")
        },
        ScenarioId::CrashMidWork => ScenarioReport {
            expected_effects: Some(1),
            observed_effects: Some(0),
            evidence: vec![saw("sql", 0), saw("canary", 1)],
            advice: Some("The claim outlived the work: claim and effect belong in one transaction.".into()),
            traces: vec![crash()],
            ..done(id, Verdict::Fail, "killed during the work: the effect is lost, and the retry was answered 200 as a duplicate")
        },
        ScenarioId::WorkFails => ScenarioReport {
            evidence: vec![unreadable()],
            expected_effects: Some(1),
            ..done(id, Verdict::Unknown, "the database could not be read while the work failed")
        },
        ScenarioId::AcrossInstances => ScenarioReport {
            duration_ms: None,
            statuses: BTreeMap::new(),
            ..done(id, Verdict::Skipped, "needs two or more --url")
        },
        id => done(id, Verdict::Pass, "as it should be"),
    }
}

fn done(id: ScenarioId, verdict: Verdict, reason: &str) -> ScenarioReport {
    ScenarioReport {
        id,
        verdict: Some(verdict),
        reason: reason.into(),
        expected_effects: None,
        observed_effects: None,
        statuses: BTreeMap::from([(200, 4)]),
        evidence: Vec::new(),
        advice: None,
        repro: None,
        notes: Vec::new(),
        duration_ms: Some(1_234.0),
        traces: Vec::new(),
    }
}

fn finish(mut report: CheckReport, verdict: Verdict) -> CheckReport {
    let with = |verdict| {
        let scenarios = report.scenarios.iter();
        scenarios.filter(|scenario| scenario.verdict == Some(verdict)).map(|it| it.id).collect()
    };
    report.overall = Some(Overall {
        verdict,
        passed: with(Verdict::Pass),
        failed: with(Verdict::Fail),
        warned: with(Verdict::Warn),
        unknown: with(Verdict::Unknown),
        skipped: with(Verdict::Skipped),
    });
    report
}

fn saw(probe: &str, count: u32) -> Evidence {
    Evidence { probe: probe.into(), count: Some(count), error: None }
}

fn unreadable() -> Evidence {
    let error = format!(
        "postgres://app:{PASSWORD}@127.0.0.1:5432/app refused the connection (os error 111). Start it, or name another."
    );
    Evidence { probe: "sql".into(), count: None, error: Some(error) }
}

fn pair() -> Trace {
    Trace {
        job_id: "job_\"><img src=x onerror=alert(1)>".into(),
        label: "the pair 1.2 ms apart".into(),
        copies: vec![answered("", 0.0, 12.4, 200), answered("", 1.2, 13.9, 200)],
        marks: vec![
            mark("effect", 8.1, None, "effect 1 seen"),
            mark("effect", 9.4, None, "effect 2 seen"),
        ],
        effects: Some(2),
    }
}

fn forged() -> Trace {
    let labels =
        ["wrong", "truncated", "empty", "over-long", "of another secret, with the right length"];
    let copies = labels.iter().enumerate().map(|(i, label)| {
        let sent = i as f64 * 0.2;
        answered(label, sent, sent + 0.16, if *label == "over-long" { 500 } else { 401 })
    });
    Trace {
        job_id: "job_forged".into(),
        label: "five forgeries".into(),
        copies: copies.collect(),
        marks: Vec::new(),
        effects: Some(0),
    }
}

fn slow() -> Trace {
    let gave_up = TraceCopy {
        outcome: CopyOutcome::Unknown,
        status: None,
        first_byte_ms: None,
        error: Some("No answer within 1 s.".into()),
        ..answered("given up after 1 s", 0.0, 1_000.0, 200)
    };
    Trace {
        job_id: "job_slow".into(),
        label: "the artifact takes 3 s".into(),
        copies: vec![
            gave_up,
            TraceCopy { instance: 2, ..answered("sent again", 1_004.0, 3_050.0, 204) },
        ],
        marks: vec![
            mark("download", 14.0, Some(3_000.0), "download 1, slowed to 3 s"),
            mark("effect", 3_041.0, None, "effect seen"),
        ],
        effects: Some(1),
    }
}

fn crash() -> Trace {
    let cut = TraceCopy {
        outcome: CopyOutcome::Unknown,
        status: None,
        first_byte_ms: None,
        error: Some("The connection was reset before an answer.".into()),
        ..answered("before the crash", 0.0, 412.0, 200)
    };
    let unsent = TraceCopy {
        outcome: CopyOutcome::NotSent,
        status: None,
        first_byte_ms: None,
        sent_ms: None,
        error: Some("127.0.0.1:3000 refused the connection.".into()),
        ..answered("while it was down", 600.0, 601.0, 200)
    };
    Trace {
        job_id: "job_crash".into(),
        label: "killed in the first download".into(),
        copies: vec![cut, unsent, answered("after the start", 2_210.0, 2_216.0, 200)],
        marks: vec![
            mark("download", 12.0, Some(400.0), "download 1, held"),
            mark("handler", 410.0, None, "killed with SIGKILL"),
            mark("handler", 1_950.0, None, "started again, its port answers"),
        ],
        effects: Some(0),
    }
}

/// More than can be shown well: everything at once, long words, wide letters.
fn crowded() -> Trace {
    let copies =
        (0..60).map(|i| answered("", f64::from(i) * 0.001, 0.4 + f64::from(i) * 0.003, 200));
    let marks = (0..40).map(|i| {
        let text = format!("effect {i} {}", "langes Wort 日本 ".repeat(1 + i % 7));
        mark(["effect", "download", "handler", "other"][i % 4], 0.01 * i as f64, None, &text)
    });
    Trace {
        job_id: "job_crowded".into(),
        label: String::new(),
        copies: copies.collect(),
        marks: marks.collect(),
        effects: None,
    }
}

fn answered(label: &str, sent: f64, done: f64, status: u16) -> TraceCopy {
    TraceCopy {
        instance: 1,
        label: label.into(),
        sent_ms: Some(sent),
        first_byte_ms: Some(sent + (done - sent) * 0.9),
        done_ms: done,
        status: Some(status),
        outcome: CopyOutcome::Answered,
        error: None,
    }
}

fn mark(kind: &str, at_ms: f64, lasted_ms: Option<f64>, text: &str) -> TraceMark {
    TraceMark { at_ms, lasted_ms, kind: kind.into(), text: text.into() }
}
