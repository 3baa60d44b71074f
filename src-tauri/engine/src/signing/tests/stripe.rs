//! Stripe. The digests are computed with Python: `hmac.new(b"whsec_dGVzdC1zZWNyZXQ=", b"1700000000." + body, "sha256")`,
//! as `hexdigest()`.

use super::{delivery::*, *};

const WHSEC: &str = "whsec_dGVzdC1zZWNyZXQ=";
const DIGESTS: [&str; 10] = [
    "c22b3aea43cf9f349ce57fef3f4ffeb8678126718fb1d0b6be573dc96e39e3a9",
    "f26139323b81966a295f80d3f608fdbd80c5284e4b673615f3da78368e45567e",
    "b02f7dec6d2814180ae72fe61ebdbc0846fe40c2b1dd8682a6a53b78d624adc9",
    "de4c6a498207cb3d6ec7917f39a94ad8292e3e037e590be50573e50f18669e9f",
    "ebe43aff522e4abebff937b6ff377a59b8a7b919bcbe8c547654c6a994da67b2",
    "eab802960c1bfef6903df76173b89be97a1df39775bec8632f23842109616b56",
    "641b39eac52e99d71312f8943188fbd2788a56cee211e47cdf198087a1385cd8",
    "25b3c2da1497007e6d7a6e8f86fa5daff0aa090bccff6d05df7c721d55beaee5",
    "eb10484fbb46f39ad445c53e7841bae397fb6a47159cdc479d5f8c2a65ac597f",
    "9d5495f409c1b388de1e59eef5135e694ed8579c256ee4344b16f83d11ad74fd",
];

fn row_1(line: &str) -> Delivery {
    Delivery::came(&plain("stripe"), WHSEC.as_bytes(), &[("stripe-signature", line)], ROW_1)
}

#[test]
fn the_bodies_of_the_field_match_their_digests_alone() {
    only_its_own("stripe", WHSEC, DIGESTS, |digest| {
        vec![("Stripe-Signature", format!("t=1700000000,v1={digest}"))]
    });
}

#[test]
fn the_secret_is_its_text_with_whsec_and_never_decoded() {
    // hmac.new(b"test-secret", b'1700000000.{"job_id":"a1"}', "sha256") is Sume's digest of the same second.
    let decoded = row_1(&format!("t=1700000000,v1={ROW_1_DIGEST}"));
    assert_eq!(decoded.state(), SignatureState::Invalid);
    assert_eq!(decoded.secret("test-secret").state(), SignatureState::Valid);
    let own = row_1(&format!("t=1700000000,v1={}", DIGESTS[0]));
    assert_eq!(own.clone().secret("dGVzdC1zZWNyZXQ=").state(), SignatureState::Invalid);
    assert_eq!(own.secret("whsec_xyz!").state(), SignatureState::Invalid);
}

#[test]
fn the_parts_may_stand_in_any_order_and_others_are_ignored() {
    let (own, zero) = (DIGESTS[0], "0".repeat(64));
    for line in [
        format!("t=1700000000,v1={own}"),
        format!("v1={own},t=1700000000"),
        format!("t=1700000000,v1={own},v0={zero}"),
        format!("t=1700000000,v0={zero},v1={own}"),
        format!("t=1700000000,v1={zero},v1={own}"),
        format!("v1={own},v1={zero},t=1700000000"),
        format!("t=1700000000, v1={own}"),
        format!("t=1700000000,v1={own},"),
        format!("t=1700000000,v9=,v1={own}"),
    ] {
        assert_eq!(row_1(&line).state(), SignatureState::Valid, "{line}");
    }
}

#[test]
fn another_version_never_counts() {
    let own = DIGESTS[0];
    for line in [
        format!("t=1700000000,v0={own}"),
        format!("t=1700000000,v2={own}"),
        format!("t=1700000000,v10={own}"),
        format!("t=1700000000,V1={own}"),
        format!("t=1700000000,{own}"),
        format!("t=1700000000,v1:{own}"),
        format!("t=1700000000,v1={own}0"),
        format!("t=1700000000;v1={own}"),
        "t=1700000000,v1=".into(),
        "t=1700000000".into(),
        "t=1700000000,".into(),
    ] {
        let report = row_1(&line).judge();
        assert_eq!(report.state, SignatureState::Invalid, "{line}");
        assert!(!report.reason.unwrap().contains(" 0 signatures"), "{line}");
    }
}

#[test]
fn the_time_stands_beside_the_signature_once() {
    let own = DIGESTS[0];
    for (line, said) in [
        (format!("v1={own}"), "t in Stripe-Signature is missing"),
        (format!("T=1700000000,v1={own}"), "t in Stripe-Signature is missing"),
        (format!("t=,v1={own}"), "malformed timestamp"),
        (format!("t= 1700000000,v1={own}"), "malformed timestamp"),
        (format!("t=1700000000=,v1={own}"), "malformed timestamp"),
        (format!("t=1700000000,t=1700000000,v1={own}"), "ambiguous"),
    ] {
        let reason = row_1(&line).reason(SignatureState::Invalid);
        assert!(reason.contains(said), "{line}: {reason}");
    }
    // Over two lines, as a proxy may part them.
    let line = format!("v1={own}");
    let parted = row_1("").lines(&["t=1700000000", &line]);
    assert_eq!(parted.state(), SignatureState::Valid);
    let twice = row_1("").lines(&[format!("t=1700000000,{line}"), format!("t=1700000001,{line}")]);
    assert!(twice.reason(SignatureState::Invalid).contains("ambiguous"));
    // A time in a header of its own is no part of it.
    let apart = row_1(&line).and("t", "1700000000").and("Stripe-Timestamp", "1700000000");
    assert_eq!(apart.state(), SignatureState::Invalid);
}
