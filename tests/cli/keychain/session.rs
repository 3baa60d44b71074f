//! A keychain of a test's own: gnome-keyring on a message bus, over a home in a temporary folder, gone when the test is.

use crate::harness::{Folder, Said, until};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::Path,
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// What unlocks the keyring.
const PASSWORD: &str = "the keyring's password";
/// Where programs look for what they keep; all of it is the test's.
const FOLDERS: [(&str, &str); 5] = [
    ("HOME", "home"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_RUNTIME_DIR", "run"),
];
/// Where a program finds somebody to ask for a password, or another bus.
const DESKTOP: [&str; 4] =
    ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "GNOME_KEYRING_CONTROL"];
/// Says where the bus is and becomes the keychain, whose lines go elsewhere.
const KEYCHAIN: &str = r#"echo "$DBUS_SESSION_BUS_ADDRESS"; echo $$
exec gnome-keyring-daemon --components=secrets --foreground "$@" >&2"#;

/// Where a keychain keeps its secrets from one session to the next.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for (_, name) in FOLDERS {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        // A runtime folder that others can enter is refused.
        fs::set_permissions(home.path().join("run"), fs::Permissions::from_mode(0o700)).unwrap();
        Self(home)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a program in this home, with neither a desktop nor a bus.
    pub(crate) fn take_in(&self, command: &mut Command) {
        for name in DESKTOP {
            command.env_remove(name);
        }
        command.envs(FOLDERS.map(|(name, folder)| (name, self.path().join(folder))));
    }
}

/// A session of a person who works in a home: a bus, and a keychain on it.
pub(crate) struct Session<'a> {
    bus_runner: Child,
    bus: String,
    keychain: String,
    home: &'a Home,
}

impl<'a> Session<'a> {
    /// With the keyring open.
    pub(crate) fn unlocked(home: &'a Home) -> Self {
        let session = Self::start(home, &["--unlock"], PASSWORD);
        let locked = || {
            let path = "/org/freedesktop/secrets/aliases/default";
            let collection = "string:org.freedesktop.Secret.Collection";
            let get = "org.freedesktop.DBus.Properties.Get";
            session.ask("org.freedesktop.secrets", path, &[get, collection, "string:Locked"])
        };
        until("the keyring is open", || locked().contains("boolean false").then_some(()));
        session
    }

    /// With the keyring closed, and no display to ask for its password on.
    pub(crate) fn locked(home: &'a Home) -> Self {
        Self::start(home, &[], "")
    }

    fn start(home: &'a Home, args: &[&str], password: &str) -> Self {
        let log = File::create(home.path().join("log")).unwrap();
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "sh", "-c", KEYCHAIN, "sh"]).args(args);
        home.take_in(&mut command);
        let mut bus_runner = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .spawn()
            .expect("no dbus-run-session: `cargo xtask setup` installs it");
        bus_runner.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
        let said = BufReader::new(bus_runner.stdout.take().unwrap());
        let mut lines = said.lines().map(Result::unwrap);
        let (bus, keychain) = (lines.next().unwrap(), lines.next().unwrap());
        let session = Self { bus_runner, bus, keychain, home };
        // Before anybody asks for it: a bus starts one by itself, which knows no password.
        until("the keychain is on the bus", || {
            let owned = session.ask(
                "org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                &["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"],
            );
            owned.contains("boolean true").then_some(())
        });
        session
    }

    fn ask(&self, who: &str, path: &str, words: &[&str]) -> String {
        let mut command = Command::new("dbus-send");
        command.args(["--session", "--print-reply", &format!("--dest={who}"), path]).args(words);
        self.take_in(&mut command);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    /// Runs a program in this session.
    pub(crate) fn take_in(&self, command: &mut Command) {
        self.home.take_in(command);
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.bus);
    }

    /// Where its keychain keeps everything.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Runs the command over a folder to its end, with JSON.
    pub(crate) fn run(&self, folder: &Folder, args: &[&str]) -> Said {
        let mut command = folder.command(args);
        self.take_in(&mut command);
        Said::of(command.output().unwrap())
    }

    /// Keeps a secret in the keychain, as another program would.
    pub(crate) fn store(&self, name: &str, secret: &str) {
        let mut store = self.secret_tool(&["store", "--label=of a test"], name);
        let mut store = store.stdin(Stdio::piped()).spawn().unwrap();
        store.stdin.take().unwrap().write_all(secret.as_bytes()).unwrap();
        assert!(store.wait().unwrap().success(), "{name} could not be stored");
    }

    /// What another program finds in the keychain; nothing where there is no such secret.
    pub(crate) fn lookup(&self, name: &str) -> Option<Vec<u8>> {
        let found = self.secret_tool(&["lookup"], name).output().unwrap();
        found.status.success().then_some(found.stdout)
    }

    fn secret_tool(&self, args: &[&str], name: &str) -> Command {
        let mut command = Command::new("secret-tool");
        command.args(args).args(["service", "hooktwice", "username", name]);
        self.take_in(&mut command);
        command
    }

    /// The keychain answers nobody any more.
    pub(crate) fn hush(&self) {
        signal("-STOP", &self.keychain);
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let group = format!("-{}", self.bus_runner.id());
        // One that was stopped has to go on to hear that it is to end.
        signal("-CONT", &self.keychain);
        signal("-TERM", &group);
        let _ = self.bus_runner.wait();
        // The next session has this home to itself.
        until("bus and keychain are gone", || (!signal("-0", &group)).then_some(()));
    }
}

fn signal(signal: &str, whom: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args([signal, "--", whom]).stderr(Stdio::null()).status().unwrap().success()
}
