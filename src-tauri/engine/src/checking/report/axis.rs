//! Round marks on an axis of time.

/// A mark: where, in milliseconds, and what stands under it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) at_ms: f64,
    pub(super) label: String,
}

/// Marks from 0 to at most `end_ms`, about `wanted` of them, in steps of 1, 2 or 5 and their tenfolds, all in the unit
/// that suits the longest.
pub(super) fn ticks(end_ms: f64, wanted: usize) -> Vec<Tick> {
    if !end_ms.is_finite() || end_ms <= 0.0 {
        return vec![Tick { at_ms: 0.0, label: "0".into() }];
    }
    let rough = end_ms / wanted.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
    let (unit, size) = match end_ms {
        end if end < 1.0 => ("µs", 1000.0),
        end if end < 2000.0 => ("ms", 1.0),
        _ => ("s", 0.001),
    };
    // As many digits after the point as the step has.
    let digits = (-(step * size).log10().floor()).clamp(0.0, 6.0) as usize;
    // A sum of steps would gather the errors of each.
    let count = (end_ms / step + 1e-9).floor() as u32;
    (0..=count)
        .map(|n| {
            let at_ms = f64::from(n) * step;
            let label = match n {
                0 => "0".into(),
                _ => format!("{:.digits$} {unit}", at_ms * size),
            };
            Tick { at_ms, label }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(end_ms: f64) -> Vec<String> {
        ticks(end_ms, 6).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn marks_are_round_from_microseconds_to_minutes() {
        assert_eq!(labels(0.25), ["0", "50 µs", "100 µs", "150 µs", "200 µs", "250 µs"]);
        assert_eq!(labels(4.6), ["0", "1 ms", "2 ms", "3 ms", "4 ms"]);
        assert_eq!(labels(1.2), ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1.0 ms", "1.2 ms"]);
        assert_eq!(labels(3100.0), ["0", "1 s", "2 s", "3 s"]);
        assert_eq!(labels(2500.0), ["0", "0.5 s", "1.0 s", "1.5 s", "2.0 s", "2.5 s"]);
        assert_eq!(labels(60_000.0), ["0", "10 s", "20 s", "30 s", "40 s", "50 s", "60 s"]);
    }

    #[test]
    fn there_are_few_marks_and_none_past_the_end() {
        for n in 0..4000 {
            let end = 1e-4 * 1.01_f64.powi(n);
            let ticks = ticks(end, 8);
            assert!((4..=10).contains(&ticks.len()), "{end}: {}", ticks.len());
            assert!(ticks.iter().all(|tick| tick.at_ms <= end * 1.001), "{end}");
            let mut labels: Vec<_> = ticks.iter().map(|tick| &tick.label).collect();
            labels.dedup();
            assert_eq!(labels.len(), ticks.len(), "{end}: {labels:?}");
        }
    }

    #[test]
    fn no_time_at_all_has_one_mark() {
        for end in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(ticks(end, 6).len(), 1);
        }
    }
}
