//! Durations, sizes and the small languages of option values, as contract.md writes them.

use bytesize::ByteSize;
use hooktwice_engine::model::{Release, Responder};
use jiff::SignedDuration;
use std::time::Duration;

/// How long `--respond naive` pauses between its look and its insert: long enough that a volley over loopback falls
/// into it every time, short enough that nobody waits.
const NAIVE_PAUSE_MS: u32 = 25;

/// `500ms`, `10s`, `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = text.trim().parse::<SignedDuration>().ok();
    parsed
        .and_then(|duration| Duration::try_from(duration).ok())
        .ok_or_else(|| "a duration reads like 500ms, 10s or 2m".to_owned())
}

/// A duration in whole milliseconds, for settings that keep them so.
pub(crate) fn millis(text: &str) -> Result<u32, String> {
    u32::try_from(duration(text)?.as_millis()).map_err(|_| "that is more than 49 days".to_owned())
}

/// A duration in whole seconds, for tolerances.
pub(crate) fn seconds(text: &str) -> Result<u32, String> {
    let duration = duration(text)?;
    if duration.subsec_nanos() != 0 {
        return Err("timestamps are whole seconds, so a tolerance is too".to_owned());
    }
    u32::try_from(duration.as_secs()).map_err(|_| "that is more than 136 years".to_owned())
}

/// `10MiB`, `64KiB`, or bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    text.trim()
        .parse::<ByteSize>()
        .map(|size| size.as_u64())
        .map_err(|_| "a size reads like 10MiB, 64KiB or 512".to_owned())
}

/// `together`, `sequential` or `gap=DUR`.
pub(crate) fn release(text: &str) -> Result<Release, String> {
    match text.split_once('=') {
        None if text == "together" => Ok(Release::Together),
        None if text == "sequential" => Ok(Release::Sequential),
        Some(("gap", gap)) => Ok(Release::Gap { ms: duration(gap)?.as_secs_f64() * 1000.0 }),
        _ => Err("it is together, sequential, or gap=DUR such as gap=50ms".to_owned()),
    }
}

/// `claim`, `naive` or `status=CODE`.
pub(crate) fn responder(text: &str) -> Result<Responder, String> {
    match text.split_once('=') {
        None if text == "claim" => Ok(Responder::Claim),
        None if text == "naive" => Ok(Responder::Naive { pause_ms: NAIVE_PAUSE_MS }),
        Some(("status", code)) => match code.parse() {
            Ok(code) if (200..600).contains(&code) => Ok(Responder::Status { code }),
            _ => Err("a status is a number from 200 to 599".to_owned()),
        },
        _ => Err("it is claim, naive, or status=CODE such as status=503".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_the_contract_writes_them() {
        for (text, millis) in
            [("500ms", 500), ("10s", 10_000), ("2m", 120_000), ("1.5s", 1_500), ("0s", 0)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "10", "-1s", "s", "10 parsecs"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(seconds("5m"), Ok(300));
        assert!(seconds("1500ms").is_err());
    }

    #[test]
    fn sizes_read_as_the_contract_writes_them() {
        assert_eq!(size("10MiB"), Ok(10 * 1024 * 1024));
        assert_eq!(size("64KiB"), Ok(64 * 1024));
        assert_eq!(size("512"), Ok(512));
        assert!(size("ten").is_err());
        assert!(size("-1").is_err());
    }

    #[test]
    fn responders_and_releases_are_closed_sets() {
        assert_eq!(responder("status=503"), Ok(Responder::Status { code: 503 }));
        assert!(responder("status=99").is_err());
        assert!(responder("forward").is_err());
        assert_eq!(release("gap=50ms"), Ok(Release::Gap { ms: 50.0 }));
        assert!(release("gap").is_err());
    }
}
