//! `settings.json` in the data folder: read, checked, and written in one step.

use crate::{
    model::{ForwardSettings, Limits, ListenSettings, Responder, Settings, SumeForm},
    payload,
};
use http::HeaderName;
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use url::Url;

/// The file's name in the data folder.
const FILE: &str = "settings.json";

/// A setting out of its range, or a file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A value that cannot be used.
    #[error("{name} is {value}, and has to be {wanted}.")]
    OutOfRange {
        /// Which setting.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it has to be.
        wanted: &'static str,
    },
    /// The file is not what this version writes.
    #[error("The settings in {} cannot be understood: {source}. Mend or delete that file.", path.display())]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// Where it breaks.
        source: serde_json::Error,
    },
    /// The file cannot be read.
    #[error("The settings in {} cannot be read: {source}.", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("The settings cannot be written to {}: {source}. What was set holds until the end of this run.", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Settings {
    /// Reads a data folder's settings; a folder without a file has the defaults.
    ///
    /// # Errors
    /// When the file cannot be read, is not understood, or holds a value out of its range.
    pub fn load(folder: &Path) -> Result<Self, SettingsError> {
        let path = folder.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // A file in the folder's place is the store's to name.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Self::default());
            }
            Err(source) => return Err(SettingsError::Read { path, source }),
        };
        let settings: Self = serde_json::from_slice(&bytes)
            .map_err(|source| SettingsError::NotUnderstood { path, source })?;
        settings.check()?;
        Ok(settings)
    }

    /// Writes them beside the old ones and swaps, so that a crash leaves one or the other whole.
    ///
    /// # Errors
    /// When a value is out of its range, or the folder cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), SettingsError> {
        self.check()?;
        let path = folder.join(FILE);
        let fresh = folder.join(format!("{FILE}.new"));
        let write = || -> io::Result<()> {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            fs::create_dir_all(folder)?;
            fs::write(&fresh, text)?;
            fs::File::open(&fresh)?.sync_all()?;
            fs::rename(&fresh, &path)
        };
        write().map_err(|source| SettingsError::Write { path: path.clone(), source })
    }

    /// Checks every value against its range.
    ///
    /// # Errors
    /// Names the first value that is out of its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        check_listen(&self.listen)?;
        check_limits(&self.limits)?;
        check_sume(&self.schemes.sume)
    }
}

fn range(
    ok: bool,
    name: &'static str,
    value: &dyn ToString,
    wanted: &'static str,
) -> Result<(), SettingsError> {
    if ok {
        Ok(())
    } else {
        Err(SettingsError::OutOfRange { name, value: value.to_string(), wanted })
    }
}

fn check_listen(listen: &ListenSettings) -> Result<(), SettingsError> {
    range(
        !listen.host.trim().is_empty(),
        "The host",
        &"empty",
        "an address or a name, as 127.0.0.1",
    )?;
    let pointer = &listen.id_pointer;
    let pointer_ok = payload::check_pointer(pointer).is_ok();
    range(pointer_ok, "The id pointer", &pointer, "a JSON pointer (RFC 6901), as /job_id")?;
    range(listen.tolerance_s >= 1, "The tolerance", &listen.tolerance_s, "1 second or more")?;
    range(
        listen.delay_ms <= 600_000,
        "The delay",
        &format!("{} ms", listen.delay_ms),
        "10 minutes or less",
    )?;
    check_forward(&listen.forward, listen.responder == Responder::Forward)?;
    match listen.responder {
        Responder::Claim | Responder::Forward => Ok(()),
        Responder::Naive { pause_ms } => range(
            pause_ms <= 60_000,
            "The naive pause",
            &format!("{pause_ms} ms"),
            "a minute or less",
        ),
        Responder::Status { code } => {
            range((200..=599).contains(&code), "The status to answer", &code, "between 200 and 599")
        }
    }
}

/// The place is looked at only where deliveries go there.
fn check_forward(forward: &ForwardSettings, is_used: bool) -> Result<(), SettingsError> {
    if is_used {
        let wanted = "the http:// or https:// URL of your handler, as http://localhost:3000/hook, without a query \
                      (each delivery keeps its own)";
        range(is_place(&forward.url), "The forward URL", &quoted(&forward.url), wanted)?;
    }
    range(
        (1..=100).contains(&forward.copies),
        "The number of forwarded copies",
        &forward.copies,
        "between 1 and 100",
    )?;
    range(
        (1_000..=600_000).contains(&forward.timeout_ms),
        "The forward timeout",
        &format!("{} ms", forward.timeout_ms),
        "between 1 second and 10 minutes",
    )
}

fn is_place(text: &str) -> bool {
    // The parser would let white space pass, and fold a backslash.
    let is_clean = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_place = |url: Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.port() != Some(0)
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    is_clean && text.contains("://") && Url::parse(text).is_ok_and(is_place)
}

