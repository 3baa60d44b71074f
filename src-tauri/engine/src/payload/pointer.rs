//! A JSON pointer (RFC 6901).

/// Why a text is not a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// It does not begin with `/`.
    #[error("the id pointer `{0}` must be empty or begin with `/`, for example /job_id (RFC 6901)")]
    NoSlash(String),
    /// A `~` stands before something else than `0` or `1`.
    #[error(
        "the id pointer `{0}` has a `~` that is neither `~0` (for ~) nor `~1` (for /) (RFC 6901)"
    )]
    Tilde(String),
}

/// The way to a value, as names to go through.
#[derive(Debug)]
pub(super) struct Pointer {
    text: String,
    names: Vec<String>,
}

impl Pointer {
    pub(super) fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self { text: String::new(), names: Vec::new() });
        }
        let names = text.strip_prefix('/').ok_or_else(|| PointerError::NoSlash(text.to_owned()))?;
        let names: Option<_> = names.split('/').map(unescape).collect();
        Ok(Self {
            text: text.to_owned(),
            names: names.ok_or_else(|| PointerError::Tilde(text.to_owned()))?,
        })
    }

    /// The names to go through, decoded.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of the value itself; `None` for the whole document.
    pub(super) fn last(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// As it is said in a note: `job_id`, or `/data/job_id` where it stands deeper.
    pub(super) fn name(&self) -> String {
        match self.names.as_slice() {
            [] => "the whole body".to_owned(),
            [one] => one.clone(),
            _ => self.text.clone(),
        }
    }
}

fn unescape(name: &str) -> Option<String> {
    let mut parts = name.split('~');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        let (escaped, rest) = part.split_at_checked(1)?;
        out.push(match escaped {
            "0" => '~',
            "1" => '/',
            _ => return None,
        });
        out.push_str(rest);
    }
    Some(out)
}

/// One name as it stands in a pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_as_rfc_6901_says() {
        let names = |text| Pointer::parse(text).unwrap().names().to_vec();
        assert!(names("").is_empty());
        assert_eq!(names("/"), [""]);
        assert_eq!(names("/a~1b/m~0n/~01"), ["a/b", "m~n", "~1"]);
        assert_eq!(escape("a/b~"), "a~1b~0");
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        assert_eq!(Pointer::parse("job_id").unwrap_err(), PointerError::NoSlash("job_id".into()));
        for text in ["/a~", "/a~2", "/~é"] {
            assert_eq!(Pointer::parse(text).unwrap_err(), PointerError::Tilde(text.into()));
        }
    }
}
