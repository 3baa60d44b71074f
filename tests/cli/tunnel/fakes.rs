//! Programs that print what the real ones do, word for word, with the URL at its real place.

use super::stand::{Tunnelled, WayIn, path_with, program};
use crate::harness::{Folder, Said, post, signed};
use std::{fs, process::Command};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// Shell words that wait for `go_on`: only the place where a tunnel is now is told, and one that it has left by then is
/// not.
fn wait_to_go_on(folder: &Folder) -> String {
    format!("until test -e '{}'; do sleep 0.02; done", folder.path().join("go").display())
}

fn go_on(folder: &Folder) {
    fs::write(folder.path().join("go"), "").unwrap();
}

/// Prints once it may go on. `cat` keeps it running as long as its standard input is open.
fn fake(folder: &Folder, name: &str, output: &str) {
    let wait = wait_to_go_on(folder);
    program(
        folder.path(),
        name,
        &format!("#!/bin/sh\n{wait}\ncat <<'END' >&2\n{output}\nEND\nexec cat\n"),
    );
}

#[test]
fn every_programs_url_is_found_among_others() {
    for (preset, name, output, url) in [
        (
            "cloudflared",
            "cloudflared",
            "2026-11-30T10:30:44Z INF Thank you for trying Cloudflare Tunnel. (https://www.cloudflare.com/website-terms/)\n\
             2026-11-30T10:30:44Z INF Requesting new quick Tunnel on trycloudflare.com...\n\
             2026-11-30T10:30:46Z INF +-----------------------------------------------------------------------+\n\
             2026-11-30T10:30:46Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |\n\
             2026-11-30T10:30:46Z INF |  https://purple-rain-4d7f.trycloudflare.com                            |\n\
             2026-11-30T10:30:47Z INF Registered tunnel connection connIndex=0 event=0 location=ams01 protocol=quic",
            "https://purple-rain-4d7f.trycloudflare.com",
        ),
        (
            "ngrok",
            "ngrok",
            "{\"addr\":\"127.0.0.1:4040\",\"lvl\":\"info\",\"msg\":\"starting web service\",\"obj\":\"web\"}\n\
             {\"addr\":\"http://127.0.0.1:4400\",\"lvl\":\"info\",\"msg\":\"started tunnel\",\"name\":\"command_line\",\"obj\":\"tunnels\",\"url\":\"https://94b1-203-0-113-7.ngrok-free.app\"}",
            "https://94b1-203-0-113-7.ngrok-free.app",
        ),
        (
            "localhost.run",
            "ssh",
            "Follow your favourite reverse tunnel at [https://twitter.com/localhost_run].\n\
             To set up and manage custom domains go to https://admin.localhost.run/\n\
             47970a65005227.lhr.life tunneled with tls termination, https://47970a65005227.lhr.life",
            "https://47970a65005227.lhr.life",
        ),
        (
            "serveo",
            "ssh",
            "\u{1b}[32mForwarding HTTP traffic from https://relego.serveousercontent.com\u{1b}[0m\nPress g to start a GUI session and ctrl-c to quit.",
            "https://relego.serveousercontent.com",
        ),
    ] {
        let folder = Folder::new();
        fake(&folder, name, output);
        let path = path_with(&[folder.path()]);
        let mut listener = Tunnelled::start(&folder, path, &["--tunnel", preset]);
        let command = listener.until("starting")["command"].as_str().unwrap().to_owned();
        assert!(command.starts_with(name), "{command}");
        go_on(&folder);
        assert_eq!(listener.until("proving")["url"], url);
        assert_eq!(listener.run.terminate().0, 0);
    }
}

#[test]
fn a_command_of_the_persons_gets_the_port_and_its_pattern_finds_the_url() {
    let folder = Folder::new();
    let way_in = WayIn::open();
    let command = format!(
        "echo leading from {{port}} and {{url}}; {}; echo 'your url is: <{}/>'; exec cat",
        wait_to_go_on(&folder),
        way_in.url()
    );
    let listener = Tunnelled::start(
        &folder,
        path_with(&[]),
        &[
            "--tunnel",
            "command",
            "--tunnel-command",
            &command,
            "--tunnel-pattern",
            "url is: <(.*)>",
        ],
    );
    way_in.leads_to(&listener.url);
    let starting = listener.place();
    let said = format!(
        "echo leading from {} and {};",
        listener.url.rsplit(':').next().unwrap(),
        listener.url
    );
    assert!(starting["command"].as_str().unwrap().starts_with(&said), "{starting}");
    go_on(&folder);
    assert_eq!(listener.live(), way_in.url());
    assert_eq!(post(&way_in.url(), &signed(BODY), BODY), Some(204));
    assert_eq!(listener.run.next()["claim"], "won");
}

