//! OpenSSH's own server and client over loopback, with keys and files of this test's.

use super::stand::{Tunnelled, leash_of, members, path_with, program};
use crate::harness::{Folder, post, signed, until};
use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

const BODY: &[u8] = br#"{"job_id":"a1"}"#;

/// A server of this user's.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn key(file: &Path) {
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(file).status();
    assert!(made.expect("ssh-keygen is there: cargo xtask setup").success());
}

impl Server {
    fn start(folder: &Path, forwarding: &str) -> Self {
        key(&folder.join("host"));
        key(&folder.join("mine"));
        fs::copy(folder.join("mine.pub"), folder.join("authorized")).unwrap();
        // Run as root, it wants this folder.
        let _ = fs::create_dir("/run/sshd");
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let at = |name: &str| folder.join(name).display().to_string();
        let config = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\n\
             StrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\nGatewayPorts clientspecified\n\
             AllowTcpForwarding {forwarding}\n",
            at("host"),
            at("authorized")
        );
        fs::write(folder.join("sshd_config"), config).unwrap();
        let child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"))
            .stderr(Stdio::null())
            .spawn()
            .expect("sshd is there: cargo xtask setup");
        let server = Self { child, port };
        until("sshd listens", || TcpStream::connect(("127.0.0.1", port)).ok());
        // The client as it is, but for whose files it reads: it takes no other word for that than its own option.
        let client = format!(
            "IdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\n",
            at("mine"),
            at("known_hosts")
        );
        fs::write(folder.join("ssh_config"), client).unwrap();
        let ssh = format!("#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n", at("ssh_config"));
        program(folder, "ssh", &ssh);
        server
    }

    /// As if it had been connected to before.
    fn is_known(&self, folder: &Path) {
        let public = fs::read_to_string(folder.join("host.pub")).unwrap();
        let line = format!("[127.0.0.1]:{} {public}", self.port);
        fs::write(folder.join("known_hosts"), line).unwrap();
    }

    fn preset(&self) -> String {
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        format!("ssh={}@127.0.0.1:{}", String::from_utf8(user).unwrap().trim(), self.port)
    }
}

#[test]
fn a_delivery_comes_through_ssh_to_a_host_of_ones_own() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), "yes");
    server.is_known(folder.path());
    let path = path_with(&[folder.path()]);
    let mut listener = Tunnelled::start(&folder, path, &["--tunnel", &server.preset()]);
    let url = listener.live();
    assert!(url.starts_with("http://127.0.0.1:") && url != listener.url, "{url}");
    assert_eq!(post(&format!("{url}/hook"), &signed(BODY), BODY), Some(204));
    assert_eq!(listener.run.next()["claim"], "won");
    let group = leash_of(listener.run.pid());
    assert_eq!(listener.run.terminate().0, 0);
    assert_eq!(members(group), []);
}

#[test]
fn a_host_that_is_not_known_or_does_not_forward_says_what_to_do() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), "no");
    let path = path_with(&[folder.path()]);
    let listener = Tunnelled::start(&folder, path, &["--tunnel", &server.preset()]);
    let message = listener.until("waiting")["message"].to_string();
    assert!(
        message.contains("ssh has ended (exit code 255). This host's key is not known"),
        "{message}"
    );
    server.is_known(folder.path());
    let message = listener.until("waiting")["message"].to_string();
    assert!(message.contains("AllowTcpForwarding"), "{message}");
}
