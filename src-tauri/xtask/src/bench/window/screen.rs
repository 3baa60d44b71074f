//! A display that only the measurement uses, and what is to be seen on it. The picture is read from the memory that the
//! display paints into, so that looking costs the windows nothing.

use super::super::process::{self, Ends, ended};
use crate::run;
use anyhow::{Context as _, bail, ensure};
use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::FileExt as _,
    path::Path,
    process::{ChildStdin, Command, Stdio},
};
use tempfile::TempDir;

const WIDTH: usize = 1280;
const HEIGHT: usize = 800;
/// Bytes of a line of the picture.
const LINE: usize = WIDTH * 4;
/// Every so many lines are looked at: fewer than a letter is high.
const STEP: usize = 4;
/// Bytes of a cell, a piece of a line that is right or wrong.
const CELL: usize = 32 * 4;
/// So many cells may differ: a caret, a digit of a clock.
const CARET: usize = 16;

/// An X server without a screen, and a session bus.
pub(super) struct Screen {
    /// Presses keys.
    _fingers: Ends,
    _bus: Ends,
    _server: Server,
    keys: ChildStdin,
    memory: File,
    /// Where the picture begins in it.
    begin: u64,
    display: String,
    address: String,
    _folder: TempDir,
}

/// The X server.
struct Server(Ends);

/// What was to be seen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picture(Vec<u8>);

/// What several starts have shown in the end, as far as they agree.
#[derive(Debug)]
pub(super) struct Face {
    picture: Picture,
    agreed: Vec<bool>,
}

impl Screen {
    /// Starts them.
    pub(super) fn open() -> anyhow::Result<Self> {
        // The picture stays in memory: nothing of it is written to the disk.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", &format!("{WIDTH}x{HEIGHT}x24")]);
        server.args(["-nolisten", "tcp", "-noreset", "-nocursor", "-fbdir"]).arg(folder.path());
        let (server, number) = first_line(&mut server)?;
        let server = Server(server);
        let display = format!(":{number}");
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--nopidfile", "--print-address"]);
        // It would tell of each service that it starts.
        let (bus, address) = first_line(bus.stderr(Stdio::null()))?;
        let fingers = run::command("python3", &["tests/support/x.py", "keys"])
            .env("DISPLAY", &display)
            .stdin(Stdio::piped())
            .spawn()
            .context("python3 cannot be started")?;
        let mut fingers = Ends(fingers);
        let keys = fingers.0.stdin.take().context("the keys have no input")?;
        let memory = File::open(folder.path().join("Xvfb_screen0"))?;
        let begin = begin(&memory)?;
        Ok(Self {
            _fingers: fingers,
            _bus: bus,
            _server: server,
            keys,
            memory,
            begin,
            display,
            address,
            _folder: folder,
        })
    }

    /// A program that opens its window here.
    pub(super) fn command(&self, program: &Path, home: &Path) -> Command {
        let mut command = Command::new(program);
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "WAYLAND_DISPLAY"] {
            command.env_remove(name);
        }
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("HOME", home)
            // There is no graphics card behind this display.
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
            .current_dir(run::root())
            .stdin(Stdio::null());
        command
    }

    /// Presses a key, named as X names it.
    pub(super) fn press(&mut self, key: &str) -> anyhow::Result<()> {
        writeln!(self.keys, "{key}").and_then(|()| self.keys.flush()).context("no key is pressed")
    }

    pub(super) fn picture(&self) -> anyhow::Result<Picture> {
        let mut bytes = vec![0; HEIGHT / STEP * LINE];
        for (line, at) in bytes.chunks_exact_mut(LINE).zip((0_u64..).step_by(LINE * STEP)) {
            self.memory.read_exact_at(line, self.begin + at)?;
        }
        Ok(Picture(bytes))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked, since it has a lock and a socket to remove; one that cannot be asked is killed.
        let _ = ended(&mut self.0);
    }
}

impl Picture {
    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.0.chunks_exact(CELL)
    }
}

impl Face {
    /// What these have in common.
    pub(super) fn of(pictures: &[Picture]) -> anyhow::Result<Self> {
        let (picture, others) = pictures.split_first().context("there is no picture")?;
        let agreed: Vec<bool> = picture
            .cells()
            .enumerate()
            .map(|(at, cell)| others.iter().all(|other| other.cells().nth(at) == Some(cell)))
            .collect();
        let loose = agreed.iter().filter(|agreed| !**agreed).count();
        if loose * 4 > agreed.len() {
            bail!("the starts do not show the same: {loose} of {} cells differ", agreed.len());
        }
        Ok(Self { picture: picture.clone(), agreed })
    }

    /// Whether a picture shows it.
    pub(super) fn is(&self, picture: &Picture) -> bool {
        self.missing(picture) <= CARET
    }

    /// How many cells are not as they are to be.
    pub(super) fn missing(&self, picture: &Picture) -> usize {
        let cells = self.picture.cells().zip(picture.cells()).zip(&self.agreed);
        cells.filter(|((face, cell), agreed)| **agreed && face != cell).count()
    }
}

/// Starts a server and waits for its first line.
fn first_line(command: &mut Command) -> anyhow::Result<(Ends, String)> {
    let mut child = Ends(process::start(command.stdout(Stdio::piped()))?);
    let mut line = String::new();
    let output = child.0.stdout.take().context("a server has no output")?;
    let read = BufReader::new(output).read_line(&mut line);
    if read.is_err() || line.trim().is_empty() {
        bail!("{command:?} did not start");
    }
    Ok((child, line.trim().to_owned()))
}

/// Where the picture begins in a file of the XWD format, whose sizes have to be ours.
fn begin(memory: &File) -> anyhow::Result<u64> {
    let word = |at: u64| -> anyhow::Result<usize> {
        let mut bytes = [0; 4];
        memory.read_exact_at(&mut bytes, at * 4)?;
        Ok(u32::from_be_bytes(bytes) as usize)
    };
    let (header, line, colours) = (word(0)?, word(12)?, word(19)?);
    ensure!(line == LINE, "a line of the picture has {line} bytes in place of {LINE}");
    // A colour has twelve bytes.
    Ok((header + colours * 12) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(cells: &[u8]) -> Picture {
        Picture(cells.iter().flat_map(|cell| [*cell; CELL]).collect())
    }

    #[test]
    fn a_face_is_what_the_starts_agree_on() {
        let mut second = vec![1; 100];
        second[7] = 2;
        let face = Face::of(&[picture(&[1; 100]), picture(&second)]).unwrap();
        let mut third = vec![1; 100];
        third[7] = 3;
        assert_eq!(face.missing(&picture(&third)), 0);
        third[..CARET].fill(4);
        assert!(face.is(&picture(&third)));
        third[..CARET + 2].fill(4);
        assert!(!face.is(&picture(&third)));
    }

    #[test]
    fn starts_that_show_something_else_each_time_have_none() {
        assert!(Face::of(&[picture(&[1; 100]), picture(&[2; 100])]).is_err());
        assert!(Face::of(&[]).is_err());
    }
}