#[test]
fn a_program_that_ends_at_once_is_tried_again_with_its_words_shown() {
    let folder = Folder::new();
    program(
        folder.path(),
        "ngrok",
        "#!/bin/sh\necho 'ERROR:  authentication failed: Usage of ngrok requires a verified account and authtoken.'\necho 'ERROR:  ERR_NGROK_4018'\nexit 1\n",
    );
    let path = path_with(&[folder.path()]);
    let mut listener = Tunnelled::start(&folder, path, &["--tunnel", "ngrok"]);
    for failures in 1..=2 {
        let waiting = listener.until("waiting");
        assert_eq!(waiting["failures"], failures);
        let message = waiting["message"].as_str().unwrap();
        assert!(
            message.starts_with("ngrok has ended (exit code 1). ngrok wants an account"),
            "{message}"
        );
        assert_eq!(waiting["lines"][1], "ERROR:  ERR_NGROK_4018");
    }
    assert_eq!(listener.run.terminate().0, 0);
}

#[test]
fn a_program_that_is_missing_is_2_and_how_to_get_it() {
    let folder = Folder::new();
    let empty = tempfile::tempdir().unwrap();
    for (preset, name, how) in [
        ("cloudflared", "cloudflared", "developers.cloudflare.com"),
        ("ngrok", "ngrok", "add-authtoken"),
        ("bore", "bore", "cargo install bore-cli"),
        ("localhost.run", "ssh", "openssh-client"),
        ("ssh=me@example.com", "ssh", "openssh-client"),
    ] {
        let mut command = folder.command(&["listen", "--port", "0", "--tunnel", preset]);
        command.env("PATH", empty.path());
        let said = Said::of(command.output().unwrap()).expect_code(2);
        assert_eq!(said.text(), "");
        assert!(said.err.contains(&format!("{name} is not on the PATH")), "{}", said.err);
        if cfg!(target_os = "linux") {
            assert!(said.err.contains(how), "{}", said.err);
        }
    }
}

#[test]
fn what_cannot_be_a_tunnel_is_2() {
    let folder = Folder::new();
    for (args, why) in [
        (&["--tunnel", "carrier-pigeon"][..], "there is no tunnel"),
        (&["--tunnel", "ssh"], "ssh=USER@HOST"),
        (&["--tunnel", "ssh=-oProxyCommand=x"], "has to be a host"),
        (&["--tunnel", "command"], "command is empty"),
        (
            &["--tunnel", "command", "--tunnel-command", "x", "--tunnel-pattern", "("],
            "no regular expression",
        ),
        (&["--tunnel", "ngrok", "--tunnel-command", "x"], "belong to --tunnel command"),
        (&["--tunnel-command", "x"], "--tunnel"),
    ] {
        let said = folder.run(&[&["listen", "--port", "0"], args].concat()).expect_code(2);
        assert_eq!(said.text(), "", "{args:?}");
        assert!(said.err.contains(why), "{}", said.err);
    }
}

#[test]
fn people_read_where_the_tunnel_is() {
    let folder = Folder::new();
    let way_in = WayIn::open();
    let command = format!("echo {}; exec cat", way_in.url());
    let mut listen = Command::new(env!("CARGO_BIN_EXE_hooktwice"));
    listen.args(["listen", "--port", "0", "--data-dir"]).arg(folder.path());
    listen.args(["--tunnel", "command", "--tunnel-command", &command]);
    let mut run = crate::harness::Running::spawn(listen);
    let first = run.next();
    let url = first.as_str().unwrap().strip_prefix("Listening on ").unwrap();
    way_in.leads_to(url);
    assert_eq!(run.next(), format!("Tunnel: {}", way_in.url()));
    assert_eq!(run.terminate().0, 0);
}
