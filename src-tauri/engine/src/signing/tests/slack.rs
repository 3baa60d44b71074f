//! Slack. The digests are computed with Python: `hmac.new(b"test-secret", b"v0:1700000000:" + body, "sha256").hexdigest()`.

use super::{delivery::*, *};

const DIGESTS: [&str; 10] = [
    "b50da7a4e29e6e65403b02aa2d2c0562542a7228735733b090a7ab83a3d12058",
    "5c9c427eb97f3b2b4bc5839a19dfd63589ff6d528593d748e523bbaecabbe68a",
    "394df7f2c2f21c72b3334ebf7a49bbdc8c870999b018018026ace211820c0a44",
    "5ae88e486b047e631d8bef8e347ee11f92abb6a065f11a36520e140ed3e6b86e",
    "35727e3042c973a38fa2e857048fabebeccb110469f72bf2f3c83c6e835d778f",
    "8a62792cf218a76c311ceb4a626e49bef978641360863acaef9acefec12e0c78",
    "1a3e026d039a584b37b1325eed144fe308a30eb801cba0c5a8e7bd4bd8e59616",
    "0fd4bf46b0b4c7feff85b77187b02641e9cd9df098ceb18156f873866a08a560",
    "524d5509981ed538caada0445be721c4e34bcba30747f2154add0514cc5f50d5",
    "daaadcbdf7ff8616ece27f5e0a8a20f57503ed1c3c3dfe055567db0be245a442",
];

#[test]
fn the_vector_of_its_documentation_matches() {
    let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V\
        &channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=\
        &response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
        &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let sent = Delivery::came(
        &plain("slack"),
        b"8f742231b10e8888abcd99yyyzzz85a5",
        &[
            ("X-Slack-Request-Timestamp", "1531420618"),
            (
                "X-Slack-Signature",
                "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
            ),
        ],
        body.as_bytes(),
    )
    .now(1_531_420_618);
    assert_eq!(sent.state(), SignatureState::Valid);
    assert_eq!(sent.clone().now(T).state(), SignatureState::Stale);
    assert_eq!(sent.clone().body(format!("{body}&")).state(), SignatureState::Invalid);
    let other = sent.with("X-Slack-Request-Timestamp", "1531420619");
    assert_eq!(other.state(), SignatureState::Invalid);
}

#[test]
fn the_bodies_of_the_field_match_their_digests_alone() {
    only_its_own("slack", "test-secret", DIGESTS, |digest| {
        vec![
            ("X-Slack-Request-Timestamp", "1700000000".into()),
            ("X-Slack-Signature", format!("v0={digest}")),
        ]
    });
}

#[test]
fn its_version_is_part_of_the_tag_and_of_the_text() {
    let sent = Delivery::signed(&plain("slack"), b"test-secret", ROW_1);
    let digest = DIGESTS[0];
    for line in
        [format!("v1={digest}"), format!("V0={digest}"), digest.into(), format!("v0:{digest}")]
    {
        assert_eq!(sent.clone().lines(&[&line]).state(), SignatureState::Invalid, "{line}");
    }
    // Signed as Sume signs, without `v0:`.
    let dotted = format!("v0={ROW_1_DIGEST}");
    assert_eq!(sent.lines(&[dotted]).state(), SignatureState::Invalid);
}
