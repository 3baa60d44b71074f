//! `--junit`, `--html`, `--markdown`: looked at before anything is sent, written whole or not at all.

use crate::exit::{Failure, Result};
use clap::Args;
use hooktwice_engine::{
    checking::report,
    model::{CheckReport, ReportFormat},
};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Where reports go.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reports")]
pub(super) struct FileArgs {
    /// Write a JUnit XML report, for CI
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write a report as one HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write a report in Markdown, for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// One report to write.
#[derive(Debug)]
struct Wanted {
    option: &'static str,
    format: ReportFormat,
    /// As it was typed, for messages.
    path: PathBuf,
    to: To,
}

/// How a report gets to its place.
#[derive(Debug)]
enum To {
    /// Beside it first, then moved onto it: whoever reads it finds the old one or the new one, never half of one.
    Replace(PathBuf),
    /// Straight into it: a pipe, a terminal, /dev/stdout.
    Into,
}

/// The reports that were asked for.
#[derive(Debug)]
pub(super) struct Files(Vec<Wanted>);

impl FileArgs {
    /// Looks whether each can be written.
    ///
    /// # Errors
    /// When one cannot, or two are the same.
    pub(super) fn look(self) -> Result<Files> {
        let asked = [
            ("--junit", ReportFormat::Junit, self.junit),
            ("--html", ReportFormat::Html, self.html),
            ("--markdown", ReportFormat::Markdown, self.markdown),
        ];
        let mut files: Vec<Wanted> = Vec::new();
        for (option, format, path) in asked {
            let Some(path) = path else { continue };
            let to = look(&path).map_err(|why| {
                Failure::Usage(format!(
                    "The report of {option} cannot be written to {}: {why}. Nothing was sent.",
                    path.display()
                ))
            })?;
            if let To::Replace(place) = &to
                && let Some(other) = files
                    .iter()
                    .find(|file| matches!(&file.to, To::Replace(other) if other == place))
            {
                return Err(Failure::Usage(format!(
                    "{} and {option} name the same file, {}. Give each a file of its own.",
                    other.option,
                    path.display()
                )));
            }
            files.push(Wanted { option, format, path, to });
        }
        Ok(Files(files))
    }
}

/// Where a report would go, when it can go there.
fn look(path: &Path) -> Result<To, String> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err("it is a folder; name a file".into()),
        // A device or a pipe. It is not opened now: whoever reads a pipe would see it end.
        Ok(found) if !found.is_file() => Ok(To::Into),
        // A link is kept: what it names is replaced.
        Ok(_) => replaceable(fs::canonicalize(path).map_err(|error| error.to_string())?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or("it has no file name")?;
            let folder = fs::canonicalize(folder_of(path)).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => "its folder does not exist; make it first".to_owned(),
                _ => error.to_string(),
            })?;
            replaceable(folder.join(name))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Makes a file beside the place and takes it away again: that is what writing it will do.
fn replaceable(place: PathBuf) -> Result<To, String> {
    match beside(&place) {
        Ok(_) => Ok(To::Replace(place)),
        Err(error) => Err(error.to_string()),
    }
}

/// A new file in the same folder, so that it can be moved onto the place. Others may read it, as any report.
fn beside(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hooktwice-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Less the umask, as for every file that a program makes.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(place))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What became of the reports.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Those that are there, as they were typed.
    pub(super) paths: Vec<PathBuf>,
    /// Why others are not, as sentences.
    pub(super) failures: Vec<String>,
}

impl Files {
    /// Writes them all; one that fails keeps no other from being written.
    pub(super) fn write(&self, report: &CheckReport) -> Written {
        let mut written = Written::default();
        for file in &self.0 {
            let text = report::write(report, file.format);
            match file.write(text.as_bytes()) {
                Ok(()) => written.paths.push(file.path.clone()),
                Err(error) => written.failures.push(format!(
                    "The report of {} was not written to {}: {error}.",
                    file.option,
                    file.path.display()
                )),
            }
        }
        written
    }
}

impl Wanted {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match &self.to {
            To::Into => OpenOptions::new().append(true).open(&self.path)?.write_all(bytes),
            To::Replace(place) => {
                let mut part = beside(place)?;
                part.write_all(bytes)?;
                part.as_file().sync_all()?;
                part.persist(place).map(drop).map_err(|error| error.error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(junit: &Path) -> FileArgs {
        FileArgs { junit: Some(junit.to_owned()), html: None, markdown: None }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn looking_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("report.xml");
        assert!(args(&place).look().is_ok());
        assert!(names(folder.path()).is_empty());
        fs::write(&place, "old").unwrap();
        assert!(args(&place).look().is_ok());
        assert_eq!(fs::read_to_string(&place).unwrap(), "old");
    }

    #[test]
    fn a_report_replaces_the_old_one_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("report.xml");
        fs::write(&place, "something old that is longer").unwrap();
        let files = args(&place).look().unwrap();
        files.0[0].write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "new");
        assert_eq!(names(folder.path()), ["report.xml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_a_pipe_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.xml"), folder.path().join("link.xml"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let files = args(&link).look().unwrap();
        files.0[0].write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        let null = Path::new("/dev/null");
        let files = args(null).look().unwrap();
        files.0[0].write(b"lost").unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
    }

    #[test]
    fn what_cannot_be_written_is_said_before() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no/such/report.xml");
        let refused = args(&missing).look().unwrap_err().to_string();
        assert!(refused.contains("does not exist"), "{refused}");
        let refused = args(folder.path()).look().unwrap_err().to_string();
        assert!(refused.contains("is a folder"), "{refused}");

        let same = folder.path().join("report");
        let both = FileArgs { junit: Some(same.clone()), html: Some(same), markdown: None };
        let refused = both.look().unwrap_err().to_string();
        assert!(refused.contains("--junit and --html"), "{refused}");
    }
}
