//! Just enough of HTTP/2's framing (RFC 9113, section 4.1) to see where a request ends in what is written.

const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
const HEADER: usize = 9;

const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const SETTINGS: u8 = 0x4;
const CONTINUATION: u8 = 0x9;
const ACK: u8 = 0x1;
const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;

/// Follows the frames that a client writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frames {
    preface_left: usize,
    header: [u8; HEADER],
    header_read: usize,
    payload_left: usize,
    /// HEADERS said that the stream ends, and CONTINUATION follows.
    ending: bool,
    /// The frame that is being read is the request's last.
    last: bool,
    /// The request's last frame has passed.
    pub(super) ended: bool,
    /// Our answer to the other side's SETTINGS has passed.
    pub(super) settled: bool,
}

impl Frames {
    pub(super) fn new() -> Self {
        Self {
            preface_left: PREFACE,
            header: [0; HEADER],
            header_read: 0,
            payload_left: 0,
            ending: false,
            last: false,
            ended: false,
            settled: false,
        }
    }

    /// Follows some bytes and says how many it took: it stops behind the request's last frame.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let left = bytes.len() - at;
            if self.preface_left > 0 {
                let step = left.min(self.preface_left);
                self.preface_left -= step;
                at += step;
                continue;
            }
            if self.header_read < HEADER {
                self.header[self.header_read] = bytes[at];
                self.header_read += 1;
                at += 1;
                if self.header_read < HEADER {
                    continue;
                }
                self.begin();
            } else {
                let step = left.min(self.payload_left);
                self.payload_left -= step;
                at += step;
            }
            if self.payload_left == 0 {
                self.header_read = 0;
                if std::mem::take(&mut self.last) {
                    self.ended = true;
                    return at;
                }
            }
        }
        at
    }

    fn begin(&mut self) {
        let [a, b, c, kind, flags, ..] = self.header;
        self.payload_left = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        let has = |flag: u8| flags & flag != 0;
        match kind {
            DATA => self.last = has(END_STREAM),
            HEADERS => {
                self.ending = has(END_STREAM);
                self.last = self.ending && has(END_HEADERS);
            }
            CONTINUATION => self.last = self.ending && has(END_HEADERS),
            SETTINGS if has(ACK) => self.settled = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags, 0, 0, 0, 1];
        frame.extend_from_slice(payload);
        frame
    }

    #[test]
    fn it_stops_behind_the_last_frame_however_the_bytes_are_cut() {
        let mut head = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        head.extend(frame(SETTINGS, 0, &[0; 12]));
        head.extend(frame(SETTINGS, ACK, &[]));
        head.extend(frame(HEADERS, END_HEADERS, b"block"));
        head.extend(frame(DATA, 0, &[END_STREAM; 300]));
        head.extend(frame(DATA, END_STREAM, b"!"));
        let mut bytes = head.clone();
        bytes.extend(frame(SETTINGS, ACK, &[]));
        for step in [1, 2, 9, 10, 1000] {
            let mut frames = Frames::new();
            let mut at = 0;
            while !frames.ended {
                at += frames.follow(&bytes[at..bytes.len().min(at + step)]);
            }
            assert_eq!((at, frames.settled), (head.len(), true), "cut by {step}");
        }
    }

    #[test]
    fn a_request_without_a_body_ends_with_its_header_block() {
        let mut frames = Frames { preface_left: 0, ..Frames::new() };
        let mut bytes = frame(HEADERS, END_STREAM, b"a");
        frames.follow(&bytes);
        assert!(!frames.ended && !frames.settled);
        bytes = frame(CONTINUATION, END_HEADERS, b"b");
        frames.follow(&bytes);
        assert!(frames.ended);
        let mut frames = Frames { preface_left: 0, ..Frames::new() };
        frames.follow(&frame(HEADERS, END_STREAM | END_HEADERS, b"a"));
        assert!(frames.ended);
    }
}
