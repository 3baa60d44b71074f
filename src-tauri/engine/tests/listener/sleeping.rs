//! The wall clock jumps, as after a sleep of the machine or when it is set.

use crate::support::{NOW, Rig, signed};
use hooktwice_engine::model::{ClaimState, SignatureState};

const HOUR: i64 = 3600;

#[tokio::test]
async fn c85_a_clock_that_jumps_changes_what_is_judged_and_nothing_else() {
    let mut rig = Rig::start().await;
    // It stays open over the jumps.
    let mut sender = rig.connect().await;
    for (hours, status, state, age) in [
        (0, 204, SignatureState::Valid, 0.0),
        // Judged by the time of its receipt, however long it was on its way.
        (2, 401, SignatureState::Stale, 7200.0),
        (-2, 401, SignatureState::Stale, -7200.0),
        (0, 204, SignatureState::Valid, 0.0),
    ] {
        rig.clock.set_micros((NOW + hours * HOUR) * 1_000_000);
        sender.send(&signed("/hook", br#"{"job_id":"a"}"#)).await;
        assert_eq!(sender.answer().await.map(|reply| reply.status), Some(status), "{hours} h");
        let row = rig.ended().await;
        assert_eq!((row.signature.state, row.signature.age_s), (state, Some(age)), "{hours} h");
        // Durations are of the monotonic clock.
        let took = row.duration_ms.unwrap();
        assert!((0.0..60_000.0).contains(&took), "{hours} h: {took} ms");
    }
    let rows = rig.rows();
    let claims: Vec<ClaimState> = rows.iter().map(|row| row.claim).collect();
    assert_eq!(
        claims,
        [ClaimState::Won, ClaimState::None, ClaimState::None, ClaimState::Duplicate]
    );
    // They stand in the order in which they came, and say when the clock said that was.
    let hours: Vec<&str> = rows.iter().map(|row| &row.received_at[..13]).collect();
    assert_eq!(hours, ["2023-11-14T22", "2023-11-15T00", "2023-11-14T20", "2023-11-14T22"]);
}
