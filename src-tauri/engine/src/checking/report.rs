//! A check's findings for others to read: JUnit XML, one HTML page, Markdown, JSON.
//!
//! The reader was not there, and the document may travel far. So each begins with one verdict and says what was examined;
//! text from outside (ids, answers, the handler's output) stays text in every format; and passwords stay behind.

mod axis;
#[cfg(test)]
mod fixture;
mod html;
mod junit;
mod markdown;
mod story;
mod summary;
mod text;
mod timeline;
mod words;

use crate::model::{CheckReport, ReportFormat};

/// Writes a report. It may be one of a check that is still running or was stopped; the document says so.
pub fn write(report: &CheckReport, format: ReportFormat) -> String {
    match format {
        ReportFormat::Html => html::write(report),
        ReportFormat::Markdown => markdown::write(report),
        ReportFormat::Junit => junit::write(report),
        ReportFormat::Json => json(report),
    }
}

/// As it is but for passwords, which are masked in the text: within a string they are never next to a quote or a
/// backslash that would change it.
fn json(report: &CheckReport) -> String {
    #[expect(
        clippy::expect_used,
        reason = "writing to memory does not fail, and the keys of every map are numbers"
    )]
    let json = serde_json::to_string_pretty(report).expect("JSON is written to memory");
    text::masked(&json).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_report_without_passwords() {
        let report = fixture::failed();
        let json = write(&report, ReportFormat::Json);
        assert!(!json.contains(fixture::PASSWORD) && !json.contains("whsec_of_the_handler"));
        let whole = serde_json::to_string_pretty(&report).unwrap();
        let masked = whole
            .replace(fixture::PASSWORD, "MASKED")
            .replace("WEBHOOK_SECRET=whsec_of_the_handler", "WEBHOOK_SECRET=MASKED");
        assert_eq!(json, masked);
        let read: CheckReport = serde_json::from_str(&json).unwrap();
        assert_eq!((read.scenarios.len(), read.facts), (21, report.facts));
    }

    #[test]
    fn every_format_takes_every_report() {
        let mut empty = fixture::failed();
        empty.scenarios.clear();
        empty.overall = None;
        empty.spec = crate::model::CheckSpec::default();
        for report in [fixture::failed(), fixture::passed(), fixture::unseen(), empty] {
            for format in [
                ReportFormat::Html,
                ReportFormat::Markdown,
                ReportFormat::Junit,
                ReportFormat::Json,
            ] {
                let written = write(&report, format);
                assert!(written.len() > 200, "{format:?}: {written}");
                assert!(!written.contains(fixture::PASSWORD), "{format:?}");
            }
        }
    }
}
