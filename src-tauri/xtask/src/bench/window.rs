//! How soon the window can be used, beside a bare Tauri window with the same webview: empty, and with 100,000 deliveries
//! stored. What it holds in memory and on the disk stands beside it.

mod program;
mod screen;

use super::{
    Bench, build, median, ninth_decile,
    process::{self, Server},
    table::{Row, Table, Target},
};
use crate::{app, run, setup};
use anyhow::ensure;
use program::{Program, Start};
use screen::{Face, Picture, Screen};
use serde_json::json;
use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

/// How many deliveries a full window has.
const STORED: u32 = 100_000;
/// Starts before anything is timed; they show what the window looks like in the end.
const WARM_UP: usize = 3;
/// How often it is seen whether the server is still at work.
const WATCH: Duration = Duration::from_secs(2);

/// What is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Bare,
    /// Hooktwice with nothing stored.
    Empty,
    /// Hooktwice with many deliveries.
    Full,
}

/// All that a start of one of them needs, and what came of its starts.
struct Trial {
    subject: Subject,
    program: PathBuf,
    /// What it remembers between its starts.
    home: PathBuf,
    data: PathBuf,
    face: Face,
    /// KiB, of the starts that warm up.
    memory: Vec<f64>,
    starts: Vec<Start>,
}

/// Brings what a window is built and started with, and builds both.
pub(super) fn prepare(profile: &str) -> anyhow::Result<()> {
    setup::for_app()?;
    setup::packages(&["xvfb", "dbus-daemon", "python3", "libxtst6", "procps"])?;
    app::build_pages()?;
    build(profile, &["hooktwice-app", "hooktwice-bare"])
}

/// Alternates the windows, so that a slow moment of the machine falls on all of them.
pub(super) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let folder = bench.folder.path().join("window");
    let mut screen = Screen::open()?;
    let blank = screen.picture()?;
    let prepare = |subject| Trial::prepare(subject, bench, &folder, &screen, &blank);
    let mut trials = [prepare(Subject::Bare)?, prepare(Subject::Empty)?, prepare(Subject::Full)?];
    for round in 0..bench.rounds(10, 3) {
        for trial in &mut trials {
            let mut program = trial.start(&screen)?;
            let start = program.until_usable(&mut screen, &trial.face)?;
            program.end()?;
            println!(
                "window, round {}: {:?} drawn {} ms, usable {} ms",
                round + 1,
                trial.subject,
                start.drawn.as_millis(),
                start.usable.as_millis(),
            );
            trial.starts.push(start);
        }
    }
    let [bare, empty, full] = &trials;
    for (ours, what) in [(empty, "nothing stored"), (full, "100,000 stored")] {
        table.add(faster(
            format!("start to a usable window, {what}"),
            ours,
            bare,
            "a bare Tauri window",
            1.3,
        ));
    }
    table.add(faster("start with 100,000 stored".into(), full, empty, "nothing stored", 1.1));
    for (ours, what) in [(empty, "nothing stored"), (full, "100,000 stored")] {
        let (held, least) = (median(&ours.memory) / 1024.0, median(&bare.memory) / 1024.0);
        table.add(told(format!("memory 5 s after the start, {what}"), held, least, "MiB"));
    }
    let size = |trial: &Trial| -> anyhow::Result<f64> {
        #[expect(clippy::cast_precision_loss, reason = "the size of a program")]
        Ok(fs::metadata(&trial.program)?.len() as f64 / 1e6)
    };
    table.add(told("the program's file".into(), size(empty)?, size(bare)?, "MB"));
    Ok(())
}

impl Trial {
    /// Starts it some times, until what it shows in the end is known.
    fn prepare(
        subject: Subject,
        bench: &Bench,
        folder: &Path,
        screen: &Screen,
        blank: &Picture,
    ) -> anyhow::Result<Self> {
        let folder = folder.join(format!("{subject:?}"));
        let (home, data) = (folder.join("home"), folder.join("data"));
        fs::create_dir_all(&home)?;
        fs::create_dir_all(&data)?;
        // The same one each time, since the window shows it.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        fs::write(data.join("settings.json"), json!({ "listen": { "port": port } }).to_string())?;
        if subject == Subject::Full {
            fill(bench, &data)?;
        }
        let name = if subject == Subject::Bare { "bare-window" } else { "hooktwice-app" };
        let program = bench.hooktwice.with_file_name(name);
        let (mut pictures, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..WARM_UP {
            let mut program = start(screen, &program, &home, &data)?;
            let (picture, kib) = program.settle(screen, blank)?;
            program.end()?;
            pictures.push(picture);
            #[expect(clippy::cast_precision_loss, reason = "far below the bits of a double")]
            memory.push(kib as f64);
        }
        let face = Face::of(&pictures)?;
        Ok(Self { subject, program, home, data, face, memory, starts: Vec::new() })
    }

    fn start(&self, screen: &Screen) -> anyhow::Result<Program> {
        start(screen, &self.program, &self.home, &self.data)
    }

    fn usable(&self) -> Vec<f64> {
        self.starts.iter().map(|start| start.usable.as_secs_f64()).collect()
    }
}

fn start(screen: &Screen, program: &Path, home: &Path, data: &Path) -> anyhow::Result<Program> {
    Program::start(screen.command(program, home).env("HOOKTWICE_DATA_DIR", data))
}

/// Stores deliveries as real ones are, and waits until the server has nothing more to do for them.
fn fill(bench: &Bench, data: &Path) -> anyhow::Result<()> {
    let mut listen = bench.command(&bench.hooktwice);
    listen.args(["listen", "--json", "--quiet", "--port", "0", "--secret-env", "HOOK_SECRET"]);
    let server = Server::start(listen.arg("--data-dir").arg(data))?;
    let url = format!("{}/hook", server.url);
    let plan = json!({
        "url": url, "secret": super::SECRET, "count": STORED, "seconds": 0, "every": 10, "like": "sume",
    });
    let load = run::root().join("tests/support/load.mjs");
    let said = process::json(Command::new("node").arg(load).arg(plan.to_string()))?;
    ensure!(said["statuses"]["204"] == STORED, "not every delivery was stored: {said}");
    let mut before = None;
    loop {
        let now = server.processor_time()?;
        if before == Some(now) {
            return server.end();
        }
        before = Some(now);
        thread::sleep(WATCH);
    }
}

/// How much longer one takes than the other, at most so many times.
fn faster(figure: String, ours: &Trial, theirs: &Trial, beside: &str, most: f64) -> Row {
    let shown =
        |times: &[f64]| format!("{:.2} s (p90 {:.2} s)", median(times), ninth_decile(times));
    let (ours, theirs) = (ours.usable(), theirs.usable());
    Row {
        figure,
        ours: shown(&ours),
        beside: beside.into(),
        theirs: shown(&theirs),
        ratio: median(&ours) / median(&theirs),
        target: Target::AtMost(most),
    }
}

fn told(figure: String, ours: f64, theirs: f64, unit: &str) -> Row {
    Row {
        figure,
        ours: format!("{ours:.0} {unit}"),
        beside: "a bare Tauri window".into(),
        theirs: format!("{theirs:.0} {unit}"),
        ratio: ours / theirs,
        target: Target::Told,
    }
}
