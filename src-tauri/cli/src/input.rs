//! What commands read: bodies from files or stdin, and headers as they are typed.

use crate::exit::{Failure, Result};
use bytes::Bytes;
use hooktwice_engine::head::RawHeader;
use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::Path,
};

/// The exact bytes of a file, or of stdin for `-`.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn body(path: &Path) -> Result<Bytes> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map(Bytes::from).map_err(|error| {
        Failure::Usage(format!("The body cannot be read from {}: {error}.", path.display()))
    })
}

/// A header as typed: `Name: value`. The value's bytes are kept, white space around it aside, as HTTP does.
///
/// # Errors
/// When it is not a header, with what is wrong.
#[expect(clippy::needless_pass_by_value, reason = "clap hands an argument's value over")]
pub(crate) fn header(typed: OsString) -> Result<RawHeader, String> {
    let bytes = typed.as_encoded_bytes();
    let Some(colon) = bytes.iter().position(|&byte| byte == b':') else {
        return Err("a header reads like 'Name: value'".to_owned());
    };
    let (name, value) = (&bytes[..colon], bytes[colon + 1..].trim_ascii());
    if http::HeaderName::from_bytes(name).is_err() {
        return Err(format!("{:?} is not a header's name", String::from_utf8_lossy(name)));
    }
    if let Some(byte) = value.iter().find(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(format!("a header's value cannot hold the byte 0x{byte:02x}"));
    }
    Ok(RawHeader { name: Bytes::copy_from_slice(name), value: Bytes::copy_from_slice(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_keeps_its_case_and_its_bytes() {
        let read = header("X-A:  b: c ".into());
        assert_eq!(read, Ok(RawHeader::new("X-A", "b: c")));
        assert_eq!(header("X-A:".into()), Ok(RawHeader::new("X-A", "")));
    }

    #[cfg(unix)]
    #[test]
    fn c22_a_header_may_hold_any_byte_but_a_line_end() {
        use std::os::unix::ffi::OsStringExt as _;
        let read = header(OsString::from_vec(b"X-A: \xe9".to_vec())).unwrap();
        assert_eq!(read.value.as_ref(), b"\xe9");
        for typed in ["X-A", ": v", "X A: v", "X-A: a\nb"] {
            assert!(header(typed.into()).is_err(), "{typed:?}");
        }
    }
}
