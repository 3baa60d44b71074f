//! Finds a secret in bytes, in whatever dress it is likely to be written.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

/// The fewest bytes of a secret that are looked for: shorter ones might stand there by chance.
const PIECE: usize = 12;

/// What a secret would look like where it was written.
pub(super) struct Needle {
    /// Of which secret, and in which dress.
    what: String,
    text: String,
}

/// Every dress of both halves of a secret: what was cut off or has grown at an end is found too.
pub(super) fn needles(name: &str, secret: &str) -> Vec<Needle> {
    assert!(secret.len() >= 2 * PIECE, "{name} is too short to be looked for");
    let (first, last) = secret.split_at(secret.len() / 2);
    [first, last].into_iter().flat_map(|half| dresses(name, half)).collect()
}

fn dresses(name: &str, half: &str) -> Vec<Needle> {
    let bytes = half.as_bytes();
    let needle = |dress: &str, text: String| Needle { what: format!("{name} {dress}"), text };
    let decimal = |comma: &str| {
        let numbers: Vec<_> = bytes.iter().map(u8::to_string).collect();
        numbers.join(comma)
    };
    let mut all = vec![
        needle("in clear", half.to_owned()),
        needle("in hex", hex::encode(bytes)),
        needle("in upper-case hex", hex::encode_upper(bytes)),
        needle("as numbers", decimal(",")),
        needle("as numbers with spaces", decimal(", ")),
    ];
    for before in 0..3 {
        all.extend([
            needle("in base64", in_base64(&STANDARD_NO_PAD, bytes, before)),
            needle("in url-safe base64", in_base64(&URL_SAFE_NO_PAD, bytes, before)),
        ]);
    }
    all
}

/// The characters that stand for these bytes alone, where so many others come before them.
fn in_base64(engine: &impl base64::Engine, bytes: &[u8], before: usize) -> String {
    let text = engine.encode([&vec![0; before][..], bytes].concat());
    let (first, end) = ((before * 8).div_ceil(6), (before + bytes.len()) * 8 / 6);
    text[first..end].to_owned()
}

/// Which needles are in the bytes. All of them are ASCII, which bytes that are no text do not hide.
pub(super) fn found<'a>(needles: &'a [Needle], hay: &[u8]) -> Vec<&'a str> {
    let hay = String::from_utf8_lossy(hay);
    let there = needles.iter().filter(|needle| hay.contains(&needle.text));
    there.map(|needle| &*needle.what).collect()
}

/// Two halves that have a `+` in base64, whatever comes before them.
const PLANTED: &str = "kT9zR~~~~0mW4Vx7qc8sJ5~~~~bNdLp2";

#[test]
fn a_planted_secret_is_found_in_every_dress() {
    let all = needles("it", PLANTED);
    let half = &PLANTED[..PLANTED.len() / 2];
    let around = |text: &[u8]| [b"before ", text, b" after"].concat();
    for (dress, text) in [
        ("in clear", half.to_owned()),
        ("in clear", format!("{:?}", format!("{half}\n"))),
        ("in hex", hex::encode(half)),
        ("in upper-case hex", hex::encode_upper(half)),
        ("as numbers", serde_json::to_string(half.as_bytes()).unwrap()),
        ("as numbers with spaces", format!("{:?}", half.as_bytes())),
    ] {
        assert!(found(&all, &around(text.as_bytes())).contains(&&*format!("it {dress}")), "{text}");
    }
    for before in ["", "a", "ab", "abc", "whsec"] {
        for after in ["", "\n", "\r\n", "xyz"] {
            let text = format!("{before}{half}{after}");
            for (dress, encoded) in [
                ("in base64", STANDARD_NO_PAD.encode(&text)),
                ("in url-safe base64", URL_SAFE_NO_PAD.encode(&text)),
            ] {
                let found = found(&all, &around(encoded.as_bytes()));
                assert_eq!(found, [format!("it {dress}")], "{text:?}: {encoded}");
            }
        }
    }
    // The other half alone is found as well, and nothing where there is nothing.
    assert_eq!(found(&all, &around(b"\xff\x00")), [""; 0]);
    assert_eq!(found(&all, &around(&PLANTED.as_bytes()[half.len()..])), ["it in clear"]);
    assert_eq!(found(&all, around(&half.as_bytes()[1..]).as_slice()), [""; 0]);
}
