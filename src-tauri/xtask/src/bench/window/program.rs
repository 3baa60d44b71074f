//! A program with a window, and what it costs the machine.

use super::{
    super::process::{Ends, ended, stat},
    screen::{Face, Picture, Screen},
};
use anyhow::{Context as _, bail};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How often the screen is looked at.
const LOOK: Duration = Duration::from_millis(6);
/// A picture is the last one when it has been there for so long.
const STILL: Duration = Duration::from_millis(1500);
/// When memory is counted, after the start.
const SETTLED: Duration = Duration::from_secs(5);
/// What a start may take at all.
const PATIENCE: Duration = Duration::from_secs(40);
/// How long a key may go without an answer before it is pressed again: a window may not have the focus yet.
const AGAIN: Duration = Duration::from_millis(200);
/// In Hooktwice it opens the sheet of keys.
const KEY: &str = "question";

/// One that runs.
pub(super) struct Program {
    child: Ends,
    began: Instant,
}

/// How a start went, each from the moment that the process was asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// The window looks as it does in the end.
    pub(super) drawn: Duration,
    /// And it has answered a key, to be seen.
    pub(super) usable: Duration,
}

impl Program {
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let began = Instant::now();
        let child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
        Ok(Self { child: Ends(child), began })
    }

    /// What the window shows when nothing changes any more, and the memory of all its processes in KiB.
    pub(super) fn settle(
        &mut self,
        screen: &Screen,
        before: &Picture,
    ) -> anyhow::Result<(Picture, u64)> {
        let (mut last, mut since) = (screen.picture()?, Instant::now());
        while last == *before || since.elapsed() < STILL || self.began.elapsed() < SETTLED {
            self.go_on("shows nothing")?;
            let now = screen.picture()?;
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
        Ok((last, memory(self.child.0.id())?))
    }

    /// Waits until the window shows what it has to, then presses a key until that is answered.
    pub(super) fn until_usable(
        &mut self,
        screen: &mut Screen,
        face: &Face,
    ) -> anyhow::Result<Start> {
        // A picture is looked at closely only where it is another one: that takes its part of the processor too.
        let mut picture = screen.picture()?;
        while !face.is(&picture) {
            let seen = picture.clone();
            while picture == seen {
                if self.began.elapsed() > PATIENCE {
                    bail!(
                        "after {PATIENCE:?} {} cells are not as they are to be",
                        face.missing(&seen)
                    );
                }
                self.go_on("shows nothing")?;
                picture = screen.picture()?;
            }
        }
        let drawn = self.began.elapsed();
        let mut pressed: Option<Instant> = None;
        loop {
            let now = screen.picture()?;
            if now != picture && !face.is(&now) {
                break;
            }
            picture = now;
            if pressed.is_none_or(|at| at.elapsed() > AGAIN) {
                screen.press(KEY)?;
                pressed = Some(Instant::now());
            }
            self.go_on("does not answer a key")?;
        }
        Ok(Start { drawn, usable: self.began.elapsed() })
    }

    /// Ends it as a desktop does, and waits until nothing of it is left.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        let all = tree(self.child.0.id())?;
        let began = Instant::now();
        ended(&mut self.child)?;
        while all.iter().any(|id| Path::new("/proc").join(id.to_string()).exists()) {
            if began.elapsed() > PATIENCE {
                bail!("something of the window runs on after its end");
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// A pause, unless it waits in vain.
    fn go_on(&mut self, why: &str) -> anyhow::Result<()> {
        if let Some(status) = self.child.0.try_wait()? {
            bail!("the window has ended ({status})");
        }
        if self.began.elapsed() > PATIENCE {
            bail!("after {PATIENCE:?} the window {why}");
        }
        thread::sleep(LOOK);
        Ok(())
    }
}

/// What all processes of a program hold, in KiB. What they share counts once (PSS).
fn memory(root: u32) -> anyhow::Result<u64> {
    let mut sum = 0;
    for id in tree(root)? {
        let path: PathBuf = format!("/proc/{id}/smaps_rollup").into();
        // It may have ended just now.
        let Ok(text) = fs::read_to_string(path) else { continue };
        let pss = text.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib = pss.and_then(|pss| pss.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        sum += kib.with_context(|| format!("the memory of process {id} is not told"))?;
    }
    Ok(sum)
}

/// A process and all that it started.
fn tree(root: u32) -> anyhow::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // It may have ended just now.
        let parent = stat(id).ok().and_then(|fields| fields.get(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(id);
        }
    }
    let (mut all, mut next) = (vec![root], 0);
    while let Some(id) = all.get(next) {
        all.extend(children.get(id).into_iter().flatten().copied().collect::<Vec<_>>());
        next += 1;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_holds_memory_and_knows_its_children() {
        let mut child = Ends(Command::new("sleep").arg("60").spawn().unwrap());
        let all = tree(std::process::id()).unwrap();
        assert!(all.contains(&child.0.id()) && all[0] == std::process::id());
        assert!(memory(std::process::id()).unwrap() > 100);
        ended(&mut child).unwrap();
        assert!(!tree(std::process::id()).unwrap().contains(&child.0.id()));
    }
}
