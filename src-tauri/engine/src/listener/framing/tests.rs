use super::*;
use proptest::prelude::*;

const LIMITS: HeadLimits = HeadLimits { bytes: 65_536, headers: 256 };

/// What a connection's bytes are cut into, however they are split on the way.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Head(Bytes),
    End(Bytes),
    Refused(u16),
}

fn read(framer: &mut Framer, mut bytes: &[u8], seen: &mut Vec<Seen>) {
    // A connection is not read on after a refusal.
    while !bytes.is_empty() && !framer.is_refused() {
        let Fed { used, progress } = framer.feed(bytes);
        match progress {
            Some(Progress::Head(head)) => seen.push(Seen::Head(head.bytes)),
            Some(Progress::End(trailers)) => seen.push(Seen::End(trailers)),
            Some(Progress::Refused(refusal)) => seen.push(Seen::Refused(refusal.status)),
            None => assert!(used > 0, "bytes must be used or something completed"),
        }
        bytes = &bytes[used..];
    }
}

fn read_all(bytes: &[u8], cuts: &[usize]) -> Vec<Seen> {
    let mut framer = Framer::new(LIMITS);
    let mut seen = Vec::new();
    let mut from = 0;
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.sort_unstable();
    for to in places.into_iter().chain([bytes.len()]) {
        read(&mut framer, &bytes[from..to], &mut seen);
        from = to;
    }
    seen
}

const PIPELINED: &[u8] = b"\r\nPOST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
    POST /b HTTP/1.1\nTransfer-Encoding: chunked\n\n3;x=\"1\"\r\nabc\r\n0001\r\n\n\r\n0\r\nX-T: 1\r\nx-t: 2\r\n\r\n\
    GET /c HTTP/1.1\r\n\r\nPOST /d HTTP/1.0\r\nContent-Length: 0\r\n\r\n";

fn pipelined() -> Vec<Seen> {
    let head = |text: &'static str| Seen::Head(Bytes::from_static(text.as_bytes()));
    vec![
        head("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\n"),
        Seen::End(Bytes::new()),
        head("POST /b HTTP/1.1\nTransfer-Encoding: chunked\n\n"),
        Seen::End(Bytes::from_static(b"X-T: 1\r\nx-t: 2\r\n")),
        head("GET /c HTTP/1.1\r\n\r\n"),
        head("POST /d HTTP/1.0\r\nContent-Length: 0\r\n\r\n"),
    ]
}

#[test]
fn pipelined_requests_are_parted() {
    assert_eq!(read_all(PIPELINED, &[]), pipelined());
}

#[test]
fn byte_by_byte_is_the_same() {
    let cuts: Vec<usize> = (0..PIPELINED.len()).collect();
    assert_eq!(read_all(PIPELINED, &cuts), pipelined());
}

#[test]
fn what_is_ambiguous_is_refused() {
    let refused = |text: &str| read_all(text.as_bytes(), &[]).pop();
    for head in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: +3",
        "Content-Length: 3, 3",
        "Content-Length: ",
        "Transfer-Encoding: chunked, gzip",
    ] {
        let text = format!("POST / HTTP/1.1\r\n{head}\r\n\r\nabcdef");
        assert_eq!(refused(&text), Some(Seen::Refused(400)), "{head}");
    }
    assert_eq!(
        refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Some(Seen::Refused(400))
    );
}

#[test]
fn the_limits_of_a_head_are_exact() {
    let limits = HeadLimits { bytes: 60, headers: 2 };
    let status = |text: String| {
        let mut seen = Vec::new();
        read(&mut Framer::new(limits), text.as_bytes(), &mut seen);
        match seen.pop() {
            Some(Seen::Refused(status)) => Some(status),
            _ => None,
        }
    };
    let padded = |size: usize| {
        let frame = "GET / HTTP/1.1\r\nX: \r\n\r\n";
        format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(size - frame.len()))
    };
    assert_eq!(status(padded(60)), None);
    assert_eq!(status(padded(61)), Some(431));
    assert_eq!(status("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\n\r\n".into()), None);
    assert_eq!(status("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n".into()), Some(431));
    assert_eq!(status("G".repeat(61)), Some(431), "without an end");
}

#[test]
fn bad_chunks_are_refused() {
    for chunk in
        ["x\r\n", "3\nabc", "3\r\nabcd\r\n", "11111111111111111\r\n", "3;a\nb\r\n", "0\r\n\rx"]
    {
        let text = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
        assert_eq!(read_all(text.as_bytes(), &[]).pop(), Some(Seen::Refused(400)), "{chunk:?}");
    }
}

proptest! {
    #[test]
    fn splits_change_nothing(cuts in prop::collection::vec(0..PIPELINED.len(), 0..12)) {
        prop_assert_eq!(read_all(PIPELINED, &cuts), pipelined());
    }

    #[test]
    fn garbage_is_read_the_same_however_it_is_split(
        bytes in prop::collection::vec(any::<u8>(), 1..200),
        cuts in prop::collection::vec(0_usize..200, 0..6),
    ) {
        prop_assert_eq!(read_all(&bytes, &cuts), read_all(&bytes, &[]));
    }
}