fn check_limits(limits: &Limits) -> Result<(), SettingsError> {
    const GIB: u64 = 1024 * 1024 * 1024;
    let body = limits.body_bytes;
    range(
        (1..=GIB).contains(&body),
        "The body limit",
        &format!("{body} bytes"),
        "between 1 byte and 1 GiB",
    )?;
    let head = limits.head_bytes;
    let head_ok = (8192..=1024 * 1024).contains(&head);
    range(head_ok, "The head limit", &format!("{head} bytes"), "between 8 KiB and 1 MiB")?;
    range(
        (16..=2048).contains(&limits.headers),
        "The header count",
        &limits.headers,
        "between 16 and 2,048",
    )?;
    let connections = limits.connections;
    range(
        (1..=65_536).contains(&connections),
        "The connection limit",
        &connections,
        "between 1 and 65,536",
    )?;
    let idle = limits.idle_s;
    range(
        (1..=3600).contains(&idle),
        "The idle limit",
        &format!("{idle} s"),
        "between 1 second and an hour",
    )
}

fn check_sume(sume: &SumeForm) -> Result<(), SettingsError> {
    let names = [
        ("Sume's timestamp header", &sume.timestamp_header),
        ("Sume's signature header", &sume.signature_header),
        ("Sume's event id header", &sume.event_id_header),
    ];
    for (index, (what, name)) in names.iter().enumerate() {
        let ok = HeaderName::from_bytes(name.as_bytes()).is_ok();
        range(ok, what, &quoted(name), "the name of a header, as X-Sume-Signature")?;
        let twice = names[..index].iter().any(|(_, other)| other.eq_ignore_ascii_case(name));
        range(!twice, what, &quoted(name), "another than Sume's other headers")?;
    }
    // Signatures in one line are parted by commas and trimmed, so a tag with either could not be read back.
    let tag = &sume.tag;
    let tag_ok = tag.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',');
    range(tag_ok, "Sume's tag", &quoted(tag), "ASCII without spaces and commas, as v1=, or empty")
}

/// White space at an end, control characters and nothing at all are seen.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::load(folder.path()).unwrap();
        assert_eq!(settings, Settings::default());
        settings.listen.port = 4455;
        settings.listen.responder = Responder::Naive { pause_ms: 25 };
        settings.save(folder.path()).unwrap();
        assert_eq!(Settings::load(folder.path()).unwrap(), settings);
    }

    #[test]
    fn a_file_of_an_older_version_keeps_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), r#"{"listen":{"port":4501}}"#).unwrap();
        let settings = Settings::load(folder.path()).unwrap();
        assert_eq!((settings.listen.port, settings.limits), (4501, Limits::default()));
        assert!(!settings.listen.answer_challenges);
    }

    #[test]
    fn a_broken_file_is_named_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{").unwrap();
        let error = Settings::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("settings.json") && error.contains("Mend or delete"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "{");
    }

    #[test]
    fn sumes_names_have_to_be_headers() {
        let refused = |change: fn(&mut SumeForm)| {
            let mut settings = Settings::default();
            change(&mut settings.schemes.sume);
            settings.check().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|sume| sume.signature_header = "X Signature".into()),
            "Sume's signature header is \"X Signature\", and has to be the name of a header, as X-Sume-Signature."
        );
        assert!(refused(|sume| sume.timestamp_header.clear()).contains("timestamp header is \"\""));
        assert!(refused(|sume| sume.event_id_header = "X-Id\r\nX".into()).contains("event id"));
        let twice = refused(|sume| sume.event_id_header = "x-sume-TIMESTAMP".into());
        assert!(twice.contains("another than Sume's other headers"), "{twice}");
        for tag in ["v1=\n", "v1,", " v1=", "v1= ", "é="] {
            let mut settings = Settings::default();
            settings.schemes.sume.tag = tag.into();
            let error = settings.check().unwrap_err().to_string();
            assert!(error.starts_with("Sume's tag is \""), "{error}");
        }
        let mut settings = Settings::default();
        settings.schemes.sume.tag.clear();
        settings.check().unwrap();
    }

    #[test]
    fn a_forward_needs_a_place_and_has_bounds() {
        let forward = |change: &dyn Fn(&mut ListenSettings)| {
            let mut settings = Settings::default();
            settings.listen.responder = Responder::Forward;
            settings.listen.forward.url = "http://localhost:3000/hook".into();
            change(&mut settings.listen);
            settings.check().map_err(|error| error.to_string())
        };
        for url in
            ["http://localhost:3000", "HTTPS://a.example/b/c", "http://[::1]:1/", "http://h/%20"]
        {
            forward(&|listen| listen.forward.url = url.into()).unwrap();
        }
        for url in [
            "",
            "localhost:3000",
            "ftp://h/",
            "http://",
            "http://h/a b",
            " http://h",
            "http://h/?a",
            "http://h/#a",
            "http://me:pw@h/",
            "http://h:0/",
            "http://h:65536/",
            "http:/h/",
            "http://h\\a",
        ] {
            let error = forward(&|listen| listen.forward.url = url.into()).unwrap_err();
            assert!(error.starts_with("The forward URL is "), "{url}: {error}");
        }
        for copies in [0, 101] {
            assert!(forward(&|listen| listen.forward.copies = copies).is_err());
        }
        for timeout_ms in [0, 999, 600_001] {
            assert!(forward(&|listen| listen.forward.timeout_ms = timeout_ms).is_err());
        }
        // Another responder needs no place.
        forward(&|listen| {
            listen.responder = Responder::Claim;
            listen.forward.url.clear();
        })
        .unwrap();
    }

    #[test]
    fn a_value_out_of_range_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        settings.listen.responder = Responder::Status { code: 99 };
        let error = settings.save(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "The status to answer is 99, and has to be between 200 and 599.");
        assert!(!folder.path().join(FILE).exists());
    }
}
